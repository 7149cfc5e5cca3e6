"""How the work stands: one line a task in each of its states, a few buttons, never a wall."""

from __future__ import annotations

import pytest

from core.domain import commands as c
from tests.bot.cards.showing import all_cards, command, later, progress, proof, prose, shop, shown
from tests.core.domain.world import ALICE, World


def line(world: World, task: str = "T1") -> str:
    """The line of a task on the card of the plan applied last."""
    plan = max(world.state.plans.values(), key=lambda p: int(p.short[1:]))
    return next(row for row in shown(world, f"plan:{plan.short}").split("\n") if f" {task} " in row)


def buttons(world: World) -> str:
    last = shown(world, "plan:P1").split("\n")[-1]
    return last if last.startswith("[") else ""


def done(world: World) -> int | None:
    return all_cards(world.state)["plan:P1"].progress


def digest(world: World) -> str:
    return all_cards(world.state)["plan:P1"].digest()


def one(spec: object = None) -> World:
    world = shop()
    world.plan(spec or prose("a", "Fix the retry"))  # type: ignore[arg-type]
    return world


def test_a_task_that_waits_says_for_what() -> None:
    world = shop()
    world.plan(prose("a", "One"), prose("b", "Two"), prose("c", "Three", "a", "b"))
    assert line(world, "T1") == "○ T1 One · waits for a free worker"
    assert line(world, "T3") == "○ T3 Three · waits for T1, T2"
    world.do(c.Dispatch(task_id=world.id("T1"), worker="w1"))
    assert line(world, "T1") == "◔ T1 One · assigned · on w1"
    assert buttons(world) == "[Stop]"


def test_a_task_of_an_unusable_repository_waits_for_it() -> None:
    world = one()
    assert world.state.repo is not None
    world.state.repo.problem = "path_missing"
    world.shadow.repo = world.state.repo
    assert line(world) == "○ T1 Fix the retry · waits for the repository"


def test_a_working_task_counts_its_steps_where_it_has_any() -> None:
    world = one()
    world.run("T1")
    assert line(world) == "◑ T1 Fix the retry · working · on w1"
    progress(world, "T1", current_step="reading\ncheckout.py")
    assert line(world) == "◑ T1 Fix the retry · working · on w1 · reading checkout.py"
    progress(world, "T1", step=2, steps=4, current_step="reproducing with a failing test")
    assert line(world) == "◑ T1 Fix the retry · working · on w1 · step 2 of 4: reproducing with a failing test"
    progress(world, "T1", summary="nearly there")
    assert line(world) == "◑ T1 Fix the retry · working · on w1 · nearly there"


def test_a_step_starts_from_the_commit_before_it_or_with_what_was_handed_over() -> None:
    world = shop()
    world.plan(
        command("a", "make"), command("b", "make test", "a"), prose("c", "Write it up", "b", handoff_expected=True)
    )
    world.run("T1")
    world.report("T1", evidence=(proof("make"),))
    world.run("T2")
    assert line(world, "T2") == "◑ T2 `make test` · working · on w1 · started from T1's commit"
    world.report("T2", evidence=(proof("make test"),), handoffs={"*": "it was slow"})
    world.run("T3")
    assert line(world, "T3") == "◑ T3 Write it up · working · on w1 · with what T2 handed over"


@pytest.mark.parametrize(("change", "word"), [("stop", "stopping"), ("pause", "pausing"), ("cancel", "cancelling")])
def test_a_wish_that_has_not_come_true_is_a_state_to_people(change: str, word: str) -> None:
    world = one()
    world.run("T1")
    world.change(change, "T1")
    assert line(world) == f"◑ T1 Fix the retry · {word} · on w1"


def test_what_was_stopped_paused_and_cancelled_says_so_and_offers_to_go_on() -> None:
    world = one()
    world.run("T1")
    world.change("stop", "T1")
    world.end("T1", "cancelled")
    assert line(world) == "■ T1 Fix the retry · blocked · stopped by a person"
    assert buttons(world) == "[Resume T1]"
    world.change("pause", "T1")
    assert line(world) == "‖ T1 Fix the retry · paused by alice"
    assert buttons(world) == "[Resume T1]"
    world.change("cancel", "T1")
    assert line(world) == "– T1 Fix the retry · cancelled"
    assert buttons(world) == ""


def test_a_task_that_asks_names_the_approval_and_one_nobody_answered_names_it_still() -> None:
    world = one()
    world.run("T1")
    world.ask("T1")
    assert line(world) == "◎ T1 Fix the retry · needs approval · on w1 · A1"
    later(world, 5 * 60 * 60 * 1000)
    world.do(c.ExpireApproval(interaction_id=world.interaction("A1").id))
    assert line(world) == "■ T1 Fix the retry · blocked · nobody answered A1 in time"


def test_a_task_whose_end_is_not_known_names_the_question_and_offers_no_resume() -> None:
    world = one()
    world.run("T1")
    world.lose("T1")
    assert line(world) == "■ T1 Fix the retry · blocked · not known whether it finished · Q1"
    assert buttons(world) == ""


def test_a_reported_task_shows_its_proof_and_its_change() -> None:
    world = one()
    world.run("T1")
    world.report("T1", evidence=(proof("pytest -q"),), files=1, added=8, removed=3)
    assert line(world) == "◕ T1 Fix the retry · in review · `pytest -q` exit 0 · 1 file, +8 −3"
    world.settle("T1")
    assert line(world) == "✓ T1 Fix the retry · done · `pytest -q` exit 0 · 1 file, +8 −3"


def test_a_report_without_any_proof_says_at_least_what_changed() -> None:
    world = one()
    world.run("T1")
    world.report("T1")
    assert line(world) == "◕ T1 Fix the retry · in review · no files changed"


def test_work_sent_back_says_round_person_and_words_until_it_is_reported_again() -> None:
    world = one()
    world.run("T1")
    world.report("T1")
    world.settle("T1", accept=False, feedback='say "Your cart is empty"')
    because = 'round 2 · because bob: say "Your cart is empty"'
    assert line(world) == f"○ T1 Fix the retry · waits for a free worker · {because}"
    world.run("T1")
    assert line(world) == f"◑ T1 Fix the retry · working · on w1 · {because}"


FAILURES = [
    ("command_failed", "`pytest -q` exit 1 · 2 failed", "`pytest -q` exit 1 · 2 failed"),
    ("command_failed", "", "the command failed"),
    ("harness_error", "EOFError: gone", "the agent's program broke: EOFError: gone"),
    ("workspace", "disk full", "its folder could not be prepared: disk full"),
    ("something_new", "", "something new"),
]


@pytest.mark.parametrize(("failure", "detail", "words"), FAILURES)
def test_a_failed_task_says_why_and_can_be_retried(failure: str, detail: str, words: str) -> None:
    world = one()
    world.run("T1")
    world.end("T1", "error", failure=failure, detail=detail, output="o1")
    assert line(world) == f"✗ T1 Fix the retry · failed · {words}"
    assert buttons(world) == "[Retry T1] [Show output T1]"


def test_what_cannot_start_any_more_names_the_cause_and_offers_no_retry_of_its_own() -> None:
    world = shop()
    world.plan(prose("a", "One"), prose("b", "Two", "a"))
    world.run("T1")
    world.fail("T1")
    assert line(world, "T2") == "✗ T2 Two · failed · cannot start: T1 failed"
    assert buttons(world) == "[Retry T1]"
    other = shop()
    other.plan(prose("a", "One"), prose("b", "Two", "a"))
    other.change("cancel", "T1")
    assert line(other, "T2") == "✗ T2 Two · failed · cannot start: T1 was cancelled"


def test_of_many_tasks_those_under_way_come_first_and_the_rest_is_counted() -> None:
    world = shop()
    world.plan(*(prose(f"k{n}", f"Task {n}") for n in range(15)))
    world.finish("T1", "T2", "T3")
    rows = shown(world, "plan:P1").split("\n")[2:]
    assert rows[0] == "○ T4 Task 3 · waits for a free worker"
    assert rows[-1] == "and 3 more"
    assert len(rows) == 13
    assert not [row for row in rows if "done" in row]


def test_there_are_at_most_four_buttons() -> None:
    world = shop()
    world.plan(*(prose(f"k{n}", f"Task {n}") for n in range(6)))
    for n in range(1, 6):
        world.change("pause", f"T{n}")
    world.run("T6")
    assert buttons(world) == "[Stop] [Resume T1] [Resume T2] [Resume T3]"


def test_the_card_shows_only_the_flow_it_belongs_to() -> None:
    world = one()
    world.finish("T1")
    merged = world.flow
    world.do(c.DecideMerge(by=ALICE, flow=merged.id, merge=True))
    assert merged.merge is not None
    world.do(c.RecordMerge(flow_id=merged.id, tip=merged.merge.tip, sha="e" * 40))
    world.plan(prose("b", "More"))
    assert " T1 " not in shown(world, "plan:P2")
    assert line(world, "T2") == "○ T2 More · waits for a free worker"


def test_progress_counts_what_is_reported_or_over() -> None:
    world = shop()
    world.plan(prose("a", "One"), prose("b", "Two"), prose("c", "Three"))
    assert done(world) == 0
    world.finish("T1")
    world.run("T2")
    world.report("T2")
    assert done(world) == 67
    world.change("cancel", "T3")
    assert done(world) == 100


def test_the_digest_changes_exactly_when_the_card_does() -> None:
    world = one()
    world.run("T1")
    before = digest(world)
    world.say("lunch at 12?")
    assert digest(world) == before
    later(world)
    progress(world, "T1")
    assert digest(world) == before, "a sign of life is nothing to see"
    progress(world, "T1", current_step="reading")
    assert digest(world) != before
