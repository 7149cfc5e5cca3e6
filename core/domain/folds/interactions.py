"""Facts about delivery attempts and about waiting for a person."""

from __future__ import annotations

from core.domain import facts as f
from core.domain import model as m
from core.domain.event import Event
from core.domain.folds.table import count, move, on
from core.domain.tables import AttemptPhase, InteractionStatus, TaskStatus


@on(f.AttemptUpdated)
def _attempt_updated(s: m.Session, e: Event, p: f.AttemptUpdated) -> None:
    attempt = s.attempts[p.attempt_id]
    attempt.phase, attempt.last_heard = AttemptPhase(p.phase), e.ts
    attempt.accepted = attempt.accepted or p.phase == "accepted"
    attempt.outcome = p.outcome or attempt.outcome
    attempt.stop_reason = p.stop_reason or attempt.stop_reason
    attempt.detail = p.detail or attempt.detail


def _open(s: m.Session, interaction: m.Interaction) -> None:
    s.interactions[interaction.id] = interaction
    s.open_interactions.add(interaction.id)
    count(s, interaction.short, interaction.id)


@on(f.ApprovalRequested)
def _approval_requested(s: m.Session, e: Event, p: f.ApprovalRequested) -> None:
    _open(
        s,
        m.Interaction(
            id=p.interaction_id,
            short=p.short,
            kind="approval",
            task_id=p.task_id,
            attempt_id=p.attempt_id,
            summary=p.summary,
            opened_at=e.ts,
            request_id=p.request_id,
            folder=p.folder,
            reasons=list(p.reasons),
            risk=p.risk,
            digest=p.digest,
            deadline=p.deadline,
        ),
    )
    s.attempts[p.attempt_id].requests[p.request_id] = p.interaction_id
    move(s, e, s.tasks[p.task_id], TaskStatus.WAITING_APPROVAL)


@on(f.ReconcileOpened)
def _reconcile_opened(s: m.Session, e: Event, p: f.ReconcileOpened) -> None:
    _open(s, m.Interaction(p.interaction_id, p.short, "reconcile", p.task_id, p.attempt_id, p.summary, e.ts))


def _close(
    s: m.Session, e: Event, id_: str, status: InteractionStatus, by: str, decision: str, why: str
) -> m.Interaction:
    interaction = s.interactions[id_]
    interaction.status, interaction.decided_by, interaction.decided_at = status, by, e.ts
    interaction.decision, interaction.reason = decision, why
    s.open_interactions.discard(id_)
    return interaction


def _release(s: m.Session, e: Event, interaction: m.Interaction) -> None:
    """The task goes on when no other approval holds it."""
    task = s.tasks[interaction.task_id]
    held = any(s.interactions[i].task_id == task.id for i in s.open_interactions)
    move(s, e, task, TaskStatus.WAITING_APPROVAL if held else TaskStatus.WORKING)


@on(f.ApprovalApproved)
def _approved(s: m.Session, e: Event, p: f.ApprovalApproved) -> None:
    _release(s, e, _close(s, e, p.interaction_id, InteractionStatus.APPROVED, p.by, p.lifetime, ""))


@on(f.ApprovalRejected)
def _rejected(s: m.Session, e: Event, p: f.ApprovalRejected) -> None:
    decision = "reject_stop" if p.stop else "reject"
    _release(s, e, _close(s, e, p.interaction_id, InteractionStatus.REJECTED, p.by, decision, p.reason))


@on(f.InteractionCancelled)
def _interaction_cancelled(s: m.Session, e: Event, p: f.InteractionCancelled) -> None:
    _release(s, e, _close(s, e, p.interaction_id, InteractionStatus.CANCELLED, "", p.cause, ""))


@on(f.ReconcileResolved)
def _reconcile_resolved(s: m.Session, e: Event, p: f.ReconcileResolved) -> None:
    if p.decision == "wait":  # noted on the card; the question stays open
        s.interactions[p.interaction_id].decision, s.interactions[p.interaction_id].decided_by = "wait", p.by
        return
    _close(s, e, p.interaction_id, InteractionStatus.RESOLVED, p.by, p.decision, p.reason)
