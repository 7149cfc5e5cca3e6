"""Greetings, thanks and a bare yes are answered or left alone, and never do anything."""

from __future__ import annotations

import pytest

from core.domain.model import Op, Plan
from core.domain.reading import TaskSpec
from tests.jobs.manager.thread import approving, brief, fresh, halfway, hear


@pytest.mark.parametrize(
    "text", ["yes", "Yes!", "ok", "no", "yes please", "approve it", "A1 yes", "好", "不行", "同意"]
)
async def test_a_bare_answer_under_an_approval_decides_nothing(text: str) -> None:
    reading = await hear(text, approving())
    assert reading.kind == "answer"
    assert brief(reading) == "? not_a_decision A1"


@pytest.mark.parametrize(
    "text", ["hello", "Hi!", "hey there", "你好", "help", "what can you do?", "how does this work?"]
)
async def test_a_greeting_in_a_fresh_session_is_answered(text: str) -> None:
    assert brief(await hear(text, fresh())) == "? hello"


@pytest.mark.parametrize("text", ["thanks", "ok", "👍", "lunch at 12?", "好的", "> hello", "", "   ", "12345", "???"])
async def test_talk_that_asks_for_nothing_is_a_note(text: str) -> None:
    assert brief(await hear(text, fresh())) == "note"
    assert brief(await hear(text, halfway())) == "note"


async def test_a_yes_to_a_proposed_plan_points_to_the_plan() -> None:
    state = fresh()
    op = Op(key="create:new1", kind="create", spec=TaskSpec(key="new1", title="Write the docs"))
    state.plans["pd_1"] = Plan(
        id="pd_1",
        short="P1",
        message_id="m",
        base_version=0,
        ops=[op],
        reason="",
        objective="",
        opened_at=1,
        first=True,
    )
    state.open_plans.add("pd_1")
    assert brief(await hear("yes", state)) == "? not_a_decision P1"
    assert brief(await hear("ok", state)) == "note"
