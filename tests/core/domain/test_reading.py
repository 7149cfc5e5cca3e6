"""What the manager returns is closed and bounded: a reading is data, never an action."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from core.domain import limits
from core.domain.reading import Proposal, Reading, TaskSpec


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": ""},
        {"title": ""},
        {"title": "x" * (limits.TITLE_CHARS + 1)},
        {"content": "x" * (limits.CONTENT_CHARS + 1)},
        {"after": tuple(map(str, range(limits.DEPENDENCIES + 1)))},
        {"priority": "urgent"},
        {"run": "rm -rf /"},
    ],
)
def test_a_task_that_is_out_of_bounds_is_no_task(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TaskSpec.model_validate({"key": "a", "title": "A"} | wrong)


def test_a_proposal_is_one_people_can_read() -> None:
    spec = TaskSpec(key="a", title="A")
    with pytest.raises(ValidationError):
        Proposal(reason="x", create=(spec,) * (limits.TASKS_PER_PLAN + 1))
    with pytest.raises(ValidationError):
        Proposal(reason="x" * (limits.REASON_CHARS + 1))


@pytest.mark.parametrize("confidence", [-0.1, 1.1])
def test_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(ValidationError):
        Reading(kind="note", confidence=confidence)


def test_a_reading_survives_json() -> None:
    reading = Reading(kind="new_task", proposal=Proposal(reason="x", release=(("t", "d"),)))
    assert Reading.model_validate_json(reading.model_dump_json()) == reading
