"""Text of programs and agents without what a terminal or an eye would be deceived by.

``plain`` is for output: colours, cursor movements, control and direction characters go, everything else stays.
``reveal`` is for what a person decides on: nothing goes, what cannot be seen is written out, so that the text shown
is the text meant.
"""

from __future__ import annotations

import re
import unicodedata

# CSI, OSC and the like as in ECMA-48; a cut-off sequence at the end of a text is taken too.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[\]PX^_][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
# Kept of the invisible: newline, tab, and the two joiners that scripts and emoji need.
_INVISIBLE = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)
_LINE_ENDS = re.compile("\r\n|[\r\u2028\u2029\x85]")
_BROKEN = re.compile("[\ud800-\udfff]")  # half characters; they cannot be stored as UTF-8


def plain(text: str | bytes) -> str:
    """``text`` (bytes are UTF-8, what is not becomes U+FFFD) with newline as the only line end.

    A lone carriage return starts a new line instead of hiding what stands before it, so a progress bar becomes lines.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    text = _LINE_ENDS.sub("\n", _ESCAPES.sub("", text))
    return _BROKEN.sub("\ufffd", _INVISIBLE.sub("", text))


def reveal(text: str) -> str:
    """``text`` with every character that does not show, newline and tab excepted, written as ``<U+202E>``."""
    return "".join(sign if sign in "\n\t" or _shows(sign) else f"<U+{ord(sign):04X}>" for sign in text)


def last_line(text: str, limit: int = 200) -> str:
    """The last line that says something, on at most ``limit`` characters; empty when there is none."""
    for line in reversed(text.splitlines()):
        if any(sign.isalnum() for sign in line):
            return cut(line.strip(), limit)
    return ""


def cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _shows(sign: str) -> bool:
    return sign == " " or (sign.isprintable() and unicodedata.category(sign) not in ("Cf", "Zs"))
