"""Answers about the state of the work: facts at the moment of asking, and nothing added to any other reading."""

from __future__ import annotations

import pytest

from core.domain.reading import Reading, Reply
from core.errors import Refused
from jobs.manager.facts import about, overview, with_facts
from tests.core.domain.world import World, spec


@pytest.fixture
def world() -> World:
    return World().start()


def asked(code: str, **params: str) -> Reading:
    return Reading(kind="question", reply=Reply(code=code, params=params))


def answer(world: World, code: str, **params: str) -> dict[str, str]:
    reply = with_facts(asked(code, **params), world.state).reply
    assert reply is not None
    assert reply.code == code
    return reply.params


def test_a_task_that_waits_says_for_whom_and_who_waits_for_it(world: World) -> None:
    world.plan(spec("a"), spec("b", "a"), spec("c", "b"))
    world.run("T1")
    assert answer(world, "about_task", task="T2") == {
        "task": "T2",
        "status": "queued",
        "step": "",
        "needed_by": "T3",
        "obstacles": f"dependency:T1:{world.task('T1').status.value}",
    }


def test_a_task_is_found_by_its_name_in_any_case(world: World) -> None:
    world.plan(spec("a"))
    assert answer(world, "about_task", task="t1")["task"] == "T1"


def test_work_that_runs_names_its_worker(world: World) -> None:
    world.plan(spec("a"))
    world.run("T1")
    assert answer(world, "about_task", task="T1")["obstacles"].startswith("running:w1:")


def test_a_question_to_a_person_stands_before_everything_else(world: World) -> None:
    world.plan(spec("a"))
    world.run("T1")
    world.ask("T1")
    assert answer(world, "about_task", task="T1")["obstacles"].startswith("approval:A1:")


def test_several_obstacles_are_a_line_each(world: World) -> None:
    world.plan(spec("a"), spec("b"), spec("c", "a", "b"))
    lines = answer(world, "about_task", task="T3")["obstacles"].splitlines()
    assert [line.split(":")[:2] for line in lines] == [["dependency", "T1"], ["dependency", "T2"]]


def test_accepted_work_is_done_and_nothing_is_in_its_way(world: World) -> None:
    world.plan(spec("a"), spec("b", "a"))
    world.finish("T1")
    facts = about(world.state, world.task("T1"))
    assert (facts["status"], facts["obstacles"], facts["needed_by"]) == ("done", "", "T2")


def test_who_no_longer_waits_is_not_said_to_wait(world: World) -> None:
    world.plan(spec("a"), spec("b", "a"))
    world.change("cancel", "T2")
    assert about(world.state, world.task("T1"))["needed_by"] == ""


def test_reported_work_waits_for_a_review(world: World) -> None:
    world.plan(spec("a", acceptance="manual"))
    world.run("T1")
    world.report("T1", commit="c1")
    assert about(world.state, world.task("T1"))["obstacles"] == "review:T1:"


def test_the_overview_names_tasks_and_what_waits_for_a_person(world: World) -> None:
    world.plan(spec("a"), spec("b", "a"), spec("c"))
    world.finish("T1")
    world.run("T3")
    world.ask("T3")
    plan = world.propose(spec("d"))
    facts = answer(world, "status")
    assert facts["tasks"].splitlines() == ["T1=done", "T2=queued", f"T3={world.task('T3').status.value}"]
    assert facts["waiting"] == f"A1, {plan}"


def test_an_overview_without_work_is_empty(world: World) -> None:
    assert overview(world.state) == {"tasks": "", "waiting": ""}


def test_an_overview_of_much_work_keeps_to_the_latest_twenty(world: World) -> None:
    world.plan(*(spec(f"k{n}") for n in range(25)))
    lines = overview(world.state)["tasks"].splitlines()
    assert (len(lines), lines[0], lines[-1]) == (20, "T6=queued", "T25=queued")


def test_an_answer_does_not_change_when_the_work_goes_on(world: World) -> None:
    world.plan(spec("a"))
    before = with_facts(asked("status"), world.state)
    kept = before.model_dump_json()
    world.finish("T1")
    assert before.model_dump_json() == kept


@pytest.mark.parametrize(
    "reading", [asked("unclear"), asked("help", topic="plans"), Reading(kind="note")], ids=["unclear", "help", "none"]
)
def test_any_other_reading_stays_as_it_is(world: World, reading: Reading) -> None:
    assert with_facts(reading, world.state) is reading


def test_a_task_that_does_not_exist_is_refused_by_name(world: World) -> None:
    with pytest.raises(Refused, match="unknown_task"):
        with_facts(asked("about_task", task="T9"), world.state)
