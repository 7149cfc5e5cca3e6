"""Facts about deliveries, and what a worker saw an agent do."""

from __future__ import annotations

from typing import Literal

from core.domain.event import Payload, register


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
