"""Facts about waiting for people: approvals, and work whose end nobody knows."""

from __future__ import annotations

from typing import Literal

from core.domain.event import Payload, register
from core.domain.reading import Risk


@register
class ApprovalRequested(Payload):
    TYPE = "approval.requested"
    interaction_id: str
    short: str
    task_id: str
    attempt_id: str
    request_id: str
    summary: str
    folder: str
    reasons: tuple[str, ...] = ()
    risk: Risk = "medium"
    digest: str
    deadline: int


@register
class ApprovalApproved(Payload):
    TYPE = "approval.approved"
    interaction_id: str
    by: str
    lifetime: Literal["once"] = "once"


@register
class ApprovalRejected(Payload):
    TYPE = "approval.rejected"
    interaction_id: str
    by: str
    reason: str = ""
    stop: bool = False


@register
class InteractionCancelled(Payload):
    """Ended without a decision: the cause is said (turn, task, timeout, recovery)."""

    TYPE = "approval.cancelled"
    interaction_id: str
    cause: Literal["turn", "task", "timeout", "recovery", "requester"]


@register
class ReconcileOpened(Payload):
    """It is not known whether the attempt did its work; only a person, or the worker coming back, can say."""

    TYPE = "interaction.opened"
    interaction_id: str
    short: str
    task_id: str
    attempt_id: str
    summary: str


@register
class ReconcileResolved(Payload):
    TYPE = "interaction.resolved"
    interaction_id: str
    decision: Literal["wait", "again", "done", "failed", "cancel", "late_report"]
    by: str
    reason: str = ""
