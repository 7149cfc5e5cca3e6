"""What time and silence do: deadlines, grace, lost leases, dead workers, and a sweep that finds whatever was missed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.domain import commands as c
from core.domain.tables import AttemptPhase, InteractionStatus, TaskStatus
from core.ledger.port import Effects, Timer
from jobs import queues, roster
from jobs.scheduler.watch import PREPARED_MS
from tests.jobs.scheduler.room import ALICE, ID, LEASE_S, Room, spec

GRACE_S = 13  # an agent's ten seconds and our margin


async def ask(room: Room, short: str, patience_s: float = 60) -> None:
    attempt = await room.attempt(short)
    await room.service.handle(
        ID,
        c.RequestApproval(
            attempt_id=attempt.id,
            request_id="r1",
            summary="rm -rf build",
            folder=".",
            reasons=("deletes",),
            risk="high",
            digest="d1",
            patience_ms=int(patience_s * 1000),
        ),
    )


async def told(room: Room, short: str) -> list[tuple[str, str]]:
    entries = await room.ledger.controls((await room.attempt(short)).id)
    return [(e.data["kind"], e.data["body"]) for e in entries]


# -- timers ----------------------------------------------------------------------------------------------------------


async def test_an_approval_nobody_answers_stops_the_agent_and_waits_for_a_person(room: Room) -> None:
    await room.begin(spec("a"))
    await room.run("T1")
    await ask(room, "T1", patience_s=60)
    room.clock.pass_s(59)
    await room.watch.timers()
    assert await room.statuses() == {"T1": "waiting_approval"}
    room.clock.pass_s(1)
    await room.watch.timers()
    task = await room.task("T1")
    assert (task.status, task.block_reason, task.failure) == (TaskStatus.BLOCKED, "approval_timeout", "")
    (interaction,) = (await room.state()).interactions.values()
    assert interaction.status is InteractionStatus.CANCELLED
    assert [kind for kind, _ in await told(room, "T1")] == ["answer", "cancel"]
    await room.end("T1", stop_reason="cancelled", report=None)
    assert (await room.task("T1")).block_reason == "approval_timeout", "it goes on only when a person says so"
    await room.register()
    await room.wish("resume", "T1")
    assert await room.offer("T1")


async def test_an_answered_approval_does_not_expire(room: Room) -> None:
    await room.begin(spec("a"))
    await room.run("T1")
    await ask(room, "T1")
    (interaction,) = (await room.state()).interactions.values()
    await room.service.handle(ID, c.DecideApproval(by=ALICE, interaction=interaction.short, decision="approve"))
    room.clock.pass_s(61)
    await room.watch.timers()
    assert await room.statuses() == {"T1": "working"}


@pytest.mark.parametrize(("wish", "status"), [("cancel", "cancelled"), ("pause", "blocked"), ("stop", "blocked")])
async def test_an_agent_that_does_not_end_within_its_grace_is_uncertain(room: Room, wish: str, status: str) -> None:
    """A cancelled task is over either way; of the others a person has to say what became of them."""
    await room.begin(spec("a"))
    await room.run("T1")
    await room.wish(wish, "T1")
    assert [kind for kind, _ in await told(room, "T1")] == ["cancel"]
    room.clock.pass_s(GRACE_S - 1)
    await room.watch.timers()
    assert await room.statuses() == {"T1": "working"}
    room.clock.pass_s(1)
    await room.watch.timers()
    assert await room.statuses() == {"T1": status}
    assert (await room.attempt("T1")).phase is AttemptPhase.UNCERTAIN
    assert bool((await room.state()).open_interactions) == (status == "blocked")
    assert await room.ledger.holders("worker:laptop") == [], "its slot is free"


async def test_an_agent_that_ends_in_time_leaves_no_timer(room: Room) -> None:
    await room.begin(spec("a"))
    await room.run("T1")
    await room.wish("cancel", "T1")
    await room.end("T1", stop_reason="cancelled", report=None)
    room.clock.pass_s(GRACE_S * 2)
    assert await room.ledger.due(room.clock.now) == []
    assert await room.statuses() == {"T1": "cancelled"}


async def test_a_timer_this_version_does_not_know_is_set_aside_and_the_rest_fires(room: Room) -> None:
    await room.begin(spec("a"))
    await room.run("T1")
    await ask(room, "T1")
    odd = Timer(key="odd:1", due=room.clock.now, session_id=ID, kind="odd")
    await room.ledger.append(ID, (), expected_seq=None, effects=Effects(timers=(odd,)))
    room.clock.pass_s(61)
    await room.watch.timers()
    assert await room.statuses() == {"T1": "blocked"}
    assert await room.ledger.due(room.clock.now) == []


# -- silence ---------------------------------------------------------------------------------------------------------


async def steady(room: Room) -> None:
    """As if this scheduler had been looking for long: it may judge."""
    await room.watch.leases()
    room.watch.seen.judging_from = 0.0


async def test_an_attempt_nobody_speaks_for_is_uncertain_and_asked_about_once(room: Room) -> None:
    await room.begin(spec("a"))
    await room.run("T1")
    await steady(room)
    room.clock.pass_s(LEASE_S - 1)
    await room.watch.leases()
    assert await room.statuses() == {"T1": "working"}
    room.clock.pass_s(2)
    for _ in range(3):
        await room.watch.leases()
    task = await room.task("T1")
    assert (task.status, task.block_reason) == (TaskStatus.BLOCKED, "delivery_uncertain")
    assert len((await room.state()).interactions) == 1
    assert await roster.expired_leases(room.ledger) == []


async def test_the_slot_of_a_lost_attempt_goes_to_what_waited(room: Room) -> None:
    await room.begin(spec("a"), spec("b"))
    await room.run("T1")
    assert not await room.offer("T2")
    await steady(room)
    room.clock.pass_s(LEASE_S + 1)
    await roster.beat(room.ledger, room.desk.settings)
    await room.watch.leases()
    assert await room.statuses() == {"T1": "blocked", "T2": "submitted"}


async def test_after_it_was_cut_off_a_scheduler_lets_the_living_speak_first(room: Room) -> None:
    """A Redis that was away made every lease run out; the attempts are none the worse for it."""
    await room.begin(spec("a"))
    attempt = await room.run("T1")
    room.clock.pass_s(LEASE_S + 1)
    await room.watch.leases()
    assert await room.statuses() == {"T1": "working"}
    await roster.renew(room.ledger, f"{ID}/{attempt.task_id}/{attempt.id}", LEASE_S * 1000)
    room.watch.seen.judging_from = 0.0
    await room.watch.leases()
    assert await room.statuses() == {"T1": "working"}


async def test_what_was_sent_to_a_dead_worker_and_not_taken_waits_again(room: Room) -> None:
    await room.begin(spec("a"))
    await room.offer("T1")
    await room.watch.workers()
    assert await room.statuses() == {"T1": "submitted"}
    room.clock.pass_s(LEASE_S + 1)
    await room.watch.workers()
    task = await room.task("T1")
    assert task.status is TaskStatus.QUEUED
    assert (await room.attempt("T1")).outcome == "not_accepted"
    assert not (await room.state()).interactions, "nobody has to be asked"


async def test_a_worker_that_is_heard_again_gets_what_waits(room: Room) -> None:
    await room.begin(spec("a"))
    room.clock.pass_s(LEASE_S + 1)
    await room.watch.workers()
    assert not await room.offer("T1")
    await roster.beat(room.ledger, room.desk.settings)
    await room.watch.workers()
    assert await room.statuses() == {"T1": "submitted"}


# -- the sweep -------------------------------------------------------------------------------------------------------


async def test_a_sweep_finds_everything_an_event_would_have_started(room: Room) -> None:
    await room.begin(spec("a"))
    message = await room.say("and then?")
    await room.watch.sweep("-s1")
    assert await room.statuses() == {"T1": "submitted"}
    assert room.queued(queues.MANAGE) == [f"read-{message}-s1"]
    assert room.runs == [], "the task feed starts it; the sweep steps in only when that did not happen"
    room.clock.pass_s(PREPARED_MS / 1000 + 1)
    await room.watch.sweep("-s2")
    assert room.runs == [f"{(await room.attempt('T1')).id}-s2"]


async def test_a_second_sweep_changes_nothing_in_the_log(room: Room) -> None:
    await room.begin(spec("a"), spec("b", "a"))
    await room.watch.sweep("-s1")
    seq = (await room.state()).seq
    await room.watch.sweep("-s2")
    assert (await room.state()).seq == seq


async def test_a_claimed_attempt_without_a_lease_is_found_by_the_sweep(room: Room) -> None:
    await room.begin(spec("a"))
    await room.run("T1", lease=False)
    await room.watch.sweep("-s1")
    assert await room.statuses() == {"T1": "working"}
    room.clock.pass_s(PREPARED_MS / 1000 + 1)
    await room.watch.sweep("-s2")
    assert (await room.task("T1")).block_reason == "delivery_uncertain"


async def test_one_unreadable_session_does_not_hide_the_others(room: Room) -> None:
    await room.begin(spec("a"))
    room.clock.pass_s(1)
    await room.service.handle("ps_2", c.StartSession(by=ALICE, place="web:2", surface="web", title="Odd"))
    room.ledger._logs["ps_2"][0] = replace(room.ledger._logs["ps_2"][0], raw=b'{"type": "session.created", "v": 99}')
    assert [name for name, _ in await room.ledger.sessions()] == ["ps_2", ID]
    await room.watch.sweep("-s1")
    assert await room.statuses() == {"T1": "submitted"}
