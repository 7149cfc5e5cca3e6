"""What only a real server shows: damaged entries, forgotten scripts, deleted groups, clocks, cancelled readers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import zstandard
from redis.asyncio import Redis

from core.domain.event import Event
from core.errors import Refused, Unavailable
from core.ledger.port import Claim, Effects, TaskChange, Timer
from core.ledger.redis_ledger import RedisLedger
from tests.core.ledger.facts import said

S = "ses_1"


@pytest.fixture
async def admin(redis_url: str) -> AsyncIterator[Redis]:
    async with Redis.from_url(redis_url, protocol=2) as client:
        yield client


@pytest.fixture
def key(workspace: str) -> str:
    return f"tl:{{{workspace}}}:"


def entry(**changed: Any) -> dict[Any, Any]:
    wire = {"id": "evt_x", "type": "test.said", "v": 1, "source": "user", "payload": {"text": "x"}} | changed
    return {"e": json.dumps(wire), "t": "5"}


@pytest.mark.parametrize(
    "damaged",
    [
        entry(type="test.unknown"),
        entry(v=2),
        entry(payload={"text": "x", "more": 1}),
        entry(payload=[]),
        {"e": "[]", "t": "5"},
        {"e": "{", "t": "5"},
        {"e": b"\xff\xfe", "t": "5"},
        {"e": "null", "t": "5"},
        {"t": "5"},
        {"e": entry()["e"]},
    ],
)
async def test_an_entry_that_cannot_be_read_stops_its_session_alone_and_is_named(
    redis_ledger: RedisLedger, admin: Redis, key: str, damaged: dict[Any, Any]
) -> None:
    await redis_ledger.append(S, [said("fine")], expected_seq=0)
    await admin.xadd(f"{key}log:{S}", damaged, id="2-0")
    with pytest.raises(Refused, match="unreadable_event") as stopped:
        await redis_ledger.read(S)
    assert stopped.value.params["session"] == S
    assert stopped.value.params["seq"] == 2
    follower = redis_ledger.follow(S)
    assert (await anext(follower)).seq == 1
    with pytest.raises(Refused, match="unreadable_event"):
        await anext(follower)
    await redis_ledger.append("ses_2", [said("goes on")], expected_seq=0)
    assert len(await redis_ledger.read("ses_2")) == 1


async def test_a_missing_entry_is_not_stepped_over(redis_ledger: RedisLedger, admin: Redis, key: str) -> None:
    await redis_ledger.append(S, [said(text) for text in "abc"], expected_seq=0)
    await admin.xdel(f"{key}log:{S}", "2-0")
    with pytest.raises(Refused, match="missing from the log") as stopped:
        await redis_ledger.read(S)
    assert stopped.value.params["seq"] == 2


async def test_a_log_whose_end_was_deleted_takes_no_event_and_keeps_no_effect(
    redis_ledger: RedisLedger, admin: Redis, key: str
) -> None:
    await redis_ledger.append(S, [said("a"), said("b")], expected_seq=0)
    await admin.xdel(f"{key}log:{S}", "2-0")
    effects = Effects(surfaces=["slack"], claims=[Claim("w1", "att_1", 1)])
    with pytest.raises(Unavailable, match="redis_error"):
        await redis_ledger.append(S, [said("c")], expected_seq=1, effects=effects, dedupe="k")
    assert await redis_ledger.tail("out:slack", "0") == []
    assert await redis_ledger.holders("w1") == []
    assert not await admin.exists(f"{key}seen:k")


@pytest.mark.parametrize("cut", [0, 1, 5, -1])
async def test_a_cut_snapshot_is_as_good_as_none(redis_ledger: RedisLedger, admin: Redis, key: str, cut: int) -> None:
    await redis_ledger.save_snapshot(S, 12, b"state " * 50)
    raw = await admin.get(f"{key}snap:{S}")
    assert isinstance(raw, bytes)
    await admin.set(f"{key}snap:{S}", raw[:cut])
    assert await redis_ledger.load_snapshot(S) is None


async def test_a_flipped_snapshot_is_noticed(redis_ledger: RedisLedger, admin: Redis, key: str) -> None:
    await redis_ledger.save_snapshot(S, 12, bytes(range(200)))  # holds no repeats, so it is stored as it is
    await admin.setrange(f"{key}snap:{S}", 60, "?")
    assert await redis_ledger.load_snapshot(S) is None


async def test_a_damaged_or_swollen_artifact_is_said_and_not_given(
    redis_ledger: RedisLedger, admin: Redis, key: str
) -> None:
    digest = await redis_ledger.put_blob(b"report")
    for bad in (b"junk", zstandard.compress(b"\0" * 50_000_000)):
        await admin.set(f"{key}blob:{digest}", bad)
        with pytest.raises(Unavailable, match="artifact_damaged"):
            await redis_ledger.get_blob(digest)


async def test_scripts_the_server_forgot_are_sent_again(redis_ledger: RedisLedger, admin: Redis) -> None:
    for text in "abc":
        await admin.script_flush()
        timer = Timer("t", 1, S, "stall")
        await redis_ledger.append(S, [said(text)], expected_seq=None, effects=Effects(timers=[timer]))
        await admin.script_flush()
        await redis_ledger.done(timer)
    assert await redis_ledger.last_seq(S) == 3
    assert await redis_ledger.due(9) == []


async def test_time_does_not_go_back_when_the_servers_clock_does(
    redis_ledger: RedisLedger, admin: Redis, key: str
) -> None:
    ahead = await redis_ledger.now() + 3_600_000
    await admin.xadd(f"{key}log:{S}", {**entry(), "t": str(ahead)}, id="1-0")
    appended = await redis_ledger.append(S, [said("later")], expected_seq=1)
    assert [event.ts for event in appended.events] == [ahead]


async def test_a_group_is_made_again_after_its_stream_was_deleted(
    redis_ledger: RedisLedger, admin: Redis, key: str
) -> None:
    assert await redis_ledger.take("task", "scheduler", "s1") == []
    await admin.delete(f"{key}feed:task")
    await redis_ledger.publish("task", {"n": "1"})
    (found,) = await redis_ledger.take("task", "scheduler", "s1")
    assert found.data == {"n": "1"}


async def test_a_consumer_that_waits_survives_the_deletion_of_its_stream(
    redis_ledger: RedisLedger, admin: Redis, key: str
) -> None:
    await redis_ledger.take("task", "scheduler", "s1")
    waiting = asyncio.create_task(redis_ledger.take("task", "scheduler", "s1", block_ms=4_000))
    await blocked(admin)
    await admin.delete(f"{key}feed:task")
    await redis_ledger.publish("task", {"n": "1"})
    assert [found.data for found in await waiting] == [{"n": "1"}]


async def blocked(admin: Redis) -> None:
    """Wait until a client waits inside the server."""
    async with asyncio.timeout(5):
        while not (await admin.info("clients"))["blocked_clients"]:
            await asyncio.sleep(0.005)


async def test_two_schedulers_started_at_once_share_the_work(redis_ledger: RedisLedger) -> None:
    for n in range(40):
        await redis_ledger.publish("task", {"n": str(n)})
    takes = (redis_ledger.take("task", "scheduler", f"s{n % 2}", limit=10) for n in range(8))
    given = [found.data["n"] for share in await asyncio.gather(*takes) for found in share]
    assert sorted(given, key=int) == sorted(set(given), key=int)


async def test_a_cancelled_follower_leaves_a_ledger_that_works(redis_ledger: RedisLedger, admin: Redis) -> None:
    follower = asyncio.ensure_future(anext(redis_ledger.follow(S)))
    await blocked(admin)
    follower.cancel()
    with pytest.raises(asyncio.CancelledError):
        await follower
    await redis_ledger.append(S, [said("a")], expected_seq=0)
    assert (await anext(redis_ledger.follow(S))).seq == 1


async def test_a_plan_with_hostile_text_arrives_as_it_was(redis_ledger: RedisLedger) -> None:
    hostile = 'x"\\\n\x00\u2028</script>{{7*7}} \U0001f600 $(rm)'
    change = TaskChange(hostile, hostile, hostile)
    timer = Timer(hostile, 1_900_000_000_123, hostile, hostile, hostile)
    effects = Effects(changes=[change], timers=[timer], fences={hostile: 2**53}, claims=[Claim(hostile, hostile, 1)])
    await redis_ledger.append(
        hostile, [said(hostile, task_id=hostile)], expected_seq=0, effects=effects, dedupe=hostile
    )
    assert (await redis_ledger.append(S, [said("x")], expected_seq=0, dedupe=hostile)).events[0].session_id == hostile
    assert [e.data["to"] for e in await redis_ledger.tail("task", "0")] == [hostile]
    assert await redis_ledger.due(2 * 10**12) == [timer]
    assert await redis_ledger.holders(hostile) == [hostile]
    assert (await redis_ledger.sessions())[0][0] == hostile


async def test_a_held_entry_that_was_trimmed_is_no_longer_pending(
    redis_ledger: RedisLedger, admin: Redis, key: str
) -> None:
    for n in range(3):
        await redis_ledger.publish("task", {"n": str(n)})
    held = await redis_ledger.take("task", "scheduler", "dead")
    await admin.xdel(f"{key}feed:task", held[0].id, held[2].id)
    assert await redis_ledger.take("task", "scheduler", "alive", idle_ms=0) == [held[1]]
    pending: Any = await admin.xpending_range(f"{key}feed:task", "scheduler", "-", "+", 10)
    assert [row["message_id"].decode() for row in pending] == [held[1].id]


async def test_an_imported_log_stays_for_ever(redis_ledger: RedisLedger, admin: Redis, key: str) -> None:
    await redis_ledger.import_events(S, [Event.stamp(S, 1, 5, said("a"))])
    assert await admin.ttl(f"{key}log:{S}") == -1
    assert [name async for name in admin.scan_iter(match=f"{key}import:*")] == []
