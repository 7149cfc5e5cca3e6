"""Facts about changes of the plan: proposed, edited, decided, applied."""

from __future__ import annotations

from typing import Literal

from core.domain.event import Payload, register
from core.domain.facts.value import Value
from core.domain.reading import Proposal, TaskSpec


class OpValue(Value):
    key: str
    kind: Literal["cancel", "pause", "resume", "release", "create", "follow"]
    task_id: str = ""
    other_id: str = ""
    spec: TaskSpec | None = None


@register
class PlanProposed(Payload):
    TYPE = "plan.diff.generated"
    plan_id: str
    short: str
    message_id: str
    base_version: int
    ops: tuple[OpValue, ...]
    reason: str
    objective: str
    first: bool = False
    collateral: tuple[str, ...] = ()
    proposal: Proposal | None = None


@register
class PlanEdited(Payload):
    """A person changed what is proposed; earlier cards of this plan are stale from here."""

    TYPE = "plan.diff.edited"
    plan_id: str
    revision: int
    ops: tuple[OpValue, ...]
    collateral: tuple[str, ...] = ()
    by: str


@register
class PlanApproved(Payload):
    """``waiting`` holds the running tasks that must stop before the change counts as applied."""

    TYPE = "plan.diff.approved"
    plan_id: str
    by: str
    flow_id: str
    waiting: tuple[str, ...] = ()
    created: tuple[str, ...] = ()


@register
class PlanApplied(Payload):
    TYPE = "plan.diff.applied"
    plan_id: str
    version: int


@register
class PlanRejected(Payload):
    TYPE = "plan.diff.rejected"
    plan_id: str
    by: str
    reason: str = ""


@register
class PlanReadAsQuestion(Payload):
    TYPE = "plan.diff.question"
    plan_id: str
    by: str


@register
class PlanSuperseded(Payload):
    TYPE = "plan.diff.superseded"
    plan_id: str
    by_plan: str = ""
