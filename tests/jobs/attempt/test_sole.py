"""Whoever takes a task over ends the process that had it before; other tasks and this very process are left alone."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import Unavailable
from jobs.attempt.sole import sole

HOLDER = """
import asyncio, pathlib, signal, sys
from jobs.attempt.sole import sole

async def hold():
    async with sole(pathlib.Path(sys.argv[1]), sys.argv[2]):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("held", flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""


def holder(data: Path, task: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(data), task],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": os.getcwd()},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


async def test_the_process_before_is_ended_and_the_task_is_ours(tmp_path: Path) -> None:
    with holder(tmp_path, "task_1") as before:
        async with sole(tmp_path, "task_1"):
            assert await asyncio.to_thread(before.wait, 5) == -9
            assert (tmp_path / "running" / "task_1").read_text() == str(os.getpid())


async def test_who_works_on_another_task_is_left_alone(tmp_path: Path) -> None:
    with holder(tmp_path, "task_2") as other:
        async with sole(tmp_path, "task_1"):
            assert other.poll() is None
        other.kill()


async def test_what_a_dead_process_left_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "running").mkdir()
    (tmp_path / "running" / "task_1").write_text("1")
    async with sole(tmp_path, "task_1"):
        pass
    async with sole(tmp_path, "task_1"):
        pass


async def test_a_process_does_not_end_itself(tmp_path: Path) -> None:
    async with sole(tmp_path, "task_1"):
        with pytest.raises(Unavailable, match="still_running"):
            async with sole(tmp_path, "task_1"):
                raise AssertionError("two at once")
