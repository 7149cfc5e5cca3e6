"""Our answers to messages, each code as it is read; what they say about the work is as it was when asked."""

from __future__ import annotations

import pytest

from bot.words import REPLIES
from core.domain import commands as c
from core.domain.reading import Reading
from jobs.manager.facts import with_facts
from tests.bot.cards.showing import all_cards, answered, progress, prose, shop, shown
from tests.core.domain.world import World

ANSWERS = [
    (
        "hello",
        {},
        "Hello. Tell me what should be done, for example: run the tests, then format with ruff and run them again.",
    ),
    ("which_repo", {}, "Which repository? Name its folder on this machine, and I take up your message then."),
    (
        "no_agent",
        {"text": "make the login page prettier"},
        "I have no agent to do that here, and it is not a command. To add one: `threadlead agents`. Nothing was started.",
    ),
    ("cannot_plan", {"code": "empty_plan"}, "I cannot plan that. Nothing would be left to do. Nothing was started."),
    (
        "cannot_plan",
        {"code": "dead_dependency", "name": "Measure it", "dependency": "T2"},
        "I cannot plan that. Measure it would wait for T2, which has ended and will not be done. Nothing was started.",
    ),
    ("which_task", {"name": "the fix", "tasks": "T2, T3"}, "Which task do you mean: T2, T3? Nothing was changed."),
    (
        "unsure_change",
        {"change": "cancel", "tasks": "T2, T3", "text": "drop it"},
        "I am not sure that this should change the plan, so nothing is stopped. If it should: `cancel T2`, `cancel T3`",
    ),
    (
        "unsure_change",
        {"change": "conflict", "tasks": "T2", "text": "stop and go on"},
        "I am not sure that this should change the plan, so nothing is stopped. If it should: `cancel T2`, `pause T2`",
    ),
    (
        "not_a_decision",
        {"short": "A1"},
        "That alone does not decide. Answer `approve A1`, `reject A1 <why>`, or use a button.",
    ),
    ("unknown_task", {"name": "the login"}, "There is no task called the login here. Nothing was changed."),
    (
        "no_check",
        {"check": "lint"},
        "I do not know how to check the style here: the repository names no such command. Say the command itself.",
    ),
    (
        "nothing_to_change",
        {"change": "pause", "task": "T3", "status": "paused"},
        "T3 is paused; there is nothing to change.",
    ),
    (
        "edit_plan",
        {"plan": "P1", "name": "the docs"},
        "the docs is part of P1, which is not applied yet. Edit P1 instead.",
    ),
    (
        "too_many_beside",
        {"count": "40", "limit": "16"},
        "That would wait for 40 tasks; at most 16. Nothing was started.",
    ),
    (
        "too_long",
        {"what": "content", "limit": "16000"},
        "That is too long: at most 16000 characters. Nothing was started.",
    ),
    (
        "too_many_tasks",
        {"count": "70", "limit": "50"},
        "That is too many tasks for one plan; at most 50. Nothing was started.",
    ),
    ("never_heard_of", {"a": "b"}, "never heard of (a: b)"),
]


@pytest.mark.parametrize(("code", "params", "text"), ANSWERS)
def test_each_answer_as_it_is_read(code: str, params: dict[str, str], text: str) -> None:
    world = answered(code, params)
    assert shown(world, "reply:") == text
    (reply,) = [card for card in all_cards(world.state).values() if card.kind == "reply"]
    assert reply.mentions == ("alice",)


def test_every_answer_is_in_the_table_above() -> None:
    assert {code for code, _, _ in ANSWERS} | {"said", "offer_rework"} == set(REPLIES) | {"never_heard_of"}


def test_an_answer_of_several_lines_is_a_title_and_lines() -> None:
    world = answered("said", {"text": "T2 Cache:\nis paused by alice\n\nend"}, "why T2")
    (card,) = all_cards(world.state).values()
    assert (card.title, [line.text for line in card.lines]) == ("T2 Cache:", ["is paused by alice", "end"])


def test_feedback_on_a_report_can_become_a_rework_or_an_accept() -> None:
    words = "keep the old name as an alias"
    world = answered("offer_rework", {"task": "T1", "text": words}, words)
    assert shown(world, "reply:") == "For T1:\nkeep the old name as an alias\n[Rework with this] [Accept anyway]"
    (card,) = all_cards(world.state).values()
    rework, accept = card.buttons
    assert (rework.action, rework.subject, rework.required, rework.text) == ("rework", "T1", True, words)
    assert (accept.action, accept.subject) == ("accept", "T1")


# -- questions about the work ----------------------------------------------------------------------------------------


def asked(world: World, code: str, **params: str) -> str:
    """The card of a question the manager answers with facts of the moment."""
    message = world.say("how is it going?")
    reading = Reading.model_validate({"kind": "question", "reply": {"code": code, "params": params}})
    world.do(c.RecordReading(message_id=message, reading=with_facts(reading, world.state)))
    return shown(world, f"reply:{message}")


def working() -> World:
    world = shop()
    world.plan(prose("a", "Cache the reads"), prose("b", "Fix the retry", "a"), reason="make it fast")
    world.run("T1")
    progress(world, "T1", step=4, steps=6, current_step="indexing")
    return world


def test_a_question_about_one_task_is_answered_down_to_what_is_in_its_way() -> None:
    world = working()
    assert asked(world, "about_task", task="T1") == (
        "T1 Cache the reads · working\n"
        "Last heard: indexing\n"
        "T1 is needed by T2\n"
        "nothing is in its way: it is working on w1"
    )
    assert asked(world, "about_task", task="T2") == "T2 Fix the retry · waiting\nwaits for T1 (working)"


def test_a_question_about_all_of_it_lists_the_tasks_and_what_waits_for_a_person() -> None:
    world = working()
    world.ask("T1")
    world.propose(prose("c", "More"))
    assert asked(world, "status") == (
        "make it fast\nT1 Cache the reads · needs approval\nT2 Fix the retry · waiting\nWaiting for you: A1, P2"
    )


def test_an_answer_does_not_change_afterwards() -> None:
    world = working()
    text = asked(world, "about_task", task="T1")
    key = next(k for k in all_cards(world.state) if k.startswith("reply:"))
    before = all_cards(world.state)[key].digest()
    world.report("T1")
    assert shown(world, key) == text
    assert all_cards(world.state)[key].digest() == before
