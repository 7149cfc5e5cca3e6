"""A family of processes: who dies comes back, a stop ends all in time, and nobody is left when the parent is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from jobs.supervise import BACKOFF_S, STOP_S
from tests.processes import DEADLINE_S, alive, until

pytestmark = pytest.mark.process

# Every role writes "<pid> <time>" into a file of its name whenever it begins.
FAMILY = """
import os, signal, sys, time
from pathlib import Path
from jobs.supervise import supervise

folder = Path(sys.argv[1])

def note(name):
    with (folder / name).open("a") as file:
        file.write(f"{os.getpid()} {time.monotonic()}\\n")

def waits():
    note("waits")
    while True:
        signal.pause()

def polite():
    signal.signal(signal.SIGTERM, lambda *_: (note("goodbye"), sys.exit(0)))
    note("polite")
    while True:
        signal.pause()

def deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    note("deaf")
    while True:
        signal.pause()

def group():
    (folder / "own-group").write_text(str(os.getpgid(0) == os.getpid()))
    waits()

def returns():
    note("returns")

def leaves():
    note("leaves")
    sys.exit("a word as exit code")

def breaks():
    note("breaks")
    raise ValueError("on purpose")

roles = {role.__name__: role for role in (waits, polite, deaf, group, returns, leaves, breaks)}
sys.exit(supervise({name: roles[name] for name in sys.argv[2:]}, lambda: note("leaving")))
"""


@dataclass
class Family:
    """The supervisor, and the files its children write."""

    process: asyncio.subprocess.Process
    folder: Path

    def beginnings(self, role: str) -> list[tuple[int, float]]:
        file = self.folder / role
        lines = file.read_text().splitlines() if file.exists() else []
        return [(int(pid), float(at)) for pid, at in (line.split() for line in lines if line.count(" "))]

    async def begun(self, role: str, times: int = 1) -> list[int]:
        """The processes that took the role so far, at least ``times`` of them."""
        await until(lambda: len(self.beginnings(role)) >= times)
        return [pid for pid, _ in self.beginnings(role)]

    async def stop(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, float]:
        """Exit code and seconds it took."""
        began = time.monotonic()
        self.process.send_signal(how)
        return await self.ended(), time.monotonic() - began

    async def ended(self) -> int:
        async with asyncio.timeout(DEADLINE_S):
            return await self.process.wait()


Start = Callable[..., Awaitable[Family]]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts a family with these roles; whatever of it is left after the test is killed."""
    started: list[Family] = []

    async def begin(*roles: str) -> Family:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", FAMILY, str(tmp_path), *roles), stdout=asyncio.subprocess.DEVNULL
        )
        started.append(Family(process, tmp_path))
        return started[-1]

    yield begin
    for family in started:
        if family.process.returncode is None:
            family.process.kill()
            await family.process.wait()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
async def test_a_stop_ends_every_child_in_time_and_counts_as_success(start: Start, how: signal.Signals) -> None:
    family = await start("waits", "polite")
    pids = await family.begun("waits") + await family.begun("polite")
    code, seconds = await family.stop(how)
    assert code == 0
    assert seconds < STOP_S
    assert not [pid for pid in pids if alive(pid)]
    assert len(family.beginnings("goodbye")) == 1, "a child may say goodbye"


async def test_leaving_is_called_once_and_only_when_it_is_asked_to_stop(start: Start) -> None:
    family = await start("waits")
    await family.begun("waits")
    assert not family.beginnings("leaving")
    await family.stop()
    assert [pid for pid, _ in family.beginnings("leaving")] == [family.process.pid]


@pytest.mark.parametrize("role", ["returns", "leaves", "breaks"])
async def test_a_child_that_ends_comes_back_at_once_and_then_more_slowly(start: Start, role: str) -> None:
    family = await start(role, "waits")
    await family.begun(role, 3)
    first, second, third = (at for _, at in family.beginnings(role)[:3])
    assert second - first < BACKOFF_S[1]
    assert third - second >= BACKOFF_S[1]
    assert len(family.beginnings("waits")) == 1, "its brothers go on"
    code, seconds = await family.stop()
    assert code == 0
    assert seconds < STOP_S


async def test_a_killed_child_comes_back_as_another_process(start: Start) -> None:
    family = await start("waits")
    (first,) = await family.begun("waits")
    os.kill(first, signal.SIGKILL)
    again = await family.begun("waits", 2)
    assert again[0] == first
    assert again[1] != first
    assert alive(again[1])


async def test_a_stop_while_a_child_waits_for_its_restart_does_not_start_it(start: Start) -> None:
    family = await start("breaks")
    await family.begun("breaks", 2)
    code, _ = await family.stop()
    assert code == 0
    assert len(family.beginnings("breaks")) == 2


async def test_a_deaf_child_is_killed_in_the_end_and_that_is_no_success(start: Start) -> None:
    family = await start("deaf", "polite")
    (deaf,) = await family.begun("deaf")
    await family.begun("polite")
    code, seconds = await family.stop()
    assert code == 1
    assert STOP_S <= seconds < STOP_S + 1.5
    assert not alive(deaf)
    assert len(family.beginnings("goodbye")) == 1


async def test_a_second_signal_means_now(start: Start) -> None:
    family = await start("deaf")
    (deaf,) = await family.begun("deaf")
    began = time.monotonic()
    family.process.send_signal(signal.SIGTERM)
    await family.begun("leaving")
    family.process.send_signal(signal.SIGINT)
    assert await family.ended() == 1
    assert time.monotonic() - began < STOP_S
    assert not alive(deaf)
    assert len(family.beginnings("leaving")) == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux ends a child with its parent")
async def test_children_do_not_outlive_a_supervisor_that_is_killed(start: Start) -> None:
    family = await start("deaf", "waits")
    pids = await family.begun("deaf") + await family.begun("waits")
    await family.stop(signal.SIGKILL)
    await until(lambda: not any(alive(pid) for pid in pids))


async def test_a_child_has_a_group_of_its_own_so_that_a_terminal_reaches_only_the_supervisor(start: Start) -> None:
    family = await start("group")
    await family.begun("waits")
    assert (family.folder / "own-group").read_text() == "True"
