"""One attempt from claim to end: it runs once, in a place of its own, and whatever happens it ends with one word."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import core.assembly
from core.domain import facts as f
from core.domain.model import Attempt
from core.domain.tables import TaskStatus
from core.ledger.connect import connect
from core.settings import Settings, Worker
from jobs import roster
from jobs.attempt.run import run_attempt
from jobs.harness import contract as h
from jobs.harness.registry import Harnesses

from .agent import Agent, Opens
from .desk import Desk, desk, plain_git, repository

pytestmark = pytest.mark.usefixtures("home")

DEADLINE_S = 20.0


async def reports(agent: Agent) -> AsyncIterator[h.Said]:
    yield h.Message("I begin")
    yield h.Reported("done")
    yield h.Idle("end_turn")


@dataclass
class Stage:
    """An attempt that waits for its worker, on a real repository."""

    desk: Desk
    tools: core.assembly.Desk
    repo: Path

    async def run(self, agent: Agent | None = None, **targets: h.Harness) -> Opens:
        opens = Opens(agent or Agent(reports))
        async with asyncio.timeout(DEADLINE_S):
            harnesses = Harnesses(targets or {"demo": opens})
            await run_attempt(self.tools, harnesses, self.desk.session_id, self.desk.attempt_id)
        return opens

    async def attempt(self) -> Attempt:
        return (await self.desk.state()).attempts[self.desk.attempt_id]

    async def status(self) -> TaskStatus:
        return (await self.desk.task()).status


async def stage(folder: Path, *criteria: str) -> Stage:
    repo = repository(folder)
    here = await desk(*criteria, base_commit=plain_git(repo, "rev-parse", "HEAD"), root=str(repo), sent=False)
    settings = Settings(data=folder / "data", worker=Worker(id="laptop"))
    return Stage(here, core.assembly.Desk(settings, connect("unix:///nowhere"), here.ledger, here.service), repo)


async def test_an_attempt_is_claimed_run_and_reported(tmp_path: Path) -> None:
    here = await stage(tmp_path, "the page is there :: cat page.txt")
    opens = await here.run()
    assert await here.status() is TaskStatus.COMPLETED
    assert (await here.attempt()).phase == "finalized"
    (completed,) = await here.desk.recorded(f.TaskCompleted)
    assert [check.exit_code for check in completed.evidence] == [0]
    assert completed.by == "laptop"
    assert opens.agent.closed


async def test_the_agent_gets_its_prompt_and_a_place_outside_the_persons_checkout(tmp_path: Path) -> None:
    here = await stage(tmp_path)
    opens = await here.run()
    ((assignment, place),) = opens.opened
    assert opens.agent.prompts == [(await here.attempt()).prompt]
    assert (assignment.short, assignment.title, assignment.number, assignment.round) == ("T1", "Fix the page", 1, 1)
    assert (place.folder / "page.txt").read_text() == "one\ntwo\n"
    assert not place.folder.is_relative_to(here.repo)
    assert place.scratch.is_dir()
    assert not place.scratch.is_relative_to(place.folder)
    assert plain_git(here.repo, "status", "--porcelain") == ""


async def test_a_job_delivered_twice_runs_once(tmp_path: Path) -> None:
    here = await stage(tmp_path)
    await here.run()
    before = await here.desk.ledger.last_seq(here.desk.session_id)
    again = await here.run()
    assert again.opened == []
    assert await here.desk.ledger.last_seq(here.desk.session_id) == before


async def test_an_attempt_nobody_knows_is_left_alone(tmp_path: Path) -> None:
    here = await stage(tmp_path)
    await run_attempt(here.tools, Harnesses({}), here.desk.session_id, "att_unknown")
    await run_attempt(here.tools, Harnesses({}), "ps_unknown", here.desk.attempt_id)
    assert (await here.attempt()).phase == "prepared"


async def test_its_lease_is_held_while_it_runs_and_given_back(tmp_path: Path) -> None:
    here = await stage(tmp_path)

    async def looks(agent: Agent) -> AsyncIterator[h.Said]:
        held = await here.desk.ledger.index_range("leases", 0, roster.FOREVER)
        yield h.Message(",".join(name for name, _ in held))
        yield h.Idle("end_turn")

    await here.run(Agent(looks))
    name = f"{here.desk.session_id}/{here.desk.task_id}/{here.desk.attempt_id}"
    assert [m.text for m in await here.desk.recorded(f.AgentMessage)] == [name]
    assert await here.desk.ledger.index_range("leases", 0, roster.FOREVER) == []


async def test_an_agent_that_just_stops_leaves_the_task_to_a_person(tmp_path: Path) -> None:
    async def stops(agent: Agent) -> AsyncIterator[h.Said]:
        yield h.Idle("end_turn")

    here = await stage(tmp_path)
    await here.run(Agent(stops))
    task = await here.desk.task()
    assert (task.status, task.block_reason) == (TaskStatus.BLOCKED, "no_report")


async def test_what_broke_is_the_failure_of_the_task_with_its_output(tmp_path: Path) -> None:
    async def fails(agent: Agent) -> AsyncIterator[h.Said]:
        yield h.Broke("command_failed", "exit 1 · 2 failed", b"all of it")
        yield h.Idle("end_turn")

    here = await stage(tmp_path)
    await here.run(Agent(fails))
    (failed,) = await here.desk.recorded(f.TaskFailed)
    assert (failed.failure, failed.detail) == ("command_failed", "exit 1 · 2 failed")
    assert await here.desk.ledger.get_blob(failed.output) == b"all of it"


async def test_a_prompt_that_was_not_taken_fails_the_task(tmp_path: Path) -> None:
    here = await stage(tmp_path)
    agent = Agent(reports, admission="rejected")
    await here.run(agent)
    (failed,) = await here.desk.recorded(f.TaskFailed)
    assert failed.failure == "rejected"
    assert agent.closed


async def test_an_agent_nobody_set_up_on_this_worker_fails_the_task_by_name(tmp_path: Path) -> None:
    here = await stage(tmp_path)
    await here.run(shell=Opens(Agent(reports)))
    (failed,) = await here.desk.recorded(f.TaskFailed)
    assert failed.failure == "workspace"
    assert "demo" in failed.detail


async def test_a_repository_that_is_gone_fails_the_task(tmp_path: Path) -> None:
    here = await stage(tmp_path)
    here.repo.rename(tmp_path / "elsewhere")
    opens = await here.run()
    (failed,) = await here.desk.recorded(f.TaskFailed)
    assert failed.failure == "workspace"
    assert opens.opened == []


async def test_an_agent_that_breaks_fails_the_task_and_is_closed(tmp_path: Path) -> None:
    async def breaks(agent: Agent) -> AsyncIterator[h.Said]:
        yield h.Message("I begin")
        raise ConnectionResetError("its pipe is gone")

    here = await stage(tmp_path)
    agent = Agent(breaks)
    await here.run(agent)
    (failed,) = await here.desk.recorded(f.TaskFailed)
    assert failed.failure == "harness_error"
    assert "its pipe is gone" in failed.detail
    assert agent.closed


async def test_a_report_no_log_can_hold_fails_the_task_instead_of_leaving_it_open(tmp_path: Path) -> None:
    async def floods(agent: Agent) -> AsyncIterator[h.Said]:
        yield h.Reported("done", tuple(h.Proof("x" * 10_000, "true", 0) for _ in range(40)))
        yield h.Idle("end_turn")

    here = await stage(tmp_path)
    await here.run(Agent(floods))
    assert (await here.attempt()).phase == "finalized"
    (failed,) = await here.desk.recorded(f.TaskFailed)
    assert failed.failure == "harness_error"
    assert failed.detail.startswith("unwritable_event")


async def test_an_attempt_that_was_taken_over_ends_without_a_word_and_its_agent_is_closed(tmp_path: Path) -> None:
    here = await stage(tmp_path)

    async def is_taken_over(agent: Agent) -> AsyncIterator[h.Said]:
        await here.desk.taken_over()
        seen.append(await here.desk.ledger.last_seq(here.desk.session_id))
        yield h.Message("still here")
        yield h.Idle("end_turn")

    seen: list[int] = []
    agent = Agent(is_taken_over)
    await here.run(agent)
    assert [await here.desk.ledger.last_seq(here.desk.session_id)] == seen
    assert agent.closed
