"""What every ledger promises about a session's log, run against the twin in memory and a real server alike."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

import pytest

from core.domain.event import Draft, Event
from core.errors import Bug, Refused
from core.ledger.port import (
    Claim,
    Control,
    Effects,
    Fence,
    Fenced,
    Ledger,
    LostRace,
    NoCapacity,
    TaskChange,
    Timer,
)
from tests.core.ledger.facts import Said, said

S = "ses_1"


def texts(events: Sequence[Event]) -> list[str]:
    return [event.payload.text for event in events if isinstance(event.payload, Said)]


async def written(ledger: Ledger, *words: str, session: str = S) -> list[Event]:
    return list((await ledger.append(session, [said(word) for word in words], expected_seq=None)).events)


async def test_seq_counts_from_one_without_gaps_in_each_session(ledger: Ledger) -> None:
    await written(ledger, "a", "b")
    await written(ledger, "x", session="ses_2")
    await written(ledger, "c")
    assert [(e.seq, e.session_id) for e in await ledger.read(S)] == [(1, S), (2, S), (3, S)]
    assert texts(await ledger.read(S)) == ["a", "b", "c"]
    assert await ledger.last_seq(S) == 3
    assert await ledger.last_seq("ses_2") == 1
    assert await ledger.last_seq("ses_none") == 0


async def test_what_is_returned_is_what_is_read(ledger: Ledger) -> None:
    full = Draft(
        id="evt_full",
        payload=Said(text="你好 🎈 \u202e <b>\x00", weight=0.1),
        source="worker",
        source_ref="w1",
        task_id="task_1",
        flow_id="flow_1",
        attempt_id="att_1",
        parent_event_id="evt_0",
    )
    appended = await ledger.append(S, [full], expected_seq=0)
    assert list(appended.events) == await ledger.read(S)
    assert not appended.duplicate


async def test_time_is_the_ledgers_and_never_goes_back(ledger: Ledger) -> None:
    before = await ledger.now()
    events = await written(ledger, "a", "b") + await written(ledger, "c")
    after = await ledger.now()
    stamps = [event.ts for event in events]
    assert [before, *stamps, after] == sorted([before, *stamps, after])


async def test_a_command_decided_on_an_old_seq_loses_the_race(ledger: Ledger) -> None:
    await written(ledger, "a", "b")
    with pytest.raises(LostRace) as lost:
        await ledger.append(S, [said("late")], expected_seq=1)
    assert lost.value.params["seq"] == 2
    await ledger.append(S, [said("right")], expected_seq=2)
    assert texts(await ledger.read(S)) == ["a", "b", "right"]


async def test_a_dedupe_key_writes_once_and_gives_the_first_events_back_even_to_another_session(ledger: Ledger) -> None:
    first = await ledger.append(S, [said("hello"), said("there")], expected_seq=0, dedupe="slack:T1:C1:1.5")
    again = await ledger.append("ses_2", [said("hello")], expected_seq=0, dedupe="slack:T1:C1:1.5")
    assert again.duplicate
    assert again.events == first.events
    assert await ledger.last_seq("ses_2") == 0


@pytest.mark.parametrize("key", ["", "a b", "键", "x" * 5_000, "sha256-1", "}{tl:", "evt_1", "\ud800"])
async def test_any_text_may_be_a_dedupe_key_and_no_two_are_confused(ledger: Ledger, key: str) -> None:
    await ledger.append(S, [said("one")], expected_seq=None, dedupe=key)
    await ledger.append(S, [said("two")], expected_seq=None, dedupe=key + "x")
    assert (await ledger.append(S, [said("three")], expected_seq=None, dedupe=key)).duplicate
    assert texts(await ledger.read(S)) == ["one", "two"]


async def test_the_same_event_ids_are_written_once(ledger: Ledger) -> None:
    drafts = [said("a"), said("b")]
    first = await ledger.append(S, drafts, expected_seq=0)
    again = await ledger.append(S, drafts, expected_seq=0)
    assert again.duplicate
    assert again.events == first.events
    with pytest.raises(Bug, match="event_id_reused"):
        await ledger.append(S, [drafts[0], said("c")], expected_seq=None)


async def test_a_fenced_writer_must_be_the_tasks_current_attempt(ledger: Ledger) -> None:
    with pytest.raises(Fenced):
        await ledger.append(S, [said("no attempt yet")], expected_seq=None, fence=Fence("task_1", 1))
    await ledger.append(S, [said("start")], expected_seq=0, effects=Effects(fences={"task_1": 1}))
    await ledger.append(S, [said("mine")], expected_seq=None, fence=Fence("task_1", 1))
    await ledger.append(S, [said("taken over")], expected_seq=None, effects=Effects(fences={"task_1": 2}))
    with pytest.raises(Fenced) as old:
        await ledger.append(S, [said("orphan")], expected_seq=None, fence=Fence("task_1", 1))
    assert old.value.params["current"] == "2"
    assert texts(await ledger.read(S)) == ["start", "mine", "taken over"]


async def test_a_place_holds_no_more_than_its_limit(ledger: Ledger) -> None:
    def claim(*holders: str) -> Effects:
        return Effects(claims=[Claim("w1", holder, limit=2) for holder in holders])

    await ledger.append(S, [said("a")], expected_seq=None, effects=claim("att_1"))
    await ledger.append(S, [said("a again")], expected_seq=None, effects=claim("att_1"))
    with pytest.raises(NoCapacity) as full:
        await ledger.append(S, [said("two too many")], expected_seq=None, effects=claim("att_2", "att_3"))
    assert full.value.params["place"] == "w1"
    assert await ledger.holders("w1") == ["att_1"]
    await ledger.append(S, [said("b")], expected_seq=None, effects=claim("att_2"))
    assert await ledger.holders("w1") == ["att_1", "att_2"]
    assert texts(await ledger.read(S)) == ["a", "a again", "b"]


async def test_a_full_place_changes_hands_in_one_append(ledger: Ledger) -> None:
    await ledger.append(S, [said("a")], expected_seq=None, effects=Effects(claims=[Claim("w1", "att_1", 1)]))
    swap = Effects(releases=[Claim("w1", "att_1")], claims=[Claim("w1", "att_2", 1), Claim("w2", "att_2", 1)])
    await ledger.append(S, [said("b")], expected_seq=None, effects=swap)
    assert await ledger.holders("w1") == ["att_2"]
    assert await ledger.holders("w2") == ["att_2"]


EVERYTHING = Effects(
    surfaces=["slack"],
    changes=[TaskChange("task_1", "ready", "running")],
    timers=[Timer("t1", 5, S, "stall")],
    controls=[Control("att_1", "steer", '{"text":"go"}')],
    fences={"task_1": 7},
    claims=[Claim("w1", "att_1", 1)],
)


async def assert_untouched(ledger: Ledger) -> None:
    assert await ledger.due(10**15) == []
    assert await ledger.controls("att_1") == []
    assert await ledger.holders("w1") == []
    for feed in ("task", "out:slack"):
        assert await ledger.tail(feed, "0") == []


@pytest.mark.parametrize(
    "refused",
    [
        {"expected_seq": 9},
        {"expected_seq": None, "fence": Fence("task_1", 1)},
        {"expected_seq": None, "dedupe": "first"},
    ],
    ids=["race", "fence", "dedupe"],
)
async def test_an_append_that_is_not_written_leaves_no_trace(ledger: Ledger, refused: dict[str, object]) -> None:
    await ledger.append(S, [said("first")], expected_seq=0, dedupe="first")
    with suppress(LostRace, Fenced):
        appended = await ledger.append(S, [said("x", task_id="task_1")], effects=EVERYTHING, **refused)  # type: ignore[arg-type]
        assert appended.duplicate
    assert texts(await ledger.read(S)) == ["first"]
    assert len(await ledger.tail("session", "0")) == 1
    await assert_untouched(ledger)


async def test_a_full_second_place_leaves_no_trace_of_the_first(ledger: Ledger) -> None:
    both = Effects(claims=[Claim("w1", "att_1", 1), Claim("w2", "att_1", 0)], surfaces=["slack"])
    with pytest.raises(NoCapacity):
        await ledger.append(S, [said("x")], expected_seq=0, effects=both)
    assert await ledger.last_seq(S) == 0
    await assert_untouched(ledger)


async def test_effects_are_written_with_the_events(ledger: Ledger) -> None:
    appended = await ledger.append(S, [said("a", task_id="task_1"), said("b")], expected_seq=0, effects=EVERYTHING)
    first, second = appended.events
    session, task, out = [await ledger.tail(feed, "0") for feed in ("session", "task", "out:slack")]
    common = {"session": S, "ts": str(first.ts), "type": "test.said"}
    assert [entry.data for entry in session] == [
        {**common, "seq": "1", "id": first.id, "task": "task_1"},
        {**common, "seq": "2", "id": second.id, "task": ""},
    ]
    moved = {"session": S, "seq": "2", "task": "task_1", "from": "ready", "to": "running", "ts": str(first.ts)}
    assert [entry.data for entry in task] == [moved]
    assert [entry.data for entry in out] == [{"session": S, "seq": "2"}]
    assert await ledger.due(5) == [Timer("t1", 5, S, "stall")]
    assert [e.data for e in await ledger.controls("att_1")] == [{"kind": "steer", "body": '{"text":"go"}'}]
    assert await ledger.holders("w1") == ["att_1"]


async def test_effects_may_be_written_without_events(ledger: Ledger) -> None:
    await written(ledger, "a")
    appended = await ledger.append(S, [], expected_seq=1, effects=EVERYTHING)
    assert appended.events == ()
    assert await ledger.last_seq(S) == 1
    assert [entry.data["seq"] for entry in await ledger.tail("out:slack", "0")] == ["1"]


async def test_what_json_cannot_hold_is_refused_before_the_log(ledger: Ledger) -> None:
    unwritable = [
        Draft(id="evt_nan", payload=Said(text="x", weight=float("nan"))),
        Draft(id="evt_half", payload=Said(text="x"), source_ref="\ud83c"),
        Draft(id="evt_big", payload=Said(text="x" * 3_000)),
    ]
    for draft in unwritable:
        with pytest.raises(Refused, match="unwritable_event"):
            await ledger.append(S, [said("fine"), draft], expected_seq=0)
    assert await ledger.last_seq(S) == 0


async def test_reading_goes_on_after_a_seq_and_stops_at_a_limit(ledger: Ledger) -> None:
    await written(ledger, *"abcdef")
    assert texts(await ledger.read(S, after=2, limit=3)) == ["c", "d", "e"]
    assert await ledger.read(S, after=6) == []
    assert await ledger.read(S, limit=0) == []


async def collect(events: AsyncIterator[Event], count: int) -> list[Event]:
    found: list[Event] = []
    async for event in events:
        found.append(event)
        if len(found) == count:
            break
    return found


async def test_a_follower_gets_what_was_and_what_comes_in_order(ledger: Ledger) -> None:
    await written(ledger, "a", "b")
    follower = asyncio.create_task(collect(ledger.follow(S, after=1), 3))
    await written(ledger, "c")
    await written(ledger, "d")
    async with asyncio.timeout(5):
        assert texts(await follower) == ["b", "c", "d"]


async def test_a_follower_ahead_of_the_log_is_told_that_the_log_is_shorter(ledger: Ledger) -> None:
    await written(ledger, "a")
    async with asyncio.timeout(5):
        with pytest.raises(Exception, match="log_shorter"):
            await anext(ledger.follow(S, after=3))


async def test_a_hundred_writers_at_once_make_one_order_and_lose_nothing(ledger: Ledger) -> None:
    async def record(number: int) -> int:
        return (await ledger.append(S, [said(str(number))], expected_seq=None)).events[0].seq

    async def command(number: int) -> int:
        while True:
            try:
                seq = await ledger.last_seq(S)
                return (await ledger.append(S, [said(str(number))], expected_seq=seq)).events[0].seq
            except LostRace:
                continue

    racers = [record(n) if n % 2 else command(n) for n in range(100)]
    seqs = await asyncio.gather(*racers)
    events = await ledger.read(S)
    assert [event.seq for event in events] == list(range(1, 101))
    assert {int(text) for text in texts(events)} == set(range(100))
    assert texts(events) == [str(n) for _, n in sorted(zip(seqs, range(100), strict=True))]


async def test_sessions_are_listed_by_their_last_event(ledger: Ledger) -> None:
    now = await ledger.now()
    old = [Event.stamp("ses_old", 1, now - 5_000, said("a"))]
    await ledger.import_events("ses_old", old)
    (newer,) = await written(ledger, "b", session="ses_new")
    assert await ledger.sessions() == [("ses_new", newer.ts), ("ses_old", now - 5_000)]
    assert await ledger.sessions(limit=1) == [("ses_new", newer.ts)]


async def test_an_exported_log_comes_back_as_it_was(ledger: Ledger) -> None:
    exported = [Event.stamp("ses_far", seq, 1_000 + seq, said(str(seq))) for seq in range(1, 1_203)]
    await ledger.import_events("ses_far", exported)
    assert await ledger.read("ses_far", limit=5_000) == exported
    (next_one,) = await written(ledger, "goes on", session="ses_far")
    assert next_one.seq == 1_203
    with pytest.raises(Refused, match="session_exists"):
        await ledger.import_events("ses_far", exported)
    with pytest.raises(Refused, match="import_gap"):
        await ledger.import_events("ses_gap", exported[1:])


async def test_a_snapshot_comes_back_with_its_seq(ledger: Ledger) -> None:
    assert await ledger.load_snapshot(S) is None
    await ledger.save_snapshot(S, 12, b"\x00state:1")
    assert await ledger.load_snapshot(S) == (12, b"\x00state:1")
