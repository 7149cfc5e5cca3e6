"""Waiting for a person: an approval is decided once, for what was shown; an unknown end only by who looked."""

from __future__ import annotations

from typing import Any

import pytest

from core.domain import commands as c
from core.domain import facts as f
from core.domain import limits
from tests.core.domain.world import BOB, World, kinds, spec


@pytest.fixture
def world() -> World:
    """T1 is at work, T2 waits for it."""
    world = World().start()
    world.plan(spec("a"), spec("b", "a"))
    world.run("T1")
    return world


def request(world: World, request_id: str = "r1") -> c.RequestApproval:
    return c.RequestApproval(
        attempt_id=world.task("T1").attempt_id,
        request_id=request_id,
        summary="x" * 20_000,
        folder="/repo",
        reasons=(),
        risk="low",
        digest="d1",
    )


def decide(decision: Any = "approve", name: str = "A1", digest: str = "") -> c.DecideApproval:
    return c.DecideApproval(by=BOB, interaction=name, decision=decision, digest=digest)


# -- asking ----------------------------------------------------------------------------------------------------------


def test_the_agent_waits_until_somebody_decides(world: World) -> None:
    (asked,) = world.do(request(world))
    assert isinstance(asked, f.ApprovalRequested)
    assert (len(asked.summary), asked.deadline) == (limits.COMMAND_CHARS, world.now + limits.APPROVAL_MS)
    assert world.task("T1").status == "waiting_approval"
    world.answer("a1", digest="d1")
    assert world.task("T1").status == "working"


def test_the_same_request_is_the_same_approval(world: World) -> None:
    world.ask("T1")
    assert world.ask("T1") == []
    world.answer("A1")
    assert world.refused(request(world)) == "already_decided"
    assert list(world.state.interactions) == ["apr_001"]


def test_an_agent_may_wait_for_two_answers(world: World) -> None:
    world.ask("T1", "r1")
    world.ask("T1", "r2")
    world.answer("A2", "reject")
    assert world.task("T1").status == "waiting_approval"
    world.answer("A1")
    assert world.task("T1").status == "working"


def test_who_is_not_at_work_asks_for_nothing(world: World) -> None:
    command = request(world)
    assert world.refused(c.RequestApproval(**{**fields(command), "attempt_id": "att_9"})) == "unknown_attempt"
    world.change("stop", "T1")
    assert world.refused(command) == "already_stopping"
    world.end("T1", "cancelled")
    assert world.refused(command) == "attempt_over"


def fields(command: c.RequestApproval) -> dict[str, Any]:
    return {name: getattr(command, name) for name in command.__dataclass_fields__}


def test_an_agent_told_to_stop_asks_for_nothing_new(world: World) -> None:
    world.ask("T1")
    world.now += limits.APPROVAL_MS
    world.do(c.ExpireApproval(interaction_id="A1"))
    assert world.refused(request(world, "r2")) == "illegal_move"


# -- answering -------------------------------------------------------------------------------------------------------


def test_the_first_answer_wins(world: World) -> None:
    world.ask("T1")
    world.answer("A1", "reject", reason=" not the build folder ")
    assert (world.interaction("A1").reason, world.task("T1").status) == ("not the build folder", "working")
    for decision in ("approve", "reject", "reject_stop"):
        assert world.refused(decide(decision)) == "already_decided"


def test_an_answer_is_for_what_was_shown_and_in_time(world: World) -> None:
    world.ask("T1")
    assert world.refused(decide(digest="d0")) == "card_stale"
    assert world.refused(decide(name="A9")) == "unknown_interaction"
    assert world.refused(c.DecideReconcile(by=BOB, interaction="A1", decision="wait")) == "unknown_interaction"
    world.now += limits.APPROVAL_MS
    assert world.refused(decide()) == "expired"


def test_reject_and_stop_cancels_the_task(world: World) -> None:
    world.ask("T1")
    assert kinds(world.answer("A1", "reject_stop")) == ["approval.rejected", "task.cancel_requested"]
    world.end("T1", "cancelled")
    assert world.task("T1").status == "cancelled"


def test_nothing_is_approved_for_work_that_is_being_stopped(world: World) -> None:
    world.ask("T1")
    world.change("cancel", "T1")
    assert world.refused(decide()) == "already_stopping"
    assert kinds(world.answer("A1", "reject_stop")) == ["approval.rejected"]


def test_no_answer_is_not_a_no(world: World) -> None:
    world.ask("T1", "r1")
    world.ask("T1", "r2")
    assert world.refused(c.ExpireApproval(interaction_id="A1")) == "not_due"
    world.now += limits.APPROVAL_MS
    facts = world.do(c.ExpireApproval(interaction_id="A1"))
    assert [p.cause for p in facts if isinstance(p, f.InteractionCancelled)] == ["timeout", "turn"]
    assert (world.task("T1").status, world.task("T1").block_reason) == ("blocked", "approval_timeout")
    assert world.refused(c.ExpireApproval(interaction_id="A1")) == "already_decided"


def test_a_wish_survives_an_approval_that_times_out(world: World) -> None:
    world.ask("T1")
    world.now += limits.APPROVAL_MS
    world.change("cancel", "T1")
    world.do(c.ExpireApproval(interaction_id="A1"))
    assert (world.task("T1").status, world.task("T1").wish) == ("working", "cancel")


# -- an unknown end --------------------------------------------------------------------------------------------------


def reconcile(decision: Any, reason: str = "I looked") -> c.DecideReconcile:
    return c.DecideReconcile(by=BOB, interaction="Q1", decision=decision, reason=reason)


@pytest.mark.parametrize(
    ("decision", "status", "outcome", "dependent"),
    [
        ("again", "queued", "failed", "queued"),
        ("done", "completed", "completed", "queued"),
        ("failed", "failed", "failed", "failed"),
        ("cancel", "cancelled", "cancelled", "failed"),
    ],
)
def test_a_person_says_how_it_ended(world: World, decision: str, status: str, outcome: str, dependent: str) -> None:
    world.lose("T1")
    world.do(reconcile(decision))
    assert (world.task("T1").status, world.attempt("T1").outcome) == (status, outcome)
    assert world.task("T2").status == dependent
    assert world.refused(reconcile("again")) == "already_decided"


def test_waiting_is_noted_and_the_question_stays_open(world: World) -> None:
    world.lose("T1")
    world.do(reconcile("wait", reason=""))
    assert (world.interaction("Q1").decision, world.interaction("Q1").status) == ("wait", "pending")
    world.do(reconcile("failed", reason=""))


@pytest.mark.parametrize("decision", ["again", "done"])
def test_what_may_repeat_or_invent_effects_needs_a_reason(world: World, decision: str) -> None:
    world.lose("T1")
    assert world.refused(reconcile(decision, reason=" ")) == "reason_needed"


def test_a_person_who_says_done_still_leaves_it_to_be_judged(world: World) -> None:
    world.lose("T1")
    world.do(reconcile("done", "it is on the branch"))
    report = world.task("T1").report
    assert report is not None
    assert (report.summary, report.by) == ("it is on the branch", "bob")
    assert not world.task("T1").settled_success


def test_the_old_worker_is_not_heard_after_a_person_decided(world: World) -> None:
    world.lose("T1")
    old = world.task("T1").attempt_id
    world.do(reconcile("again"))
    late = c.EndAttempt(attempt_id=old, stop_reason="end_turn", report=c.ReportValue(summary="late"))
    assert world.refused(late) == "attempt_over"
    world.dispatch("T1")
    assert world.refused(late) == "superseded"
