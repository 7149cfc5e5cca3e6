"""What the manager may return for a message: a reading, and either a proposed plan change or a reply. Never an action.

The engines (rules, a model, an agent) all produce this one shape; what a person wrote is data to them, and only people
with the right approve what comes out.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from core.domain import limits

Kind = Literal["control", "answer", "objective_change", "new_task", "follow_up", "note", "question"]
Risk = Literal["low", "medium", "high"]
Acceptance = Literal["auto", "evidence", "manual"]


class Part(BaseModel):
    """Base of the parts of a proposal: frozen, closed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TaskSpec(Part):
    """A task as proposed. ``after`` names other new tasks by ``key`` or existing ones by id.

    ``target`` is a harness target of the settings (``shell`` runs ``content`` as a command line). ``acceptance`` None
    leaves it to the rule: steps inside a flow by evidence where there is any, the last results and high risk by a person.
    ``asks`` holds short words for what the task will probably ask permission for.
    """

    key: str = Field(min_length=1, max_length=64)
    title: str = Field(min_length=1, max_length=limits.TITLE_CHARS)
    content: str = Field(default="", max_length=limits.CONTENT_CHARS)
    target: str = Field(default="shell", min_length=1, max_length=64)
    after: tuple[str, ...] = Field(default=(), max_length=limits.DEPENDENCIES)
    criteria: tuple[str, ...] = ()
    priority: Literal["low", "normal", "high"] = "normal"
    risk: Risk = "low"
    acceptance: Acceptance | None = None
    handoff_expected: bool = False
    asks: tuple[str, ...] = ()


class Proposal(Part):
    """A plan change: what to cancel, pause, go on with, free from waiting, and create. Ids are task ids.

    ``objective`` None leaves the session's objective. ``reason`` is the person's own words.
    """

    reason: str = Field(max_length=limits.REASON_CHARS)
    objective: str | None = Field(default=None, max_length=limits.OBJECTIVE_CHARS)
    cancel: tuple[str, ...] = ()
    pause: tuple[str, ...] = ()
    resume: tuple[str, ...] = ()
    release: tuple[tuple[str, str], ...] = ()
    """(task, dependency) pairs: the task no longer waits for the dependency."""
    create: tuple[TaskSpec, ...] = Field(default=(), max_length=limits.TASKS_PER_PLAN)
    follow: tuple[tuple[str, str], ...] = ()
    """(task, key) pairs: a task that has not started waits for the new task of that key as well."""


class Reply(Part):
    """An answer instead of a change. ``code`` picks the text of the surface; ``params`` fill it."""

    code: str
    params: dict[str, str] = {}


class Reading(Part):
    """How one message was understood. ``confidence`` 0 to 1; a destructive reading below 0.7 asks instead of proposing."""

    kind: Kind
    size: Literal["small", "medium", "large"] = "small"
    changes_objective: bool = False
    confidence: float = Field(default=1.0, ge=0, le=1)
    rationale: str = Field(default="", max_length=500)
    proposal: Proposal | None = None
    reply: Reply | None = None
