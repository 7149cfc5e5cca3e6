"""A worker that goes away in the middle of an attempt ends it with a word, whatever was being done: nothing is uncertain."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.assembly import Desk
from core.domain import commands as c
from core.domain.model import Attempt, Task
from core.domain.reading import Proposal, Reading, TaskSpec
from core.domain.tables import AttemptPhase, TaskStatus
from core.ledger.connect import connect
from core.ledger.memory import MemoryLedger
from core.service import Service
from core.settings import Settings, Worker
from jobs.attempt.leaving import Leaving, Left
from jobs.attempt.run import run_attempt
from jobs.harness.recording import load
from jobs.harness.registry import Harnesses
from jobs.harness.script import ScriptHarness
from tests.faults.crew import alive, cmdline, descendants

ALICE = c.Permitted("alice", "decide")
ID = "ps_1"


# -- one step --------------------------------------------------------------------------------------------------------


async def test_a_step_nobody_interrupts_gives_its_result() -> None:
    async def step() -> int:
        return 7

    assert await Leaving().before(step()) == 7


async def test_a_step_that_is_quick_enough_is_finished_before_leaving() -> None:
    leaving = Leaving()
    leaving.asked.set()
    assert await leaving.before(asyncio.sleep(0.01, "done"), patience_s=5) == "done"


async def test_a_step_that_takes_too_long_is_ended_and_closes_what_it_holds() -> None:
    leaving, closed = Leaving(), asyncio.Event()

    async def step() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            closed.set()

    waiting = asyncio.create_task(leaving.before(step(), patience_s=0.01))
    await asyncio.sleep(0)
    leaving.asked.set()
    with pytest.raises(Left):
        await waiting
    assert closed.is_set()


async def test_what_goes_wrong_in_a_step_is_what_is_raised() -> None:
    async def step() -> None:
        raise ValueError("no")

    leaving = Leaving()
    leaving.asked.set()
    with pytest.raises(ValueError, match="no"):
        await leaving.before(step())


async def test_a_second_signal_after_the_block_is_not_ours_any_more() -> None:
    leaving = Leaving()
    with leaving.on_sigterm():
        os.kill(os.getpid(), signal.SIGTERM)
        async with asyncio.timeout(5):
            await leaving.asked.wait()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


# -- a whole attempt -------------------------------------------------------------------------------------------------


class Room:
    """One task, given to this process by a ledger in memory, with real git and a recorded agent."""

    def __init__(self, tmp_path: Path) -> None:
        self.repo = tmp_path / "shop"
        self.repo.mkdir()
        for args in (
            ("init", "-q", "-b", "main"),
            ("-c", "user.name=alice", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "Begin"),
        ):
            subprocess.run(["git", *args], cwd=self.repo, check=True)
        self.head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=self.repo, text=True).strip()
        self.service = Service(MemoryLedger())
        settings = Settings(data=tmp_path / "data", worker=Worker(id="laptop", heartbeat_s=1, lease_s=5))
        self.desk = Desk(settings, connect("unix:///nowhere"), self.service.ledger, self.service)

    async def given(self, criteria: tuple[str, ...] = ()) -> str:
        do = self.service.handle
        await do(ID, c.StartSession(by=ALICE, place="web:1", surface="web", title="Shop"))
        await do(ID, c.NameRepo(by=ALICE, path="shop"))
        repo = c.RecordRepo(
            path="shop", root=str(self.repo), base_branch="main", base_commit=self.head, worker="laptop"
        )
        await do(ID, repo)
        await do(ID, c.AddMessage(by=ALICE, text="fix the page"))
        (message,) = (await self.service.state(ID)).messages
        spec = TaskSpec(key="a", title="Fix the page", content="fix it", target="demo", criteria=criteria)
        reading = Reading(kind="new_task", proposal=Proposal(reason="do it", create=(spec,)))
        await do(ID, c.RecordReading(message_id=message, reading=reading))
        await do(ID, c.DecidePlan(by=ALICE, plan="P1", revision=0, decision="apply"))
        (task,) = (await self.service.state(ID)).tasks
        await do(ID, c.Dispatch(task_id=task, worker="laptop", slots=1))
        return (await self.task()).attempt_id

    async def task(self) -> Task:
        (task,) = (await self.service.state(ID)).tasks.values()
        return task

    async def attempt(self) -> Attempt:
        return (await self.service.state(ID)).attempts[(await self.task()).attempt_id]

    async def run(self, attempt_id: str, *steps: Mapping[str, object]) -> None:
        recording = load({"tasks": [{"match": "page", "steps": list(steps)}]})
        await run_attempt(self.desk, Harnesses({"demo": ScriptHarness(recording)}), ID, attempt_id)

    async def shut_down(self) -> None:
        task, attempt = await self.task(), await self.attempt()
        assert (attempt.phase, attempt.stop_reason) == (AttemptPhase.FINALIZED, "shutdown")
        assert task.status is TaskStatus.QUEUED
        assert not (await self.service.state(ID)).interactions
        assert await self.desk.ledger.index_range("leases", 0, 1 << 53) == []


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


async def test_asked_to_go_while_the_agent_works_it_is_ended_and_the_task_goes_out_again(room: Room) -> None:
    attempt_id = await room.given()
    running = asyncio.create_task(room.run(attempt_id, {"say": "I begin"}, {"until": "cancelled"}))
    async with asyncio.timeout(10):
        while (await room.task()).status is not TaskStatus.WORKING:
            await asyncio.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)
        await running
    await room.shut_down()


async def test_asked_to_go_while_the_place_is_prepared_no_agent_is_opened(room: Room) -> None:
    attempt_id = await room.given()
    running = asyncio.create_task(room.run(attempt_id, {"write": {"path": "page", "text": "x"}}))
    async with asyncio.timeout(10):
        while (await room.attempt()).phase is not AttemptPhase.DISPATCHING:
            await asyncio.sleep(0)
        os.kill(os.getpid(), signal.SIGTERM)
        await running
    await room.shut_down()
    assert not list(room.desk.settings.data.rglob("page"))


async def test_asked_to_go_while_the_report_is_checked_the_check_is_ended(room: Room, tmp_path: Path) -> None:
    attempt_id = await room.given(criteria=("it holds :: tail -f /dev/null",))
    running = asyncio.create_task(room.run(attempt_id, {"report": {"summary": "done"}}))
    async with asyncio.timeout(15):
        while not tails():
            assert not running.done(), running
            await asyncio.sleep(0.02)
        (check,) = tails()
        os.kill(os.getpid(), signal.SIGTERM)
        await running
        while alive(check):
            await asyncio.sleep(0.02)
    await room.shut_down()


@pytest.mark.parametrize(("wish", "status"), [("stop", "blocked"), ("pause", "paused"), ("cancel", "cancelled")])
async def test_a_person_who_ends_the_work_while_its_report_is_checked_is_heard(
    room: Room, wish: str, status: str
) -> None:
    attempt_id = await room.given(criteria=("it holds :: tail -f /dev/null",))
    running = asyncio.create_task(room.run(attempt_id, {"report": {"summary": "done"}}))
    async with asyncio.timeout(15):
        while not tails():
            assert not running.done(), running
            await asyncio.sleep(0.02)
        await room.service.handle(ID, c.ChangeTask(by=ALICE, change=wish, task="T1"))  # type: ignore[arg-type]
        await running
    assert not tails()
    assert (await room.task()).status == status
    assert (await room.attempt()).outcome == "cancelled"
    assert not (await room.service.state(ID)).interactions


def tails() -> list[int]:
    """Process ids of the check; a keeper stands between it and this process."""
    return [pid for pid in descendants(os.getpid()) if cmdline(pid).startswith(b"tail\0-f")]


async def test_a_fault_of_the_harness_is_a_failure_with_its_words_and_not_uncertain(room: Room) -> None:
    class Broken(ScriptHarness):
        async def open(self, assignment: object, workspace: object) -> object:  # type: ignore[override]
            raise OSError("no space left on device")

    attempt_id = await room.given()
    await run_attempt(room.desk, Harnesses({"demo": Broken(load({"tasks": []}))}), ID, attempt_id)  # type: ignore[dict-item]
    task = await room.task()
    assert (task.status, task.failure) == (TaskStatus.FAILED, "harness_error")
    assert "no space left" in task.failure_detail
    assert not (await room.service.state(ID)).interactions


async def test_an_attempt_delivered_twice_is_run_once(room: Room) -> None:
    attempt_id = await room.given()
    report = {"report": {"summary": "done"}}
    first = asyncio.create_task(room.run(attempt_id, {"say": "once"}, {"wait_file": "go"}, report))
    async with asyncio.timeout(10):
        while (await room.task()).status is not TaskStatus.WORKING:
            await asyncio.sleep(0.01)
        await room.run(attempt_id, {"say": "twice"}, report)
        leases = await room.desk.ledger.index_range("leases", 0, 1 << 53)
        assert len(leases) == 1, "a copy that is refused leaves the lease of the one that runs"
        (room.desk.settings.data / "scratch" / attempt_id / "go").touch()
        await first
    events = await room.service.ledger.read(ID)
    assert sum(e.type == "agent.message" for e in events) == 1
    assert (await room.task()).status is TaskStatus.COMPLETED
