"""Every state machine as a table; a move that is not listed is refused with both names and changes nothing.

``TASK[(state, trigger)]`` is the set of states the trigger may lead to. The state diagrams in ``docs/`` are drawn from
these tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from core.errors import Refused


class TaskStatus(StrEnum):
    """Where the work on a task stands; whether it was accepted is ``Task.outcome``, another axis."""

    QUEUED = "queued"
    SUBMITTED = "submitted"
    WORKING = "working"
    WAITING_APPROVAL = "waiting_approval"
    BLOCKED = "blocked"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @classmethod
    def _missing_(cls, value: object) -> TaskStatus | None:
        """Other vocabularies are understood on input, never produced."""
        return {
            "assigned": cls.SUBMITTED,
            "running": cls.WORKING,
            "canceled": cls.CANCELLED,
            "auth-required": cls.WAITING_APPROVAL,
        }.get(str(value))


class AttemptPhase(StrEnum):
    """How far one delivery to a worker got; ``uncertain`` says that nobody can know."""

    PREPARED = "prepared"
    DISPATCHING = "dispatching"
    ACCEPTED = "accepted"
    UNCERTAIN = "uncertain"
    FINALIZED = "finalized"


class InteractionStatus(StrEnum):
    """Of an approval or a question: the first end wins."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    RESOLVED = "resolved"
    CANCELLED = "cancelled"


class PlanStatus(StrEnum):
    """Of a proposed change of the plan."""

    PROPOSED = "proposed"
    APPLYING = "applying"
    APPLIED = "applied"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    READ_AS_QUESTION = "question"


T = TaskStatus
LIVE = frozenset({T.SUBMITTED, T.WORKING, T.WAITING_APPROVAL})  # an attempt is on its way or at work
UNFINISHED = frozenset({T.QUEUED, T.BLOCKED, T.PAUSED}) | LIVE


def _rows(*rows: tuple[frozenset[T], str, T]) -> dict[tuple[str, str], frozenset[str]]:
    table: dict[tuple[str, str], frozenset[str]] = {}
    for sources, trigger, target in rows:
        for source in sources:
            key = (source.value, trigger)
            table[key] = table.get(key, frozenset()) | {target.value}
    return table


def _one(*states: T) -> frozenset[T]:
    return frozenset(states)


TASK: Mapping[tuple[str, str], frozenset[str]] = _rows(
    (_one(T.QUEUED), "dispatch", T.SUBMITTED),
    (_one(T.SUBMITTED), "undeliver", T.QUEUED),
    (_one(T.SUBMITTED), "claim", T.WORKING),
    (_one(T.WORKING, T.WAITING_APPROVAL), "request_approval", T.WAITING_APPROVAL),
    (_one(T.WAITING_APPROVAL), "approval_released", T.WORKING),
    (_one(T.WAITING_APPROVAL), "approval_released", T.WAITING_APPROVAL),  # another one is still open
    (LIVE | {T.BLOCKED}, "block", T.BLOCKED),
    (_one(T.BLOCKED, T.WORKING), "requeue", T.QUEUED),
    (UNFINISHED - {T.PAUSED}, "pause", T.PAUSED),
    (_one(T.PAUSED), "resume", T.QUEUED),
    (_one(T.PAUSED), "resume", T.BLOCKED),
    (_one(T.WORKING, T.BLOCKED), "report", T.COMPLETED),
    (_one(T.COMPLETED), "settle_success", T.COMPLETED),
    (_one(T.COMPLETED), "settle_failure", T.QUEUED),
    (UNFINISHED, "fail", T.FAILED),
    (UNFINISHED | {T.COMPLETED}, "cancel", T.CANCELLED),
    (_one(T.FAILED), "retry", T.QUEUED),
    (_one(T.FAILED), "revive", T.QUEUED),
    (_one(T.QUEUED), "edit", T.QUEUED),
    (_one(T.PAUSED), "edit", T.PAUSED),
)

ATTEMPT: Mapping[tuple[str, str], frozenset[str]] = {
    ("prepared", "claim"): frozenset({"dispatching"}),
    ("prepared", "finalize"): frozenset({"finalized"}),
    ("dispatching", "accept"): frozenset({"accepted"}),
    ("dispatching", "lose"): frozenset({"uncertain"}),
    ("dispatching", "finalize"): frozenset({"finalized"}),
    ("accepted", "lose"): frozenset({"uncertain"}),
    ("accepted", "finalize"): frozenset({"finalized"}),
    ("uncertain", "finalize"): frozenset({"finalized"}),
}

INTERACTION: Mapping[tuple[str, str], frozenset[str]] = {
    ("pending", "approve"): frozenset({"approved"}),
    ("pending", "reject"): frozenset({"rejected"}),
    ("pending", "resolve"): frozenset({"resolved"}),
    ("pending", "cancel"): frozenset({"cancelled"}),
}

PLAN: Mapping[tuple[str, str], frozenset[str]] = {
    ("proposed", "apply"): frozenset({"applying"}),
    ("applying", "finish"): frozenset({"applied"}),
    ("proposed", "reject"): frozenset({"rejected"}),
    ("proposed", "supersede"): frozenset({"superseded"}),
    ("proposed", "read_as_question"): frozenset({"question"}),
}

MACHINES: Mapping[str, Mapping[tuple[str, str], frozenset[str]]] = {
    "task": TASK,
    "attempt": ATTEMPT,
    "interaction": INTERACTION,
    "plan": PLAN,
}


def allowed(machine: str, state: str, trigger: str) -> bool:
    """Whether the table lists a move out of ``state`` by ``trigger``."""
    return (state, trigger) in MACHINES[machine]


def demand(machine: str, state: str, trigger: str, **about: Any) -> None:
    """Raise ``Refused("illegal_move")`` naming the machine, the state and the trigger unless the table lists the move."""
    if not allowed(machine, state, trigger):
        raise Refused("illegal_move", machine=machine, state=state, trigger=trigger, **about)
