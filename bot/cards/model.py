"""A card is a value: what a message of ours says and which buttons it has, for any surface to render.

Texts are plain: no markup, no escaping, no mention syntax. A surface escapes. Code is marked by a line's ``style``.
"""

from __future__ import annotations

import datetime
import hashlib
from dataclasses import asdict, dataclass
from typing import Any, Literal

import pydantic_core

Tone = Literal["plain", "info", "good", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Button:
    """``action`` and ``subject`` make the command (``apply`` ``P1``); ``revision`` is what the card showed.

    ``ask`` is the label of a text box to fill before sending, "" for none; ``required`` when it may not be left empty.
    ``digest`` binds a decision to exactly what the card showed.
    ``text`` is what the text box holds to begin with.
    """

    label: str
    action: str
    subject: str
    revision: int = 0
    style: Literal["", "primary", "danger"] = ""
    ask: str = ""
    required: bool = False
    digest: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """``mark`` is a short state word or sign before the text; ``style`` code for commands and output.

    ``ts`` (ms UTC, 0 for none) is a time the surface writes behind the text, in the reader's own time zone.
    """

    text: str
    mark: str = ""
    style: Literal["", "code", "quote", "quiet"] = ""
    ts: int = 0


def clock(ts: int) -> str:
    """A time of day on this machine, for surfaces that cannot show it in the reader's own time zone; "" for none."""
    return datetime.datetime.fromtimestamp(ts / 1000).astimezone().strftime("%H:%M") if ts else ""


@dataclass(frozen=True, slots=True)
class Card:
    """``key`` is stable for the life of the message: the same key is edited, a new key is a new message.

    ``notify`` is at most 140 characters and can be answered from a lock screen. ``mentions`` are the people whose decision
    the card needs. ``progress`` is 0 to 100 or None.
    """

    key: str
    kind: str
    title: str
    lines: tuple[Line, ...] = ()
    buttons: tuple[Button, ...] = ()
    tone: Tone = "plain"
    progress: int | None = None
    mentions: tuple[str, ...] = ()
    notify: str = ""
    short: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, body: dict[str, Any]) -> Card:
        """What ``to_json`` gave, also after a trip through JSON."""
        parts = {**body, "lines": tuple(Line(**row) for row in body["lines"])}
        parts |= {"buttons": tuple(Button(**row) for row in body["buttons"]), "mentions": tuple(body["mentions"])}
        return cls(**parts)

    def digest(self) -> str:
        """Changes exactly when what people see changes."""
        return hashlib.sha256(pydantic_core.to_json(asdict(self))).hexdigest()[:32]

    def text(self) -> str:
        """The plain-text fallback that says the same."""
        rows = [self.title]
        rows += [f"{line.mark} {line.text} {clock(line.ts)}".strip() for line in self.lines]
        if self.buttons:
            rows.append(" ".join(f"[{b.label}]" for b in self.buttons))
        return "\n".join(rows)
