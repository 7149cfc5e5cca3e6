"""Reports people judge: proven or only claimed, what became of them, the branch, the end of it all."""

from __future__ import annotations

import pytest

from bot.cards.common import duration, page_of
from bot.cards.model import Card
from core.domain import commands as c
from core.domain.facts import CheckValue
from tests.bot.cards.showing import SHA, all_cards, command, later, proof, prose, shop, shown
from tests.core.domain.world import ALICE, World

MINUTE = 60_000


def card(world: World, key: str) -> Card:
    return all_cards(world.state)[key]


def actions(world: World, key: str) -> list[str]:
    return [button.action for button in card(world, key).buttons]


def reported(world: World, task: str = "T1", **more: object) -> None:
    world.run(task)
    given = {"summary": "pay() gives up after 3 tries", "evidence": (proof("pytest -q"),), "commit": SHA, **more}
    world.report(task, **given)  # type: ignore[arg-type]


def one() -> World:
    world = shop()
    world.plan(prose("a", "Fix the retry"), reason="fix the retry")
    reported(world, files=1, added=8, removed=3, flow_files=1, flow_added=8, flow_removed=3, biggest=("pay.py +8 −3",))
    return world


def test_the_only_report_of_a_flow_stands_for_all_of_it() -> None:
    world = one()
    assert shown(world, "report:") == (
        "Ready for review · 1 file, +8 −3 · `pytest -q` exit 0\n"
        "pay() gives up after 3 tries\n"
        "proven `pytest -q` exit 0 @ 4e2f9ab1\n"
        "Biggest change: pay.py +8 −3\n"
        "Branch threadlead/fix-the-retry-fl_001\n"
        "[Accept] [Rework]"
    )
    report = card(world, "report:T1:1")
    assert report.mentions == ("alice",)
    assert report.notify == report.title
    rework = next(b for b in report.buttons if b.action == "rework")
    assert (rework.ask, rework.required) == ("What should be different?", True)


def test_a_flow_of_commands_speaks_with_the_last_one_and_counts_the_whole_change() -> None:
    world = shop()
    world.plan(command("a", "ruff format ."), command("b", "pytest -q", "a"), reason="format and test")
    world.run("T1")
    world.report(
        "T1", summary="`ruff format .` exit 0", evidence=(proof("ruff format ."),), commit=SHA, files=4, added=9
    )
    world.run("T2")
    world.report(
        "T2",
        summary="`pytest -q` exit 0 · 214 passed",
        evidence=(proof("pytest -q"),),
        commit=SHA,
        flow_files=4,
        flow_added=9,
        flow_removed=9,
        diff="d1",
        output="o1",
    )
    assert shown(world, "report:").startswith("Ready for review · 4 files, +9 −9 · `pytest -q` exit 0 · 214 passed\n")
    assert shown(world, "report:").endswith("\n[Accept] [Rework] [Show diff] [Show output]")


def test_a_step_others_wait_for_has_a_report_of_its_own() -> None:
    world = shop()
    world.plan(prose("a", "Fix the retry"), prose("b", "Measure it", "a"))
    reported(world, files=2, added=3, removed=1)
    title = "T1 Fix the retry is ready for review · 2 files, +3 −1 · `pytest -q` exit 0"
    assert shown(world, "report:").startswith(title + "\n")


def test_what_was_proven_failed_and_only_claimed_is_told_apart_and_no_claim_is_in_the_title() -> None:
    world = shop()
    world.plan(prose("a", "Rename timeout"))
    evidence = (
        proof("pytest -q"),
        CheckValue(criterion="callers elsewhere keep working"),
        proof("mypy .", 1),
        CheckValue(criterion="tidy", command="ruff check ."),
    )
    reported(world, evidence=evidence)
    text = shown(world, "report:")
    assert text.startswith("Ready for review · no files changed · `mypy .` exit 1 · `pytest -q` exit 0\n")
    assert "\nproven `pytest -q` exit 0 @ 4e2f9ab1\n" in text
    assert "\nonly claimed callers elsewhere keep working\n" in text
    assert "\nfailed `mypy .` exit 1\n" in text
    assert "\nonly claimed `ruff check .` check not run\n" in text


@pytest.mark.parametrize(
    ("count", "title"), [(2, "Both tasks are done, ready for review"), (3, "All 3 tasks are done, ready for review")]
)
def test_several_last_results_are_judged_with_one_click(count: int, title: str) -> None:
    world = shop()
    world.plan(*(prose(f"k{n}", f"Task {n}") for n in range(count)))
    for n in range(1, count + 1):
        reported(world, f"T{n}", summary=f"did {n}", evidence=(), files=1, added=1)
    text = shown(world, "report:")
    assert text.startswith(f"{title} · {count} files, +{count} −0\n")
    assert "\nT1 did 1\nT2 did 2\n" in text
    accept, rework = card(world, next(k for k in all_cards(world.state) if k.startswith("report:"))).buttons[:2]
    assert accept.subject == world.flow.id
    assert rework.subject == f"T{count}"


def test_when_others_were_accepted_before_the_rest_is_named() -> None:
    world = shop()
    world.plan(prose("a", "One"), prose("b", "Two"), prose("c", "Three"))
    world.finish("T1")
    reported(world, "T2", files=0)
    reported(world, "T3", files=0)
    assert shown(world, "report:T2").startswith("T2, T3 are ready for review · no files changed")


def test_rework_keeps_both_rounds_readable() -> None:
    world = one()
    later(world)
    world.settle("T1", accept=False, feedback="say how often it was tried")
    assert shown(world, "report:T1:1") == "T1 sent back by bob\nsay how often it was tried"
    assert actions(world, "report:T1:1") == []
    reported(world, summary="the error says how often")
    assert shown(world, "report:T1:2").startswith(
        "Ready for review · round 2 · no files changed · `pytest -q` exit 0\n"
    )
    later(world, 38 * MINUTE)
    world.settle("T1")
    text = shown(world, "report:T1:2")
    assert text.startswith("Accepted by bob · round 2\n")
    assert "\nfix the retry: finished · 1 done · 1 rework · took 38 min" in text


def test_a_click_on_the_card_of_another_round_is_refused() -> None:
    world = one()
    old = next(b for b in card(world, "report:T1:1").buttons if b.action == "accept")
    world.settle("T1", accept=False, feedback="more")
    reported(world)
    stale = c.Settle(by=ALICE, subject=old.subject, accept=True, revision=old.revision)
    assert world.refused(stale) == "card_stale"


def accepted() -> World:
    world = one()
    later(world, 5 * MINUTE)
    world.settle("T1")
    return world


def test_an_accepted_flow_offers_to_merge_or_to_look() -> None:
    world = accepted()
    assert shown(world, "report:") == (
        "Accepted by bob\n"
        "pay() gives up after 3 tries\n"
        "proven `pytest -q` exit 0 @ 4e2f9ab1\n"
        "Biggest change: pay.py +8 −3\n"
        "Branch threadlead/fix-the-retry-fl_001\n"
        "fix the retry: finished · 1 done · took 5 min\n"
        "To look at it: git diff main...threadlead/fix-the-retry-fl_001\n"
        "[Merge to main] [Later]"
    )


def test_what_changed_no_file_offers_no_merge() -> None:
    world = shop()
    world.plan(prose("a", "Look around"))
    reported(world)
    world.settle("T1")
    assert shown(world, "report:").startswith("Accepted by bob\n")
    assert actions(world, "report:T1:1") == []


def merge(world: World, yes: bool = True) -> None:
    world.do(c.DecideMerge(by=ALICE, flow=world.flow.id, merge=yes))


def merged(world: World, **more: str) -> None:
    assert world.flow.merge is not None
    world.do(c.RecordMerge(flow_id=world.flow.id, tip=world.flow.merge.tip, **more))


def test_later_leaves_the_work_accepted_and_the_merge_open() -> None:
    world = accepted()
    merge(world, yes=False)
    assert "\nNot merged yet. The work stays on threadlead/fix-the-retry-fl_001.\n" in shown(world, "report:")
    assert actions(world, "report:T1:1") == ["merge"]


def test_a_merge_is_said_while_it_runs_and_when_it_is_done() -> None:
    world = accepted()
    merge(world)
    assert shown(world, "report:").endswith("\nMerging to main …")
    assert actions(world, "report:T1:1") == []
    merged(world, sha="9f8e7d6c5b4a")
    assert shown(world, "report:").startswith("Merged to main as 9f8e7d6c by alice · worktree removed\n")
    assert "Branch" not in shown(world, "report:")
    assert actions(world, "report:T1:1") == []


REFUSED = [
    ("merge_conflict", "pay.py, cart.py", "it conflicts with main in pay.py, cart.py"),
    ("base_dirty", "pay.py", "your checkout has uncommitted changes in the way: pay.py"),
    ("branch_moved", "", "the branch has new commits since you accepted"),
    ("something_new", "", "something new (branch: main)"),
]


@pytest.mark.parametrize(("code", "detail", "why"), REFUSED)
def test_a_refused_merge_says_why_and_can_be_tried_again(code: str, detail: str, why: str) -> None:
    world = accepted()
    merge(world)
    merged(world, code=code, detail=detail)
    assert f"\n! Not merged: {why}. The work stays accepted; nothing was changed.\n" in shown(world, "report:")
    assert actions(world, "report:T1:1") == ["merge", "later"]


def test_a_judged_step_in_the_middle_offers_nothing_more() -> None:
    world = shop()
    world.plan(prose("a", "Fix the retry"), prose("b", "Measure it", "a"))
    reported(world, diff="d1")
    world.settle("T1")
    assert shown(world, "report:").startswith("T1 accepted by bob\n")
    assert actions(world, "report:T1:1") == ["show_diff"]


def test_a_flow_that_ended_with_failures_says_what_failed_first_and_offers_to_retry_it() -> None:
    world = shop()
    world.plan(prose("a", "Build"), prose("b", "Measure", "a"), prose("c", "Docs"), reason="build it")
    world.finish("T3")
    world.run("T1")
    later(world, MINUTE)
    world.end("T1", "error", failure="command_failed", detail="`make` exit 2", output="o1")
    assert shown(world, "summary:") == (
        "build it: finished · 1 done · 2 failed · took 60 s\n✗ T1 Build: `make` exit 2\n[Retry T1] [Show output T1]"
    )
    assert card(world, next(k for k in all_cards(world.state) if k.startswith("summary"))).tone == "bad"
    later(world)
    world.change("retry", "T1")
    assert not [k for k in all_cards(world.state) if k.startswith("summary")]


def test_a_flow_that_a_person_accepted_last_has_its_summary_on_the_report() -> None:
    assert not [k for k in all_cards(accepted().state) if k.startswith("summary")]


def test_a_flow_that_was_cancelled_ends_with_a_summary() -> None:
    world = shop()
    world.plan(prose("a", "Build"), reason="build it")
    world.change("cancel", "T1")
    assert shown(world, "summary:") == "build it: finished · 1 cancelled · took 1 s"


def test_work_that_ended_without_a_report_asks_what_to_do() -> None:
    world = shop()
    world.plan(prose("a", "Build"))
    world.run("T1")
    world.end("T1")
    assert shown(world, "blocked:") == "T1 Build ended without a report\n[Start again] [Cancel it]"
    world.change("resume", "T1")
    assert not [k for k in all_cards(world.state) if k.startswith("blocked:")]


DURATIONS = [
    (0, "1 s", "1 s"),
    (89_000, "89 s", "89 s"),
    (90_000, "2 min", "2 min"),
    (38 * MINUTE, "38 min", "38 min"),
    (90 * MINUTE, "1 hour and 30 minutes", "1.5 小时"),
]


@pytest.mark.parametrize(("ms", "english", "chinese"), DURATIONS)
def test_durations_are_said_as_people_say_them(ms: int, english: str, chinese: str) -> None:
    world = shop()
    assert duration(page_of(world.state), ms) == english
    world.state.language = "zh"
    assert duration(page_of(world.state), ms) == chinese
