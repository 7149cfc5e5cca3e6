"""A look at real processes, and commands that run a piece of Python."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

DEADLINE_S = 15.0


def python(code: str) -> str:
    """A command line that runs ``code``."""
    return shlex.join(argv(code))


def argv(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be collected does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not Path("/proc/self").exists()


async def eventually(true: Callable[[], bool]) -> None:
    """Look at the outside world until it is so; fails after the deadline."""
    async with asyncio.timeout(DEADLINE_S):
        while not true():
            await asyncio.sleep(0.02)


async def numbers(file: Path, count: int) -> list[int]:
    """The ``count`` process ids that processes wrote into ``file``, one a line."""
    await eventually(lambda: file.exists() and len(file.read_text().split()) >= count)
    return [int(word) for word in file.read_text().split()]
