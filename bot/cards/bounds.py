"""The last step of every card: what people, agents and repositories wrote is made plain to see, and bounded.

The rule: whatever is handed to a surface can be shown as it is; the surface adds only its own escaping.
"""

from __future__ import annotations

from dataclasses import replace

from bot.cards.common import clip
from bot.cards.model import Button, Card, Line
from bot.words import visible

TITLE_CHARS = 300
LINE_CHARS = 3_200  # a little more than a Slack section holds; the surface splits
LINES = 80  # a plan of 50 tasks fits
LABEL_CHARS = 75  # Slack's limit of a button


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
