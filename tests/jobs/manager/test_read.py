"""The job that reads one message: understood once, answered when nothing can be planned, held back until it can be."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

import core.assembly
from core.domain import commands as c
from core.domain.model import Message, Plan, Session
from core.domain.reading import Proposal, Reading, TaskSpec
from core.ledger.connect import connect
from core.ledger.memory import MemoryLedger
from core.service import Service
from core.settings import Settings, Worker
from jobs.manager.contract import Surroundings
from jobs.manager.read import read_message
from jobs.policy import ShellPolicy
from jobs.understanding import Understanding
from tests.jobs.attempt.desk import ALICE, plain_git, repository

ID = "ps_1"


@dataclass
class Says:
    """An engine that understands every message as ``reading``."""

    reading: Reading
    heard: list[str] = field(default_factory=list)

    async def read(self, message: Message, state: Session, around: Surroundings) -> Reading:
        self.heard.append(message.text)
        return self.reading


def proposing(*create: TaskSpec, **more: object) -> Reading:
    return Reading(kind="new_task", proposal=Proposal.model_validate({"reason": "do it", "create": create} | more))


TASK = TaskSpec(key="a", title="Fix the page", content="fix it", target="demo")


class Desk:
    """A session that people write in; ``read`` is the job."""

    def __init__(self, data: Path) -> None:
        ledger = MemoryLedger()
        self.service = Service(ledger)
        settings = Settings(data=data, worker=Worker(id="laptop"))
        self.tools = core.assembly.Desk(settings, connect("unix:///nowhere"), ledger, self.service)

    async def do(self, command: c.Command) -> None:
        await self.service.handle(ID, command)

    async def state(self) -> Session:
        return await self.service.state(ID)

    async def say(self, text: str) -> str:
        await self.do(c.AddMessage(by=ALICE, text=text))
        return list((await self.state()).messages)[-1]

    async def read(self, message: str, engine: Says) -> Message:
        await read_message(self.tools, Understanding(engine, (), ShellPolicy()), ID, message)
        return (await self.state()).messages[message]

    async def plans(self) -> list[Plan]:
        return list((await self.state()).plans.values())

    async def name(self, repo: Path, *, checked: bool = True) -> None:
        await self.do(c.NameRepo(by=ALICE, path=str(repo)))
        if checked:
            tip = plain_git(repo, "rev-parse", "HEAD")
            found = c.RecordRepo(
                path=str(repo), root=str(repo), name="shop", base_branch="main", base_commit=tip, worker="laptop"
            )
            await self.do(found)


@pytest.fixture
async def desk(tmp_path: Path, home: None) -> Desk:
    made = Desk(tmp_path / "data")
    await made.do(c.StartSession(by=ALICE, place="web:1", surface="web", title="Shop"))
    return made


async def test_a_message_becomes_a_plan_and_is_read_once(desk: Desk, tmp_path: Path) -> None:
    await desk.name(repository(tmp_path))
    engine, message = Says(proposing(TASK)), await desk.say("fix the page")
    read = await desk.read(message, engine)
    await desk.read(message, engine)
    assert engine.heard == ["fix the page"]
    assert [plan.message_id for plan in await desk.plans()] == [message]
    assert read.kind == "new_task"


async def test_a_message_nobody_wrote_is_left_alone(desk: Desk) -> None:
    engine = Says(proposing(TASK))
    await read_message(desk.tools, Understanding(engine, (), ShellPolicy()), ID, "msg_unknown")
    assert engine.heard == []


async def test_without_a_repository_the_message_waits_for_one_and_is_read_again(desk: Desk, tmp_path: Path) -> None:
    engine, message = Says(proposing(TASK)), await desk.say("fix the page")
    waiting = await desk.read(message, engine)
    assert waiting.waits_for == "repo"
    assert waiting.reply is not None
    assert waiting.reply.code == "which_repo"
    assert await desk.plans() == []
    await desk.name(repository(tmp_path))
    read = await desk.read(message, engine)
    assert read.waits_for == ""
    assert len(await desk.plans()) == 1


async def test_while_the_repository_is_being_looked_at_nothing_is_read(desk: Desk, tmp_path: Path) -> None:
    await desk.name(repository(tmp_path), checked=False)
    engine, message = Says(proposing(TASK)), await desk.say("fix the page")
    assert (await desk.read(message, engine)).kind == ""
    assert engine.heard == []


async def test_a_first_plan_starts_from_where_the_base_is_now(desk: Desk, tmp_path: Path) -> None:
    repo = repository(tmp_path)
    await desk.name(repo)
    (repo / "page.txt").write_text("three\n")
    plain_git(repo, "commit", "-q", "-a", "-m", "By alice")
    await desk.read(await desk.say("fix the page"), Says(proposing(TASK)))
    found = (await desk.state()).repo
    assert found is not None
    assert found.base_commit == plain_git(repo, "rev-parse", "HEAD")


async def test_a_repository_that_went_away_meanwhile_is_said_instead_of_planned(desk: Desk, tmp_path: Path) -> None:
    repo = repository(tmp_path)
    await desk.name(repo)
    repo.rename(tmp_path / "elsewhere")
    read = await desk.read(await desk.say("fix the page"), Says(proposing(TASK)))
    assert read.waits_for == "repo"
    assert await desk.plans() == []


async def test_a_proposal_the_domain_refuses_is_answered_with_why(desk: Desk, tmp_path: Path) -> None:
    await desk.name(repository(tmp_path))
    read = await desk.read(await desk.say("cancel it"), Says(proposing(cancel=("task_unknown",))))
    assert read.reply is not None
    assert read.reply.code == "cannot_plan"
    assert read.reply.params["code"] == "unknown_task"
    assert await desk.plans() == []


async def test_a_question_is_answered_with_the_facts_of_the_moment(desk: Desk, tmp_path: Path) -> None:
    await desk.name(repository(tmp_path))
    await desk.read(await desk.say("fix the page"), Says(proposing(TASK)))
    asks = Reading.model_validate({"kind": "question", "reply": {"code": "status"}})
    read = await desk.read(await desk.say("how is it going?"), Says(asks))
    assert read.reply is not None
    assert read.reply.params == {"tasks": "", "waiting": "P1"}
