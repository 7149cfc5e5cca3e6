"""What an agent must be able to do for us, whatever protocol it speaks.

A harness opens a session in a workspace; a session takes one prompt at a time, says what happens as a stream of ``Said``
values, and waits for answers to what it asked. A receipt (``Admission``) is not completion: only ``Idle`` ends a turn.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

Admission = Literal["new_turn", "steer", "rejected"]
Liveness = Literal["active", "waiting", "idle", "unknown"]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What this agent can do while it works; what it cannot do is said to people, not hidden."""

    steer: bool = False
    resume: bool = False
    reconcile: bool = False
    changes_course: bool = False
    """After a refused action the agent goes on another way; without it a refusal ends the task."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where the work happens. ``folder`` is the git worktree; ``scratch`` is outside it, for logs."""

    folder: Path
    scratch: Path
    branch: str
    env: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Assignment:
    """The work: one attempt of one task. ``round`` counts reworks from 1; ``feedback`` is why it came back."""

    session_id: str
    task_id: str
    short: str
    title: str
    content: str
    attempt_id: str
    number: int
    round: int = 1
    feedback: str = ""
    language: Literal["en", "zh"] = "en"
    """What people of the session read; for the words in which permission is asked."""


# -- what a session says ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Message:
    """A finished message of the agent."""

    text: str


@dataclass(frozen=True, slots=True)
class Progress:
    summary: str = ""
    step: int | None = None
    steps: int | None = None
    current_step: str = ""
    next_step: str = ""
    percent: int | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """Live output; shown while it happens, stored only as part of the finished tool's output."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A command or tool that ended. ``output`` is the whole (bounded) output as bytes."""

    tool: str
    summary: str
    exit_code: int | None = None
    output: bytes = b""


@dataclass(frozen=True, slots=True)
class PermissionAsked:
    """The agent wants to do ``command`` in ``folder`` and waits for ``answer(request_id, …)``."""

    request_id: str
    command: str
    folder: str
    reasons: tuple[str, ...]
    risk: Literal["low", "medium", "high"]
    digest: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """A check the harness itself ran: evidence."""

    criterion: str
    command: str
    exit_code: int
    excerpt: str = ""
    output: bytes = b""


@dataclass(frozen=True, slots=True)
class Reported:
    """The agent says the task is done: a claim with what proves it. ``handoffs`` maps a dependent's short name or "*" to text."""

    summary: str
    proofs: tuple[Proof, ...] = ()
    handoffs: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Broke:
    """The work failed. ``failure`` is a class of the failure policy (``command_failed``, ``permission_denied``, …)."""

    failure: str
    detail: str
    output: bytes = b""


@dataclass(frozen=True, slots=True)
class Idle:
    """The turn is over. ``end_turn``, ``cancelled`` or ``refused``; always the last thing said."""

    stop_reason: str


Said = Message | Progress | Chunk | ToolFinished | PermissionAsked | Reported | Broke | Idle


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person decided. ``allow`` False with ``reason``: the agent is told no, and why."""

    allow: bool
    by: str = ""
    reason: str = ""


class HarnessSession(Protocol):
    async def send(self, prompt: str) -> Admission:
        """Give the agent its prompt; returns its receipt."""
        ...

    def events(self) -> AsyncIterator[Said]:
        """What happens, until and including ``Idle``."""
        ...

    async def answer(self, request_id: str, answer: Answer) -> None: ...

    async def cancel(self, grace_s: float = 5.0) -> None:
        """Stop the turn; ``Idle("cancelled")`` follows once nothing of it runs any more.

        What does not end by itself within ``grace_s`` seconds is killed. Asked again, the shortest grace counts.
        """
        ...

    async def close(self) -> None:
        """End everything, the whole process group, and wait until it is gone."""
        ...


class Harness(Protocol):
    @property
    def capabilities(self) -> Capabilities: ...

    async def open(self, assignment: Assignment, workspace: Workspace) -> HarnessSession: ...
