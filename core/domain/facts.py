"""Every fact the log can hold, as a payload: past tense, frozen, closed, versioned.

Add a field only with a default; anything else is a new ``V`` with an upcaster, because old logs are read for ever.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from core.domain.event import Payload, register
from core.domain.reading import Proposal, Reply, Risk, TaskSpec


class Value(BaseModel):
    """A frozen part of a payload."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# -- session ---------------------------------------------------------------------------------------------------------


@register
class SessionCreated(Payload):
    TYPE = "session.created"
    title: str
    place: str
    surface: str
    by: str


@register
class RepoNamed(Payload):
    """A person named the repository; whether it can be used is found out by who has it."""

    TYPE = "session.repo.named"
    path: str
    by: str


@register
class RepoChecked(Payload):
    """``problem`` is empty when the repository can be used; ``path`` is as named, ``root`` its folder on ``worker``."""

    TYPE = "session.repo.checked"
    path: str
    root: str = ""
    name: str = ""
    base_branch: str = ""
    base_commit: str = ""
    worker: str = ""
    problem: str = ""
    detail: str = ""


@register
class MessageAdded(Payload):
    TYPE = "session.message.added"
    message_id: str
    author: str
    text: str
    language: str = "en"
    ref: str = ""


@register
class MessageClassified(Payload):
    """``waits_for`` names what must be known first (``repo``); the message is read again then."""

    TYPE = "session.message.classified"
    message_id: str
    kind: str
    size: str = "small"
    confidence: float = 1.0
    rationale: str = ""
    waits_for: str = ""
    reply: Reply | None = None


@register
class ObjectiveUpdated(Payload):
    TYPE = "session.objective.updated"
    objective: str


# -- plan ------------------------------------------------------------------------------------------------------------


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


# -- flow ------------------------------------------------------------------------------------------------------------


@register
class FlowCreated(Payload):
    TYPE = "flow.created"
    flow_id: str
    name: str
    slug: str
    by: str
    base_branch: str = ""
    base_commit: str = ""


@register
class FlowSettled(Payload):
    """Every task of the flow has ended; once per round."""

    TYPE = "flow.settled"
    flow_id: str
    round: int


@register
class FlowReactivated(Payload):
    TYPE = "flow.reactivated"
    flow_id: str


@register
class MergeRequested(Payload):
    TYPE = "flow.merge.requested"
    flow_id: str
    by: str
    tip: str


@register
class MergePostponed(Payload):
    TYPE = "flow.merge.postponed"
    flow_id: str
    by: str


@register
class FlowMerged(Payload):
    TYPE = "flow.merged"
    flow_id: str
    sha: str


@register
class MergeRefused(Payload):
    """Nothing was changed; the work stays accepted."""

    TYPE = "flow.merge.refused"
    flow_id: str
    code: str
    detail: str = ""


# -- task ------------------------------------------------------------------------------------------------------------


@register
class TaskCreated(Payload):
    TYPE = "task.created"
    task_id: str
    short: str
    plan_id: str
    flow_id: str
    initiator: str
    spec: TaskSpec
    dependencies: tuple[str, ...] = ()


@register
class TaskEdited(Payload):
    TYPE = "task.edited"
    task_id: str
    dependencies: tuple[str, ...]


@register
class TaskAssigned(Payload):
    """The task went to a worker as attempt ``number``; the prompt is fixed here, so what is sent is what is logged."""

    TYPE = "task.assigned"
    task_id: str
    attempt_id: str
    number: int
    worker: str
    prompt: str
    supersedes: str = ""


@register
class TaskRequeued(Payload):
    """Back to waiting; ``trigger`` is the row of the task table that was taken."""

    TYPE = "task.requeued"
    task_id: str
    trigger: Literal["undeliver", "requeue", "resume", "retry", "revive"]
    reason: str
    by: str = ""


@register
class TaskStarted(Payload):
    TYPE = "task.started"
    task_id: str


@register
class TaskProgressed(Payload):
    TYPE = "task.progress"
    task_id: str
    summary: str = ""
    percent: int | None = None
    step: int | None = None
    steps: int | None = None
    current_step: str = ""
    next_step: str = ""
    risk: str = ""


class CheckValue(Value):
    criterion: str
    command: str = ""
    exit_code: int | None = None
    excerpt: str = ""
    output: str = ""
    commit: str = ""


@register
class TaskCompleted(Payload):
    """Reported, not accepted: ``summary`` is at most 4 KiB, the rest is artifacts by digest."""

    TYPE = "task.completed"
    task_id: str
    summary: str
    evidence: tuple[CheckValue, ...] = ()
    commit: str = ""
    base: str = ""
    files: int = 0
    added: int = 0
    removed: int = 0
    flow_files: int = 0
    flow_added: int = 0
    flow_removed: int = 0
    biggest: tuple[str, ...] = ()
    diff: str = ""
    output: str = ""
    by: str = "worker"


@register
class TaskSettled(Payload):
    """A verdict on a report. ``basis`` says what it rests on: a person, evidence, or read-only work."""

    TYPE = "task.settled"
    task_id: str
    accepted: bool
    by: str
    basis: Literal["person", "evidence", "auto"]
    feedback: str = ""


@register
class TaskReworked(Payload):
    TYPE = "task.reworked"
    task_id: str
    round: int


@register
class TaskBlocked(Payload):
    TYPE = "task.blocked"
    task_id: str
    reason: str


@register
class TaskPaused(Payload):
    TYPE = "task.paused"
    task_id: str
    resume_to: Literal["queued", "blocked"]
    by: str


@register
class TaskWished(Payload):
    """A person asked running work to end; it is done when the worker says so or the grace is over."""

    TYPE = "task.cancel_requested"
    task_id: str
    wish: Literal["cancel", "pause", "stop"]
    by: str


@register
class TaskCancelled(Payload):
    TYPE = "task.cancelled"
    task_id: str
    reason: str
    by: str


@register
class TaskFailed(Payload):
    """``failure`` is a class of the failure policy; ``cause`` is the task a propagated failure came from."""

    TYPE = "task.failed"
    task_id: str
    failure: str
    detail: str = ""
    cause: str = ""
    output: str = ""


@register
class HandoffSubmitted(Payload):
    TYPE = "handoff.submitted"
    from_task: str
    to_task: str
    document: str


# -- attempt and turn ------------------------------------------------------------------------------------------------


@register
class AttemptUpdated(Payload):
    TYPE = "attempt.updated"
    attempt_id: str
    phase: Literal["dispatching", "accepted", "uncertain", "finalized"]
    outcome: str = ""
    stop_reason: str = ""
    detail: str = ""


@register
class TurnEnded(Payload):
    """The agent is idle. ``source=worker`` on the event means it said so; ``system`` means that we concluded it."""

    TYPE = "turn.state"
    attempt_id: str
    state: Literal["idle"] = "idle"
    stop_reason: str


@register
class AgentMessage(Payload):
    TYPE = "agent.message"
    text: str


@register
class ToolFinished(Payload):
    TYPE = "tool.call.finished"
    tool: str
    summary: str
    exit_code: int | None = None
    output: str = ""
    size: int = 0


# -- interactions ----------------------------------------------------------------------------------------------------


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
