"""Questions about a state, answered from the state alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.domain import commands as c
from core.domain import limits
from core.domain import views as v
from core.domain.model import Session, Task
from core.errors import Refused
from tests.core.domain.world import ALICE, World, spec


@pytest.fixture
def world() -> World:
    """T2 and T3 wait for T1, T4 waits for both."""
    world = World().start()
    world.plan(spec("a"), spec("b", "a"), spec("c", "a"), spec("d", "b", "c"))
    return world


def shorts(tasks: list[Task]) -> list[str]:
    return [t.short for t in tasks]


def test_a_gate_names_what_keeps_it_closed(world: World) -> None:
    assert v.blocked_by(world.state, world.task("T1")) == []
    assert v.blocked_by(world.state, world.task("T4")) == [
        v.Obstacle("dependency", "T2", "queued"),
        v.Obstacle("dependency", "T3", "queued"),
    ]


@pytest.mark.parametrize("named", [False, True])
def test_nothing_runs_without_a_repository(named: bool) -> None:
    world = World().start(repo=False)
    world.plan(spec("a"))
    if named:
        world.do(c.NameRepo(by=ALICE, path="shop"))
    assert v.blocked_by(world.state, world.task("T1")) == [v.Obstacle("repo", "checking" if named else "missing")]


def test_ready_tasks_are_those_with_an_open_gate(world: World) -> None:
    assert shorts(v.ready_tasks(world.state)) == ["T1"]
    world.finish("T1")
    assert shorts(v.ready_tasks(world.state)) == ["T2", "T3"]
    assert shorts(v.ready_tasks(world.state, [world.id("T3"), "task_9"])) == ["T3"]


def test_downstream_finds_each_once(world: World) -> None:
    assert shorts(list(v.downstream(world.state, world.id("T1")))) == ["T2", "T3", "T4"]


@pytest.mark.parametrize(
    ("find", "code"),
    [(v.find_task, "unknown_task"), (v.find_plan, "unknown_plan"), (v.find_interaction, "unknown_interaction")],
)
def test_a_name_that_names_nothing_of_the_kind_is_refused(
    world: World, find: Callable[[Session, str], object], code: str
) -> None:
    wrong = "P1" if find is v.find_task else "T1"
    for name in ("Z9", wrong, ""):
        with pytest.raises(Refused) as refused:
            find(world.state, name)
        assert refused.value.code == code


def test_things_are_found_by_short_name_in_any_case_and_by_id(world: World) -> None:
    assert v.find_task(world.state, "t2") is v.find_task(world.state, world.id("T2"))
    assert v.find_plan(world.state, "p1").short == "P1"


def test_open_interactions_are_oldest_first(world: World) -> None:
    world.finish("T1")
    world.run("T2", "T3")
    world.ask("T3")
    world.now += 1
    world.ask("T2")
    world.now += 1
    world.lose("T3")
    assert [x.short for x in v.open_interactions(world.state)] == ["A2", "Q1"]
    assert [x.short for x in v.open_interactions(world.state, kind="reconcile")] == ["Q1"]
    assert [x.short for x in v.open_interactions(world.state, world.id("T2"))] == ["A2"]


def test_a_flow_is_ready_for_review_when_only_judgement_is_left(world: World) -> None:
    world.run("T1")
    world.report("T1")
    assert shorts(v.awaiting_review(world.state, world.flow)) == ["T1"]
    assert not v.review_ready(world.state, world.flow)
    world.settle("T1")
    world.change("cancel", "T4")
    world.run("T2", "T3")
    world.report("T2")
    world.report("T3")
    assert v.review_ready(world.state, world.flow)
    world.settle(world.flow.id)
    assert not v.review_ready(world.state, world.flow)
    assert shorts(v.flow_tasks(world.state, world.flow)) == ["T1", "T2", "T3", "T4"]


def test_the_active_flow_is_the_latest_until_it_is_merged(world: World) -> None:
    assert v.active_flow(World().start().state) is None
    assert v.active_flow(world.state) is world.flow
    world.change("cancel", "T4")
    world.finish("T1", "T2", "T3")
    world.do(c.DecideMerge(by=ALICE, flow=world.flow.id, merge=True))
    assert v.active_flow(world.state) is world.flow
    assert world.flow.merge is not None
    world.do(c.RecordMerge(flow_id=world.flow.id, tip=world.flow.merge.tip, sha="c9"))
    assert v.active_flow(world.state) is None


def test_the_branch_contains_what_was_accepted_in_that_order(world: World) -> None:
    world.finish("T1")
    world.run("T2", "T3")
    world.report("T2", commit="c2")
    world.report("T3", commit="c3")
    world.now += 1
    world.settle("T3")
    world.now += 1
    world.settle("T2")
    assert v.settled_commits(world.state, world.flow) == ["commit-T1", "c3", "c2"]


def test_why_goes_on_until_it_meets_somebody(world: World) -> None:
    def why(task: str) -> list[tuple[str, str, str]]:
        return [(o.kind, o.ref, o.detail) for o in v.why(world.state, world.task(task))]

    assert why("T1") == [("capacity", "worker", "")]
    assert why("T2") == [("dependency", "T1", "queued")]
    world.run("T1")
    assert why("T1") == [("running", "w1", "working")]
    world.ask("T1")
    assert why("T1") == [("approval", "A1", "")]
    world.now += limits.APPROVAL_MS
    world.do(c.ExpireApproval(interaction_id="A1"))
    assert why("T1") == [("blocked", "", "approval_timeout")]
    world.report("T1")
    assert why("T1") == [("review", "T1", "")]
    world.settle("T1")
    assert why("T1") == []
    world.change("pause", "T2")
    assert why("T2") == [("paused", "alice", "")]


def test_plans_are_listed_oldest_first(world: World) -> None:
    for _ in range(10):
        world.propose(spec("x"))
    assert [p.short for p in v.open_proposals(world.state)] == [f"P{n}" for n in range(2, 12)]
    world.run("T1")
    world.plan(pause=["T1"])
    assert [p.short for p in v.applying(world.state)] == ["P12"]
