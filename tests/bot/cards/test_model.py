"""A card is a value: the same content is the same digest, any other content another one."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace

import pytest

from bot.cards.model import Button, Card, Line, clock

CARD = Card(
    key="approval:A1",
    kind="approval",
    title="A1 needs you",
    lines=(Line("rm -rf x", style="code"), Line("Open until", style="quiet", ts=1_700_000_000_000)),
    buttons=(Button("Approve once", "approve", "A1", 2, "primary", "Why?", True, "d1", "because"),),
    tone="warn",
    progress=40,
    mentions=("bob",),
    notify="A1?",
    short="A1",
)
OTHER: dict[str, object] = {
    "key": "approval:A2",
    "kind": "plan",
    "title": "A2 needs you",
    "lines": CARD.lines[:1],
    "buttons": (),
    "tone": "bad",
    "progress": None,
    "mentions": (),
    "notify": "",
    "short": "A2",
}


def test_equal_cards_have_one_digest() -> None:
    again = Card.from_json(json.loads(json.dumps(CARD.to_json())))
    assert again == CARD
    assert again.digest() == CARD.digest()


@pytest.mark.parametrize("name", [field.name for field in fields(Card)])
def test_any_other_content_has_another_digest(name: str) -> None:
    assert replace(CARD, **{name: OTHER[name]}).digest() != CARD.digest()  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [field.name for field in fields(Line)])
def test_any_other_line_has_another_digest(name: str) -> None:
    line = replace(CARD.lines[0], **{name: 7 if name == "ts" else "quote"})  # type: ignore[arg-type]
    assert replace(CARD, lines=(line, *CARD.lines[1:])).digest() != CARD.digest()


def test_content_cannot_be_moved_between_fields_without_being_seen() -> None:
    one = replace(CARD, lines=(Line("a b"), Line("c")))
    two = replace(CARD, lines=(Line("a"), Line("b c")))
    assert one.digest() != two.digest()


def test_the_plain_text_says_the_same_as_the_card() -> None:
    text = CARD.text().split("\n")
    assert text[:2] == ["A1 needs you", "rm -rf x"]
    assert re.fullmatch(r"Open until \d\d:\d\d", text[2])
    assert text[3] == "[Approve once]"
    assert Card(key="k", kind="reply", title="Hello").text() == "Hello"


def test_no_time_is_no_clock() -> None:
    assert clock(0) == ""
