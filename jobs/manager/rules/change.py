"""Which change of the plan a clause asks for, and about what; whether such a task exists is not asked here.

``base`` is how surely the words alone mean it: "cancel" is plain, "remove the cache" may be work on the code.
``firm`` words are about plans only, so that an unknown name is answered rather than taken as new work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from jobs.manager.rules import lexicon as words
from jobs.manager.rules.change_table import CONDITION, DESTRUCTIVE, INSTEAD, LEAD, TABLE, ChangeKind
from jobs.manager.rules.split import without_filler

LONGEST = 300  # characters; a longer clause describes work, and matching it would take too long


@dataclass(frozen=True, slots=True)
class Change:
    """``kind`` about whatever ``phrase`` names."""

    kind: ChangeKind
    phrase: str
    base: float
    firm: bool


def leads(piece: str) -> bool:
    """Whether ``piece`` begins like a change of the plan."""
    return bool(LEAD.match(without_filler(piece)))


def changes_in(clause: str) -> Iterator[Change]:
    """Every way to read ``clause`` as a change, the likeliest first; none for most clauses."""
    bare = without_filler(CONDITION.sub("", without_filler(clause)))
    bare = words.THANKS.sub("", bare).strip(" .!,，。！、")
    hedge = (0.6 if words.HEDGED.search(clause) else 1.0) * (0.5 if words.CONDITIONAL.search(clause) else 1.0)
    if len(bare) > LONGEST:
        return
    for pattern, kind, base, firm in TABLE:
        match = pattern.fullmatch(bare)
        if match:
            phrase = next((v for v in match.groupdict().values() if v), "")
            yield Change(kind, phrase.strip(" ,，"), base * (hedge if kind in DESTRUCTIVE else 1.0), firm)


def replaced(clause: str) -> tuple[str, str] | None:
    """(what is wanted, what it takes the place of) when the clause says "the docs instead of the cache"."""
    match = INSTEAD.fullmatch(without_filler(clause).strip(" .!,"))
    return (match["new"] or match["new2"], match["old"] or match["old2"]) if match else None


def is_sequence_word(clause: str) -> bool:
    """Whether "first" in this clause is only the opposite of a "then" that follows."""
    bare = without_filler(clause)
    return bool(words.LEADING_FIRST.match(bare) or words.TRAILING_FIRST.search(bare))


def without_first(clause: str) -> str:
    """The clause without its "first"."""
    bare = words.LEADING_FIRST.sub("", without_filler(clause), count=1)
    return re.sub(r"^(?:优先)", "", words.TRAILING_FIRST.sub("", bare)).strip()
