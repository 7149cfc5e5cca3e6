"""When work is done, as a person says it: "done when `cmd`", "until the tests pass", "- [ ] text :: cmd".

A criterion is one line of words, with ``:: command`` behind it when its proof is a command.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from jobs.manager.rules.lexicon import DONE_WHEN, rx
from jobs.manager.rules.split import MARK, Said

_PASSES = rx(
    r"\s*(?:(?:all|still|both|now)\s+)*(?:pass(?:es)?|succeeds?|(?:is|are|gets?|goes) green|works?|exits?"
    r" (?:with )?0|is happy)\b.*$"
    r"|\s*(?:都|全部)?(?:通过|成功|变绿|没问题).*$"
)


def split_criteria(text: str, heard: Said, check: Callable[[str], str]) -> tuple[str, tuple[str, ...]]:
    """(the clause without its condition, the criteria in it). ``check`` turns a phrase into a command, or ""."""
    match = DONE_WHEN.search(text)
    if not match:
        return text, ()
    waits_for_words = match["y"] is not None
    condition = next(v for v in match.groupdict().values() if v is not None)
    found = _proofs(condition, heard, check)
    if not found:
        # "until users complain" is part of the work; "done when it is fast" is a mark for a person to set.
        if waits_for_words:
            return text, ()
        found = (proof(heard.shown(condition), ""),)
    return text[: match.start()].strip(" ,，.。"), found


def ticked(text: str) -> str:
    """The criterion of a line such as ``tests pass :: pytest -q``, with one pair of colons."""
    words, _, command = text.partition("::")
    return proof(words.strip(), command.strip().strip("`"))


def proof(words: str, command: str) -> str:
    """One criterion; the words never hold the two colons that part them from the command."""
    shown = " ".join(words.split()).strip(" .。").replace("::", ":").strip() or "the check passes"
    return f"{shown} :: {' '.join(command.split())}" if command else shown


def _proofs(condition: str, heard: Said, check: Callable[[str], str]) -> tuple[str, ...]:
    marks = [heard.literals[int(n)] for n in MARK.findall(condition)]
    if marks:
        return tuple(proof("" if "::" in line else f"`{line}`", line) for line in dict.fromkeys(marks))
    bare = _PASSES.sub("", condition).strip()
    parts = [part for part in re.split(r",|\band\b|和|，|、", bare) if part.strip()]
    lines = [check(part.strip()) for part in parts]
    return tuple(proof(f"`{line}`", line) for line in dict.fromkeys(lines)) if lines and all(lines) else ()
