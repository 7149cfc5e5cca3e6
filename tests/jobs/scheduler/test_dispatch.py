"""A ready task goes to its worker once, whoever asks and how often; what finds no place waits and is woken."""

from __future__ import annotations

import asyncio

from core.domain import commands as c
from core.domain.tables import AttemptPhase
from jobs import roster
from jobs.scheduler.dispatch import WAITING, Dispatcher
from tests.jobs.scheduler.room import ALICE, ID, LEASE_S, Room, spec


async def test_a_task_offered_twenty_times_at_once_is_dispatched_once(room: Room) -> None:
    await room.begin(spec("a"))
    task = await room.task("T1")
    others = [Dispatcher(room.desk, room.enqueuer) for _ in range(20)]
    done = await asyncio.gather(*(d.offer(ID, task.id) for d in others))
    assert sum(done) == 1
    assert len((await room.task("T1")).attempts) == 1


async def test_a_task_that_waits_for_another_is_not_dispatched(room: Room) -> None:
    await room.begin(spec("a"), spec("b", "a"))
    assert not await room.offer("T2")
    assert await room.statuses() == {"T1": "queued", "T2": "queued"}
    assert not await room.ledger.index_range(WAITING, 0, roster.FOREVER), "it waits for a task, not for a worker"


async def test_no_more_is_dispatched_than_a_worker_has_slots(wide_room: Room) -> None:
    await wide_room.begin(spec("a"), spec("b"), spec("c"))
    offered = [await wide_room.offer(short) for short in ("T1", "T2", "T3")]
    assert offered == [True, True, False]


async def test_what_found_no_slot_goes_out_when_one_is_free_the_longest_waiting_first(room: Room) -> None:
    await room.begin(spec("a"), spec("b"), spec("c"))
    await room.run("T1")
    for short in ("T3", "T2"):
        assert not await room.offer(short)
        room.clock.pass_s(1)
    await room.register()
    await room.end("T1")
    await room.dispatcher.wake()
    assert await room.statuses() == {"T1": "completed", "T2": "queued", "T3": "submitted"}


async def test_a_task_cancelled_while_it_waited_is_forgotten(room: Room) -> None:
    await room.begin(spec("a"), worker=False)
    await room.offer("T1")
    await room.wish("cancel", "T1")
    await room.register()
    await room.dispatcher.wake()
    assert await room.statuses() == {"T1": "cancelled"}
    assert not await room.ledger.index_range(WAITING, 0, roster.FOREVER)


async def test_a_task_waits_for_the_worker_that_has_the_repository(room: Room) -> None:
    await room.begin(spec("a"), worker=False)
    assert not await room.offer("T1")
    await room.register()
    room.clock.pass_s(LEASE_S + 1)
    assert not await room.offer("T1"), "a worker that is silent gets nothing"
    await roster.beat(room.ledger, room.desk.settings)
    await room.dispatcher.wake()
    assert await room.statuses() == {"T1": "submitted"}


async def test_the_job_of_an_attempt_is_put_on_its_workers_queue_once(room: Room) -> None:
    await room.begin(spec("a"))
    await room.offer("T1")
    task = await room.task("T1")
    for _ in range(3):
        await room.dispatcher.start(ID, task.id)
    assert room.runs == [task.attempt_id]


async def test_an_attempt_that_was_claimed_is_not_put_on_a_queue_again(room: Room) -> None:
    await room.begin(spec("a"))
    attempt = await room.run("T1")
    await room.dispatcher.start(ID, attempt.task_id)
    assert attempt.phase is AttemptPhase.ACCEPTED
    assert room.runs == []


async def test_an_accepted_task_releases_exactly_what_waited_for_it(wide_room: Room) -> None:
    room = await wide_room.begin(spec("a"), spec("b", "a"), spec("c", "b"), spec("d"))
    await room.run("T1")
    await room.end("T1")
    await room.service.handle(ID, c.Settle(by=ALICE, subject="T1", accept=True))
    await room.dispatcher.release_dependents(ID, (await room.task("T1")).id)
    assert await room.statuses() == {"T1": "completed", "T2": "submitted", "T3": "queued", "T4": "queued"}


async def test_what_is_not_there_is_left_alone(room: Room) -> None:
    await room.begin()
    assert not await room.dispatcher.offer(ID, "task_none")
    assert not await room.dispatcher.offer("ps_none", "task_none")
    await room.dispatcher.start(ID, "task_none")
    await room.dispatcher.release_dependents(ID, "task_none")
