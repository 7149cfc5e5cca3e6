"""Collects the facts of one decision, and counts short names while several things are created at once."""

from __future__ import annotations

from collections.abc import Callable

from core.domain.commands import Permitted
from core.domain.event import Draft, Payload, Source
from core.domain.facts import (
    ApprovalApproved,
    ApprovalRejected,
    InteractionCancelled,
    ReconcileResolved,
    TaskCancelled,
    TaskFailed,
)
from core.domain.model import Session

IdSource = Callable[[str], str]
"""Makes a new id with the given prefix, such as ``task`` -> ``task_0198…``."""


ENDS = (TaskCancelled, TaskFailed)
CLOSES = (ApprovalApproved, ApprovalRejected, InteractionCancelled, ReconcileResolved)


class Scribe:
    """One decision in the making. ``state`` is only read, so ``ended`` tasks and ``closed`` interactions are kept here.

    Both hold what this decision has ended so far: nothing ends twice in one decision.
    """

    def __init__(self, state: Session, now: int, new_id: IdSource) -> None:
        self.state = state
        self.now = now
        self.new_id = new_id
        self.drafts: list[Draft] = []
        self.ended: set[str] = set()
        self.closed: set[str] = set()
        self._counted: dict[str, int] = {}

    def emit(self, payload: Payload, source: Source = "system", ref: str = "") -> None:
        """Add a fact; its coordinates are taken from the payload so that they cannot disagree with it."""
        if isinstance(payload, ENDS):
            self.ended.add(payload.task_id)
        elif isinstance(payload, CLOSES):
            self.closed.add(payload.interaction_id)
        task_id, attempt_id = self._about(payload)
        flow_id = getattr(payload, "flow_id", None)
        if flow_id is None and task_id in self.state.tasks:
            flow_id = self.state.tasks[task_id].flow_id
        self.drafts.append(
            Draft(
                id=self.new_id("evt"),
                payload=payload,
                source=source,
                source_ref=ref,
                task_id=task_id,
                flow_id=flow_id or None,
                attempt_id=attempt_id,
            )
        )

    def _about(self, payload: Payload) -> tuple[str | None, str | None]:
        """(task, attempt) of a payload, found through what it names when it does not say so itself."""
        task_id = getattr(payload, "task_id", None) or getattr(payload, "from_task", None)
        attempt_id = getattr(payload, "attempt_id", None)
        interaction = self.state.interactions.get(getattr(payload, "interaction_id", ""))
        if interaction is not None:
            return interaction.task_id, interaction.attempt_id
        if task_id is None and attempt_id is not None:
            task_id = self.state.attempts[attempt_id].task_id
        return task_id, attempt_id

    def say(self, by: Permitted, payload: Payload) -> None:
        """A fact a person caused."""
        self.emit(payload, "user", by.person)

    def short(self, letter: str) -> str:
        """The next short name, such as ``T4``."""
        last = self._counted.get(letter, self.state.counters.get(letter, 0))
        self._counted[letter] = last + 1
        return f"{letter}{last + 1}"
