"""The prompt is the task's own words and what the tasks around it need to say."""

from __future__ import annotations

from core.domain.prompt import last_feedback, render
from tests.core.domain.world import World, spec


def test_a_prompt_reads_in_order() -> None:
    world = World().start()
    world.plan(spec("a"), spec("b", "a", criteria=("tests pass",)), spec("c", "b"))
    world.run("T1")
    world.report("T1", handoffs={"T2": "mind the cache"})
    world.settle("T1")
    world.run("T2")
    world.report("T2")
    world.settle("T2", accept=False, feedback="shorter")
    assert render(world.state, world.task("T2")).split("\n\n") == [
        "do b",
        "Done when:\n- tests pass",
        "Hand-off from T1 Task a:\nmind the cache",
        "It was sent back by bob:\nshorter",
        "These tasks wait for yours; hand over with your report what they need to know: T3 Task c",
    ]


def test_a_task_without_content_is_its_title() -> None:
    world = World().start()
    world.plan(spec("a").model_copy(update={"content": ""}))
    assert render(world.state, world.task("T1")) == "Task a"


def test_the_last_feedback_is_the_newest_no() -> None:
    world = World().start()
    world.plan(spec("a"))
    assert last_feedback(world.task("T1")) == ""
    for feedback in ("shorter", "longer"):
        world.run("T1")
        world.report("T1")
        world.settle("T1", accept=False, feedback=feedback)
    world.finish("T1")
    assert last_feedback(world.task("T1")) == "longer"
