"""Cards that wait for one decision: what an agent wants to run, and work whose end nobody knows."""

from __future__ import annotations

import pytest

from bot.cards.model import Card
from core.domain import commands as c
from core.domain.facts import InteractionCancelled
from core.domain.reading import Risk
from tests.bot.cards.showing import all_cards, later, progress, prose, read, shop, shown
from tests.core.domain.world import World


def asking(
    line: str = "rm -rf build-cache",
    *,
    folder: str = "",
    risk: Risk = "medium",
    reasons: tuple[str, ...] = ("deletes",),
) -> World:
    world = shop()
    world.plan(prose("a", "Fix the retry"), prose("b", "Write the docs", "a"))
    world.run("T1")
    world.do(
        c.RequestApproval(
            attempt_id=world.task("T1").attempt_id,
            request_id="r1",
            summary=line,
            folder=folder,
            reasons=reasons,
            risk=risk,
            digest="d1",
        )
    )
    return world


def card(world: World, key: str = "approval:A1") -> Card:
    return all_cards(world.state)[key]


def test_an_open_approval_says_exactly_what_where_and_why() -> None:
    world = asking(reasons=("deletes recursively (build-cache)", "cannot be undone"))
    assert shown(world, "approval:A1") == (
        "A1 needs you · T1 wants to run `rm -rf build-cache`\n"
        "rm -rf build-cache\n"
        "In its own folder\n"
        "Because it deletes recursively (build-cache); cannot be undone\n"
        "Risk: medium\n"
        "Open until\n"
        "[Approve once] [Reject] [Reject and stop]"
    )
    approval = card(world)
    assert approval.lines[-1].ts == world.interaction("A1").deadline
    assert approval.mentions == ("alice",)
    assert {button.digest for button in approval.buttons} == {"d1"}
    assert [bool(button.ask) for button in approval.buttons] == [False, True, True]
    assert not any(button.required for button in approval.buttons)


def test_another_folder_is_named() -> None:
    assert "\nIn /srv/data\n" in shown(asking(folder="/srv/data"), "approval:A1")


@pytest.mark.parametrize(("risk", "tone"), [("low", "warn"), ("medium", "warn"), ("high", "bad")])
def test_the_tone_follows_the_risk(risk: Risk, tone: str) -> None:
    assert card(asking(risk=risk)).tone == tone


@pytest.mark.parametrize(
    "line", ["npm ci", "x" * 200, "rm -rf " + "/very/long/path" * 40, "echo a\necho b", "长" * 300]
)
def test_the_notification_fits_a_lock_screen_with_the_words_that_answer(line: str) -> None:
    world = asking(line)
    for language in ("en", "zh"):
        world.state.language = language
        note = card(world).notify
        assert len(note) <= 140
        assert "`approve A1`" in note
        assert "`reject A1`" in note
        assert "\n" not in note


def test_the_whole_notification() -> None:
    assert card(asking("npm ci")).notify == "A1: T1 wants to run `npm ci`. Approve? Answer `approve A1` or `reject A1`."


def test_a_very_long_command_is_cut_at_its_end_and_the_cut_is_said() -> None:
    rows = shown(asking("echo " + "x" * 9_995), "approval:A1").split("\n")
    assert rows[1] == "echo " + "x" * 2_995 + "…"
    assert rows[2] == "! 7000 more characters are not shown here"
    assert len(rows[0]) < 140


def test_a_command_of_several_lines_is_shown_in_lines() -> None:
    assert "\necho a\nrm b\n" in shown(asking("echo a\nrm b"), "approval:A1")


DECIDED = [
    ("approve", "", "A1 approved once by bob · T1 goes on\nrm -rf build-cache"),
    ("reject", "", "A1 rejected by bob · nothing ran · T1 goes on without it\nrm -rf build-cache"),
    (
        "reject",
        "not on a Friday",
        "A1 rejected by bob · nothing ran · T1 goes on without it\nrm -rf build-cache\nnot on a Friday",
    ),
    ("reject_stop", "no", "A1 rejected by bob · nothing ran · T1 is stopped\nrm -rf build-cache\nno"),
]


@pytest.mark.parametrize(("decision", "reason", "text"), DECIDED)
def test_a_decided_approval_says_who_what_and_why_and_has_no_buttons(decision: str, reason: str, text: str) -> None:
    world = asking()
    world.answer("A1", decision, reason=reason)
    assert shown(world, "approval:A1") == text
    assert card(world).buttons == ()
    assert card(world).mentions == ()
    assert card(world).notify == ""


def test_a_rejected_step_that_was_the_whole_task_does_not_go_on() -> None:
    world = asking()
    world.answer("A1", "reject")
    world.fail("T1", "permission_denied")
    assert shown(world, "approval:A1").startswith("A1 rejected by bob · nothing ran\n")


def end_turn(world: World) -> None:
    world.end("T1")


def end_task(world: World) -> None:
    world.change("cancel", "T1")
    world.end("T1", "cancelled")


def let_pass(world: World) -> None:
    later(world, 5 * 60 * 60 * 1000)
    world.do(c.ExpireApproval(interaction_id=world.interaction("A1").id))


def lose(world: World) -> None:
    world.lose("T1")


@pytest.mark.parametrize(
    ("how", "cause"),
    [
        (end_turn, "the work ended before anyone answered"),
        (end_task, "the work ended before anyone answered"),
        (let_pass, "nobody answered in time"),
        (lose, "the worker was lost while it waited"),
    ],
)
def test_an_approval_that_ended_without_an_answer_says_by_what(how: object, cause: str) -> None:
    world = asking()
    how(world)  # type: ignore[operator]
    assert shown(world, "approval:A1") == f"A1 is over: {cause} · nothing ran\nrm -rf build-cache"
    assert card(world).buttons == ()


@pytest.mark.parametrize("cause", InteractionCancelled.model_fields["cause"].annotation.__args__)  # type: ignore[union-attr]
def test_every_cause_the_log_can_hold_is_said(cause: str) -> None:
    world = asking()
    let_pass(world)
    world.interaction("A1").decision = cause
    assert " is over: " in read(card(world))


# -- not known whether it finished -----------------------------------------------------------------------------------


def lost(why: str = "lease") -> World:
    world = shop()
    world.plan(prose("a", "Fix the retry"), prose("b", "Write the docs", "a"))
    world.run("T1")
    progress(world, "T1", step=3, steps=5, current_step="running the tests")
    world.lose("T1", why)
    return world


LOST = [
    ("lease", "w1 was lost while it worked. What it did after that is not known, and it is not sent again by itself."),
    (
        "worker_restarted",
        "w1 was restarted while it worked. What it had done by then is not known, and it is not sent again by itself.",
    ),
    ("grace", "w1 did not answer the stop in time. Whether it still runs is not known."),
]


@pytest.mark.parametrize(("why", "words"), LOST)
def test_lost_work_says_what_is_known_and_the_ways_on(why: str, words: str) -> None:
    world = lost(why)
    assert shown(world, "uncertain:Q1") == (
        "Not known whether T1 Fix the retry finished\n"
        f"{words}\n"
        "Last heard: running the tests\n"
        "[Start again] [Wait] [Mark done] [Mark failed] [Cancel it]"
    )
    assert card(world, "uncertain:Q1").mentions == ("alice",)
    required = {b.action: b.required for b in card(world, "uncertain:Q1").buttons}
    assert required == {"again": True, "wait": False, "done": True, "failed": False, "give_up": False}


def test_waiting_is_noted_and_the_other_ways_stay_open() -> None:
    world = lost()
    world.reconcile("Q1", "wait", "")
    text = shown(world, "uncertain:Q1")
    assert "\nWaiting for w1, by bob\n" in text
    assert text.endswith("\n[Start again] [Mark done] [Mark failed] [Cancel it]")


RESOLVED = [
    ("again", "T1: started again by bob — I looked"),
    ("done", "T1: marked done by bob — I looked"),
    ("failed", "T1: marked failed by bob"),
    ("cancel", "T1: cancelled by bob"),
]


@pytest.mark.parametrize(("decision", "text"), RESOLVED)
def test_a_person_says_how_it_ended(decision: str, text: str) -> None:
    world = lost()
    world.reconcile("Q1", decision)
    assert shown(world, "uncertain:Q1") == text


def test_a_report_that_comes_after_all_settles_the_question() -> None:
    world = lost()
    world.report("T1")
    assert shown(world, "uncertain:Q1") == "T1: its report arrived after all"


def test_a_task_cancelled_meanwhile_takes_the_question_with_it() -> None:
    world = lost()
    world.change("cancel", "T1")
    assert shown(world, "uncertain:Q1") == "T1 was cancelled"
