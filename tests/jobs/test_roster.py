"""Which workers there are: an id belongs to one living process, a lease ends by silence, leaving is said."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from core.errors import Refused
from core.ledger.memory import MemoryLedger
from core.ledger.port import Claim, Effects
from core.routing import worker_place
from core.settings import Settings, Worker
from jobs import roster

LEASE_S = 10
SETTINGS = Settings(worker=Worker(id="laptop", slots=3, heartbeat_s=2, lease_s=LEASE_S))


@dataclass
class Clock:
    """Milliseconds that only a test moves."""

    now: int = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(clock: Clock) -> MemoryLedger:
    return MemoryLedger(clock=clock)


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    """Another living process on this machine."""
    waits = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield waits
    waits.communicate()


async def statuses(ledger: MemoryLedger) -> list[str]:
    return [entry.data["status"] for entry in await ledger.tail("worker", "0")]


async def test_a_registered_worker_is_on_the_roster_and_alive(ledger: MemoryLedger, clock: Clock) -> None:
    await roster.register(ledger, SETTINGS, os.getpid())
    assert await roster.roster(ledger) == [
        roster.WorkerRow("laptop", socket.gethostname(), 3, True, clock.now + LEASE_S * 1000, 0)
    ]
    assert await statuses(ledger) == ["idle", "online"]


async def test_an_id_is_refused_while_another_living_process_holds_it(
    ledger: MemoryLedger, other: subprocess.Popen[bytes]
) -> None:
    await roster.register(ledger, SETTINGS, other.pid)
    with pytest.raises(Refused, match="worker_id_taken") as caught:
        await roster.register(ledger, SETTINGS, os.getpid())
    assert caught.value.params == {"worker": "laptop", "hostname": socket.gethostname(), "pid": str(other.pid)}
    assert (await ledger.get_hash("worker:laptop"))["pid"] == str(other.pid)


async def test_an_id_is_taken_over_from_a_process_that_is_dead(ledger: MemoryLedger) -> None:
    dead = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await roster.register(ledger, SETTINGS, dead.pid)
    await dead.wait()
    await roster.register(ledger, SETTINGS, os.getpid())
    assert (await ledger.get_hash("worker:laptop"))["pid"] == str(os.getpid())


async def test_an_id_is_taken_over_when_its_lease_ended(
    ledger: MemoryLedger, clock: Clock, other: subprocess.Popen[bytes]
) -> None:
    await roster.register(ledger, SETTINGS, other.pid)
    clock.now += LEASE_S * 1000
    await roster.register(ledger, SETTINGS, os.getpid())
    assert (await ledger.get_hash("worker:laptop"))["pid"] == str(os.getpid())


async def test_an_id_is_free_once_its_worker_has_left(ledger: MemoryLedger, other: subprocess.Popen[bytes]) -> None:
    await roster.register(ledger, SETTINGS, other.pid)
    await roster.leave(ledger, SETTINGS)
    await roster.register(ledger, SETTINGS, os.getpid())
    assert (await ledger.get_hash("worker:laptop"))["pid"] == str(os.getpid())


async def test_an_id_held_on_another_machine_is_refused_whatever_runs_here(ledger: MemoryLedger) -> None:
    await roster.register(ledger, SETTINGS, os.getpid())
    await ledger.set_hash("worker:laptop", {"hostname": "elsewhere.example.org"})
    with pytest.raises(Refused, match="worker_id_taken"):
        await roster.register(ledger, SETTINGS, os.getpid())


async def test_registering_twice_as_the_same_process_is_fine(ledger: MemoryLedger) -> None:
    await roster.register(ledger, SETTINGS, os.getpid())
    await roster.register(ledger, SETTINGS, os.getpid())
    assert len(await roster.roster(ledger)) == 1


async def test_a_worker_that_falls_silent_stays_on_the_roster_as_not_alive(ledger: MemoryLedger, clock: Clock) -> None:
    await roster.register(ledger, SETTINGS, os.getpid())
    clock.now += LEASE_S * 1000
    assert [row.alive for row in await roster.roster(ledger)] == [False]
    await roster.beat(ledger, SETTINGS)
    assert [row.alive for row in await roster.roster(ledger)] == [True]


async def test_a_heartbeat_says_how_busy_the_worker_is(ledger: MemoryLedger) -> None:
    await roster.register(ledger, SETTINGS, os.getpid())
    claim = Claim(worker_place("laptop"), "ps_1/task_1/att_1", limit=3)
    await ledger.append("ps_1", (), expected_seq=None, effects=Effects(claims=[claim]))
    await roster.beat(ledger, SETTINGS)
    last = (await ledger.tail("worker", "0"))[-1].data
    assert (last["status"], last["load"]) == ("busy", "1/3")
    assert [row.busy for row in await roster.roster(ledger)] == [1]


async def test_a_worker_that_leaves_is_off_the_roster_and_says_so(ledger: MemoryLedger) -> None:
    await roster.register(ledger, SETTINGS, os.getpid())
    await roster.leave(ledger, SETTINGS)
    assert await roster.roster(ledger) == []
    assert (await statuses(ledger))[-1] == "offline"


async def test_a_lease_ends_by_silence_and_is_kept_by_renewing(ledger: MemoryLedger, clock: Clock) -> None:
    await roster.renew(ledger, "s/t/a", 4_000)
    await roster.renew(ledger, "s/t/b", 4_000)
    clock.now += 3_999
    assert await roster.expired_leases(ledger) == []
    await roster.renew(ledger, "s/t/b", 4_000)
    clock.now += 1
    assert await roster.expired_leases(ledger) == ["s/t/a"]
    clock.now += 4_000
    assert await roster.expired_leases(ledger) == ["s/t/a", "s/t/b"]


async def test_a_lease_that_was_given_back_never_expires(ledger: MemoryLedger, clock: Clock) -> None:
    await roster.renew(ledger, "s/t/a", 4_000)
    await roster.drop_lease(ledger, "s/t/a")
    clock.now += 60_000
    assert await roster.expired_leases(ledger) == []
