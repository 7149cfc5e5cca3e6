"""What hostile text becomes on a card: text, plain to see and bounded, wherever it came from."""

from __future__ import annotations

import json
import unicodedata

import pytest

from bot.cards.bounds import LINE_CHARS, LINES, TITLE_CHARS, bounded
from bot.cards.model import Button, Card, Line
from bot.words import visible
from core.domain import commands as c
from core.domain import limits
from core.domain.facts import CheckValue
from tests.bot.cards.showing import all_cards, answered, later, progress, prose, read, shop
from tests.core.domain.world import World

TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}  # of the direction of writing

SEEN = [
    ("plain text, 中文, émoji 👩‍👩‍👧 ✓", "plain text, 中文, émoji 👩‍👩‍👧 ✓"),
    ("two\nlines\tand a tab", "two\nlines\tand a tab"),
    ("windows\r\nline", "windows\nline"),
    ("over\rwritten", "over␍written"),
    ("\x1b[2J\x1b[31mred", "␛[2J␛[31mred"),
    ("nul\x00 bell\x07 del\x7f", "nul␀ bell␇ del␡"),
    ("c1 \x9b31m", "c1 \ufffd31m"),
    ("rm -rf \u202e/ emoh\u202c", "rm -rf \ufffd/ emoh\ufffd"),
    ("\u2066isolated\u2069", "\ufffdisolated\ufffd"),
    ("zero\u200bwidth\ufeff", "zero\ufffdwidth\ufffd"),
    ("tag\U000e0041", "tag\ufffd"),
    ("half \ud83d of a smile", "half \ufffd of a smile"),
    ("para\u2029graph", "para\ngraph"),
    ("@everyone <!channel> <@U1> [x](http://y) *b* {z} %s", "@everyone <!channel> <@U1> [x](http://y) *b* {z} %s"),
]


@pytest.mark.parametrize(("text", "shown"), SEEN)
def test_what_is_unseen_becomes_a_sign_and_what_is_seen_stays(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(shown) == shown


def test_nothing_a_terminal_obeys_is_left_of_any_character() -> None:
    everything = "".join(map(chr, range(0x3000))) + "".join(map(chr, range(0xD7F0, 0x10000)))
    left = [f"{ord(ch):#x}" for ch in visible(everything) if unicodedata.category(ch) in ("Cc", "Cs", "Zl", "Zp")]
    assert set(left) <= {"0x9", "0xa"}
    assert not {unicodedata.bidirectional(ch) for ch in visible(everything)} & TURNING


def test_a_card_is_bounded_in_each_direction() -> None:
    monster = Card(
        key="k",
        kind="plan",
        title="t" * 5_000,
        lines=tuple(Line("l" * 50_000) for _ in range(500)),
        buttons=(Button("b" * 500, "apply", "P1", digest="d\x00"),),
        notify="n" * 500,
    )
    card = bounded(monster)
    assert len(card.title) == TITLE_CHARS
    assert len(card.lines) == LINES
    assert card.lines[-1].text == "…"
    assert {len(line.text) for line in card.lines[:-1]} == {LINE_CHARS}
    assert len(card.notify) == 140
    assert card.buttons[0].label.endswith("…")
    assert card.buttons[0].digest == "d\x00", "what makes the command is not for reading"
    assert bounded(card) == card


HOSTILE = [
    "\x1b]0;owned\x07\x1b[2J" * 50,
    "@everyone @here <!channel> <@U123> [click](https://evil.example) ```" * 20,
    "\u202e" + "gnp.exe" * 100,
    "<script>alert(1)</script>" * 100,
    "{short} {0} %(x)s ${HOME} `rm -rf /`" * 50,
    "长" * 40_000,
    "a" * 40_000,
    "line\n" * 8_000,
]


def everywhere(text: str) -> World:
    """A session in which people, agents and the repository all said ``text``, as much of it as the rules let through."""
    world = shop()
    cut = {"reason": text[: limits.REASON_CHARS], "title": text[: limits.TITLE_CHARS].strip() or "x"}
    world.propose(prose("a", cut["title"]), prose("b", cut["title"], "a"), reason=cut["reason"])
    world.apply("P1")
    world.run("T1")
    progress(world, "T1", step=1, steps=2, current_step=text, summary=text)
    world.do(
        c.RequestApproval(
            attempt_id=world.task("T1").attempt_id,
            request_id="r1",
            summary=text[: limits.COMMAND_CHARS],
            folder=text[:500],
            reasons=(text[:500],),
            risk="high",
            digest="d1",
        )
    )
    world.answer("A1", "reject", reason=text)
    check = CheckValue(criterion=text[:500], command=text[:2_000], exit_code=0, commit=text[:40])
    world.report("T1", summary=text[: limits.SUMMARY_CHARS], evidence=(check,), biggest=(text[:300],), files=1)
    later(world)
    world.settle("T1", accept=False, feedback=text[: limits.CONTENT_CHARS])
    world.run("T1")
    world.end("T1", "error", failure=text[:60], detail=text[:1_000])
    return world


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text_on_every_card(text: str) -> None:
    world = everywhere(text)
    for card in all_cards(world.state).values():
        whole = read(card)
        assert visible(whole) == whole
        assert len(whole) < 60_000
        assert len(json.dumps(card.to_json())) < 400_000
        assert len(card.title) <= TITLE_CHARS
        assert "\n" not in card.title


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("code", ["said", "no_agent", "unknown_task", "offer_rework", "cannot_plan", "never_heard_of"])
def test_hostile_text_stays_text_in_every_answer(code: str, text: str) -> None:
    params = dict.fromkeys(("text", "name", "task", "tasks", "code", "check"), text)
    for card in all_cards(answered(code, params, text).state).values():
        assert visible(read(card)) == read(card)
        assert len(card.title) <= TITLE_CHARS
