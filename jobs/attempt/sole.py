"""One process for each task on a machine: whoever takes a task over first ends the process that had it before.

The ledger refuses what an old attempt says; this ends what it does. A process that was frozen past its lease, or cut off
from Redis, may still have a command at work in the very worktree the next attempt gets.

A lock in the data folder tells: the kernel drops it with its holder, so a lock that is held proves that the process whose
number stands in it lives, and that the number is still its own.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from core.errors import Unavailable

GONE_S = 8.0  # a killed process takes its command along within its keeper's five seconds
LOOK_S = 0.02


@asynccontextmanager
async def sole(data: Path, task_id: str) -> AsyncIterator[None]:
    """Be the only process at work on the task while the block runs.

    Raises Unavailable("still_running", pid) when the one before cannot be ended, or is this very process.
    """
    place = data / "running" / task_id
    place.parent.mkdir(parents=True, exist_ok=True)
    held = os.open(place, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _taken(held):
            await _end_holder(held)
        os.ftruncate(held, 0)
        os.pwrite(held, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(held)


def _taken(held: int) -> bool:
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


async def _end_holder(held: int) -> None:
    pid = int(os.pread(held, 20, 0) or b"0")
    if pid not in (0, os.getpid()):
        keepers = _children(pid)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with suppress(TimeoutError):
            async with asyncio.timeout(GONE_S):
                while not _taken(held) or any(map(_runs, keepers)):  # noqa: ASYNC110  no event tells of their end
                    await asyncio.sleep(LOOK_S)
                return
    raise Unavailable("still_running", pid=pid)


def _children(pid: int) -> list[int]:
    """The keepers of its commands, which end them when it dies; none where there is no /proc."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _runs(pid: int) -> bool:
    """One that is dead and only waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):
        return False
