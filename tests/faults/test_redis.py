"""Redis goes away in the middle of work and comes back: nothing accepted is lost, nothing is doubled."""

from __future__ import annotations

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
