"""A door to a session in memory or on a real server, and a session that is led on by commands through it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from bot.intake import Intake
from core.access import Person
from core.domain import commands as c
from core.domain.model import Session
from core.domain.reading import Proposal, Reading, TaskSpec
from core.domain.views import find_task
from core.ledger.memory import MemoryLedger
from core.ledger.port import Ledger
from core.ledger.redis_ledger import open_ledger
from core.service import Service

ALICE = Person("alice", frozenset({"owner"}))
BOB = Person("bob", frozenset({"approver"}))
CAROL = Person("carol", frozenset({"member"}))
STRANGER = Person("dave")


@pytest.fixture(params=["memory", "redis"])
async def ledger(request: pytest.FixtureRequest, workspace: str) -> AsyncIterator[Ledger]:
    if request.param == "memory":
        yield MemoryLedger(workspace)
        return
    found = open_ledger(request.getfixturevalue("redis_url"), workspace)
    yield found
    await found.close()


@dataclass(frozen=True)
class Thread:
    """One session and what people and workers do in it."""

    service: Service
    intake: Intake
    id: str

    async def state(self) -> Session:
        return await self.service.state(self.id)

    async def do(self, command: c.Command) -> None:
        await self.service.handle(self.id, command)

    async def planned(self, *specs: TaskSpec, text: str = "do it") -> None:
        """A message by alice, read as a plan."""
        assert (await self.intake.said(ALICE, self.id, text)).ok
        message = next(reversed((await self.state()).messages))
        reading = Reading(kind="new_task", proposal=Proposal(reason=text, create=specs))
        await self.do(c.RecordReading(message_id=message, reading=reading))

    async def applied(self, *specs: TaskSpec) -> None:
        await self.planned(*specs)
        plan = next(reversed((await self.state()).plans.values()))
        assert (await self.intake.tapped(ALICE, self.id, "apply", plan.short, revision=plan.revision)).ok

    async def started(self, name: str) -> str:
        """The task works on w1; gives its attempt."""
        await self.do(c.Dispatch(task_id=find_task(await self.state(), name).id, worker="w1", slots=8))
        attempt = find_task(await self.state(), name).attempt_id
        await self.do(c.ClaimAttempt(attempt_id=attempt, worker="w1"))
        await self.do(c.AcceptAttempt(attempt_id=attempt))
        return attempt

    async def asked(self, attempt: str, line: str = "rm -rf build-cache", request: str = "r1") -> None:
        await self.do(
            c.RequestApproval(
                attempt_id=attempt,
                request_id=request,
                summary=line,
                folder="",
                reasons=("deletes",),
                risk="high",
                digest="d1",
            )
        )


def spec(key: str, *after: str) -> TaskSpec:
    return TaskSpec(key=key, title=f"Task {key}", content=f"do {key}", target="coder", after=after)


async def begun(ledger: Ledger, place: str = "web:1") -> Thread:
    service = Service(ledger)
    intake = Intake(service)
    opened = await intake.open(ALICE, place=place, surface="web", title="Shop")
    thread = Thread(service, intake, opened.session_id)
    assert (await intake.name_repo(ALICE, thread.id, "/src/shop")).ok
    await thread.do(c.RecordRepo(path="/src/shop", name="shop", base_branch="main", base_commit="c0", worker="w1"))
    return thread


@pytest.fixture
async def thread(ledger: Ledger) -> Thread:
    return await begun(ledger)
