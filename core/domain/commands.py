"""What can be asked of a session. Imperative, frozen, and free to be refused.

Commands of people carry ``by``: a ``Permitted`` value that only ``core.access`` makes, never a bare name. Commands of
workers carry the attempt, whose number fences them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from core.domain import limits
from core.domain.facts import CheckValue
from core.domain.reading import Reading, Risk


@dataclass(frozen=True, slots=True)
class Permitted:
    """Authority to do ``right``, held by ``person``. Made by ``core.access.permit`` alone."""

    person: str
    right: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Base of every command; the type picks the rule in ``decide``."""


# -- people ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class StartSession(Command):
    by: Permitted
    place: str
    surface: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRepo(Command):
    by: Permitted
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMessage(Command):
    """``reading`` is given when the words themselves say what they are (``stop``, ``why T3``); else it is read later."""

    by: Permitted
    text: str
    language: str = "en"
    ref: str = ""
    reading: Reading | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidePlan(Command):
    by: Permitted
    plan: str
    revision: int
    decision: Literal["apply", "reject", "question", "change"]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditPlan(Command):
    """Drop the operations named by key, and replace titles and contents of new tasks by key."""

    by: Permitted
    plan: str
    revision: int
    drop: tuple[str, ...] = ()
    contents: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideApproval(Command):
    """``digest`` is what the card showed; empty when answered by word, where the short name stands for the card."""

    by: Permitted
    interaction: str
    decision: Literal["approve", "reject", "reject_stop"]
    reason: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideReconcile(Command):
    by: Permitted
    interaction: str
    decision: Literal["wait", "again", "done", "failed", "cancel"]
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle(Command):
    """Accept or send back the report of a task (``T3``) or of everything ready in a flow (its id).

    ``revision`` is ``decide.tasks.review_revision`` of what the card showed, 0 when answered by word.
    """

    by: Permitted
    subject: str
    accept: bool
    feedback: str = ""
    revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeTask(Command):
    """Stop, pause, resume, cancel or retry one task, or with ``task`` empty stop everything running."""

    by: Permitted
    change: Literal["stop", "pause", "resume", "cancel", "retry"]
    task: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideMerge(Command):
    by: Permitted
    flow: str
    merge: bool


# -- the manager -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRepo(Command):
    path: str
    root: str = ""
    name: str = ""
    base_branch: str = ""
    base_commit: str = ""
    worker: str = ""
    problem: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordReading(Command):
    message_id: str
    reading: Reading
    waits_for: str = ""


# -- the scheduler ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch(Command):
    """``slots`` is how many attempts the worker takes at once; the ledger refuses one more."""

    task_id: str
    worker: str
    slots: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LoseAttempt(Command):
    """The worker holding the attempt is gone (``why``: lease, restart, grace)."""

    attempt_id: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpireApproval(Command):
    interaction_id: str


# -- workers ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimAttempt(Command):
    attempt_id: str
    worker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptAttempt(Command):
    attempt_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestApproval(Command):
    """``patience_ms`` is how long people have to answer."""

    attempt_id: str
    request_id: str
    summary: str
    folder: str
    reasons: tuple[str, ...]
    risk: Risk
    digest: str
    patience_ms: int = limits.APPROVAL_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class EndAttempt(Command):
    """The turn ended. ``report`` when the agent reported, ``failure`` when it failed, neither when it just stopped."""

    attempt_id: str
    stop_reason: str
    report: ReportValue | None = None
    failure: str = ""
    detail: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportValue:
    """What ``EndAttempt`` brings; the fields of ``facts.TaskCompleted`` and the hand-offs by dependent's short name or ``*``."""

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
    handoffs: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordMerge(Command):
    flow_id: str
    tip: str
    sha: str = ""
    code: str = ""
    detail: str = ""
