"""The last step of every card: what people, agents and repositories wrote is made plain to see, and bounded.

The rule: a card reads as what it says. Characters that are invisible, move the cursor or turn the direction of writing are
shown as signs, so that a command on a card is the command that would run, on a terminal too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.cards.common import clip
from bot.cards.model import Button, Card, Line

TITLE_CHARS = 300
LINE_CHARS = 3_200  # a little more than a Slack section holds; the surface splits
LINES = 80  # a plan of 50 tasks fits
LABEL_CHARS = 75  # Slack's limit of a button

UNSEEN = "\ufffd"


def _signs() -> Iterator[tuple[int, int | str]]:
    yield from ((code, 0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t")
    yield 0x7F, 0x2421
    yield from ((code, UNSEEN) for code in range(0x80, 0xA0))
    yield from ((code, UNSEEN) for code in (0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF))
    yield from ((code, UNSEEN) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A)))  # direction of writing
    yield from ((code, UNSEEN) for code in range(0xFFF9, 0xFFFC))
    yield from ((code, UNSEEN) for code in range(0xE0000, 0xE0080))  # letters no font draws
    yield from ((code, UNSEEN) for code in range(0xD800, 0xE000))  # halves of characters: no file or log holds them
    yield from ((code, "\n") for code in (0x2028, 0x2029))


SIGNS = dict(_signs())


def visible(text: str) -> str:
    """``text`` without anything a reader would not see or a terminal would obey; line breaks and tabs stay."""
    return text.replace("\r\n", "\n").translate(SIGNS)


def bounded(card: Card) -> Card:
    """The card as it may be shown anywhere."""
    lines = [_line(line) for line in card.lines]
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], Line("…", style="quiet")]
    return replace(
        card,
        title=clip(visible(card.title), TITLE_CHARS),
        lines=tuple(lines),
        buttons=tuple(_button(button) for button in card.buttons),
        notify=clip(visible(card.notify), 140),
    )


def _line(line: Line) -> Line:
    text = visible(line.text)
    return replace(line, text=text if len(text) <= LINE_CHARS else text[: LINE_CHARS - 1] + "…")


def _button(button: Button) -> Button:
    return replace(button, label=clip(visible(button.label), LABEL_CHARS))
