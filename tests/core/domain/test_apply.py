"""The fold: in order, without gaps, and the same however the log was cut."""

from __future__ import annotations

from copy import deepcopy

import pytest

from core.domain import commands as c
from core.domain import facts as f
from core.domain.apply import apply, fold
from core.domain.event import Draft, Event, Payload, Source
from core.domain.model import Check, Session
from tests.core.domain.world import ALICE, START, World, spec


def story() -> World:
    """A bit of everything."""
    world = World().start()
    world.plan(spec("a", acceptance="manual"), spec("b", "a"), spec("c", "a"))
    world.run("T1")
    world.ask("T1")
    world.answer("A1", "reject")
    world.report("T1", evidence=(f.CheckValue(criterion="tests", exit_code=0),), handoffs={"*": "look"})
    world.settle("T1", accept=False, feedback="again")
    world.finish("T1")
    world.run("T2")
    world.lose("T2")
    world.plan(spec("d"), cancel=["T3"])
    world.reconcile("Q1", "again")
    return world


def put(world: World, *payloads: Payload, source: Source = "system") -> None:
    """Facts no command makes today, as an older or newer program may have written them."""
    for payload in payloads:
        draft = Draft(id=world.new_id("evt"), payload=payload, source=source)
        apply(world.state, Event.stamp(world.state.id, world.state.seq + 1, world.now, draft))


def test_the_log_folds_to_the_state_wherever_it_is_cut() -> None:
    world = story()
    assert fold("ps_1", world.events) == world.state
    for cut in range(len(world.events)):
        state = fold("ps_1", world.events[:cut])
        for event in world.events[cut:]:
            apply(state, event)
        assert state == world.state


@pytest.mark.parametrize("seq", [0, 1, 2, 4])
def test_a_gap_or_a_repetition_is_not_folded(seq: int) -> None:
    events = World().start().events
    state = fold("ps_1", events[:2])
    before = deepcopy(state)
    with pytest.raises(ValueError, match="cannot follow 2"):
        apply(state, Event.stamp("ps_1", seq, START, Draft(id="evt_9", payload=events[2].payload)))
    assert state == before


def test_a_fact_nothing_depends_on_only_moves_the_clock() -> None:
    world = World().start()
    before = deepcopy(world.state)
    world.now += 5
    put(world, f.AgentMessage(text="thinking"), f.ToolFinished(tool="sh", summary="ls"))
    assert (world.state.seq, world.state.updated_at) == (before.seq + 2, world.now)
    world.state.seq, world.state.updated_at = before.seq, before.updated_at
    assert world.state == before


def test_progress_is_the_latest_one_and_a_sign_of_life() -> None:
    world = World().start()
    world.plan(spec("a"))
    world.run("T1")
    world.now += 9
    put(world, f.TaskProgressed(task_id=world.id("T1"), percent=40, current_step="tests"))
    assert (world.task("T1").progress.percent, world.task("T1").progress.current_step) == (40, "tests")
    assert world.attempt("T1").last_heard == world.now


def test_a_superseded_plan_is_closed() -> None:
    world = World().start()
    world.propose(spec("a"))
    put(world, f.PlanSuperseded(plan_id=world.plan_of("P1").id))
    assert (world.plan_of("P1").status, world.state.open_plans) == ("superseded", set())


def test_a_plan_logged_without_its_proposal_sets_the_objective_once() -> None:
    world = World().start()
    message = world.say()
    op = f.OpValue(key="create:a", kind="create", spec=spec("a"))
    put(
        world,
        f.PlanProposed(
            plan_id="pd_9", short="P1", message_id=message, base_version=0, ops=(op,), reason="x", objective="Ship"
        ),
    )
    world.shadow = deepcopy(world.state)
    world.apply("P1")
    assert world.state.objective == "Ship"
    assert world.refused(c.DecidePlan(by=ALICE, plan="P1", revision=0, decision="change")) == "not_a_question"


def test_a_merge_without_a_repository_is_still_a_merge() -> None:
    state = Session(id="ps_1")
    world = World()
    world.state = state
    put(
        world,
        f.FlowCreated(flow_id="fl_1", name="x", slug="x", by="alice"),
        f.MergeRequested(flow_id="fl_1", by="alice", tip="mr_1"),
        f.FlowMerged(flow_id="fl_1", sha="c9"),
    )
    assert state.flows["fl_1"].merge is not None
    assert state.flows["fl_1"].merge.sha == "c9"


def test_a_check_is_proven_only_by_its_exit_code() -> None:
    assert Check(criterion="tests", exit_code=0).proven
    assert not Check(criterion="tests", exit_code=1).proven
    assert not Check(criterion="tests").proven


def test_times_are_when_it_happened() -> None:
    world = World().start()
    world.plan(spec("a"))
    world.now += 10
    world.run("T1")
    world.now += 10
    world.report("T1")
    world.now += 10
    world.settle("T1")
    task = world.task("T1")
    assert (task.created_at, task.started_at, task.settled_at) == (START, START + 10, START + 30)
    assert world.state.created_at == START
