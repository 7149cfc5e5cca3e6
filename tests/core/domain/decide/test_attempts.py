"""Delivering work: one attempt at a time, and the truth about how each ended."""

from __future__ import annotations

from typing import Any

import pytest

from core.domain import commands as c
from core.domain import facts as f
from core.domain import limits
from tests.core.domain.world import World, kinds, spec


@pytest.fixture
def world() -> World:
    """T2 waits for T1."""
    world = World().start()
    world.plan(spec("a"), spec("b", "a"))
    return world


def check(criterion: str, exit_code: int | None) -> f.CheckValue:
    return f.CheckValue(criterion=criterion, command=criterion, exit_code=exit_code)


# -- dispatch, claim, receipt ----------------------------------------------------------------------------------------


def test_a_dispatch_is_one_write_with_the_prompt_and_the_fence(world: World) -> None:
    (assigned,) = world.dispatch("T1")
    assert isinstance(assigned, f.TaskAssigned)
    assert (assigned.number, assigned.prompt.splitlines()[0]) == (1, "do a")
    assert world.task("T1").status == "submitted"


def test_a_task_is_dispatched_once_and_only_through_an_open_gate(world: World) -> None:
    world.dispatch("T1")
    assert world.refused(c.Dispatch(task_id=world.id("T1"), worker="w2")) == "illegal_move"
    assert world.refused(c.Dispatch(task_id=world.id("T2"), worker="w1")) == "gate_closed"
    assert world.refused(c.Dispatch(task_id="task_9", worker="w1")) == "unknown_task"


def test_the_first_copy_of_the_job_claims_and_every_other_is_refused(world: World) -> None:
    world.dispatch("T1")
    attempt = world.task("T1").attempt_id
    assert world.refused(c.ClaimAttempt(attempt_id=attempt, worker="w2")) == "not_yours"
    world.claim("T1")
    assert world.refused(c.ClaimAttempt(attempt_id=attempt, worker="w1")) == "illegal_move"
    assert world.refused(c.ClaimAttempt(attempt_id="att_9", worker="w1")) == "unknown_attempt"


def test_a_receipt_is_given_once(world: World) -> None:
    world.run("T1")
    assert world.attempt("T1").accepted
    assert world.refused(c.AcceptAttempt(attempt_id=world.task("T1").attempt_id)) == "illegal_move"


def test_an_older_attempt_has_nothing_to_say_any_more(world: World) -> None:
    world.dispatch("T1")
    old = world.task("T1").attempt_id
    world.lose("T1")
    world.dispatch("T1")
    assert world.attempt("T1").supersedes == old
    assert world.attempt("T1").number == 2
    for command in (c.ClaimAttempt(attempt_id=old, worker="w1"), c.EndAttempt(attempt_id=old, stop_reason="end_turn")):
        assert world.refused(command) == "superseded"


# -- the end ---------------------------------------------------------------------------------------------------------


def test_an_attempt_nobody_claimed_does_not_end(world: World) -> None:
    world.dispatch("T1")
    assert world.refused(c.EndAttempt(attempt_id=world.task("T1").attempt_id, stop_reason="x")) == "attempt_over"


def test_a_report_waits_for_a_person_and_a_turn_ends_once(world: World) -> None:
    world.run("T1")
    assert kinds(world.report("T1")) == ["turn.state", "attempt.updated", "task.completed"]
    assert world.attempt("T1").outcome == "completed"
    assert world.refused(c.EndAttempt(attempt_id=world.task("T1").attempt_id, stop_reason="x")) == "attempt_over"


def test_a_report_that_is_the_first_thing_heard_proves_the_receipt(world: World) -> None:
    world.dispatch("T1")
    world.claim("T1")
    world.report("T1")
    assert world.attempt("T1").accepted
    assert world.task("T1").status == "completed"


def test_a_turn_that_just_ends_leaves_the_task_blocked(world: World) -> None:
    world.run("T1")
    world.end("T1")
    assert (world.task("T1").status, world.task("T1").block_reason) == ("blocked", "no_report")


def test_a_failure_fails_what_waits_too(world: World) -> None:
    world.run("T1")
    facts = world.fail("T1")
    assert kinds(facts)[-3:] == ["task.failed", "task.failed", "flow.settled"]
    assert (world.attempt("T1").outcome, world.task("T2").failure) == ("failed", "dependency_failed")


def test_a_task_that_never_reached_its_agent_can_fail(world: World) -> None:
    world.dispatch("T1")
    world.claim("T1")
    world.end("T1", "not_started", failure="workspace", detail="no such branch")
    assert world.task("T1").failure_detail == "no such branch"


@pytest.mark.parametrize(("accepted", "trigger"), [(True, "requeue"), (False, "undeliver")])
def test_a_worker_that_leaves_gives_its_work_back(world: World, accepted: bool, trigger: str) -> None:
    if accepted:
        world.run("T1")
    else:
        world.dispatch("T1")
        world.claim("T1")
    (requeued,) = [p for p in world.end("T1", "shutdown") if isinstance(p, f.TaskRequeued)]
    assert requeued.trigger == trigger
    world.run("T1")


@pytest.mark.parametrize(("wish", "status"), [("stop", "blocked"), ("pause", "paused"), ("cancel", "cancelled")])
def test_work_that_stopped_ends_as_was_wished(world: World, wish: str, status: str) -> None:
    world.run("T1")
    world.change(wish, "T1")
    world.end("T1", "cancelled")
    assert (world.task("T1").status, world.task("T1").wish) == (status, "")
    assert world.attempt("T1").outcome == "cancelled"


@pytest.mark.parametrize(("wish", "status"), [("stop", "completed"), ("pause", "completed"), ("cancel", "cancelled")])
def test_a_report_that_comes_while_stopping_is_kept(world: World, wish: str, status: str) -> None:
    world.run("T1")
    world.change(wish, "T1")
    world.report("T1")
    task = world.task("T1")
    assert task.report is not None
    assert (task.status, task.report.summary) == (status, "done")


def test_the_end_of_a_turn_ends_its_approvals_once(world: World) -> None:
    world.run("T1")
    world.ask("T1", "r1")
    world.ask("T1", "r2")
    world.change("cancel", "T1")
    facts = world.end("T1", "cancelled")
    assert [p.cause for p in facts if isinstance(p, f.InteractionCancelled)] == ["turn", "turn"]


# -- hand-offs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["T2", "*"])
def test_a_hand_off_reaches_the_next_prompt(world: World, key: str) -> None:
    world.run("T1")
    assert "T2 Task b" in world.attempt("T1").prompt
    world.report("T1", handoffs={key: "mind the cache"})
    world.settle("T1")
    world.run("T2")
    assert "Hand-off from T1 Task a:\nmind the cache" in world.attempt("T2").prompt


def test_a_hand_off_for_nobody_is_not_kept(world: World) -> None:
    world.run("T1")
    assert "handoff.submitted" not in kinds(world.report("T1", handoffs={"T9": "hello"}))


# -- who judges ------------------------------------------------------------------------------------------------------

PASSED, FAILED, CLAIMED = check("tests", 0), check("tests", 1), check("tests", None)


@pytest.mark.parametrize(
    ("more", "evidence", "last", "settled"),
    [
        ({}, [PASSED], False, True),
        ({}, [PASSED], True, False),
        ({}, [PASSED, check("lint", 1)], False, False),
        ({}, [CLAIMED], False, False),
        ({}, [], False, False),
        ({"criteria": ("tests", "lint")}, [PASSED], False, False),
        ({"criteria": ("tests",)}, [PASSED], False, True),
        ({"target": "agent"}, [PASSED], False, False),
        ({"risk": "high"}, [PASSED], False, False),
        ({"acceptance": "manual"}, [PASSED], False, False),
        ({"acceptance": "evidence"}, [PASSED], True, True),
        ({"acceptance": "evidence"}, [FAILED], True, False),
        ({"acceptance": "auto"}, [], True, True),
        ({"acceptance": "auto", "risk": "high"}, [], True, False),
    ],
)
def test_who_judges_a_report(more: dict[str, Any], evidence: list[f.CheckValue], last: bool, settled: bool) -> None:
    world = World().start()
    world.plan(spec("a", **more), *([] if last else [spec("b", "a")]))
    world.run("T1")
    world.report("T1", evidence=tuple(evidence))
    assert world.task("T1").settled_success == settled
    if settled:
        assert world.task("T1").verdicts[-1].by == "system"


# -- lost ------------------------------------------------------------------------------------------------------------


def test_an_attempt_nobody_claimed_goes_out_again_by_itself(world: World) -> None:
    world.dispatch("T1")
    assert kinds(world.lose("T1")) == ["attempt.updated", "task.requeued"]
    world.run("T1")


def test_an_attempt_somebody_had_is_uncertain_and_a_person_is_asked_once(world: World) -> None:
    world.run("T1")
    assert kinds(world.lose("T1")) == ["attempt.updated", "task.blocked", "interaction.opened"]
    assert world.task("T1").block_reason == "delivery_uncertain"
    assert world.refused(c.LoseAttempt(attempt_id=world.task("T1").attempt_id, why="lease")) == "illegal_move"


def test_losing_work_that_waited_for_leave_ends_the_waiting(world: World) -> None:
    world.run("T1")
    world.ask("T1")
    world.lose("T1")
    assert world.interaction("A1").decision == "recovery"


@pytest.mark.parametrize("wish", ["stop", "pause"])
def test_work_that_was_stopping_when_it_was_lost_is_uncertain(world: World, wish: str) -> None:
    world.run("T1")
    world.change(wish, "T1")
    world.lose("T1", "grace")
    assert world.task("T1").block_reason == "delivery_uncertain"


def test_a_cancel_nobody_confirmed_is_still_a_cancel(world: World) -> None:
    world.run("T1")
    world.ask("T1")
    world.change("cancel", "T1")
    world.lose("T1", "grace")
    assert world.task("T1").failure == "user_cancelled_unconfirmed"
    assert world.task("T2").failure == "dependency_cancelled"
    assert world.attempt("T1").phase == "uncertain"


def test_a_late_end_of_a_cancelled_task_finalizes_the_attempt_and_nothing_else(world: World) -> None:
    world.run("T1")
    world.change("cancel", "T1")
    world.lose("T1", "grace")
    assert kinds(world.report("T1")) == ["turn.state", "attempt.updated"]
    assert (world.task("T1").status, world.attempt("T1").phase) == ("cancelled", "finalized")


def test_a_task_cancelled_while_its_agent_is_told_to_stop_can_lose_the_attempt(world: World) -> None:
    world.run("T1")
    world.ask("T1")
    world.now += limits.APPROVAL_MS
    world.do(c.ExpireApproval(interaction_id="A1"))
    world.change("cancel", "T1")
    assert kinds(world.lose("T1")) == ["attempt.updated"]


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"report": c.ReportValue(summary="done")}, "completed"),
        ({"failure": "harness_error"}, "failed"),
        ({}, "blocked"),
        ({"stop_reason": "shutdown"}, "queued"),
    ],
)
def test_a_worker_that_comes_back_answers_the_question_itself(world: World, more: Any, status: str) -> None:
    world.run("T1")
    world.lose("T1")
    world.end("T1", **more)
    assert (world.task("T1").status, world.interaction("Q1").decision) == (status, "late_report")


def expired(world: World) -> None:
    world.run("T1")
    world.ask("T1")
    world.now += limits.APPROVAL_MS
    world.do(c.ExpireApproval(interaction_id="A1"))


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("how", ["cancelled", "error", "shutdown"])
def test_an_agent_that_stopped_because_nobody_answered_leaves_the_task_blocked(
    world: World, lost: bool, how: str
) -> None:
    expired(world)
    if lost:
        assert kinds(world.lose("T1", "grace")) == ["attempt.updated", "interaction.opened"]
    world.end("T1", how, failure="harness_error" if how == "error" else "")
    assert (world.task("T1").status, world.task("T1").block_reason) == ("blocked", "approval_timeout")
    assert not world.state.open_interactions
    world.change("resume", "T1")


def test_a_report_that_comes_after_the_approval_timed_out_counts(world: World) -> None:
    expired(world)
    world.report("T1")
    assert world.task("T1").status == "completed"
