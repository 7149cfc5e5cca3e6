"""Redis goes away in the middle of work and comes back: nothing accepted is lost, nothing is doubled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from core.domain.model import Session
from core.domain.tables import TaskStatus
from tests.faults.crew import EVERY, crew, is_, repository, task
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


async def test_a_machine_that_is_gone_comes_back_to_the_same_and_a_second_time_changes_nothing(
    start_server: Callable[..., PrivateServer], tmp_path: Path
) -> None:
    """Power cut while one agent works, one waits for leave and one was not begun; only the append-only file is left."""
    recording = {
        "tasks": [
            {"match": "slow", "steps": [{"progress": {"current_step": "waiting"}}, {"until": "cancelled"}]},
            {"match": "old", "steps": [{"ask": {"command": "rm -rf old"}}]},
        ]
    }
    repo = repository(tmp_path / "shop", {"a.txt": "a\n"})
    server = start_server("--appendfsync", "always", appendonly=True)
    async with crew(server.url, "team", tmp_path / "data", recording) as lead:

        async def power_cut() -> None:
            for name in EVERY:
                lead.kill(name)
            server.kill()
            server.start()
            lead.start()

        async def asked(text: str, number: int) -> Session:
            """Something that needs every process; after it all of them have looked around."""
            await lead.say(text)
            return await lead.until(lambda s: len(s.messages) == number and all(m.kind for m in s.messages.values()))

        lead.start()
        await lead.begin(repo)
        await lead.apply("fix the slow page and at the same time remove the old one, then measure it")
        await lead.until(lambda s: "A1" in s.shorts and task(s).progress.current_step == "waiting")
        await power_cut()
        state = await lead.until(lambda s: {"Q1", "Q2"} <= set(s.shorts))
        assert {t.short: t.block_reason or t.status.value for t in state.tasks.values()} == {
            "T1": "delivery_uncertain",
            "T2": "delivery_uncertain",
            "T3": "queued",
        }
        await asked("what is the state of T1?", 2)
        before = [(e.type, e.task_id) for e in await lead.desk.ledger.read(lead.session, 0, 10_000)]
        await power_cut()
        await asked("what is the state of T2?", 3)
        after = [(e.type, e.task_id) for e in await lead.desk.ledger.read(lead.session, 0, 10_000)]
        assert {kind for kind, _ in after[len(before) :]} <= {"session.message.added", "session.message.classified"}
        await lead.check()
