"""Facts about tasks: created, sent out, moved along, reported, judged, ended."""

from __future__ import annotations

from typing import Literal

from core.domain.event import Payload, register
from core.domain.facts.value import Value
from core.domain.reading import TaskSpec


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
