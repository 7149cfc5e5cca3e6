"""The state tables are closed, complete and understood from outside; a move they do not list is refused by name."""

from __future__ import annotations

from enum import StrEnum

import pytest

from core.domain.tables import (
    MACHINES,
    TASK,
    AttemptPhase,
    InteractionStatus,
    PlanStatus,
    TaskStatus,
    allowed,
    demand,
)
from core.errors import Refused

STATES: dict[str, tuple[type[StrEnum], str]] = {
    "task": (TaskStatus, "queued"),
    "attempt": (AttemptPhase, "prepared"),
    "interaction": (InteractionStatus, "pending"),
    "plan": (PlanStatus, "proposed"),
}


@pytest.mark.parametrize("machine", MACHINES)
def test_every_state_is_known_and_can_be_reached(machine: str) -> None:
    states, first = STATES[machine]
    table = MACHINES[machine]
    named = {source for source, _ in table} | {target for targets in table.values() for target in targets}
    assert named == {state.value for state in states}
    reached = {first}
    while more := {t for (s, _), ts in table.items() if s in reached for t in ts} - reached:
        reached |= more
    assert reached == named


def test_the_end_of_a_task_is_the_end() -> None:
    assert not [trigger for source, trigger in TASK if source == "cancelled"]
    assert {trigger for source, trigger in TASK if source == "failed"} == {"retry", "revive"}


def test_an_unlisted_move_is_refused_with_machine_state_and_trigger() -> None:
    demand("task", "queued", "dispatch")
    assert not allowed("task", "cancelled", "dispatch")
    with pytest.raises(Refused) as refused:
        demand("task", "cancelled", "dispatch", name="T1")
    assert refused.value.code == "illegal_move"
    assert refused.value.params == {"machine": "task", "state": "cancelled", "trigger": "dispatch", "name": "T1"}


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("assigned", "submitted"),
        ("running", "working"),
        ("canceled", "cancelled"),
        ("auth-required", "waiting_approval"),
    ],
)
def test_other_vocabularies_are_understood_and_never_produced(word: str, status: str) -> None:
    assert TaskStatus(word).value == status


def test_an_unknown_word_is_no_status() -> None:
    with pytest.raises(ValueError, match="sleeping"):
        TaskStatus("sleeping")
