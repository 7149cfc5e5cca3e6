"""One holder at a time, between coroutines and between processes of one machine.

The rule: the kernel drops the lock when its holder dies, so a crash never leaves one behind. Lock files stay: removing
one while somebody waits on it would let two in.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from core.errors import Unavailable

WAIT_SECONDS = 300.0  # far more than everything done under a lock takes
POLL_SECONDS = 0.02  # polled, not awaited in a thread, so that a cancelled waiter never takes the lock afterwards


@asynccontextmanager
async def locked(path: Path, *, seconds: float = WAIT_SECONDS) -> AsyncIterator[None]:
    """Hold the lock file ``path``. Raises ``Unavailable("lock_busy")`` after ``seconds``."""
    handle = _open(path)
    try:
        await _acquire(handle, path, seconds)
        yield
    finally:
        os.close(handle)  # closing is releasing


async def _acquire(handle: int, path: Path, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            while not _try(handle):  # noqa: ASYNC110  nothing tells asyncio when a file lock is free
                await asyncio.sleep(POLL_SECONDS)
    except TimeoutError:
        raise Unavailable("lock_busy", path=str(path), seconds=seconds) from None


def _open(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _try(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
