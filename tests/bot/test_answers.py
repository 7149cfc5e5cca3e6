"""What stands in the way, said down to a person, a worker or nothing; and how it all stands."""

from __future__ import annotations

import re

import pytest

from bot.answers import ANSWERS, help_text, status_text, why_text
from bot.control import Control, parse_control
from bot.intake import ACTIONS
from bot.words import Language
from core.domain import commands as c
from tests.bot.cards.showing import later, progress, prose, shop
from tests.core.domain.world import World


def why(world: World, task: str = "T1", language: Language = "en") -> str:
    return why_text(world.state, Control("why", task), language)


def one() -> World:
    world = shop()
    world.plan(prose("a", "Cache the reads"), prose("b", "Fix the retry", "a"), reason="make it fast")
    return world


def test_why_a_task_waits() -> None:
    world = one()
    assert why(world) == "T1 Cache the reads:\nwaits for a free worker"
    assert why(world, "T2") == "T2 Fix the retry:\nwaits for T1 (waiting)"
    world.run("T1")
    assert why(world) == "T1 Cache the reads:\nnothing is in its way: it is working on w1"
    assert why(world, "t2") == "T2 Fix the retry:\nwaits for T1 (working)"


def test_why_a_task_waits_for_a_person() -> None:
    world = one()
    world.run("T1")
    world.ask("T1")
    assert why(world) == "T1 Cache the reads:\nwaits for someone to decide A1"
    world.answer("A1")
    world.report("T1")
    assert why(world) == "T1 Cache the reads:\nwaits for someone to accept it: `accept T1` or `rework T1 <what>`"
    world.settle("T1")
    assert why(world) == "T1 Cache the reads:\nnothing is in its way any more: it is done"


def test_why_stopped_or_lost_work_stands_still() -> None:
    world = one()
    world.change("pause", "T1")
    assert why(world) == "T1 Cache the reads:\nis paused by alice; `resume T1` goes on"
    world.change("resume", "T1")
    world.run("T1")
    world.end("T1")
    assert why(world) == "T1 Cache the reads:\nstands still: ended without a report; `resume T1` goes on"
    world.change("resume", "T1")
    world.run("T1")
    world.lose("T1")
    assert why(world) == "T1 Cache the reads:\nwaits for someone to decide Q1: not known whether it finished"


def test_why_work_that_nobody_allowed_in_time_stands_still() -> None:
    world = one()
    world.run("T1")
    world.ask("T1")
    later(world, 5 * 60 * 60 * 1000)
    world.do(c.ExpireApproval(interaction_id=world.interaction("A1").id))
    assert why(world) == "T1 Cache the reads:\nstands still: nobody answered A1 in time; `resume T1` goes on"


def test_why_a_task_failed_and_what_failed_with_it() -> None:
    world = one()
    world.run("T1")
    world.end("T1", "error", failure="command_failed", detail="`make` exit 2")
    assert why(world) == "T1 Cache the reads:\nhas failed: `make` exit 2; `retry T1` tries again"
    assert why(world, "T2") == "T2 Fix the retry:\ncannot start: T1 failed"


def test_why_a_cancelled_task_does_nothing() -> None:
    world = one()
    world.change("cancel", "T1")
    assert why(world) == "T1 Cache the reads:\nnothing is in its way any more: it is cancelled"


def test_why_a_task_waits_for_its_repository() -> None:
    world = one()
    assert world.state.repo is not None
    world.state.repo.problem = "path_missing"
    assert why(world) == "T1 Cache the reads:\nwaits for a usable repository"


def test_a_task_nobody_knows() -> None:
    assert why(one(), "T9") == "There is no task T9 here."
    assert why(one(), "T9", "zh") == "这里没有任务 T9。"


def test_status_is_the_objective_the_tasks_and_what_waits_for_a_person() -> None:
    world = one()
    world.run("T1")
    progress(world, "T1", step=1, steps=3, current_step="indexing")
    world.ask("T1")
    world.propose(prose("c", "More"))
    assert status_text(world.state, Control("status"), "en") == (
        "make it fast\n"
        "◎ T1 Cache the reads · needs approval · on w1 · step 1 of 3: indexing · A1\n"
        "○ T2 Fix the retry · waits for T1\n"
        "Waiting for you: A1, P2"
    )


def test_status_of_nothing() -> None:
    assert status_text(shop().state, Control("status"), "en") == "Nothing yet."


def test_status_shows_the_latest_twenty_tasks() -> None:
    world = shop()
    world.plan(*(prose(f"k{n}", f"Task {n}") for n in range(25)), reason="much")
    rows = status_text(world.state, Control("status"), "en").split("\n")
    assert len(rows) == 21
    assert rows[-1].startswith("○ T25 ")


PLACEHOLDERS = re.compile("<[^>]+>")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_word_the_help_teaches_acts_and_every_act_without_a_card_of_its_own_is_taught(language: Language) -> None:
    rows = help_text(shop().state, Control("help"), language).split("\n")[1:]
    words = [PLACEHOLDERS.sub("so", part.strip()) for row in rows for part in row.split(" · ")]
    taught = {control.action for word in words if (control := parse_control(word))}
    by_card = {"edit", "question", "change", "reject_stop", "give_up"}
    assert taught == set(ACTIONS) - by_card | {"status", "why"}


def test_there_is_an_answer_for_each_word_that_only_asks() -> None:
    assert set(ANSWERS) == {"why", "status", "help"}
