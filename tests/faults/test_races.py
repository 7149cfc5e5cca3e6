"""Two of everything at once: people, bots, schedulers, attempts. One decision, one effect, and the loser is told."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis
from rq import Queue

from bot.intake import Intake
from core.domain.model import Session
from core.domain.tables import InteractionStatus, TaskStatus
from core.service import Service
from tests.faults.crew import ALICE, Crew, alive, children, crew, free_port, git, is_, repository, task

pytestmark = pytest.mark.process


async def test_approve_and_reject_at_once_make_one_decision_and_one_loser(
    redis_url: str, workspace: str, tmp_path: Path
) -> None:
    """Fifty questions, each answered both ways in the same moment by two bots that share nothing but the ledger."""
    steps = [{"ask": {"command": f"rm -rf old-{n}", "reasons": ["deletes"]}} for n in range(50)]
    recording = {"tasks": [{"match": "tidy", "steps": [*steps, {"report": {"summary": "tidy"}}]}]}
    repo = repository(tmp_path / "shop", {"a.txt": "a\n"})
    async with crew(redis_url, workspace, tmp_path / "data", recording) as lead:
        lead.start("scheduler", "worker")
        await lead.begin(repo)
        await lead.apply("tidy up the old folders")
        other = Intake(Service(lead.desk.ledger))
        for number in range(1, 51):
            short = f"A{number}"
            await lead.until(lambda s, short=short: short in s.shorts)  # type: ignore[misc]
            answers = await asyncio.gather(
                lead.tap("approve", short), other.tapped(ALICE, lead.session, "reject", short, text="no")
            )
            assert sorted(a.ok for a in answers) == [False, True]
            loser = next(a for a in answers if not a.ok)
            assert loser.code == "already_decided"
            assert "alice" in loser.text
        state = await lead.until(is_("T1", TaskStatus.COMPLETED))
        decided = {x.status for x in state.interactions.values()}
        assert decided <= {InteractionStatus.APPROVED, InteractionStatus.REJECTED}
        events = await lead.desk.ledger.read(lead.session, 0, 10_000)
        assert sum(e.type in ("approval.approved", "approval.rejected") for e in events) == 50


async def test_two_bots_and_two_schedulers_share_the_work_and_double_nothing(
    redis_url: str, workspace: str, tmp_path: Path
) -> None:
    repo = repository(tmp_path / "shop", {"a.txt": "a\n"})
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start("scheduler", "scheduler", "worker")
        lead.start("bot")
        lead.start("bot", THREADLEAD_WEB__PORT=str(free_port()))
        await lead.begin(repo)
        await lead.apply("`git status`, then `git log`, then `git diff`")
        state = await lead.until(is_("T3", TaskStatus.COMPLETED))
        assert [len(t.attempts) for t in state.tasks.values()] == [1, 1, 1]
        await lead.check()
        assert set(await lead.posts()) == {"plan:P1", "report:T3:1"}


SLOW = {
    "tasks": [
        {
            "match": "slow",
            "steps": [{"wait_file": "go"}, {"say": "from the grave"}, {"report": {"summary": "the first"}}],
            "again": [{"report": {"summary": "the second"}}],
        }
    ]
}


async def test_a_worker_frozen_past_its_lease_cannot_write_once_another_attempt_has_the_task(
    redis_url: str, workspace: str, tmp_path: Path
) -> None:
    """The horse is stopped and goes on when the task is another attempt's, before that begins: all it says is refused."""
    repo = repository(tmp_path / "shop", {"a.txt": "a\n"})
    async with crew(redis_url, workspace, tmp_path / "data", SLOW) as lead:
        lead.start()
        await lead.begin(repo)
        await lead.apply("fix the slow page")
        state = await lead.until(is_("T1", TaskStatus.WORKING))
        first = task(state).attempt_id
        horse = await horse_with_lease(lead)
        os.kill(horse, signal.SIGSTOP)
        await lead.until(lambda s: "Q1" in s.shorts)
        runs = lead.freeze_runs()
        assert (await lead.tap("again", "Q1", "it hangs")).ok
        await lead.until(lambda s: task(s).attempt_id != first)
        (lead.desk.settings.data / "scratch" / first / "go").touch()
        os.kill(horse, signal.SIGCONT)
        await gone(horse)
        for pid in runs:
            os.kill(pid, signal.SIGCONT)
        state = await lead.until(is_("T1", TaskStatus.COMPLETED))
        assert task(state).report is not None
        assert task(state).report.summary == "the second"  # type: ignore[union-attr]
        events = await lead.desk.ledger.read(lead.session, 0, 10_000)
        assert not [e for e in events if e.type == "agent.message"]
        await lead.check()


async def test_a_command_of_a_frozen_worker_is_ended_before_the_next_attempt_begins(
    redis_url: str, workspace: str, tmp_path: Path
) -> None:
    """Its words would be refused; this is about its hands, in the worktree that both attempts share."""
    effects = tmp_path / "effects"
    working = f"echo begun $$ >> {effects}; sleep 300"
    recording = {
        "tasks": [
            {
                "match": "slow",
                "steps": [{"run": ["bash", "-c", working]}],
                "again": [
                    {"run": ["bash", "-c", f"ps -e -o pid= >> {effects}"]},
                    {"report": {"summary": "the second"}},
                ],
            }
        ]
    }
    repo = repository(tmp_path / "shop", {"a.txt": "a\n"})
    async with crew(redis_url, workspace, tmp_path / "data", recording) as lead:
        lead.start()
        await lead.begin(repo)
        await lead.apply("fix the slow page")
        await lead.until(lambda s: effects.exists() and effects.read_text().endswith("\n"))
        command = int(effects.read_text().split()[1])
        horse = await horse_with_lease(lead)
        os.kill(horse, signal.SIGSTOP)
        await lead.until(lambda s: "Q1" in s.shorts)
        assert alive(command)
        assert (await lead.tap("again", "Q1", "it hangs")).ok
        await lead.until(is_("T1", TaskStatus.COMPLETED))
        running = {int(line) for line in effects.read_text().splitlines()[1:]}
        assert running, "the second attempt saw who was there"
        assert command not in running
        assert not alive(horse)
        await lead.check()


async def horse_with_lease(lead: Crew) -> int:
    """The process that runs the only attempt: a grandchild of the worker with children or work of its own."""
    (worker,) = lead.running["worker"]
    for _ in range(100):
        for rq_worker in children(worker.pid):
            for horse in children(rq_worker):
                return horse
        await asyncio.sleep(0.05)
    raise AssertionError("no work-horse")


async def gone(pid: int) -> None:
    async with asyncio.timeout(20):
        while Path(f"/proc/{pid}").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z":
            await asyncio.sleep(0.05)


async def test_a_job_put_on_the_queue_by_hand_runs_nothing_that_is_not_listed(
    redis_url: str, workspace: str, tmp_path: Path
) -> None:
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start("scheduler", "worker")
        repo = repository(tmp_path / "shop", {"a.txt": "a\n"})
        await lead.begin(repo)
        mark = tmp_path / "mark"
        queue = Queue(f"tl.{workspace}.run.laptop", connection=Redis.from_url(redis_url), serializer="json")
        job = queue.enqueue_call("os.mkdir", args=(str(mark),))
        async with asyncio.timeout(20):
            while job.get_status(refresh=True) != "failed":
                await asyncio.sleep(0.05)
        assert not mark.exists()


async def test_entries_and_jobs_nobody_can_act_on_are_set_aside_and_the_rest_flows_on(
    redis_url: str, workspace: str, tmp_path: Path
) -> None:
    repo = repository(tmp_path / "shop", {"a.txt": "a\n"})
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        ledger = lead.desk.ledger
        await ledger.publish("task", {"to": "queued"})
        await ledger.publish("task", {"to": "submitted", "session": "ps_none", "task": "task_none"})
        await ledger.publish("session", {"type": "session.message.added"})
        await ledger.publish("session", {"type": "session.message.added", "session": "ps_none"})
        queue = Queue(f"tl.{workspace}.run.laptop", connection=Redis.from_url(redis_url), serializer="json")
        queue.connection.rpush(queue.key, "no-such-job")
        jobs = [
            queue.enqueue_call("run_attempt", args=("ps_none", "att_none")),
            queue.enqueue_call("run_attempt", args=("one argument",)),
            queue.enqueue_call("merge_flow", args=(lead.session, "flow_none", "tip")),
        ]
        await lead.apply("`git status`")
        await lead.until(is_("T1", TaskStatus.COMPLETED))
        await lead.check()
        async with asyncio.timeout(20):
            while [job.get_status(refresh=True) for job in jobs] != ["finished", "failed", "finished"]:
                await asyncio.sleep(0.05)
        assert "set_aside" in lead.logs()


def merge_is(flow: str, status: str) -> Callable[[Session], bool]:
    def true(state: Session) -> bool:
        merge = state.flows[flow].merge
        return merge is not None and merge.status == status

    return true


async def test_an_accepted_flow_is_merged_once_and_the_next_plan_starts_from_it(
    redis_url: str, workspace: str, tmp_path: Path
) -> None:
    recording = {
        "tasks": [
            {
                "match": "page",
                "steps": [{"write": {"path": "page.txt", "text": "page\n"}}, {"report": {"summary": "a page"}}],
            },
            {
                "match": "footer",
                "steps": [{"run": ["cat", "page.txt"]}, {"report": {"summary": "a footer"}}],
            },
        ]
    }
    repo = repository(tmp_path / "shop", {"a.txt": "a\n"})
    async with crew(redis_url, workspace, tmp_path / "data", recording) as lead:
        lead.start()
        await lead.begin(repo)
        await lead.apply("add a page")
        await lead.until(is_("T1", TaskStatus.COMPLETED))
        assert (await lead.tap("accept", "T1")).ok
        flow = next(iter((await lead.state()).flows))
        (repo / "page.txt").write_text("mine\n")  # an untracked file of the person is in the way
        assert (await lead.tap("merge", flow)).ok
        state = await lead.until(merge_is(flow, "refused"))
        refused = state.flows[flow].merge
        assert refused is not None
        assert (refused.code, refused.detail) == ("base_dirty", "page.txt")
        assert (repo / "page.txt").read_text() == "mine\n"
        assert task(await lead.state()).settled_success, "a refused merge leaves the work accepted"
        (repo / "page.txt").unlink()
        answers = await asyncio.gather(lead.tap("merge", flow), lead.tap("merge", flow))
        assert sorted(a.ok for a in answers) == [False, True]
        state = await lead.until(merge_is(flow, "merged"))
        merge = state.flows[flow].merge
        assert merge is not None
        assert git(repo, "rev-parse", "main").strip() == merge.sha
        assert (repo / "page.txt").read_text() == "page\n"
        assert git(repo, "branch", "--list", "threadlead/*") == ""

        await lead.apply("add a footer", "P2")
        state = await lead.until(is_("T2", TaskStatus.COMPLETED))
        later = state.flows[task(state, "T2").flow_id]
        assert later.id != flow
        assert later.base_commit == merge.sha
        await lead.check()
