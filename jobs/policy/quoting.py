"""One shell word: what it says once quotes are gone, and how much of that is known before it runs.

Rule: a word is ``plain`` only when bash would pass on exactly ``text`` and nothing else, so that it may go into an argv
list; every doubt (a glob, a brace, a tilde, an escape we do not decode) takes that away.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """``dynamic``: the value is only known at run time, and ``text`` is then the source. ``glob``: names files."""

    text: str
    plain: bool = True
    dynamic: bool = False
    glob: bool = False
    quoted: bool = False


_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_IN_QUOTES = re.compile(r"\\([$`\"\\\n])")
_SUBSTITUTION = re.compile(r"`|\$[({\[]")
_METACHARACTER = re.compile(r"[\s;&|()<>]")
_BRACES = re.compile(r"\{[^{}]*(?:,|\.\.)|(?:,|\.\.)[^{}]*\}")
_TILDE = re.compile(r"(?:^|[=:])~")


def hides_substitution(raw: str) -> bool:
    """Whether text the grammar took as literal still starts a substitution for bash."""
    return bool(_SUBSTITUTION.search(_ESCAPED.sub("", raw)))


def holds_metacharacter(raw: str) -> bool:
    """Whether an unquoted word as the grammar cut it holds a sign that ends a word for bash."""
    return bool(_METACHARACTER.search(_ESCAPED.sub("", raw)))


def bare(raw: str) -> Word:
    """An unquoted word as written."""
    unescaped = _ESCAPED.sub("", raw)
    text = _ESCAPED.sub(lambda m: "" if m[1] == "\n" else m[1], raw)
    glob = any(sign in unescaped for sign in "*?[")
    if _BRACES.search(unescaped):
        return Word(raw, plain=False, dynamic=True)
    return Word(text, plain=not glob and not _TILDE.search(unescaped), glob=glob)


def single_quoted(raw: str) -> Word:
    """``'…'`` as written, quotes included."""
    return Word(raw[1:-1], quoted=True)


def double_quoted(raw: str) -> Word:
    """A double-quoted string that holds no expansion, quotes included."""
    return Word(_IN_QUOTES.sub(lambda m: "" if m[1] == "\n" else m[1], raw[1:-1]), quoted=True)


def ansi_quoted(raw: str) -> Word:
    """``$'…'``: its escapes are bash's own, so one with escapes counts as unknown."""
    return Word(raw, plain=False, dynamic=True) if "\\" in raw else Word(raw[2:-1], quoted=True)


def unknown(raw: str) -> Word:
    """A word whose value only bash can tell. The home folder is the exception: it is never inside a worktree."""
    for home in ("$HOME", "${HOME}"):
        if raw == home or raw.startswith(home + "/"):
            return Word("~" + raw[len(home) :], plain=False)
    return Word(raw, plain=False, dynamic=True)


def joined(parts: list[Word], raw: str) -> Word:
    """Adjacent pieces are one word: ``a"b"'c'``, ``"$HOME"/x``."""
    text = "".join(part.text for part in parts)
    if any(part.dynamic for part in parts) or any(part.text.startswith("~") and not part.plain for part in parts[1:]):
        return Word(raw, plain=False, dynamic=True)
    # ``{`` and ``,`` can sit in different pieces, and an escape in one piece can shield a sign in the next.
    if _BRACES.search(_ESCAPED.sub("", raw)):
        return Word(raw, plain=False, dynamic=True)
    plain = all(part.plain for part in parts) and not _TILDE.search(_ESCAPED.sub("", raw))
    return Word(text, plain, glob=any(part.glob for part in parts), quoted=any(part.quoted for part in parts))
