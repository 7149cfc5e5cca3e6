"""Runs the processes of a Procfile as one: together they start, together they end.

The rule: when one ends, or somebody asks, all end, and soon. Each gets SIGTERM and a grace; whoever outstays it is killed
with its whole process group. honcho prints their output; its Manager is not used because it needs a shell, waits 5 s
before it kills, never kills when none has ended, and hangs on a grandchild that keeps the pipe open.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, TextIO

from honcho.colour import get_colours  # type: ignore[import-untyped]
from honcho.printer import Message, Printer  # type: ignore[import-untyped]

GRACE_S = 2.6  # all of `up` ends within 4 s, and the server only after its clients
TIED_TO = "UP_PROCESS"  # names the process a member ends with; see ``core.parent``
DRAIN_S = 0.2  # for output still in the pipe of a process that has ended
TAIL_LINES = 12
LINE_LIMIT = 16 * 1024  # bytes; a longer line is printed in pieces


class Program(NamedTuple):
    """A process to run: its name in the Procfile and its argument list."""

    name: str
    argv: Sequence[str]


class Ended(NamedTuple):
    """The process that ended first, unasked. ``code`` is negative for a signal, None when it could not be started."""

    name: str
    code: int | None
    last_lines: Sequence[str]


@dataclass(frozen=True)
class Stop:
    """Somebody asked to stop: once means please, twice means now."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    insisted: asyncio.Event = field(default_factory=asyncio.Event)

    def ask(self) -> None:
        (self.insisted if self.asked.is_set() else self.asked).set()


@contextlib.contextmanager
def stop_on_signals(stop: Stop) -> Iterator[None]:
    """Ctrl-C, SIGTERM and a closed terminal ask ``stop`` for the length of the block. Main thread only."""
    loop, signals = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in signals:
        loop.add_signal_handler(number, stop.ask)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


@dataclass
class _Member:
    name: str
    process: asyncio.subprocess.Process
    reading: asyncio.Task[None]
    tail: deque[str]


async def run_crew(
    programs: Sequence[Program],
    environ: Mapping[str, str],
    stop: Stop,
    *,
    out: TextIO,
    also: Mapping[str, Coroutine[Any, Any, int]] | None = None,
) -> Ended | None:
    """Run all until one ends or ``stop`` is asked; returns when all have ended: None when asked, else who ended first.

    ``also``: further things whose end ends all, by name; they are watched only.
    """
    printer = Printer(out, width=max((len(p.name) for p in programs), default=0))
    colours = get_colours()
    watched = {asyncio.create_task(end): name for name, end in (also or {}).items()}
    members: list[_Member] = []
    try:
        for program in programs:
            try:
                members.append(await _start(program, environ, printer, next(colours)))
            except OSError as error:
                return Ended(program.name, None, [f"{program.argv[0]}: {error.strerror}"])
        return await _first_end(members, watched, stop)
    finally:
        for task in watched:
            task.cancel()
        await _end_all(members, stop)


async def _first_end(members: list[_Member], watched: Mapping[asyncio.Task[int], str], stop: Stop) -> Ended | None:
    ends = {asyncio.create_task(member.process.wait()): member for member in members}
    asked = asyncio.create_task(stop.asked.wait())
    try:
        waiting: set[asyncio.Task[Any]] = {asked, *ends, *watched}
        done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (asked, *ends):
            task.cancel()
    if asked in done:
        return None
    for end, member in ends.items():
        if end in done:
            await asyncio.wait([member.reading], timeout=DRAIN_S)
            return Ended(member.name, end.result(), list(member.tail))
    return next(Ended(name, end.result(), []) for end, name in watched.items() if end in done)


async def _start(program: Program, environ: Mapping[str, str], printer: Printer, colour: str) -> _Member:
    """In a session of its own, so that Ctrl-C in the terminal comes from us alone; its output goes through our pipe."""
    read_end, write_end = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *program.argv,
            stdin=subprocess.DEVNULL,
            stdout=write_end,
            stderr=write_end,
            env={**environ, TIED_TO: str(os.getpid())},
            start_new_session=True,
        )
    except OSError:
        os.close(read_end)
        raise
    finally:
        os.close(write_end)
    tail: deque[str] = deque(maxlen=TAIL_LINES)
    reading = asyncio.ensure_future(_print_lines(read_end, program.name, printer, colour, tail))
    return _Member(program.name, process, reading, tail)


async def _print_lines(read_end: int, name: str, printer: Printer, colour: str, tail: deque[str]) -> None:
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_end, "rb", buffering=0)
    )
    try:
        async for line in _lines(reader):
            shown = _plain(line)
            tail.append(shown)
            printer.write(Message(type="line", data=shown + "\n", time=datetime.now(), name=name, colour=colour))
    finally:
        transport.close()


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    rest = b""
    while chunk := await reader.read(LINE_LIMIT):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line
        if len(rest) >= LINE_LIMIT:
            yield rest
            rest = b""
    if rest:
        yield rest


def _plain(line: bytes) -> str:
    """Without control characters: a log line may quote what an agent wrote, and this goes to a terminal."""
    return "".join(
        c if c.isprintable() or c == "\t" else "\ufffd" for c in line.decode("utf-8", "replace").rstrip("\r")
    )


async def _end_all(members: list[_Member], stop: Stop) -> None:
    for member in members:
        with contextlib.suppress(ProcessLookupError):
            member.process.terminate()
    gone = asyncio.ensure_future(asyncio.gather(*(member.process.wait() for member in members)))
    insisted = asyncio.ensure_future(stop.insisted.wait())
    waiting: set[asyncio.Future[Any]] = {gone, insisted}
    await asyncio.wait(waiting, timeout=GRACE_S, return_when=asyncio.FIRST_COMPLETED)
    insisted.cancel()
    for member in members:
        # Its children too: one whose parent is gone would keep the port, or work on for nobody.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(member.process.pid, signal.SIGKILL)
    await gone
    readings = [member.reading for member in members]
    if readings:
        _, unfinished = await asyncio.wait(readings, timeout=DRAIN_S)
        for reading in unfinished:  # somebody in another session still holds the pipe
            reading.cancel()
        await asyncio.gather(*readings, return_exceptions=True)
