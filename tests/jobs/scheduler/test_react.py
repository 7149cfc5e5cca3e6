"""Each kind of fact starts what it must, and the same fact twice starts it once."""

from __future__ import annotations

from core.domain import commands as c
from core.domain.reading import Reading, Reply
from jobs import queues
from tests.jobs.scheduler.room import ALICE, ID, Room, spec


async def replay(room: Room) -> None:
    """Hand over both feeds from their beginning, as a consumer that lost its place would get them."""
    for entry in await room.ledger.tail("session", "0", limit=1000):
        await room.reactor.session_changed(entry.data)
    for entry in await room.ledger.tail("task", "0", limit=1000):
        await room.reactor.task_changed(entry.data)


async def test_a_plan_runs_to_its_end_on_feed_entries_alone_however_often_they_come(wide_room: Room) -> None:
    room = await wide_room.begin(spec("a"), spec("b", "a"), spec("c"))
    started: list[str] = []
    for _ in range(6):
        await replay(room)
        await replay(room)
        for short, status in (await room.statuses()).items():
            if status == "submitted":
                started.append(short)
                attempt = await room.attempt(short)
                await room.service.handle(ID, c.ClaimAttempt(attempt_id=attempt.id, worker="laptop"))
                await room.service.handle(ID, c.AcceptAttempt(attempt_id=attempt.id))
                await room.end(short)
            if status == "completed" and not (await room.task(short)).settled_success:
                await room.service.handle(ID, c.Settle(by=ALICE, subject=short, accept=True))
    assert started == ["T1", "T3", "T2"]
    assert len(room.runs) == 3


async def test_live_output_and_progress_start_nothing(room: Room) -> None:
    await room.begin()
    for data in ({"kind": "output", "text": "x"}, {"to": "progress"}, {"to": ""}, {"kind": "heartbeat"}):
        await room.reactor.task_changed(data)
    await room.reactor.session_changed({"type": "session.nothing.we.know", "session": ID})
    assert room.runs == []


async def test_a_message_is_read_once_and_not_again_when_it_was(room: Room) -> None:
    await room.begin()
    first = await room.say("hello")
    await replay(room)
    await replay(room)
    assert room.queued(queues.MANAGE).count(f"read-{first}") == 1
    reading = Reading(kind="question", reply=Reply(code="help"))
    await room.service.handle(ID, c.RecordReading(message_id=first, reading=reading))
    before = room.queued(queues.MANAGE)
    second = await room.say("and now")
    await replay(room)
    added = set(room.queued(queues.MANAGE)) - set(before)
    assert f"read-{second}" in added
    assert not [job for job in added if first in job]


async def test_a_repository_is_looked_at_once_a_worker_is_there(room: Room) -> None:
    do = room.service.handle
    await do(ID, c.StartSession(by=ALICE, place="web:1", surface="web", title="Shop"))
    await do(ID, c.NameRepo(by=ALICE, path="shop"))
    await replay(room)
    assert room.runs == []
    await room.register()
    await replay(room)
    await replay(room)
    (job,) = room.runs
    assert job.startswith("repo-")


async def test_a_message_that_waited_for_the_repository_is_read_when_it_is_there(room: Room) -> None:
    do = room.service.handle
    await do(ID, c.StartSession(by=ALICE, place="web:1", surface="web", title="Shop"))
    message = await room.say("run the tests")
    reading = Reading(kind="new_task", reply=Reply(code="which_repo"))
    await do(ID, c.RecordReading(message_id=message, reading=reading, waits_for="repo"))
    await replay(room)
    assert room.queued(queues.MANAGE) == []
    await do(ID, c.NameRepo(by=ALICE, path="shop"))
    await do(ID, c.RecordRepo(path="shop", root="/shop", base_branch="main", base_commit="c0", worker="laptop"))
    await replay(room)
    await replay(room)
    jobs = room.queued(queues.MANAGE)
    assert jobs
    assert all(job.startswith(f"read-{message}-repo") for job in jobs), "each copy looks at the log before it reads"


async def test_a_merge_is_put_on_the_queue_of_the_worker_that_has_the_repository(room: Room) -> None:
    await room.begin(spec("a"))
    await room.run("T1")
    await room.end("T1", report=c.ReportValue(summary="done", commit="c1", base="c0"))
    await room.service.handle(ID, c.Settle(by=ALICE, subject="T1", accept=True))
    (flow,) = (await room.state()).flows.values()
    await room.service.handle(ID, c.DecideMerge(by=ALICE, flow=flow.id, merge=True))
    await replay(room)
    await replay(room)
    assert [job for job in room.runs if job.startswith("merge-")] == [f"merge-{(await _merge_tip(room))}"]


async def _merge_tip(room: Room) -> str:
    (flow,) = (await room.state()).flows.values()
    assert flow.merge is not None
    return flow.merge.tip
