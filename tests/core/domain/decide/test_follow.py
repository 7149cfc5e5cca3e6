"""What follows from any decision: flows that end or wake, and that the same decision gives the same facts."""

from __future__ import annotations

import pytest

from core.domain import commands as c
from core.domain import facts as f
from core.domain.decide import RULES, decide
from tests.core.domain.world import ALICE, World, kinds, spec


@pytest.fixture
def world() -> World:
    world = World().start()
    world.plan(spec("a"), spec("b"))
    return world


def test_a_flow_ends_once_with_its_last_task_however_that_ends(world: World) -> None:
    world.finish("T1")
    assert world.flow.settled_at == 0
    assert kinds(world.change("cancel", "T2"))[-1] == "flow.settled"
    assert world.flow.round == 1


def test_new_work_wakes_the_flow_and_it_ends_again(world: World) -> None:
    world.finish("T1", "T2")
    assert "flow.reactivated" in kinds(world.plan(spec("c")))
    world.finish("T3")
    assert world.flow.round == 2


def test_a_change_that_cancels_the_last_and_creates_another_does_not_end_the_flow(world: World) -> None:
    facts = world.plan(spec("c"), cancel=["T1", "T2"])
    assert "flow.settled" not in kinds(facts)


def test_a_task_that_is_sent_back_keeps_its_flow_open(world: World) -> None:
    world.finish("T1")
    world.run("T2")
    world.report("T2")
    assert "flow.settled" not in kinds(world.settle("T2", accept=False, feedback="again"))


def test_the_same_question_gives_the_same_facts() -> None:
    def drafts() -> list[object]:
        world = World().start()
        world.plan(spec("a"), spec("b", "a"), spec("c", "a"))
        plan = world.propose(spec("d"), cancel=["T1"])
        command = c.DecidePlan(by=ALICE, plan=plan, revision=0, decision="apply")
        return list(decide(world.state, command, world.now, world.new_id))

    assert drafts() == drafts()


def test_every_command_has_its_rule() -> None:
    commands = {v for v in vars(c).values() if isinstance(v, type) and issubclass(v, c.Command)}
    assert set(RULES) == commands - {c.Command}


def test_facts_carry_the_coordinates_of_what_they_are_about(world: World) -> None:
    world.run("T1")
    world.ask("T1")
    world.answer("A1")
    world.report("T1")
    task, attempt, flow = world.id("T1"), world.task("T1").attempt_id, world.flow.id
    about = {e.type: (e.task_id, e.attempt_id, e.flow_id) for e in world.events}
    assert about["approval.approved"] == about["attempt.updated"] == about["turn.state"] == (task, attempt, flow)
    assert about["task.completed"] == (task, None, flow)


def test_a_hand_off_is_about_the_task_it_comes_from() -> None:
    world = World().start()
    world.plan(spec("a"), spec("b", "a"))
    world.run("T1")
    world.report("T1", handoffs={"*": "read this"})
    (event,) = [e for e in world.events if isinstance(e.payload, f.HandoffSubmitted)]
    assert event.task_id == world.id("T1")
