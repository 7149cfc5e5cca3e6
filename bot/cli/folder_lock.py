"""A lock on a folder that dies with its holder.

The rule: the kernel keeps it (``flock``), so a killed process leaves none behind. It belongs to the open file and not
to the process: a child that inherits the file keeps the lock for as long as it lives. The pid inside tells who took it.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
from pathlib import Path

POLL_S = 0.02


class FolderLock:
    """``take`` it, ``write`` who has it, ``release`` it; ``close`` gives up only our copy of an inherited one."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._fd: int | None = None

    def take(self) -> bool:
        """Take it now if it is free. Taking it twice is one taking."""
        if self._fd is not None:
            return True
        handle = os.open(self._place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            return False
        self._fd = handle
        return True

    async def taken_within(self, patience_s: float) -> bool:
        """Take it as soon as it is free, for at most this many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience_s):
                while not self.take():  # noqa: ASYNC110  the kernel tells nobody when a lock becomes free
                    await asyncio.sleep(POLL_S)
        return self.take()

    def fileno(self) -> int:
        """The open file, to be inherited by a child. Raises ValueError when the lock is not held."""
        if self._fd is None:
            raise ValueError("the lock is not held")
        return self._fd

    def write(self, pid: int) -> None:
        os.truncate(self.fileno(), 0)
        os.pwrite(self.fileno(), str(pid).encode(), 0)

    def holder(self) -> int | None:
        """The pid last written by whoever took it."""
        try:
            return int(self._place.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None

    def release(self) -> None:
        """Let it go, for every copy. The file stays: removing it could split one lock into two."""
        if self._fd is not None:
            fcntl.flock(self._fd, fcntl.LOCK_UN)
            self.close()

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
