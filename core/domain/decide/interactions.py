"""Rules about waiting for a person: an approval is decided once, for exactly what was shown, by someone allowed to."""

from __future__ import annotations

from core.domain import commands as c
from core.domain import facts as f
from core.domain import limits
from core.domain.decide import ending
from core.domain.decide.scribe import Scribe
from core.domain.model import Interaction
from core.domain.tables import AttemptPhase, InteractionStatus, demand
from core.domain.views import find_interaction
from core.errors import Refused


def request(s: Scribe, cmd: c.RequestApproval) -> None:
    """The agent waits for leave. Asked again with the same request, it is the same approval."""
    attempt = s.state.attempts.get(cmd.attempt_id)
    if attempt is None:
        raise Refused("unknown_attempt", attempt=cmd.attempt_id)
    task = s.state.tasks[attempt.task_id]
    if attempt.phase is not AttemptPhase.ACCEPTED or task.attempt_id != attempt.id:
        raise Refused("attempt_over", attempt=attempt.id)
    known = s.state.interactions.get(attempt.requests.get(cmd.request_id, ""))
    if known is not None:
        _demand_pending(known)
        return
    demand("task", task.status.value, "request_approval", name=task.short)
    if task.wish:
        raise Refused("already_stopping", name=task.short, wish=task.wish)
    s.emit(
        f.ApprovalRequested(
            interaction_id=s.new_id("apr"),
            short=s.short("A"),
            task_id=task.id,
            attempt_id=attempt.id,
            request_id=cmd.request_id,
            summary=cmd.summary[: limits.COMMAND_CHARS],
            folder=cmd.folder,
            reasons=cmd.reasons,
            risk=cmd.risk,
            digest=cmd.digest,
            deadline=s.now + cmd.patience_ms,
        ),
        "worker",
        attempt.worker,
    )


def _pending(s: Scribe, name: str, kind: str) -> Interaction:
    interaction = find_interaction(s.state, name)
    if interaction.kind != kind:
        raise Refused("unknown_interaction", name=name[:40])
    _demand_pending(interaction)
    return interaction


def _demand_pending(interaction: Interaction) -> None:
    if interaction.status is not InteractionStatus.PENDING:
        raise Refused(
            "already_decided",
            short=interaction.short,
            by=interaction.decided_by,
            decision=interaction.decision or interaction.status.value,
            reason=interaction.reason,
        )


def decide_approval(s: Scribe, cmd: c.DecideApproval) -> None:
    interaction = _pending(s, cmd.interaction, "approval")
    if cmd.digest and cmd.digest != interaction.digest:
        raise Refused("card_stale", short=interaction.short)
    if s.now >= interaction.deadline:
        raise Refused("expired", short=interaction.short)
    task = s.state.tasks[interaction.task_id]
    if cmd.decision == "approve":
        if task.wish:
            raise Refused("already_stopping", name=task.short, wish=task.wish)
        s.say(cmd.by, f.ApprovalApproved(interaction_id=interaction.id, by=cmd.by.person))
        return
    stop = cmd.decision == "reject_stop"
    reason = cmd.reason.strip()[: limits.REASON_CHARS]
    s.say(cmd.by, f.ApprovalRejected(interaction_id=interaction.id, by=cmd.by.person, reason=reason, stop=stop))
    if stop and ending.stronger(task, "cancel"):
        ending.ask(s, task, "cancel", cmd.by.person)


def expire(s: Scribe, cmd: c.ExpireApproval) -> None:
    """Nobody answered: told apart from a no. The agent is stopped and the task waits for a person.

    Work that is being stopped anyway ends as that was asked.
    """
    interaction = _pending(s, cmd.interaction_id, "approval")
    if s.now < interaction.deadline:
        raise Refused("not_due", short=interaction.short)
    s.emit(f.InteractionCancelled(interaction_id=interaction.id, cause="timeout"))
    task = s.state.tasks[interaction.task_id]
    if not task.wish:
        ending.close_interactions(s, task, "turn")
        s.emit(f.TaskBlocked(task_id=task.id, reason="approval_timeout"))


OUTCOMES = {"done": "completed", "cancel": "cancelled"}


def decide_reconcile(s: Scribe, cmd: c.DecideReconcile) -> None:
    """What a person says about an attempt whose end is not known. Starting again may repeat effects, so it needs a reason."""
    interaction = _pending(s, cmd.interaction, "reconcile")
    reason = cmd.reason.strip()[: limits.REASON_CHARS]
    if cmd.decision in ("again", "done") and not reason:
        raise Refused("reason_needed", short=interaction.short)
    s.say(
        cmd.by,
        f.ReconcileResolved(interaction_id=interaction.id, decision=cmd.decision, by=cmd.by.person, reason=reason),
    )
    if cmd.decision == "wait":
        return
    task = s.state.tasks[interaction.task_id]
    s.emit(
        f.AttemptUpdated(
            attempt_id=interaction.attempt_id,
            phase="finalized",
            outcome=OUTCOMES.get(cmd.decision, "failed"),
            stop_reason=f"person:{cmd.decision}",
        )
    )
    if cmd.decision == "again":
        s.say(cmd.by, f.TaskRequeued(task_id=task.id, trigger="requeue", reason=reason, by=cmd.by.person))
    elif cmd.decision == "done":
        s.say(cmd.by, f.TaskCompleted(task_id=task.id, summary=reason, by=cmd.by.person))
    elif cmd.decision == "failed":
        s.say(cmd.by, f.TaskFailed(task_id=task.id, failure="unknown", detail=reason))
        ending.propagate(s, task, "fail")
    else:
        ending.end_cancelled(s, task, cmd.by.person, "user_cancelled")
