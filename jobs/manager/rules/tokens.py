"""From a phrase to the few stems that carry its meaning, so that "the caching", "cache" and "缓存" are one thing."""

from __future__ import annotations

import re
from functools import partial

from jobs.manager.rules.lexicon import LIGHT_VERBS, SAME, SAME_ZH, STOP_WORDS, STOP_ZH

_LATIN = re.compile(r"[a-z0-9]+(?:'[a-z]+)?", re.IGNORECASE)
_HAN = re.compile(r"[\u3400-\u9fff]+")
_KNOWN_ZH = re.compile("|".join(sorted(SAME_ZH, key=len, reverse=True)))
_STOP_ZH = re.compile("|".join(sorted(STOP_ZH.split("|"), key=len, reverse=True)))


def stem(word: str) -> str:
    """A crude stem: equal for the forms of one word, and nothing more is promised."""
    word = SAME.get(word, word)
    if word in SAME.values():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    for ending in ("ing", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            if ending != "s" and word[-1] == word[-2] and word[-1] not in "sl":
                word = word[:-1]
            break
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    return SAME.get(word, word)


def tokens(text: str) -> frozenset[str]:
    """All meaningful stems, Chinese ones as known words and otherwise as pairs of signs."""
    found = {stem(w) for w in (m.lower() for m in _LATIN.findall(text)) if w not in STOP_WORDS}
    for run in _HAN.findall(text):
        found.update(_han(run))
    return frozenset(found)


def nouns(text: str) -> frozenset[str]:
    """``tokens`` without verbs that fit any task; all of them when nothing else is left."""
    every = tokens(text)
    return every - {stem(verb) for verb in LIGHT_VERBS} or every


def _han(run: str) -> set[str]:
    found: set[str] = set()

    def known(match: re.Match[str], into: set[str]) -> str:
        into.add(SAME_ZH[match.group()])
        return " "

    rest = _KNOWN_ZH.sub(partial(known, into=found), run)
    for part in _STOP_ZH.sub(" ", rest).split():
        pairs = {part[i : i + 2] for i in range(len(part) - 1)}
        found.update(pairs or {part})
    return found
