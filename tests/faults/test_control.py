"""People and policy act on work that runs: stopped work is really gone, refused work never ran, and both can go on later."""

from __future__ import annotations

import time
from pathlib import Path
from signal import SIGTERM

import pytest

from core.domain.tables import AttemptPhase, TaskStatus
from tests.faults.crew import Crew, alive, children, crew, is_, repository, task

pytestmark = pytest.mark.process

# Forks twice, once into a session of its own, and says who is there and where.
FORKING = """
sleep 300 &
one=$!
setsid sleep 301 &
sleep 0.05
echo "$PWD $$ $one $(pgrep -f 'sleep 301' -n)" >> {effects}
while [ ! -e {go} ]; do sleep 0.1; done
kill $one
"""
STUBBORN = "trap '' TERM\necho \"$PWD $$\" >> {effects}\nwhile [ ! -e {go} ]; do sleep 0.1; done\n"


@pytest.fixture
def effects(tmp_path: Path) -> Path:
    return tmp_path / "effects"


@pytest.fixture
def repo(tmp_path: Path, effects: Path) -> Path:
    files = {
        name: text.format(effects=effects, go=tmp_path / "go")
        for name, text in (("forking.sh", FORKING), ("stubborn.sh", STUBBORN))
    }
    return repository(tmp_path / "shop", {**files, "a.txt": "a\n"})


async def begun(lead: Crew, effects: Path, script: str) -> list[int]:
    """Start the script through an approval; the process ids it wrote down."""
    await lead.apply(f"`bash {script}`")
    await lead.until(lambda s: "A1" in s.shorts)
    assert (await lead.tap("approve", "A1")).ok
    return await written(lead, effects, 1)


async def written(lead: Crew, effects: Path, lines: int) -> list[int]:
    await lead.until(lambda s: effects.exists() and effects.read_text().count("\n") == lines)
    return [int(pid) for pid in effects.read_text().splitlines()[-1].split()[1:]]


async def test_a_paused_command_is_gone_with_its_children_and_runs_again_in_the_same_place(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path, effects: Path
) -> None:
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        pids = await begun(lead, effects, "forking.sh")
        await lead.say("pause T1")
        await lead.until(is_("T1", TaskStatus.PAUSED))
        assert not [pid for pid in pids if alive(pid)]
        await lead.say("resume T1")
        await lead.until(lambda s: "A2" in s.shorts)
        assert (await lead.tap("approve", "A2")).ok
        await written(lead, effects, 2)
        (tmp_path / "go").touch()
        state = await lead.until(is_("T1", TaskStatus.COMPLETED))
        folders = [line.split()[0] for line in effects.read_text().splitlines()]
        assert len(folders) == 2
        assert folders[0] == folders[1]
        assert [state.attempts[a].outcome for a in task(state).attempts] == ["cancelled", "completed"]
        await lead.check()


async def test_a_cancelled_command_that_will_not_end_is_killed(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path, effects: Path
) -> None:
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        pids = await begun(lead, effects, "stubborn.sh")
        assert (await lead.tap("cancel", "T1")).ok
        state = await lead.until(is_("T1", TaskStatus.CANCELLED))
        assert state.attempts[task(state).attempt_id].outcome == "cancelled", "its end was seen, not assumed"
        assert not state.open_interactions
        assert not [pid for pid in pids if alive(pid)]
        await lead.check()


async def test_a_worker_asked_to_stop_is_in_time_even_with_a_command_that_will_not_end(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path, effects: Path
) -> None:
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        pids = await begun(lead, effects, "stubborn.sh")
        asked = time.monotonic()
        assert lead.kill("worker", SIGTERM) == 0
        assert time.monotonic() - asked < 3.5
        assert not [pid for pid in pids if alive(pid)]
        state = await lead.until(is_("T1", TaskStatus.QUEUED))
        assert state.attempts[task(state).attempts[0]].stop_reason == "shutdown"
        assert not state.open_interactions, "nothing is uncertain"
        await lead.check()


async def test_a_worker_killed_before_it_took_the_work_does_it_when_it_is_back(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path
) -> None:
    """Its RQ workers are frozen, so the job is handed to one of them and never begun."""
    recording = {"tasks": [{"match": "page", "steps": [{"say": "once"}, {"report": {"summary": "done"}}]}]}
    async with crew(redis_url, workspace, tmp_path / "data", recording) as lead:
        lead.start()
        await lead.begin(repo)
        await lead.say("fix the page")
        await lead.until(lambda s: "P1" in s.shorts)
        frozen = lead.freeze_runs()
        assert (await lead.tap("apply", "P1")).ok
        await lead.until(lambda s: any(a.phase is AttemptPhase.PREPARED for a in s.attempts.values()))
        lead.kill("worker")
        await lead.until(lambda s: not any(map(alive, frozen)))
        lead.start("worker")
        state = await lead.until(is_("T1", TaskStatus.COMPLETED))
        assert not state.interactions, "nobody had to be asked"
        assert len(task(state).attempts) == 1
        events = await lead.desk.ledger.read(lead.session, 0, 10_000)
        assert sum(e.type == "agent.message" for e in events) == 1
        await lead.check()


async def test_a_refused_command_fails_with_what_waits_for_it_and_a_retry_revives_both(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path
) -> None:
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        await lead.apply("`rm -rf old`, then `git status`")
        await lead.until(lambda s: "A1" in s.shorts)
        assert (await lead.tap("reject", "A1", "keep it")).ok
        state = await lead.until(is_("T2", TaskStatus.FAILED))
        assert (task(state).failure, task(state).failure_detail) == ("permission_denied", "alice: keep it")
        assert task(state, "T2").failure == "dependency_failed"
        assert len(task(state, "T2").attempts) == 0
        assert (await lead.tap("retry", "T1")).ok
        await lead.until(lambda s: "A2" in s.shorts)
        assert (await lead.tap("approve", "A2")).ok
        state = await lead.until(is_("T2", TaskStatus.COMPLETED))
        assert task(state).settled_success
        await lead.check()


async def test_a_worker_asked_to_stop_again_and_again_never_leaves_anything_uncertain(
    redis_url: str, workspace: str, tmp_path: Path, repo: Path
) -> None:
    """Asked at whatever the attempt is in the middle of: each new fact of the log is a moment."""
    async with crew(redis_url, workspace, tmp_path / "data") as lead:
        lead.start()
        await lead.begin(repo)
        await lead.apply("`git status`, then `git log`, then `git diff`, then `ls`")
        for _ in range(8):
            seq = (await lead.state()).seq
            await lead.until(lambda s, seq=seq: s.seq > seq or is_("T4", TaskStatus.COMPLETED)(s))  # type: ignore[misc]
            # Once it has children it is up and must end well; before that it has taken nothing, so it may just end.
            up = len(children(lead.running["worker"][-1].pid)) > 1
            assert lead.kill("worker", SIGTERM) in ((0,) if up else (0, -SIGTERM)), lead.logs()
            lead.start("worker")
        state = await lead.until(is_("T4", TaskStatus.COMPLETED), seconds=75)
        assert not state.interactions, "nobody was asked"
        outcomes = [state.attempts[a].outcome for t in state.tasks.values() for a in t.attempts]
        assert outcomes.count("completed") == 4
        await lead.check()
