"""What only the twin can show quickly: everything that ends by time, on a clock the test moves."""

from __future__ import annotations

import asyncio

import pytest

from core.ledger.keys import DAY_S, SENT_TTL_S, Bounds
from core.ledger.memory import MemoryLedger
from tests.core.ledger.facts import said

S = "ses_1"


class Clock:
    def __init__(self) -> None:
        self.ms = 1_800_000_000_000

    def __call__(self) -> int:
        return self.ms

    def forward(self, seconds: float) -> None:
        self.ms += int(seconds * 1000)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def twin(clock: Clock) -> MemoryLedger:
    return MemoryLedger(clock=clock, bounds=Bounds(blob_ttl_s=60))


async def test_a_dedupe_key_holds_for_seven_days(twin: MemoryLedger, clock: Clock) -> None:
    await twin.append(S, [said("a")], expected_seq=None, dedupe="k")
    clock.forward(7 * DAY_S - 1)
    assert (await twin.append(S, [said("b")], expected_seq=None, dedupe="k")).duplicate
    clock.forward(1)
    assert not (await twin.append(S, [said("c")], expected_seq=None, dedupe="k")).duplicate


async def test_the_guard_of_a_retry_outlasts_every_retry(twin: MemoryLedger, clock: Clock) -> None:
    draft = said("a")
    await twin.append(S, [draft], expected_seq=None)
    clock.forward(SENT_TTL_S - 1)
    assert (await twin.append(S, [draft], expected_seq=None)).duplicate


async def test_time_in_the_log_stands_still_while_the_clock_goes_back(twin: MemoryLedger, clock: Clock) -> None:
    (first,) = (await twin.append(S, [said("a")], expected_seq=None)).events
    clock.forward(-3_600)
    (second,) = (await twin.append(S, [said("b")], expected_seq=None)).events
    assert second.ts == first.ts


async def test_a_hash_ends_with_its_lease_and_an_artifact_with_its_age(twin: MemoryLedger, clock: Clock) -> None:
    await twin.set_hash("worker:w1", {"load": "1"}, ttl_ms=8_000)
    digest = await twin.put_blob(b"report")
    clock.forward(7.9)
    assert await twin.get_hash("worker:w1") == {"load": "1"}
    clock.forward(0.1)
    assert await twin.get_hash("worker:w1") == {}
    clock.forward(52)
    assert await twin.get_blob(digest) is None


async def test_work_is_given_out_again_only_after_its_idle_time(twin: MemoryLedger, clock: Clock) -> None:
    await twin.publish("task", {"n": "1"})
    held = await twin.take("task", "g", "dead")
    clock.forward(14.9)
    assert await twin.take("task", "g", "alive") == []
    clock.forward(0.1)
    assert await twin.take("task", "g", "alive") == held


def test_one_twin_serves_one_event_loop_after_another() -> None:
    twin = MemoryLedger()
    for n in range(1, 3):
        asyncio.run(asyncio.wait_for(follow_one(twin, n), 5))


async def follow_one(twin: MemoryLedger, seq: int) -> None:
    waiting = asyncio.ensure_future(anext(twin.follow(S, after=seq - 1)))
    await asyncio.sleep(0)
    await twin.append(S, [said("a")], expected_seq=seq - 1)
    assert (await waiting).seq == seq
