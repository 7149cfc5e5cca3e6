"""How text of strangers is shown: as what it is.

The rule: characters that are invisible, move the cursor or turn the direction of writing become signs, so that a command on
a card is the command that would run, on a terminal too.
"""

from __future__ import annotations

from collections.abc import Iterator

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
