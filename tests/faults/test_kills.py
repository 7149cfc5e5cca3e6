"""Processes killed outright while work is done: nothing is lost, nothing is done twice, what cannot be known is said."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from core.domain.model import Session
from core.domain.tables import TaskStatus
from tests.faults.crew import Crew, alive, crew, descendants, git, is_, repository, task

pytestmark = pytest.mark.process

# Says on a file outside the worktree that it ran, then waits to be ended.
WORK = "echo begun $$ >> {effects}\nwhile [ ! -e {go} ]; do sleep 0.1; done\necho ended >> {effects}\n"


@pytest.fixture
def effects(tmp_path: Path) -> Path:
    return tmp_path / "effects"


@pytest.fixture
def repo(tmp_path: Path, effects: Path) -> Path:
    script = WORK.format(effects=effects, go=tmp_path / "go")
    return repository(tmp_path / "shop", {"work.sh": script, "ok.sh": "true\n"})


async def begun(lead: Crew, effects: Path) -> int:
    """Start the script through an approval; gives the process id it wrote down."""
    await lead.apply("`bash work.sh`")
    await lead.until(lambda s: "A1" in s.shorts)
    assert (await lead.tap("approve", "A1")).ok
    await lead.until(lambda s: effects.exists() and effects.read_text().endswith("\n"))
    return int(effects.read_text().split()[1])


async def test_a_worker_killed_at_work_leaves_one_truthful_question_and_nothing_running(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path, effects: Path
) -> None:
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        pid = await begun(lead, effects)
        everything = descendants(lead.running["worker"][-1].pid)
        assert pid in everything
        lead.kill("worker")
        await lead.until(lambda s: not any(map(alive, everything)))
        lead.start("worker")
        state = await lead.until(lambda s: "Q1" in s.shorts)
        assert task(state).block_reason == "delivery_uncertain"
        assert len(task(state).attempts) == 1
        await lead.check()
        assert effects.read_text().count("begun") == 1, "it was not sent again by itself"

        (tmp_path / "go").touch()
        assert (await lead.tap("again", "Q1")).code == "reason_needed"
        assert (await lead.tap("again", "Q1", "nothing was written yet")).ok
        await lead.until(lambda s: "A2" in s.shorts)
        assert (await lead.tap("approve", "A2")).ok
        state = await lead.until(is_("T1", TaskStatus.COMPLETED))
        assert effects.read_text().count("begun") == 2
        assert len(task(state).attempts) == 2
        await lead.check()
        posts = await lead.posts()
        assert posts["uncertain:Q1"].card["buttons"] == []


async def test_a_killed_work_horse_is_noticed_while_its_worker_lives(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path, effects: Path
) -> None:
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        pid = await begun(lead, effects)
        os.kill(horse_of(pid), signal.SIGKILL)
        state = await lead.until(lambda s: "Q1" in s.shorts)
        assert task(state).status is TaskStatus.BLOCKED
        assert not alive(pid), "the command died with it"
        await lead.check()


def horse_of(pid: int) -> int:
    """The first ancestor that is a Python of ours: command <- keeper <- work-horse."""
    chain = []
    while pid > 1:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        pid = int(fields[1])
        chain.append((pid, Path(f"/proc/{pid}/cmdline").read_bytes()))
    return next(pid for pid, cmd in chain if b"bot.cli" in cmd and b"keeper" not in cmd)


async def test_a_worker_killed_while_it_waits_for_leave_withdraws_the_question(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path, effects: Path
) -> None:
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        await lead.apply("`bash work.sh`")
        await lead.until(lambda s: "A1" in s.shorts)
        lead.kill("worker")
        lead.start("worker")
        await lead.until(lambda s: "Q1" in s.shorts)
        assert (await lead.tap("approve", "A1")).code == "already_decided"
        assert not effects.exists()
        await lead.check()
        posts = await lead.posts()
        assert posts["approval:A1"].card["buttons"] == []


@pytest.mark.parametrize("names", [("bot", "scheduler"), ("worker",)], ids="+".join)
async def test_any_process_may_die_between_any_two_steps(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path, names: tuple[str, ...]
) -> None:
    """A worker while nothing of it runs; what happens to it at work is another test."""
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)

        async def again() -> None:
            for name in names:
                lead.kill(name)
            lead.start(*names)

        await lead.say("`git status`, then `git log`")
        await again()
        await lead.until(lambda s: "P1" in s.shorts)
        await again()
        assert (await lead.tap("apply", "P1")).ok
        if "worker" not in names:
            await again()
        await lead.until(is_("T2", TaskStatus.COMPLETED), seconds=75)  # the sweep is the safety net
        await again()
        assert (await lead.tap("accept", "T2")).ok
        state = await lead.until(lambda s: task(s, "T2").settled_success)
        assert [len(t.attempts) for t in state.tasks.values()] == [1, 1]
        assert len(state.messages) == len(state.plans) == 1
        await lead.check()
        assert set(await lead.posts()) == {"plan:P1", "report:T2:1"}


async def test_what_was_said_while_bot_and_scheduler_were_down_is_read_once(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path
) -> None:
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        lead.kill("bot")
        lead.kill("scheduler")
        await lead.say("run `git status`", ref="m1")
        await lead.say("run `git status`", ref="m1")
        lead.start("bot", "scheduler", "bot", "scheduler")
        await lead.until(lambda s: "P1" in s.shorts)
        assert (await lead.tap("apply", "P1")).ok
        state = await lead.until(is_("T1", TaskStatus.COMPLETED))
        assert len(state.messages) == len(state.plans) == 1
        assert len(task(state).attempts) == 1
        await lead.check()


async def test_a_worker_asked_to_stop_hands_over_and_goes_on_after_its_return(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path, effects: Path
) -> None:
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        pid = await begun(lead, effects)
        assert lead.kill("worker", signal.SIGTERM) == 0
        assert not alive(pid)
        state = await lead.until(lambda s: s.attempts[task(s).attempts[0]].stop_reason == "shutdown")
        assert not state.open_interactions, "it ended the work itself, so nothing is uncertain"
        lead.start("worker")
        await lead.until(lambda s: "A2" in s.shorts)
        (tmp_path / "go").touch()
        assert (await lead.tap("approve", "A2")).ok
        await lead.until(is_("T1", TaskStatus.COMPLETED))
        await lead.check()


async def test_stop_ends_the_command_and_all_it_started(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path, effects: Path
) -> None:
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        pid = await begun(lead, effects)
        await lead.say("stop")
        state = await lead.until(is_("T1", TaskStatus.BLOCKED))
        assert task(state).block_reason == "interrupted"
        assert not alive(pid)
        assert git(repo, "status", "--porcelain") == ""
        await lead.check()


async def test_every_process_asked_to_stop_ends_in_time_and_well(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path, effects: Path
) -> None:
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        await begun(lead, effects)
        for name in ("worker", "scheduler", "bot"):
            asked = time.monotonic()
            assert lead.kill(name, signal.SIGTERM) == 0, lead.logs()
            assert time.monotonic() - asked < 3.5, name
        assert "Traceback" not in lead.logs()


async def test_bot_and_scheduler_killed_at_every_fact_lose_nothing_and_double_nothing(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path
) -> None:
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        await lead.apply("`git status`, then `git log`, then `ls`")
        for _ in range(6):
            seq = (await lead.state()).seq
            await lead.until(lambda s, seq=seq: s.seq > seq or is_("T3", TaskStatus.COMPLETED)(s), seconds=75)  # type: ignore[misc]
            for name in ("bot", "scheduler"):
                lead.kill(name)
            lead.start("bot", "scheduler")
        state = await lead.until(is_("T3", TaskStatus.COMPLETED), seconds=75)
        assert [len(t.attempts) for t in state.tasks.values()] == [1, 1, 1]
        assert not state.interactions
        await lead.check()
        assert set(await lead.posts()) == {"plan:P1", "report:T3:1"}


async def test_a_worker_killed_at_every_fact_asks_once_for_each_attempt_it_lost(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path
) -> None:
    """A person starts again what was lost; what was not begun starts by itself."""
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        await lead.apply("`git status`, then `git log`, then `ls`")
        kills, seq = 8, 0

        def anything_new(state: Session) -> bool:
            return state.seq > seq

        while not is_("T3", TaskStatus.COMPLETED)(state := await lead.until(anything_new, seconds=75)):
            seq = state.seq
            for asked in list(state.open_interactions):
                assert (await lead.tap("again", state.interactions[asked].short, "it only reads")).ok
            if kills:
                kills -= 1
                lead.kill("worker")
                lead.start("worker")
        lost = [a for a in state.attempts.values() if a.stop_reason == "person:again"]
        assert sorted(x.attempt_id for x in state.interactions.values()) == sorted(a.id for a in lost)
        assert [a.outcome for a in state.attempts.values()].count("completed") == 3
        await lead.check()
