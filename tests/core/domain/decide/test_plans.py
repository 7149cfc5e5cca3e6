"""A plan change is shown, edited and decided once; applied, it does what its card said and nothing more."""

from __future__ import annotations

from typing import Any

import pytest

from core.domain import commands as c
from core.domain import facts as f
from core.domain import limits
from core.domain.decide.applying import shortened, slug
from core.domain.reading import Proposal, TaskSpec
from core.errors import Refused
from tests.core.domain.world import ALICE, World, kinds, spec


@pytest.fixture
def world() -> World:
    return World().start()


@pytest.fixture
def chain(world: World) -> World:
    """T2 and T3 wait for T1, T4 waits for both."""
    world.plan(spec("a"), spec("b", "a"), spec("c", "a"), spec("d", "b", "c"))
    return world


def decide(world: World, plan: str, decision: Any, revision: int = 0) -> c.DecidePlan:
    return c.DecidePlan(by=ALICE, plan=plan, revision=revision, decision=decision, reason="no")


def edit(plan: str, *drop: str, revision: int = 0, **contents: str) -> c.EditPlan:
    words = {f"create:{key}": text for key, text in contents.items()}
    return c.EditPlan(by=ALICE, plan=plan, revision=revision, drop=drop, contents=words)


# -- proposed --------------------------------------------------------------------------------------------------------


def test_what_is_proposed_has_not_happened(world: World) -> None:
    plan = world.propose(spec("a"), objective="Ship it")
    assert (plan, world.state.tasks, world.state.objective, world.state.version) == ("P1", {}, "", 0)
    assert world.plan_of("P1").first


def refusal(world: World, *create: TaskSpec, **more: Any) -> str:
    with pytest.raises(Refused) as refused:
        world.propose(*create, **more)
    return refused.value.code


def test_a_plan_that_cannot_be_applied_is_not_shown(chain: World) -> None:
    many = tuple(f"task_{n}" for n in range(3))
    assert refusal(chain) == "empty_plan"
    assert refusal(chain, cancel=["T9"]) == "unknown_task"
    assert refusal(chain, cancel=["T1", "T1"]) == "duplicate_operation"
    assert refusal(chain, spec("x"), spec("x")) == "duplicate_operation"
    assert refusal(chain, spec("x", "x")) == "depends_on_itself"
    assert refusal(chain, spec("x", "y", "y"), spec("y")) == "duplicate_dependency"
    assert refusal(chain, spec("x", *many)) == "unknown_dependency"
    assert refusal(chain, spec("x", "y"), spec("y", "z"), spec("z", "x")) == "dependency_cycle"
    assert refusal(chain, spec("x", criteria=("y" * limits.CRITERIA_CHARS, "z"))) == "criteria_too_long"
    assert chain.state.open_plans == set()


def test_a_session_holds_so_many_tasks(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TASKS_PER_SESSION", 1)
    assert refusal(world, spec("a"), spec("b")) == "too_many_tasks"


@pytest.mark.parametrize(
    "fates",
    [
        {"cancel": ["T1"], "pause": ["T1"]},
        {"pause": ["T1"], "resume": ["T1"]},
        {"cancel": ["T2"], "release": [("T2", "T1")]},
    ],
)
def test_one_task_has_one_fate(chain: World, fates: dict[str, Any]) -> None:
    assert refusal(chain, **fates) == "conflicting_operations"


def test_only_a_wait_that_is_there_can_be_released(chain: World) -> None:
    assert refusal(chain, release=[("T2", "T3")]) == "not_a_dependency"


@pytest.mark.parametrize("how", ["failed", "cancelled", "cancelled by this plan", "dragged along by it"])
def test_no_new_task_waits_for_a_dead_one(chain: World, how: str) -> None:
    waits_for, more = "T1", {}
    if how == "failed":
        chain.run("T1")
        chain.fail("T1")
    elif how == "cancelled":
        chain.change("cancel", "T1")
    else:
        more = {"cancel": ["T1"]}
        waits_for = "T1" if how == "cancelled by this plan" else "T4"
    assert refusal(chain, spec("x", chain.id(waits_for)), **more) == "dead_dependency"


# -- edited ----------------------------------------------------------------------------------------------------------


def test_an_edit_drops_and_rewrites_and_makes_older_cards_stale(world: World) -> None:
    world.propose(spec("a"), spec("b", "a"), spec("c", "b"))
    world.do(edit("P1", "create:b", c="pytest -q\nslowly"))
    plan = world.plan_of("P1")
    assert (plan.revision, plan.edited_by) == (2, "alice")
    assert [(op.spec.title, op.spec.after) for op in plan.ops if op.spec] == [("Task a", ()), ("pytest -q", ("a",))]
    assert world.refused(edit("P1", "create:a", revision=1)) == "card_stale"
    assert world.refused(decide(world, "P1", "apply", revision=1)) == "card_stale"
    world.do(decide(world, "P1", "apply", revision=2))
    assert world.task("T2").content == "pytest -q\nslowly"


def test_an_edit_can_change_nothing_and_look_again(world: World) -> None:
    world.propose(spec("a"))
    world.do(edit("P1", a=" do a "))
    assert world.plan_of("P1").revision == 2


def test_a_long_first_line_is_cut_for_the_title(world: World) -> None:
    world.propose(spec("a"))
    world.do(edit("P1", a="y" * 200))
    (op,) = world.plan_of("P1").ops
    assert op.spec is not None
    assert op.spec.title == "y" * 79 + "…"


def test_an_edit_that_leaves_nothing_or_too_much_is_refused(world: World) -> None:
    world.propose(spec("a"))
    assert world.refused(edit("P1", "create:a")) == "empty_plan"
    assert world.refused(edit("P1", a="y" * (limits.CONTENT_CHARS + 1))) == "content_too_long"
    assert world.refused(edit("P1", "create:z")) == "unknown_operation"
    assert world.refused(edit("P9")) == "unknown_plan"


def test_dropping_a_task_never_leaves_more_dependencies_than_a_task_may_have(world: World) -> None:
    keys = [f"k{n}" for n in range(17)]
    world.propose(*map(spec, keys), spec("mid", *keys[:16]), spec("end", "mid", keys[16]))
    assert world.refused(edit("P1", "create:mid")) == "too_many_dependencies"


def test_a_decided_plan_is_not_edited(world: World) -> None:
    world.plan(spec("a"))
    assert world.refused(edit("P1", a="other")) == "already_decided"


# -- decided ---------------------------------------------------------------------------------------------------------


def test_a_plan_is_decided_once(world: World) -> None:
    world.propose(spec("a"))
    world.do(decide(world, "P1", "reject"))
    assert world.plan_of("P1").decision_reason == "no"
    for decision in ("apply", "reject", "question"):
        assert world.refused(decide(world, "P1", decision)) == "already_decided"
    assert (world.state.tasks, world.state.objective) == ({}, "")


def test_a_question_can_be_made_a_change_after_all_once(world: World) -> None:
    world.propose(spec("a"))
    assert world.refused(decide(world, "P1", "change")) == "not_a_question"
    world.do(decide(world, "P1", "question"))
    assert kinds(world.do(decide(world, "P1", "change"))) == ["plan.diff.generated"]
    assert world.refused(decide(world, "P1", "change")) == "already_decided"
    world.apply("P2")


def test_applying_makes_the_flow_and_its_tasks_in_one_decision(world: World) -> None:
    facts = world.plan(spec("a"), spec("b", "a"), objective="Ship the shop")
    assert kinds(facts) == [
        "flow.created",
        "plan.diff.approved",
        "task.created",
        "task.created",
        "plan.diff.applied",
        "session.objective.updated",
    ]
    assert (world.flow.slug, world.flow.base_commit, world.state.objective) == ("ship-the-shop", "c0", "Ship the shop")
    assert world.task("T2").dependencies == [world.id("T1")]


def test_the_next_plan_joins_the_flow_until_that_is_merged(world: World) -> None:
    world.plan(spec("a"))
    world.plan(spec("b"))
    assert len(world.state.flows) == 1
    world.finish("T1", "T2")
    world.do(c.DecideMerge(by=ALICE, flow=world.flow.id, merge=True))
    assert world.flow.merge is not None
    world.propose(spec("c"))
    assert world.refused(decide(world, "P3", "apply")) == "merge_under_way"
    world.do(c.RecordMerge(flow_id=world.flow.id, tip=world.flow.merge.tip, sha="c5"))
    world.apply("P3")
    assert (len(world.state.flows), world.flow.base_commit) == (2, "c5")


def test_a_plan_without_an_objective_keeps_the_newest_one(world: World) -> None:
    world.plan(spec("a"), objective="one")
    world.propose(spec("b"))
    world.plan(spec("c"), objective="two")
    world.apply("P2")
    assert world.state.objective == "two"


def test_cancel_pause_and_create_at_once(chain: World) -> None:
    chain.finish("T1")
    chain.run("T2", "T3")
    facts = chain.plan(spec("x"), cancel=["T2"], pause=["T3"])
    assert [p.wish for p in facts if isinstance(p, f.TaskWished)] == ["cancel", "pause"]
    assert chain.plan_of("P2").status == "applying"
    assert chain.plan_of("P2").waiting == [chain.id("T2"), chain.id("T3")]
    chain.end("T2", "cancelled")
    assert chain.plan_of("P2").waiting == [chain.id("T3")]
    facts = chain.end("T3", "cancelled")
    assert kinds(facts)[-1] == "plan.diff.applied"
    assert chain.statuses() == {
        "T1": "completed",
        "T2": "cancelled",
        "T3": "paused",
        "T4": "failed",
        "T5": "queued",
    }
    assert chain.state.version == 2


def test_two_changes_that_wait_for_the_same_task_are_applied_in_their_order(world: World) -> None:
    world.plan(spec("a"))
    world.run("T1")
    world.plan(pause=["T1"])
    world.plan(cancel=["T1"], objective="two")
    facts = world.end("T1", "cancelled")
    assert [(p.plan_id, p.version) for p in facts if isinstance(p, f.PlanApplied)] == [("pd_002", 2), ("pd_003", 3)]


def test_a_stop_asked_before_becomes_what_the_plan_says_and_a_cancel_stays_one(chain: World) -> None:
    chain.run("T1")
    chain.change("stop", "T1")
    chain.plan(pause=["T1"])
    assert chain.task("T1").wish == "pause"
    chain.change("cancel", "T1")
    assert "task.cancel_requested" not in kinds(chain.plan(pause=["T1"]))
    assert "task.cancel_requested" not in kinds(chain.plan(cancel=["T1"]))
    assert chain.task("T1").wish == "cancel"
    chain.end("T1", "cancelled")
    assert chain.state.open_plans == set()


# -- collateral ------------------------------------------------------------------------------------------------------


def test_a_plan_names_what_it_drags_along(chain: World) -> None:
    chain.propose(cancel=["T2"])
    assert chain.plan_of("P2").collateral == ["T4"]
    facts = chain.apply("P2")
    assert kinds(facts) == ["plan.diff.approved", "task.cancelled", "task.failed", "plan.diff.applied"]


def test_a_diamond_with_both_sides_cancelled_fails_once(chain: World) -> None:
    facts = chain.plan(cancel=["T2", "T3"])
    assert kinds(facts).count("task.failed") == 1


def test_a_released_task_goes_on_with_everything_behind_it(chain: World) -> None:
    chain.plan(cancel=["T1"], release=[("T2", "T1"), ("T3", "T1")])
    assert chain.statuses() == {"T1": "cancelled", "T2": "queued", "T3": "queued", "T4": "queued"}
    chain.finish("T2", "T3", "T4")


def test_a_release_frees_from_one_wait_only(chain: World) -> None:
    chain.propose(cancel=["T2"], release=[("T4", "T3")])
    assert chain.plan_of("P2").collateral == ["T4"]
    chain.apply("P2")
    assert chain.task("T4").status == "failed"


def test_two_releases_of_one_task_are_one_edit(chain: World) -> None:
    facts = chain.plan(release=[("T4", "T2"), ("T4", "T3")])
    assert [p.dependencies for p in facts if isinstance(p, f.TaskEdited)] == [()]
    assert chain.state.dependents[chain.id("T2")] == []


def test_what_is_dragged_along_is_not_paused_as_well(chain: World) -> None:
    chain.plan(cancel=["T1"], pause=["T2"], release=[("T4", "T2")])
    assert chain.statuses() == {"T1": "cancelled", "T2": "failed", "T3": "failed", "T4": "failed"}


def test_a_plan_that_would_drag_more_along_than_it_showed_is_refused_until_it_was_looked_at_again(chain: World) -> None:
    chain.propose(cancel=["T1"], release=[("T2", "T1")])
    chain.plan(spec("x", chain.id("T1")))
    assert chain.refused(decide(chain, "P2", "apply")) == "plan_changed"
    chain.do(edit("P2"))
    assert chain.plan_of("P2").collateral == ["T3", "T5", "T4"]
    chain.apply("P2")


def test_a_plan_that_drags_less_along_than_it_showed_is_applied(chain: World) -> None:
    chain.propose(cancel=["T1"])
    chain.change("cancel", "T4")
    chain.apply("P2")
    assert set(chain.statuses().values()) == {"cancelled", "failed"}


def test_cancelling_what_was_accepted_meanwhile_changes_nothing_and_drags_nothing_along(chain: World) -> None:
    chain.propose(cancel=["T1"])
    chain.finish("T1")
    assert kinds(chain.apply("P2")) == ["plan.diff.approved", "plan.diff.applied"]
    chain.propose(cancel=["T1"])
    assert chain.plan_of("P3").collateral == []


# -- tasks that changed since the proposal ---------------------------------------------------------------------------


def test_operations_on_tasks_that_moved_on_leave_them_as_they_are(chain: World) -> None:
    chain.propose(release=[("T2", "T1")], pause=["T3"], resume=["T4"])
    chain.finish("T1", "T3")
    chain.run("T2")
    assert kinds(chain.apply("P2")) == ["plan.diff.approved", "plan.diff.applied"]


def test_a_dependency_that_died_meanwhile_is_found_when_the_plan_is_applied(chain: World) -> None:
    chain.propose(spec("x", chain.id("T1")))
    chain.change("cancel", "T1")
    assert chain.refused(decide(chain, "P2", "apply")) == "dead_dependency"


def test_a_paused_task_goes_on_and_one_that_is_only_queued_is_left(chain: World) -> None:
    chain.plan(pause=["T1", "T2"])
    chain.plan(resume=["T1", "T3"])
    assert (chain.task("T1").status, chain.task("T2").status) == ("queued", "paused")


def test_a_paused_task_can_be_released(chain: World) -> None:
    chain.plan(pause=["T2"])
    chain.plan(release=[("T2", "T1")], resume=["T2"])
    chain.run("T2")


def test_pausing_a_task_whose_end_nobody_knows_leaves_it_blocked(chain: World) -> None:
    chain.run("T1")
    chain.lose("T1")
    chain.plan(pause=["T1"])
    assert chain.task("T1").status == "blocked"


# -- follow ----------------------------------------------------------------------------------------------------------


def test_a_waiting_task_follows_a_new_one(chain: World) -> None:
    facts = chain.plan(spec("x"), follow=((chain.id("T1"), "x"),))
    assert kinds(facts).index("task.created") < kinds(facts).index("task.edited")
    assert chain.refused(c.Dispatch(task_id=chain.id("T1"), worker="w1")) == "gate_closed"
    chain.finish("T5", "T1")


def test_a_task_that_started_meanwhile_follows_nobody(chain: World) -> None:
    chain.propose(spec("x"), follow=((chain.id("T1"), "x"),))
    chain.run("T1")
    assert "task.edited" not in kinds(chain.apply("P2"))


def test_following_makes_no_circle_and_no_crowd(chain: World) -> None:
    assert refusal(chain, spec("x", chain.id("T4")), follow=((chain.id("T1"), "x"),)) == "dependency_cycle"
    assert refusal(chain, spec("x"), follow=((chain.id("T1"), "y"),)) == "unknown_dependency"
    keys = [f"k{n}" for n in range(16)]
    crowd = tuple((chain.id("T2"), key) for key in keys)
    assert refusal(chain, *map(spec, keys), follow=crowd) == "too_many_dependencies"


def test_dropping_the_new_task_drops_who_follows_it(chain: World) -> None:
    chain.propose(spec("x"), spec("y"), follow=((chain.id("T1"), "x"),))
    chain.do(edit("P2", "create:x"))
    assert [op.kind for op in chain.plan_of("P2").ops] == ["create"]


# -- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "word"),
    [("Fix the Retry!", "fix-the-retry"), ("修复重试", "work"), ("../../etc", "etc"), ("a" * 60, "a" * 40)],
)
def test_a_branch_word_is_safe(title: str, word: str) -> None:
    assert slug(title) == word


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ship\n the  shop", "Ship the shop"),
        ("one two three four", "one two three…"),
        ("onetwothreefourfive", "onetwothreefou…"),
    ],
)
def test_a_flow_name_is_one_line_cut_after_a_word(text: str, name: str) -> None:
    assert shortened(text, 15) == name


def test_a_proposal_keeps_the_persons_words(world: World) -> None:
    world.read(Proposal(reason="please", create=(spec("a"),)), text="please")
    assert world.plan_of("P1").reason == "please"
