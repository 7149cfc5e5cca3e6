"""What every ledger promises beside the log: feeds, work groups, timers, places, hashes and artifacts."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from core.errors import Bug, Refused
from core.ledger.port import Control, Effects, FeedEntry, Ledger, Timer
from tests.core.ledger.facts import said

S = "ses_1"


def numbers(entries: list[FeedEntry]) -> list[int]:
    return [int(entry.data["n"]) for entry in entries]


async def publish(ledger: Ledger, feed: str, *ns: int) -> list[str]:
    return [await ledger.publish(feed, {"n": str(n)}) for n in ns]


async def test_a_tail_goes_on_where_it_stopped(ledger: Ledger) -> None:
    assert await ledger.feed_end("worker") == "0"
    ids = await publish(ledger, "worker", 1, 2, 3)
    assert await ledger.feed_end("worker") == ids[2]
    assert numbers(await ledger.tail("worker", "0", limit=2)) == [1, 2]
    assert numbers(await ledger.tail("worker", ids[1])) == [3]
    assert await ledger.tail("worker", ids[2]) == []


async def test_a_waiting_tail_wakes_when_something_comes(ledger: Ledger) -> None:
    (first,) = await publish(ledger, "worker", 1)
    waiting = asyncio.create_task(ledger.tail("worker", first, block_ms=5_000))
    await publish(ledger, "worker", 2)
    async with asyncio.timeout(4):
        assert numbers(await waiting) == [2]


async def test_a_wait_ends_empty_after_its_time(ledger: Ledger) -> None:
    async with asyncio.timeout(4):
        assert await ledger.tail("worker", "0", block_ms=20) == []
        assert await ledger.controls("att_1", block_ms=20) == []
        assert await ledger.take("worker", "g", "c", block_ms=20) == []


async def test_a_reader_the_feed_was_trimmed_past_is_told_of_the_gap(ledger: Ledger) -> None:
    (first,) = await publish(ledger, "worker", 0)
    await publish(ledger, "worker", *range(1, 400))
    told, *rest = await ledger.tail("worker", first)
    assert told == FeedEntry(first, {"gap": "1"})
    assert numbers(rest)[0] > 1
    assert all("gap" not in entry.data for entry in await ledger.tail("worker", rest[0].id))
    assert all("gap" not in entry.data for entry in await ledger.tail("worker", "0"))


async def test_two_consumers_share_the_work_and_each_entry_is_given_once(ledger: Ledger) -> None:
    await publish(ledger, "worker", *range(6))
    mine = await ledger.take("worker", "g", "bot1", limit=4)
    theirs = await ledger.take("worker", "g", "bot2", limit=4)
    assert numbers(mine) + numbers(theirs) == list(range(6))
    assert numbers(await ledger.take("worker", "other group", "bot1")) == list(range(6))


async def test_what_a_dead_consumer_held_is_given_out_again_until_it_is_acknowledged(ledger: Ledger) -> None:
    await publish(ledger, "worker", 1, 2)
    held = await ledger.take("worker", "g", "dead")
    assert await ledger.take("worker", "g", "alive", idle_ms=60_000) == []
    again = await ledger.take("worker", "g", "alive", idle_ms=0)
    assert again == held
    await ledger.ack("worker", "g", [entry.id for entry in again])
    await ledger.ack("worker", "g", [])
    assert await ledger.take("worker", "g", "alive", idle_ms=0) == []


async def test_a_held_entry_that_was_trimmed_meanwhile_is_skipped(ledger: Ledger) -> None:
    await publish(ledger, "worker", 0)
    await ledger.take("worker", "g", "dead")
    await publish(ledger, "worker", *range(1, 400))
    fresh = await ledger.take("worker", "g", "alive", idle_ms=0)
    assert 0 not in numbers(fresh)
    await ledger.ack("worker", "g", [entry.id for entry in fresh])


async def test_an_acknowledged_mark_leaves_the_outbox(ledger: Ledger) -> None:
    await ledger.append(S, [said("a")], expected_seq=0, effects=Effects(surfaces=["slack"]))
    await ledger.append(S, [said("b")], expected_seq=1, effects=Effects(surfaces=["slack"]))
    one, two = await ledger.take("out:slack", "poster", "bot1")
    assert [one.data["seq"], two.data["seq"]] == ["1", "2"]
    await ledger.ack("out:slack", "poster", [one.id])
    assert await ledger.tail("out:slack", "0") == [two]


async def test_controls_reach_the_attempt_they_were_sent_to(ledger: Ledger) -> None:
    waiting = asyncio.create_task(ledger.controls("att_1", block_ms=5_000))
    sent = [Control("att_2", "cancel"), Control("att_1", "steer", '{"text":"更快"}')]
    await ledger.append(S, [], expected_seq=None, effects=Effects(controls=sent))
    async with asyncio.timeout(4):
        (steer,) = await waiting
    assert steer.data == {"kind": "steer", "body": '{"text":"更快"}'}
    assert await ledger.controls("att_1", after=steer.id) == []


async def set_timers(ledger: Ledger, *timers: Timer, cancel: tuple[str, ...] = ()) -> None:
    await ledger.append(S, [], expected_seq=None, effects=Effects(timers=timers, cancel_timers=cancel))


async def test_a_timer_is_due_until_it_is_done(ledger: Ledger) -> None:
    stall = Timer("stall:att_1", 1_000, S, "stall", "att_1")
    late = Timer("late", 2_000, S, "remind")
    await set_timers(ledger, late, stall)
    assert await ledger.due(999) == []
    assert await ledger.due(1_000) == [stall]
    assert await ledger.due(5_000) == [stall, late]
    assert await ledger.due(5_000, limit=1) == [stall]
    await ledger.done(stall)
    assert await ledger.due(5_000) == [late]


async def test_a_timer_set_again_moves_and_survives_the_handling_of_its_old_time(ledger: Ledger) -> None:
    old, new = Timer("t", 1_000, S, "stall"), Timer("t", 3_000, S, "stall", "again")
    await set_timers(ledger, old)
    await set_timers(ledger, new)
    await ledger.done(old)
    assert await ledger.due(2_000) == []
    assert await ledger.due(3_000) == [new]


async def test_a_cancelled_timer_is_never_due_and_may_be_set_in_the_same_append(ledger: Ledger) -> None:
    await set_timers(ledger, Timer("a", 1, S, "x"), Timer("b", 1, S, "x"))
    await set_timers(ledger, Timer("b", 2, S, "y"), cancel=("a", "b", "never set"))
    assert await ledger.due(9) == [Timer("b", 2, S, "y")]


async def test_a_place_is_bound_once_until_it_is_rebound(ledger: Ledger) -> None:
    place = "slack:T1:C1:1700000000.000100"
    assert await ledger.bound(place) is None
    answers = await asyncio.gather(*(ledger.bind(place, f"ses_{n}") for n in range(20)))
    assert len(set(answers)) == 1
    await ledger.rebind(place, "ses_new")
    assert await ledger.bind(place, "ses_1") == "ses_new"
    assert await ledger.bound(place) == "ses_new"


async def test_a_hash_is_merged_and_deleted(ledger: Ledger) -> None:
    key = "post:slack:C1:卡片"
    assert await ledger.get_hash(key) == {}
    await ledger.set_hash(key, {"ts": "1.5", "revision": "1"})
    await ledger.set_hash(key, {"revision": "2"}, ttl_ms=60_000)
    await ledger.set_hash(key, {})
    assert await ledger.get_hash(key) == {"ts": "1.5", "revision": "2"}
    await ledger.delete(key)
    assert await ledger.get_hash(key) == {}


async def test_an_index_is_read_by_score(ledger: Ledger) -> None:
    for member, score in {"w1": 30, "w2": 10, "w3": 20}.items():
        await ledger.index_put("workers", member, score)
    await ledger.index_put("workers", "w2", 1_900_000_000_123)
    assert await ledger.index_range("workers", 0, 2 * 10**12) == [("w3", 20), ("w1", 30), ("w2", 1_900_000_000_123)]
    await ledger.index_drop("workers", "w1")
    assert await ledger.index_range("workers", 20, 30) == [("w3", 20)]


async def test_a_field_keeps_what_was_written_on_the_latest_state_and_counts(ledger: Ledger) -> None:
    key = "posts:web:ses_1"
    assert await ledger.set_newer(key, "card", "first 一", 5) == 1
    assert await ledger.set_newer(key, "card", "third", 9) == 2
    assert await ledger.set_newer(key, "card", "second", 7) == 0
    assert await ledger.set_newer(key, "other", "", 7) == 1
    assert await ledger.get_hash(key) == {"card": "9 2 third", "other": "7 1 "}
    assert await ledger.set_newer(key, "card", "third again", 9) == 3


async def test_of_many_writers_at_once_the_latest_state_stays(ledger: Ledger) -> None:
    orders = [3, 9, 1, 7, 5, 8, 2, 6, 4, 0]
    await asyncio.gather(*(ledger.set_newer("posts:web:ses_1", "card", f"at {n}", n) for n in orders))
    order, _, value = (await ledger.get_hash("posts:web:ses_1"))["card"].split(" ", 2)
    assert (order, value) == ("9", "at 9")


@pytest.mark.parametrize("key", ["log:ses_1", "feed:session", "plain", "post:", ":x", "Post:x", "slots:w1"])
async def test_a_hash_cannot_stand_in_the_place_of_another_key(ledger: Ledger, key: str) -> None:
    with pytest.raises(Bug, match="hash_key"):
        await ledger.set_hash(key, {"a": "b"})


async def test_a_feed_or_index_with_a_wild_name_is_our_mistake(ledger: Ledger) -> None:
    with pytest.raises(Bug, match="feed_name"):
        await ledger.publish("a b", {"n": "1"})
    with pytest.raises(Bug, match="index_name"):
        await ledger.index_put("sessions", "ses_1", 1)


async def test_an_artifact_is_kept_by_its_content(ledger: Ledger) -> None:
    data = bytes(range(256)) * 20
    digest = await ledger.put_blob(data)
    assert digest == await ledger.put_blob(data) == hashlib.sha256(data).hexdigest()
    assert await ledger.get_blob(digest) == data
    assert await ledger.get_blob(await ledger.put_blob(b"")) == b""
    assert await ledger.get_blob("0" * 64) is None
    assert await ledger.get_blob("../log:ses_1") is None


async def test_an_artifact_above_the_limit_is_refused(ledger: Ledger) -> None:
    with pytest.raises(Refused, match="artifact_too_large"):
        await ledger.put_blob(b"x" * 10_001)
