"""What people do to tasks: stop, pause, resume, cancel, retry, judge the report, merge the branch."""

from __future__ import annotations

from typing import Any

import pytest

from core.domain import commands as c
from core.domain import facts as f
from core.domain import limits
from core.domain.decide.tasks import review_revision
from tests.core.domain.world import ALICE, BOB, World, kinds, spec


@pytest.fixture
def world() -> World:
    """T2 and T3 wait for T1, T4 waits for both."""
    world = World().start()
    world.plan(spec("a"), spec("b", "a"), spec("c", "a"), spec("d", "b", "c"))
    return world


def change(what: Any, task: str = "") -> c.ChangeTask:
    return c.ChangeTask(by=ALICE, change=what, task=task)


# -- ending work -----------------------------------------------------------------------------------------------------


def test_stopping_what_runs_asks_first_and_leaves_it_resumable(world: World) -> None:
    world.run("T1")
    assert kinds(world.change("stop", "T1")) == ["task.cancel_requested"]
    assert world.task("T1").status == "working"
    world.end("T1", "cancelled")
    assert (world.task("T1").status, world.task("T1").block_reason) == ("blocked", "interrupted")
    world.change("resume", "T1")
    world.run("T1")


def test_stopping_what_no_worker_took_recalls_it(world: World) -> None:
    world.dispatch("T1")
    assert kinds(world.change("stop", "T1")) == ["attempt.updated", "task.blocked"]
    assert world.refused(c.ClaimAttempt(attempt_id=world.task("T1").attempt_id, worker="w1")) == "illegal_move"
    world.change("retry", "T1")
    assert world.task("T1").status == "queued"


def test_stop_everything_stops_what_is_not_stopping_yet(world: World) -> None:
    assert world.refused(change("stop")) == "nothing_running"
    assert world.refused(change("pause")) == "which_task"
    world.finish("T1")
    world.run("T2", "T3")
    world.change("stop", "T2")
    (wished,) = world.change("stop")
    assert isinstance(wished, f.TaskWished)
    assert wished.task_id == world.id("T3")
    assert world.refused(change("stop")) == "already_stopping"


@pytest.mark.parametrize("first", ["stop", "pause", "cancel"])
@pytest.mark.parametrize("second", ["stop", "pause", "cancel"])
def test_a_stronger_wish_replaces_a_weaker_one_and_no_other(world: World, first: str, second: str) -> None:
    world.run("T1")
    world.change(first, "T1")
    order = ["stop", "pause", "cancel"]
    if order.index(second) > order.index(first):
        world.change(second, "T1")
    else:
        assert world.refused(change(second, "T1")) == "already_stopping"
    world.end("T1", "cancelled")
    stopped = {"stop": "blocked", "pause": "paused", "cancel": "cancelled"}
    assert world.task("T1").status == stopped[max(first, second, key=order.index)]


def test_only_what_runs_is_stopped(world: World) -> None:
    assert world.refused(change("stop", "T1")) == "not_running"
    assert world.refused(change("stop", "T9")) == "unknown_task"


def test_pausing_what_waits_happens_at_once_and_dependents_keep_waiting(world: World) -> None:
    world.change("pause", "T1")
    assert world.statuses() == {"T1": "paused", "T2": "queued", "T3": "queued", "T4": "queued"}
    assert world.refused(change("pause", "T1")) == "illegal_move"
    world.change("resume", "T1")
    world.finish("T1")


def test_pausing_what_no_worker_took_recalls_it(world: World) -> None:
    world.dispatch("T1")
    assert kinds(world.change("pause", "T1")) == ["attempt.updated", "task.paused"]


def test_a_blocked_task_that_was_paused_is_blocked_again(world: World) -> None:
    world.run("T1")
    world.end("T1")
    world.change("pause", "T1")
    world.change("resume", "T1")
    assert (world.task("T1").status, world.task("T1").block_reason) == ("blocked", "no_report")


def test_resume_needs_something_that_stands_still(world: World) -> None:
    assert world.refused(change("resume", "T1")) == "illegal_move"
    world.run("T1")
    assert world.refused(change("resume", "T1")) == "still_running"


@pytest.mark.parametrize("what", ["resume", "retry", "pause"])
def test_an_uncertain_attempt_is_decided_before_anything_else(world: World, what: str) -> None:
    world.run("T1")
    world.lose("T1")
    assert world.refused(change(what, "T1")) == "decide_first"


@pytest.mark.parametrize("what", ["resume", "retry", "pause"])
def test_work_that_was_told_to_stop_must_have_stopped(world: World, what: str) -> None:
    world.run("T1")
    world.ask("T1")
    world.now += limits.APPROVAL_MS
    world.do(c.ExpireApproval(interaction_id="A1"))
    assert world.refused(change(what, "T1")) == "still_stopping"
    world.end("T1", "cancelled")
    world.change(what, "T1")


def test_cancelling_fails_what_waits_for_it_once(world: World) -> None:
    facts = world.change("cancel", "T1")
    assert kinds(facts) == ["task.cancelled", "task.failed", "task.failed", "task.failed", "flow.settled"]
    assert {t.failure for t in world.state.tasks.values()} == {"user_cancelled", "dependency_cancelled"}
    assert world.task("T4").failure_detail == "T1"


def test_a_cancelled_or_accepted_task_is_not_cancelled(world: World) -> None:
    world.finish("T1")
    assert world.refused(change("cancel", "T1")) == "already_accepted"
    world.change("cancel", "T4")
    assert world.refused(change("cancel", "T4")) == "illegal_move"


def test_a_report_nobody_judged_can_be_cancelled(world: World) -> None:
    world.run("T1")
    world.report("T1")
    world.change("cancel", "T1")
    assert world.task("T1").report is not None


def test_cancelling_an_uncertain_task_closes_its_question(world: World) -> None:
    world.run("T1")
    world.lose("T1")
    world.change("cancel", "T1")
    assert world.interaction("Q1").decision == "cancel"


# -- retry -----------------------------------------------------------------------------------------------------------


def test_retrying_the_root_revives_the_whole_diamond(world: World) -> None:
    world.run("T1")
    world.fail("T1")
    assert set(world.statuses().values()) == {"failed"}
    facts = world.change("retry", "T1")
    assert [p.trigger for p in facts if isinstance(p, f.TaskRequeued)] == ["retry", "revive", "revive", "revive"]
    assert kinds(facts)[-1] == "flow.reactivated"
    world.finish("T1", "T2", "T3", "T4")
    assert world.flow.round == 2


def test_a_crooked_diamond_comes_back_whole(world: World) -> None:
    """T8 is found through T6 before T7, on which it waits as well, is known to come back."""
    world.plan(spec("p"), spec("q", "p"), spec("r", "p"), spec("s", "r"), spec("t", "q", "s"))
    world.run("T5")
    world.fail("T5")
    world.change("retry", "T5")
    assert [world.task(f"T{n}").status for n in range(5, 10)] == ["queued"] * 5


def test_what_waits_for_another_dead_task_stays_dead(world: World) -> None:
    world.finish("T1")
    world.run("T2", "T3")
    world.fail("T2")
    world.fail("T3")
    assert world.refused(change("retry", "T4")) == "retry_the_cause"
    world.change("retry", "T2")
    assert world.task("T4").status == "failed"
    world.change("retry", "T3", reason="flaky network")
    assert world.task("T4").status == "queued"
    assert world.task("T3").retry_count == 1


def test_a_retried_task_has_no_report_of_its_failure(world: World) -> None:
    world.run("T1")
    world.end("T1", "error", failure="harness_error", detail="exit 2", output="digest")
    report = world.task("T1").report
    assert report is not None
    assert report.output == "digest"
    world.change("retry", "T1")
    assert world.task("T1").report is None


def test_what_failed_for_good_is_not_retried(world: World) -> None:
    assert world.refused(change("retry", "T1")) == "illegal_move"
    world.run("T1")
    world.fail("T1", "goal_conflict")
    assert world.refused(change("retry", "T1")) == "never_retried"


# -- the verdict -----------------------------------------------------------------------------------------------------


def settle(subject: str, accept: bool = True, revision: int = 0, feedback: str = "") -> c.Settle:
    return c.Settle(by=BOB, subject=subject, accept=accept, revision=revision, feedback=feedback)


def test_accepting_frees_dependents(world: World) -> None:
    world.run("T1")
    world.report("T1")
    assert world.refused(c.Dispatch(task_id=world.id("T2"), worker="w1")) == "gate_closed"
    world.settle("t1")
    world.run("T2")


def test_one_accept_stands_for_all_that_is_ready_in_a_flow(world: World) -> None:
    world.finish("T1")
    world.run("T2", "T3")
    world.report("T2")
    world.report("T3")
    world.change("cancel", "T4")
    revision = review_revision([world.task("T2"), world.task("T3")])
    facts = world.settle(world.flow.id, revision=revision)
    assert kinds(facts) == ["task.settled", "task.settled", "flow.settled"]
    assert world.refused(settle(world.flow.id)) == "nothing_to_review"


def test_a_click_does_not_accept_what_its_card_did_not_show(world: World) -> None:
    world.finish("T1")
    world.run("T2", "T3")
    world.report("T2")
    shown = review_revision([world.task("T2")])
    world.settle("T2")
    world.report("T3")
    assert world.refused(settle(world.flow.id, revision=shown)) == "card_stale"


def test_a_click_does_not_accept_another_round(world: World) -> None:
    world.run("T1")
    world.report("T1")
    shown = review_revision([world.task("T1")])
    world.settle("T1", accept=False, feedback="tests please")
    world.run("T1")
    world.report("T1")
    assert world.refused(settle("T1", revision=shown)) == "card_stale"


def test_rework_needs_words_and_starts_another_round(world: World) -> None:
    world.run("T1")
    world.report("T1")
    assert world.refused(settle("T1", accept=False, feedback=" ")) == "feedback_needed"
    long = "x" * (limits.CONTENT_CHARS + 1)
    assert world.refused(settle("T1", accept=False, feedback=long)) == "content_too_long"
    facts = world.settle("T1", accept=False, feedback="tests please")
    assert kinds(facts) == ["task.settled", "task.reworked"]
    task = world.task("T1")
    assert (task.status, task.round, task.report) == ("queued", 2, None)
    world.run("T1")
    assert "tests please" in world.attempt("T1").prompt


def test_rework_names_one_task(world: World) -> None:
    world.finish("T1")
    world.run("T2", "T3")
    world.report("T2")
    world.report("T3")
    assert world.refused(settle(world.flow.id, accept=False, feedback="again")) == "which_task"


def test_an_accepted_task_is_not_sent_back_under_its_dependents(world: World) -> None:
    world.finish("T1")
    world.run("T2")
    assert world.refused(settle("T1", accept=False, feedback="again")) == "already_decided"


def test_only_a_report_is_judged(world: World) -> None:
    assert world.refused(settle("T1")) == "illegal_move"
    assert world.refused(settle("T9")) == "unknown_task"


# -- the branch ------------------------------------------------------------------------------------------------------


@pytest.fixture
def done(world: World) -> World:
    world.change("cancel", "T4")
    world.finish("T1", "T2", "T3")
    return world


def merge(world: World, yes: bool = True) -> c.DecideMerge:
    return c.DecideMerge(by=ALICE, flow=world.flow.id, merge=yes)


def test_a_flow_is_merged_when_all_of_it_ended(world: World) -> None:
    world.finish("T1")
    assert world.refused(merge(world)) == "not_mergeable"
    assert world.refused(c.DecideMerge(by=ALICE, flow="fl_9", merge=True)) == "unknown_flow"


def test_a_flow_without_any_commit_has_nothing_to_merge() -> None:
    world = World().start()
    world.plan(spec("a"))
    world.run("T1")
    world.report("T1")
    world.settle("T1")
    assert world.refused(merge(world)) == "not_mergeable"


def test_a_merge_is_asked_for_and_recorded_once(done: World) -> None:
    done.do(merge(done, yes=False))
    done.do(merge(done))
    assert done.refused(merge(done)) == "not_mergeable"
    assert done.flow.merge is not None
    tip = done.flow.merge.tip
    assert done.refused(c.RecordMerge(flow_id=done.flow.id, tip="another", sha="c9")) == "not_asked"
    done.do(c.RecordMerge(flow_id=done.flow.id, tip=tip, sha="c9"))
    assert (done.flow.merge.status, done.flow.merge.sha) == ("merged", "c9")
    assert done.refused(c.RecordMerge(flow_id=done.flow.id, tip=tip, sha="c9")) == "not_asked"


def test_a_refused_merge_changes_nothing_and_can_be_asked_again(done: World) -> None:
    done.do(merge(done))
    assert done.flow.merge is not None
    done.do(c.RecordMerge(flow_id=done.flow.id, tip=done.flow.merge.tip, code="conflict", detail="a.py"))
    assert (done.flow.merge.status, done.flow.merge.code) == ("refused", "conflict")
    done.do(merge(done))


def test_no_work_begins_in_a_flow_while_it_is_merged() -> None:
    world = World().start()
    world.plan(spec("a"), spec("b"))
    world.finish("T1")
    world.run("T2")
    world.fail("T2")
    world.do(merge(world))
    assert world.refused(change("retry", "T2")) == "merge_under_way"
