"""A look at real processes: whether one still runs, and waiting until the world is so."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

DEADLINE_S = 20.0


def alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be collected does not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:  # gone in between, or a system without /proc
        return not Path("/proc/self").exists()


async def until(true: Callable[[], bool]) -> None:
    """Look until it is so; a deadline, because it may never be."""
    async with asyncio.timeout(DEADLINE_S):
        while not true():
            await asyncio.sleep(0.01)
