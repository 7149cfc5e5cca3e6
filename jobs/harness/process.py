"""Runs one program: an argv list in, bounded output and a truthful end out.

Promise: the program gets its own session, an explicit environment and no input; everything it prints is read as it
comes, so it never blocks on us; and when it is over, stopped, or this process dies (even by SIGKILL), nothing of it
runs any more. What would not go is counted in ``Ended.left``, not hidden. ``keeper.py`` does the watching.

Rule: no deadline by the clock here; who runs a command decides when it has had enough.
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from core.errors import Bug, Refused, Unavailable
from jobs.harness.capture import Capture

KEEPER = Path(__file__).with_name("keeper.py")
READ_BYTES = 64 * 1024
GRACE_S = 5.0
LATE_S = 1.0  # how long output may still come after the end before the pipe is closed

Heard = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended. ``exit_code`` is 128 + n when ``signal`` n ended it, as shells count.

    ``output`` is standard output and error as they came, with the middle left out when long; ``total`` its true size
    in bytes. ``left`` counts processes of it that could not be killed.
    """

    exit_code: int
    signal: str = ""
    output: bytes = b""
    total: int = 0
    left: int = 0


class Running:
    """A program that runs. Made by ``start``; ``wait`` for its end or ``stop`` it."""

    def __init__(
        self,
        keeper: asyncio.subprocess.Process,
        link: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        output: tuple[asyncio.StreamReader, asyncio.ReadTransport],
        group: int,
        heard: Heard,
    ) -> None:
        self.pid = group
        self._keeper, (self._says, self._ear), (self._output, self._pipe) = keeper, link, output
        self._capture = Capture()
        self._reading = asyncio.create_task(self._read(heard))
        self._over = asyncio.create_task(self._end())

    async def wait(self) -> Ended:
        """The end, however long it takes. Cancelling the wait leaves the program running."""
        return await asyncio.shield(self._over)

    async def stop(self, grace_s: float = GRACE_S) -> Ended:
        """SIGTERM to the group, ``grace_s`` seconds later SIGKILL to all of it; returns once it is gone."""
        if grace_s > 0:
            self._tell(b"T")
            with suppress(TimeoutError):
                async with asyncio.timeout(grace_s):
                    return await self.wait()
        self.kill()
        return await self.wait()

    def kill(self) -> None:
        """SIGKILL to all of it, now; the end still has to be waited for."""
        self._tell(b"K")

    def _tell(self, word: bytes) -> None:
        if not self._over.done() and not self._ear.is_closing():
            self._ear.write(word)

    async def _read(self, heard: Heard) -> None:
        while data := await self._output.read(READ_BYTES):
            self._capture.add(data)
            heard(data)

    async def _end(self) -> Ended:
        words = (await self._says.readline()).split()
        await self._keeper.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(LATE_S):
                await asyncio.shield(self._reading)
        self._pipe.close()  # a process that would not go may still hold the other end
        await self._reading
        self._ear.close()
        status, left = (int(words[1]), int(words[2])) if words else (signal.SIGKILL.value, _kill_group(self.pid))
        code = os.waitstatus_to_exitcode(status)
        name = _signal_name(-code) if code < 0 else ""
        return Ended(128 - code if code < 0 else code, name, self._capture.data(), self._capture.total, left)


async def start(argv: Sequence[str], *, folder: Path, env: Mapping[str, str], heard: Heard) -> Running:
    """Start ``argv`` in ``folder`` with exactly the variables ``env``; ``heard`` gets its output as it comes.

    Raises ``Refused`` with ``program_missing`` or ``program_not_runnable`` (``program``, ``why``), and
    ``Unavailable("folder_missing")``.
    """
    loop = asyncio.get_running_loop()
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    read_end, write_end = os.pipe()
    try:
        keeper = await asyncio.create_subprocess_exec(
            *(_python(), "-I", "-S", os.fspath(KEEPER), str(theirs.fileno()), str(os.getpid())), *argv,
            cwd=folder, env=dict(env), stdin=asyncio.subprocess.DEVNULL, stdout=write_end, stderr=write_end,
            pass_fds=(theirs.fileno(),), start_new_session=True,
        )  # fmt: skip
    except (FileNotFoundError, NotADirectoryError):
        ours.close()
        os.close(read_end)
        raise Unavailable("folder_missing", folder=str(folder)) from None
    except BaseException:
        ours.close()
        os.close(read_end)
        raise
    finally:
        theirs.close()
        os.close(write_end)
    async with AsyncExitStack() as undo:  # in this order, last first: the keeper takes a closed link for our death
        undo.push_async_callback(keeper.wait)
        undo.callback(ours.close)
        output = asyncio.StreamReader()
        pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(output), os.fdopen(read_end, "rb"))
        undo.callback(pipe.close)
        link = await asyncio.open_connection(sock=ours)
        undo.callback(link[1].close)
        group = _started(await link[0].readline(), argv[0])
        undo.pop_all()
    return Running(keeper, link, (output, pipe), group, heard)


def _started(line: bytes, program: str) -> int:
    match line.split():
        case [b"started", pid]:
            return int(pid)
        case [b"failed", number] if int(number) == errno.ENOENT:
            raise Refused("program_missing", program=program)
        case [b"failed", number]:
            raise Refused("program_not_runnable", program=program, why=os.strerror(int(number)))
        case _:
            raise Unavailable("keeper_failed", program=program)


def _python() -> str:
    if not sys.executable:
        raise Bug("no_python_executable")
    return sys.executable


def _kill_group(group: int) -> int:
    """The keeper itself was killed, and with it the program; the rest of its group is still there."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return 0
    except PermissionError:
        return 1
    return 0


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # real-time signals have no name
        return f"signal {number}"
