"""Rules about delivering work: dispatch, claim, receipt, end, and an attempt that nobody hears of any more."""

from __future__ import annotations

from core.domain import commands as c
from core.domain import facts as f
from core.domain.decide import ending
from core.domain.decide.scribe import Scribe
from core.domain.model import Attempt, Session, Task
from core.domain.prompt import render
from core.domain.tables import AttemptPhase, TaskStatus, demand
from core.domain.views import blocked_by, terminal
from core.errors import Refused

UNCERTAIN = "delivery_uncertain"


def dispatch(s: Scribe, cmd: c.Dispatch) -> None:
    """One write: the assignment, the attempt and its fencing number, and the prompt as it will be sent."""
    task = s.state.tasks.get(cmd.task_id)
    if task is None:
        raise Refused("unknown_task", name=cmd.task_id)
    demand("task", task.status.value, "dispatch", name=task.short)
    obstacles = blocked_by(s.state, task)
    if obstacles:
        raise Refused("gate_closed", name=task.short, obstacle=f"{obstacles[0].kind}:{obstacles[0].ref}")
    s.emit(
        f.TaskAssigned(
            task_id=task.id,
            attempt_id=s.new_id("att"),
            number=task.attempt_number + 1,
            worker=cmd.worker,
            prompt=render(s.state, task),
            supersedes=task.attempt_id,
        ),
        ref="scheduler",
    )


def _attempt(state: Session, attempt_id: str) -> tuple[Attempt, Task]:
    attempt = state.attempts.get(attempt_id)
    if attempt is None:
        raise Refused("unknown_attempt", attempt=attempt_id)
    task = state.tasks[attempt.task_id]
    if task.attempt_id != attempt_id:
        raise Refused("superseded", attempt=attempt_id, by=task.attempt_id)
    return attempt, task


def claim(s: Scribe, cmd: c.ClaimAttempt) -> None:
    """A worker takes the attempt: the first one does, every copy of the job is refused here."""
    attempt, _ = _attempt(s.state, cmd.attempt_id)
    if cmd.worker != attempt.worker:
        raise Refused("not_yours", attempt=attempt.id, worker=attempt.worker)
    demand("attempt", attempt.phase.value, "claim", attempt=attempt.id)
    s.emit(f.AttemptUpdated(attempt_id=attempt.id, phase="dispatching"), "worker", cmd.worker)


def accept(s: Scribe, cmd: c.AcceptAttempt) -> None:
    """The agent has the prompt: a receipt, not a completion."""
    attempt, _ = _attempt(s.state, cmd.attempt_id)
    demand("attempt", attempt.phase.value, "accept", attempt=attempt.id)
    _received(s, attempt)


def _received(s: Scribe, attempt: Attempt) -> None:
    s.emit(f.AttemptUpdated(attempt_id=attempt.id, phase="accepted"), "worker", attempt.worker)
    s.emit(f.TaskStarted(task_id=attempt.task_id), "worker", attempt.worker)


def lose(s: Scribe, cmd: c.LoseAttempt) -> None:
    """Nobody hears of the attempt any more. Not claimed: it goes out again by itself. Claimed: only a person can say."""
    attempt, task = _attempt(s.state, cmd.attempt_id)
    if attempt.phase is AttemptPhase.PREPARED:
        s.emit(f.AttemptUpdated(attempt_id=attempt.id, phase="finalized", outcome="not_accepted", stop_reason=cmd.why))
        s.emit(f.TaskRequeued(task_id=task.id, trigger="undeliver", reason=cmd.why))
        return
    demand("attempt", attempt.phase.value, "lose", attempt=attempt.id)
    s.emit(f.AttemptUpdated(attempt_id=attempt.id, phase="uncertain", detail=cmd.why))
    if terminal(task):
        return
    ending.close_interactions(s, task, "recovery")
    if task.wish == "cancel":
        ending.end_cancelled(s, task, task.wish_by, "user_cancelled_unconfirmed")
        return
    if task.status is not TaskStatus.BLOCKED:
        s.emit(f.TaskBlocked(task_id=task.id, reason=UNCERTAIN))
    s.emit(
        f.ReconcileOpened(
            interaction_id=s.new_id("ix"),
            short=s.short("Q"),
            task_id=task.id,
            attempt_id=attempt.id,
            summary=cmd.why,
        )
    )


OUTCOMES = {"end_turn": "completed", "cancelled": "cancelled"}


def end(s: Scribe, cmd: c.EndAttempt) -> None:
    """The worker says that the turn is over. What it brought decides; a wish counts when it brought nothing."""
    attempt, task = _attempt(s.state, cmd.attempt_id)
    if attempt.phase not in (AttemptPhase.DISPATCHING, AttemptPhase.ACCEPTED, AttemptPhase.UNCERTAIN):
        raise Refused("attempt_over", attempt=attempt.id)
    if cmd.report is not None and attempt.phase is AttemptPhase.DISPATCHING:
        _received(s, attempt)  # the report is the first we hear: it proves the receipt
    outcome = "failed" if cmd.failure else OUTCOMES.get(cmd.stop_reason, "failed")
    s.emit(f.TurnEnded(attempt_id=attempt.id, stop_reason=cmd.stop_reason), "worker", attempt.worker)
    s.emit(
        f.AttemptUpdated(attempt_id=attempt.id, phase="finalized", outcome=outcome, stop_reason=cmd.stop_reason),
        "worker",
        attempt.worker,
    )
    if terminal(task):
        return
    ending.close_interactions(s, task, "turn")
    if cmd.report is not None:
        _completed(s, task, cmd.report, attempt.worker)
    elif task.wish:
        _granted(s, task)
    elif task.status is TaskStatus.BLOCKED and task.block_reason != UNCERTAIN:
        return  # it stopped because nobody answered; a person goes on from there
    elif cmd.stop_reason == "shutdown":
        # the worker ended the agent itself and says so: nothing is uncertain, the task goes out again
        trigger = "undeliver" if task.status is TaskStatus.SUBMITTED else "requeue"
        s.emit(f.TaskRequeued.model_validate({"task_id": task.id, "trigger": trigger, "reason": "worker_stopped"}))
    elif cmd.failure:
        s.emit(
            f.TaskFailed(task_id=task.id, failure=cmd.failure, detail=cmd.detail, output=cmd.output),
            "worker",
            attempt.worker,
        )
        ending.propagate(s, task, "fail")
    else:
        s.emit(f.TaskBlocked(task_id=task.id, reason="no_report"))


def _granted(s: Scribe, task: Task) -> None:
    """The work stopped as a person wished."""
    if task.wish == "cancel":
        ending.end_cancelled(s, task, task.wish_by, "user_cancelled")
    elif task.wish == "pause":
        s.emit(f.TaskPaused(task_id=task.id, resume_to="queued", by=task.wish_by))
    else:
        s.emit(f.TaskBlocked(task_id=task.id, reason="interrupted"))


def _completed(s: Scribe, task: Task, report: c.ReportValue, worker: str) -> None:
    s.emit(
        f.TaskCompleted(
            task_id=task.id,
            summary=report.summary,
            evidence=report.evidence,
            commit=report.commit,
            base=report.base,
            files=report.files,
            added=report.added,
            removed=report.removed,
            flow_files=report.flow_files,
            flow_added=report.flow_added,
            flow_removed=report.flow_removed,
            biggest=report.biggest,
            diff=report.diff,
            output=report.output,
            by=worker,
        ),
        "worker",
        worker,
    )
    _hand_over(s, task, report.handoffs)
    if task.wish == "cancel":
        ending.end_cancelled(s, task, task.wish_by, "obsolete")
        return
    basis = settled_by(s.state, task, report)
    if basis:
        s.emit(f.TaskSettled.model_validate({"task_id": task.id, "accepted": True, "by": "system", "basis": basis}))


def settled_by(state: Session, task: Task, report: c.ReportValue) -> str:
    """``auto`` or ``evidence`` when no person needs to judge the report, else "".

    Without an explicit rule on the task, a step that others wait for passes on evidence: a command that exited 0, or a
    passing check for every criterion (what an agent ran by itself is a claim). Last results and high risk wait for a
    person, so a flow costs one Accept.
    """
    if task.acceptance == "manual" or task.risk == "high":
        return ""
    if task.acceptance == "auto":
        return "auto"
    steps_wait = any(not terminal(state.tasks[i]) for i in state.dependents.get(task.id, ()))
    if task.acceptance is None and not steps_wait:
        return ""
    checked = {check.criterion for check in report.evidence if check.exit_code == 0}
    failed = any(check.exit_code not in (0, None) for check in report.evidence)
    proven = set(task.criteria) <= checked if task.criteria else task.target == "shell"
    return "evidence" if checked and not failed and proven else ""


def _hand_over(s: Scribe, task: Task, documents: dict[str, str]) -> None:
    for other_id in s.state.dependents.get(task.id, ()):
        other = s.state.tasks[other_id]
        document = documents.get(other.short) or documents.get("*")
        if document:
            s.emit(f.HandoffSubmitted(from_task=task.id, to_task=other_id, document=document), "worker", task.worker)
