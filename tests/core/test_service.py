"""The one door: loads, decides, appends; beaten by somebody else it decides again, and a refusal changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from core import service as service_module
from core import snapshot
from core.access import Person, permit
from core.domain import commands as c
from core.domain import facts as f
from core.domain.apply import fold
from core.domain.event import Draft
from core.domain.reading import Proposal, Reading
from core.errors import Bug, Refused, Unavailable
from core.ledger.memory import MemoryLedger
from core.ledger.port import Appended, Effects, Fence, Fenced, LostRace, NoCapacity
from core.service import Service
from tests.core.domain.world import START, spec

ALICE = permit(Person("alice", frozenset({"owner"})), "decide")
ID = "ps_1"


class Clock:
    now = START

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger(clock=Clock())


@pytest.fixture
def service(ledger: MemoryLedger) -> Service:
    return Service(ledger)


def say(text: str = "hello") -> c.AddMessage:
    return c.AddMessage(by=ALICE, text=text)


async def begin(service: Service) -> None:
    await service.handle(ID, c.StartSession(by=ALICE, place="web:1", surface="web", title="Shop"))
    await service.handle(ID, c.NameRepo(by=ALICE, path="shop"))
    await service.handle(ID, c.RecordRepo(path="shop", base_branch="main", base_commit="c0", worker="w1"))


async def plan(service: Service, *keys: str) -> str:
    """Proposed only; returns its short name."""
    done = await service.handle(ID, say())
    (added,) = done.events
    assert isinstance(added.payload, f.MessageAdded)
    proposal = Proposal(reason="do it", create=tuple(map(spec, keys)))
    reading = Reading(kind="new_task", proposal=proposal)
    done = await service.handle(ID, c.RecordReading(message_id=added.payload.message_id, reading=reading))
    proposed = done.events[-1].payload
    assert isinstance(proposed, f.PlanProposed)
    return proposed.short


def apply(name: str) -> c.DecidePlan:
    return c.DecidePlan(by=ALICE, plan=name, revision=0, decision="apply")


async def task_ids(service: Service, *keys: str) -> list[str]:
    await service.handle(ID, apply(await plan(service, *keys)))
    return list((await service.state(ID)).tasks)


async def running(service: Service, task_id: str, slots: int = 1) -> Fence:
    await service.handle(ID, c.Dispatch(task_id=task_id, worker="w1", slots=slots))
    attempt_id = (await service.state(ID)).tasks[task_id].attempt_id
    await service.handle(ID, c.ClaimAttempt(attempt_id=attempt_id, worker="w1"))
    await service.handle(ID, c.AcceptAttempt(attempt_id=attempt_id))
    return Fence(task_id, 1)


# -- in and out ------------------------------------------------------------------------------------------------------


async def test_what_was_decided_is_in_the_log_and_in_the_state(service: Service, ledger: MemoryLedger) -> None:
    assert (await service.state(ID)).seq == 0
    await begin(service)
    state = await service.state(ID)
    assert (state.title, state.seq) == ("Shop", 3)
    assert fold(ID, await ledger.read(ID)) == state


async def test_a_refusal_writes_nothing(service: Service, ledger: MemoryLedger) -> None:
    await begin(service)
    with pytest.raises(Refused) as refused:
        await service.handle(ID, say(" "))
    assert refused.value.code == "empty_message"
    assert await ledger.last_seq(ID) == 3


async def test_effects_are_written_with_the_facts(service: Service, ledger: MemoryLedger) -> None:
    await begin(service)
    first, second = await task_ids(service, "a", "b")
    await running(service, first)
    assert len(await ledger.holders("worker:w1")) == 1
    with pytest.raises(NoCapacity):
        await service.handle(ID, c.Dispatch(task_id=second, worker="w1", slots=1))
    assert (await service.state(ID)).tasks[second].status == "queued"


async def test_a_command_that_says_nothing_new_writes_nothing(service: Service, ledger: MemoryLedger) -> None:
    await begin(service)
    (task_id,) = await task_ids(service, "a")
    fence = await running(service, task_id)
    attempt_id = (await service.state(ID)).tasks[task_id].attempt_id
    ask = c.RequestApproval(
        attempt_id=attempt_id, request_id="r1", summary="rm", folder="/", reasons=(), risk="low", digest="d"
    )
    assert len((await service.handle(ID, ask, fence=fence)).events) == 1
    before = await ledger.last_seq(ID)
    assert await service.handle(ID, ask, fence=fence) == Appended(())
    assert await ledger.last_seq(ID) == before


# -- races -----------------------------------------------------------------------------------------------------------


async def test_two_doors_to_one_session_do_not_lose_each_others_words(ledger: MemoryLedger) -> None:
    doors = [Service(ledger), Service(ledger)]
    await begin(doors[0])
    await asyncio.gather(*(door.handle(ID, say(f"{n}")) for n in range(5) for door in doors))
    states = [await door.state(ID) for door in doors]
    assert len(states[0].messages) == 10
    assert states[0] == states[1] == fold(ID, await ledger.read(ID))


async def test_of_two_decisions_on_one_plan_the_second_is_refused(ledger: MemoryLedger) -> None:
    doors = [Service(ledger), Service(ledger)]
    await begin(doors[0])
    name = await plan(doors[0], "a")
    answers = await asyncio.gather(*(door.handle(ID, apply(name)) for door in doors), return_exceptions=True)
    assert sorted(type(answer).__name__ for answer in answers) == ["Appended", "Refused"]
    assert len((await doors[0].state(ID)).tasks) == 1


class Flooded(MemoryLedger):
    """Somebody else always appends first."""

    seq = 10

    async def append(self, session_id: str, drafts: Sequence[Draft], **more: Any) -> Appended:
        raise LostRace(session=session_id, seq=self.seq)


async def test_a_race_that_is_never_won_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "RACES", 3)
    begin = c.StartSession(by=ALICE, place="web:1", surface="web", title="Shop")
    with pytest.raises(Unavailable) as unavailable:
        await Service(Flooded(clock=Clock())).handle(ID, begin)
    assert unavailable.value.code == "too_many_races"


async def test_a_log_that_lost_its_tail_is_read_again_from_its_start(ledger: MemoryLedger) -> None:
    """A server that crashed may come back without the last second; what a process knew of it is void."""
    lived, restarted = Service(ledger), MemoryLedger(clock=Clock())
    await begin(lived)
    await restarted.import_events(ID, await ledger.read(ID))
    await lived.handle(ID, say("lost"))
    lived.ledger = restarted
    await lived.handle(ID, say("kept"))
    state = await lived.state(ID)
    assert [m.text for m in state.messages.values()] == ["kept"]
    assert state == fold(ID, await restarted.read(ID))


# -- the same thing twice --------------------------------------------------------------------------------------------


async def test_a_message_delivered_twice_is_there_once(service: Service) -> None:
    await begin(service)
    first = await service.handle(ID, say(), dedupe="say:1")
    again = await service.handle(ID, say(), dedupe="say:1")
    assert (again.duplicate, again.events) == (True, first.events)
    assert len((await service.state(ID)).messages) == 1


async def test_a_decision_delivered_twice_gets_its_first_answer_and_no_refusal(service: Service) -> None:
    await begin(service)
    name = await plan(service, "a")
    first = await service.handle(ID, apply(name), dedupe="act:1")
    again = await service.handle(ID, apply(name), dedupe="act:1")
    assert (again.duplicate, again.events) == (True, first.events)
    with pytest.raises(Refused) as refused:
        await service.handle(ID, apply(name), dedupe="act:2")
    assert refused.value.code == "already_decided"


async def test_a_refused_command_may_come_again_under_the_same_key(service: Service) -> None:
    with pytest.raises(Refused):
        await service.handle(ID, say(), dedupe="say:1")
    await begin(service)
    assert not (await service.handle(ID, say(), dedupe="say:1")).duplicate


# -- records ---------------------------------------------------------------------------------------------------------


async def test_a_worker_records_what_it_sees_with_its_coordinates(service: Service) -> None:
    await begin(service)
    (task_id,) = await task_ids(service, "a")
    fence = await running(service, task_id)
    seen = [f.AgentMessage(text="hm"), f.TaskProgressed(task_id=task_id, percent=50)]
    done = await service.record(ID, seen, attempt_id="att_1", worker="w1", fence=fence)
    state = await service.state(ID)
    flow_id = state.tasks[task_id].flow_id
    assert [(e.source, e.source_ref, e.task_id, e.flow_id) for e in done.events] == [
        ("worker", "w1", task_id, flow_id)
    ] * 2
    assert state.tasks[task_id].progress.percent == 50


async def test_records_do_not_race_commands(service: Service) -> None:
    await begin(service)
    (task_id,) = await task_ids(service, "a")
    fence = await running(service, task_id)
    records = [
        service.record(ID, [f.AgentMessage(text=str(n))], attempt_id="att_1", worker="w1", fence=fence)
        for n in range(10)
    ]
    await asyncio.gather(*records, *(service.handle(ID, say(str(n))) for n in range(5)))
    state = await service.state(ID)
    assert len(state.messages) == 6


async def test_an_attempt_that_was_replaced_records_nothing(service: Service) -> None:
    await begin(service)
    (task_id,) = await task_ids(service, "a")
    await running(service, task_id)
    old = Fence(task_id, 0)
    with pytest.raises(Fenced):
        await service.record(ID, [f.AgentMessage(text="hm")], attempt_id="att_0", worker="w1", fence=old)
    unknown = Fence("task_9", 1)
    with pytest.raises(Fenced):
        await service.record(ID, [f.AgentMessage(text="hm")], attempt_id="att_0", worker="w1", fence=unknown)


@pytest.mark.parametrize(
    "payload",
    [f.TaskSettled(task_id="task_1", accepted=True, by="system", basis="auto"), f.TaskProgressed(task_id="task_2")],
    ids=["a verdict", "progress of another task"],
)
async def test_a_worker_records_no_fact_that_must_be_decided(service: Service, payload: Any) -> None:
    with pytest.raises(Bug):
        await service.record(ID, [payload], attempt_id="att_1", worker="w1", fence=Fence("task_1", 1))


# -- memory ----------------------------------------------------------------------------------------------------------


async def test_a_restart_reads_the_snapshot_and_the_rest(ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "EVERY", 2)
    await begin(Service(ledger))
    monkeypatch.setattr(snapshot, "EVERY", 1000)
    await Service(ledger).handle(ID, say())
    stored = await ledger.load_snapshot(ID)
    assert stored is not None
    assert stored[0] == 2
    assert await Service(ledger).state(ID) == fold(ID, await ledger.read(ID))


@pytest.mark.parametrize("data", [b"damaged", None], ids=["damaged", "of a longer log"])
async def test_a_snapshot_that_does_not_fit_is_ignored(ledger: MemoryLedger, data: bytes | None) -> None:
    await begin(Service(ledger))
    if data is None:
        longer = await Service(ledger).state(ID)
        longer.seq, longer.title = 99, "from the future"
        data = snapshot.pack(longer)
    await ledger.save_snapshot(ID, 99, data)
    assert (await Service(ledger).state(ID)).title == "Shop"


async def test_a_long_log_is_read_in_pieces(ledger: MemoryLedger) -> None:
    await begin(Service(ledger))
    fact = f.AgentMessage(text="hm")
    drafts = [Draft(id=f"evt_{n}", payload=fact) for n in range(1_997)]
    await ledger.append(ID, drafts, expected_seq=3, effects=Effects())
    assert (await Service(ledger).state(ID)).seq == 2_000


async def test_only_the_sessions_used_last_are_kept(ledger: MemoryLedger) -> None:
    service = Service(ledger, cached=2)
    await begin(service)
    first = await service.state(ID)
    await service.state("ps_2")
    assert await service.state(ID) is first
    await service.state("ps_2")
    await service.state("ps_3")
    again = await service.state(ID)
    assert again is not first
    assert again == first
