"""The plan card as a transcript: proposed, edited, applied, rejected, read as a question."""

from __future__ import annotations

import pytest

from bot.cards.model import Card
from core.domain import commands as c
from core.domain.reading import TaskSpec
from core.domain.tables import PlanStatus
from tests.bot.cards.showing import all_cards, command, progress, proof, prose, read, shop, shown
from tests.core.domain.world import ALICE, World

FIRST = (command("a", "pytest -q"), command("b", "ruff format .", "a"), command("c", "pytest -q", "b"))
WORDS = "run the tests, then format with ruff and run them again"
CHANGE = "fix the retry first, leave the cache, no docs"


def card(world: World, key: str) -> Card:
    return all_cards(world.state)[key]


def decide(world: World, plan: str, decision: str, reason: str = "") -> None:
    world.do(c.DecidePlan(by=ALICE, plan=plan, revision=0, decision=decision, reason=reason))  # type: ignore[arg-type]


def halfway() -> World:
    """T1 is done, T2 works, T3 waits for T2, T4 for T3."""
    world = shop()
    world.plan(
        prose("a", "Plan the storage", acceptance="auto"),
        prose("b", "Cache the reads", "a"),
        prose("c", "Fix the retry", "b"),
        prose("d", "Write the docs", "c"),
    )
    world.run("T1")
    world.report("T1", evidence=(proof("pytest -q"),), commit="c1")
    world.run("T2")
    return world


def changing() -> World:
    world = halfway()
    world.propose(
        prose("e", "Fix the flaky test"), cancel=("T4",), pause=("T2",), release=(("T3", "T2"),), reason=CHANGE
    )
    return world


def test_a_first_plan_names_repository_words_and_commands() -> None:
    world = shop()
    world.propose(*FIRST, reason=WORDS)
    assert shown(world, "plan:P1") == (
        "P1 · shop, from main @ 4e2f9ab1\n"
        "run the tests, then format with ruff and run them again\n"
        "+ T1 `pytest -q`\n"
        "+ T2 `ruff format .` (after T1)\n"
        "+ T3 `pytest -q` (after T2)\n"
        "Nothing is changed until you apply it.\n"
        "[Apply] [Edit] [Reject] [Only a question]"
    )
    plan = card(world, "plan:P1")
    assert plan.mentions == ("alice",)
    assert plan.notify == f"P1: {WORDS}"
    assert {(b.action, b.subject, b.revision) for b in plan.buttons} == {
        (action, "P1", 1) for action in ("apply", "edit", "reject", "question")
    }


def test_the_same_plan_in_chinese() -> None:
    world = shop()
    world.state.language = world.shadow.language = "zh"
    world.propose(*FIRST, reason="先跑测试")
    world.state.language = "zh"
    assert shown(world, "plan:P1") == (
        "P1 · shop，基于 main @ 4e2f9ab1\n"
        "先跑测试\n"
        "+ T1 `pytest -q`\n"
        "+ T2 `ruff format .` (在 T1 之后)\n"
        "+ T3 `pytest -q` (在 T2 之后)\n"
        "应用之前不会有任何变化。\n"
        "[应用] [编辑] [拒绝] [只是提问]"
    )


def test_a_long_command_is_shown_with_its_end() -> None:
    line = "python -m pytest " + " ".join(f"tests/test_{n}.py" for n in range(12)) + " && rm -rf build-cache"
    spec = TaskSpec(key="a", title=line[:79] + "…", content=line)
    world = shop()
    world.propose(spec)
    assert f"+ T1 `{line}`" in shown(world, "plan:P1")


def test_what_a_plan_will_probably_ask_for_is_said_once() -> None:
    world = shop()
    asks = ("`pip install x`",)
    world.propose(prose("a", "One", asks=asks), prose("b", "Two", asks=asks))
    assert "\nWill probably ask for: `pip install x`\n" in shown(world, "plan:P1")


def test_a_plan_without_a_repository_shows_its_name_alone() -> None:
    world = World()
    world.start(repo=False)
    world.propose(command("a", "pytest -q"))
    assert shown(world, "plan:P1").startswith("P1\n")


def test_a_change_says_what_stops_what_stays_and_what_may_start() -> None:
    world = changing()
    assert shown(world, "plan:P2") == (
        "P2 · shop, from main @ 4e2f9ab1\n"
        "fix the retry first, leave the cache, no docs\n"
        "↑ Start now T3 Fix the retry (no longer waits for T2)\n"
        "− Cancel T4 Write the docs (waiting)\n"
        "‖ Pause T2 Cache the reads (its work so far is kept)\n"
        "+ T5 Fix the flaky test\n"
        "Nothing is changed until you apply it.\n"
        "[Apply] [Edit] [Reject] [Only a question]"
    )


def test_an_edited_change_says_by_whom_and_shows_what_stays() -> None:
    world = changing()
    cancel = next(op for op in world.plan_of("P2").ops if op.kind == "cancel")
    world.do(c.EditPlan(by=ALICE, plan="P2", revision=1, drop=(cancel.key,)))
    assert shown(world, "plan:P2") == (
        "P2 · shop, from main @ 4e2f9ab1\n"
        "fix the retry first, leave the cache, no docs\n"
        "↑ Start now T3 Fix the retry (no longer waits for T2)\n"
        "‖ Pause T2 Cache the reads (its work so far is kept)\n"
        "+ T5 Fix the flaky test\n"
        "T4 stays\n"
        "changed by alice\n"
        "Nothing is changed until you apply it.\n"
        "[Apply] [Edit] [Reject] [Only a question]"
    )
    assert {button.revision for button in card(world, "plan:P2").buttons} == {2}


def test_what_is_dragged_along_is_said_and_not_listed_among_what_stays() -> None:
    world = halfway()
    world.propose(cancel=("T3",), reason="drop the retry")
    text = shown(world, "plan:P2")
    assert "− Cancel T3 Fix the retry (waiting)\nT2 stays\n! Because of this T4 cannot start any more\n" in text


def test_a_change_says_which_task_waits_for_the_new_one_and_which_waits_for_less() -> None:
    world = halfway()
    new = prose("e", "Fix the flaky test")
    world.propose(new, release=(("T3", "T2"),), follow=((world.id("T3"), "e"),), reason="the flaky test first")
    text = shown(world, "plan:P2")
    assert "↑ T3 Fix the retry no longer waits for T2\n" in text
    assert "+ T5 Fix the flaky test\n" in text
    assert "↓ T3 Fix the retry waits for T5 as well\n" in text


def test_going_on_with_a_paused_task_is_a_line() -> None:
    world = changing()
    world.apply("P2")
    world.end("T2", "cancelled")
    world.propose(resume=("T2",), reason="go on")
    assert "▶ Go on with T2 Cache the reads\n" in shown(world, "plan:P3")


def test_an_approved_change_says_whom_it_waits_for_and_becomes_the_progress() -> None:
    world = changing()
    world.apply("P2")
    assert shown(world, "plan:P2") == (
        "P2 applied by alice · waiting for T2 to stop\n"
        "fix the retry first, leave the cache, no docs\n"
        "✓ T1 Plan the storage · done · `pytest -q` exit 0\n"
        "◑ T2 Cache the reads · pausing · on w1 · started from T1's commit\n"
        "○ T3 Fix the retry · waits for a free worker\n"
        "– T4 Write the docs · cancelled\n"
        "○ T5 Fix the flaky test · waits for a free worker\n"
        "[Stop]"
    )
    assert card(world, "plan:P2").kind == "progress"
    world.end("T2", "cancelled")
    assert shown(world, "plan:P2").startswith("P2 applied by alice\n")
    assert "\n‖ T2 Cache the reads · paused by alice\n" in shown(world, "plan:P2")
    assert shown(world, "plan:P2").endswith("\n[Resume T2]")


def test_an_applied_plan_that_another_one_followed_keeps_its_lines_and_never_changes_again() -> None:
    world = changing()
    world.apply("P2")
    text = (
        "P1 applied by alice\n"
        "because\n"
        "+ T1 Plan the storage\n"
        "+ T2 Cache the reads (after T1)\n"
        "+ T3 Fix the retry (after T2)\n"
        "+ T4 Write the docs (after T3)"
    )
    assert shown(world, "plan:P1") == text
    world.end("T2", "cancelled")
    world.plan(prose("f", "More"))
    before = card(world, "plan:P2").digest()
    assert "− Cancel T4 Write the docs\n" in shown(world, "plan:P2")
    world.finish("T5")
    world.run("T3")
    assert shown(world, "plan:P1") == text
    assert card(world, "plan:P2").digest() == before


def test_a_rejected_plan_says_by_whom_and_why_and_promises_no_names() -> None:
    world = shop()
    world.propose(*FIRST, reason=WORDS)
    decide(world, "P1", "reject", "not today")
    text = (
        "P1 rejected by alice · nothing changed\n"
        "run the tests, then format with ruff and run them again\n"
        "+ `pytest -q`\n"
        "+ `ruff format .`\n"
        "+ `pytest -q`\n"
        "not today"
    )
    assert shown(world, "plan:P1") == text
    assert card(world, "plan:P1").buttons == ()
    world.plan(prose("z", "Something else"))
    assert shown(world, "plan:P1") == text


def test_what_was_only_a_question_is_answered_and_can_become_a_change_once() -> None:
    world = halfway()
    progress(world, "T2", step=4, steps=6, current_step="indexing")
    world.propose(cancel=("T2",), reason="is the cache still needed?")
    decide(world, "P2", "question")
    assert shown(world, "plan:P2") == (
        "P2 read as a question by alice · nothing changed\n"
        "is the cache still needed?\n"
        "◑ T2 Cache the reads · working · on w1 · step 4 of 6: indexing\n"
        "T2 is needed by T3\n"
        "[Make it a change]"
    )
    decide(world, "P2", "change")
    assert "− Cancel T2 Cache the reads (working)\n" in shown(world, "plan:P3")
    assert world.refused(c.DecidePlan(by=ALICE, plan="P2", revision=0, decision="change")) == "already_decided"


def test_a_question_whose_plan_was_proposed_again_offers_nothing_more() -> None:
    world = halfway()
    world.propose(cancel=("T2",), reason="is the cache still needed?")
    decide(world, "P2", "question")
    decide(world, "P2", "change")
    assert card(world, "plan:P2").buttons == ()


def test_a_plan_that_another_took_the_place_of_says_so() -> None:
    world = shop()
    world.propose(*FIRST, reason=WORDS)
    world.plan_of("P1").status = PlanStatus.SUPERSEDED
    assert read(all_cards(world.state)["plan:P1"]).startswith("P1 was replaced\n")


@pytest.mark.parametrize("decision", ["apply", "reject", "question"])
def test_no_decided_plan_can_be_decided_by_its_card(decision: str) -> None:
    world = shop()
    world.propose(*FIRST, reason=WORDS)
    decide(world, "P1", decision)
    assert {b.action for b in card(world, "plan:P1").buttons} & {"apply", "edit", "reject", "question"} == set()
    assert card(world, "plan:P1").mentions == ()


def test_the_largest_plan_is_bounded_and_readable() -> None:
    world = shop()
    world.propose(*(prose(f"k{n}", f"Task number {n} " + "x" * 60) for n in range(50)), reason="all of it")
    plan = card(world, "plan:P1")
    assert len(plan.lines) == 52
    assert plan.lines[50].text == "T50 Task number 49 " + "x" * 60
