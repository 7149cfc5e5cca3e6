"""Collects the facts of one decision, and counts short names while several things are created at once."""

from __future__ import annotations

from collections.abc import Callable

from core.domain.commands import Permitted
from core.domain.event import Draft, Payload, Source
from core.domain.facts import TaskCancelled, TaskFailed
from core.domain.model import Session

IdSource = Callable[[str], str]
"""Makes a new id with the given prefix, such as ``task`` -> ``task_0198…``."""


class Scribe:
    """One decision in the making. ``state`` is only read; ``ended`` are the tasks this decision has ended so far."""

    def __init__(self, state: Session, now: int, new_id: IdSource) -> None:
        self.state = state
        self.now = now
        self.new_id = new_id
        self.drafts: list[Draft] = []
        self.ended: set[str] = set()
        self._counted: dict[str, int] = {}

    def emit(self, payload: Payload, source: Source = "system", ref: str = "") -> None:
        """Add a fact; its coordinates are taken from the payload so that they cannot disagree with it."""
        task_id = getattr(payload, "task_id", None)
        if isinstance(payload, (TaskCancelled, TaskFailed)):
            self.ended.add(payload.task_id)
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
                attempt_id=getattr(payload, "attempt_id", None),
            )
        )

    def say(self, by: Permitted, payload: Payload) -> None:
        """A fact a person caused."""
        self.emit(payload, "user", by.person)

    def short(self, letter: str) -> str:
        """The next short name, such as ``T4``."""
        last = self._counted.get(letter, self.state.counters.get(letter, 0))
        self._counted[letter] = last + 1
        return f"{letter}{last + 1}"
