"""Redis goes away in the middle of work and comes back: nothing accepted is lost, nothing is doubled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from core.domain.tables import TaskStatus
from tests.faults.crew import crew, is_, repository, task
from tests.servers import PrivateServer

pytestmark = pytest.mark.process


async def test_a_server_killed_while_an_agent_works_costs_nothing(
    start_server: Callable[..., PrivateServer], tmp_path: Path
) -> None:
    recording = {
        "tasks": [
            {
                "match": "slow",
                "steps": [
                    {"progress": {"current_step": "waiting"}},
                    {"wait_file": "go"},
                    {"say": "on we go"},
                    {"report": {"summary": "done"}},
                ],
            }
        ]
    }
    repo = repository(tmp_path / "shop", {"a.txt": "a\n"})
    server = start_server("--appendfsync", "always", appendonly=True)
    async with crew(server.url, "team", tmp_path / "data", recording) as lead:
        lead.start()
        await lead.begin(repo)
        await lead.apply("fix the slow page")
        state = await lead.until(lambda s: "T1" in s.shorts and task(s).progress.current_step == "waiting")
        server.kill()
        server.start()
        (lead.desk.settings.data / "scratch" / task(state).attempt_id / "go").touch()
        state = await lead.until(is_("T1", TaskStatus.COMPLETED, TaskStatus.BLOCKED))
        assert task(state).status is TaskStatus.COMPLETED
        assert len(task(state).attempts) == 1
        await lead.check()


async def test_work_that_ends_while_the_server_is_away_is_reported_once_it_is_back(
    start_server: Callable[..., PrivateServer], tmp_path: Path
) -> None:
    """The command talks all the time and ends in the middle of the outage; nobody can be told until it is over."""
    away_s = 5.0
    printing = "for n in $(seq 100); do echo $n; [ -e {go} ] && exit; sleep 0.1; done".format(go=tmp_path / "go")
    proof = {"criterion": "it went on", "run": ["bash", "-c", printing]}
    recording = {
        "tasks": [{"match": "slow", "steps": [{"say": "I begin"}, {"report": {"summary": "done", "proofs": [proof]}}]}]
    }
    repo = repository(tmp_path / "shop", {"a.txt": "a\n"})
    server = start_server("--appendfsync", "always", appendonly=True)
    async with crew(server.url, "team", tmp_path / "data", recording, lease_s=10) as lead:
        lead.start()
        await lead.begin(repo)
        await lead.apply("fix the slow page")
        await lead.until(is_("T1", TaskStatus.WORKING))
        server.kill()
        (tmp_path / "go").touch()
        await asyncio.sleep(away_s)  # how long it is away, not a wait for anything
        server.start()
        state = await lead.until(is_("T1", TaskStatus.COMPLETED))
        assert len(task(state).attempts) == 1
        assert not state.interactions, "nobody was asked"
        events = await lead.desk.ledger.read(lead.session, 0, 10_000)
        assert sum(e.type == "agent.message" for e in events) == 1
        assert all(process.poll() is None for group in lead.running.values() for process in group)
        await lead.check()
