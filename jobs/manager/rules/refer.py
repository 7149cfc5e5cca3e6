"""Which existing tasks a phrase means: by short name, by the words of their titles, by the check they run, or "it".

A short name counts only when the task exists. Words that fit two tasks equally are ambiguous, and words that fit one only
in part make the answer less certain; the caller decides what certainty is enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.domain.model import Session, Task
from jobs.manager.rules.commands import CHECKS
from jobs.manager.rules.lexicon import EVERYTHING, PRONOUN
from jobs.manager.rules.tokens import nouns, stem, tokens

PLAIN = 0.95
PARTIAL = 0.65
_SHORT = re.compile(r"(?<![A-Za-z0-9_-])[Tt](\d{1,6})(?![A-Za-z0-9_])")
_SAYS_TASK = re.compile(r"\btasks?\b|任务", re.IGNORECASE)
_LIST = re.compile(r"\s*(?:,\s*(?:and|or|nor)\s+|,|\band\b|\bor\b|\bnor\b|&|、|，|和|跟|与|以及|及)\s*", re.IGNORECASE)
_QUANTITY = re.compile(r"^(?:both|all|either|neither)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """The tasks meant; ``certainty`` 1.0 for names, less for words."""

    tasks: tuple[Task, ...]
    certainty: float


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several tasks fit equally well."""

    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing fits; ``short`` is a short name that was used and means nothing that can be meant here."""

    short: str = ""


Meaning = Found | Ambiguous | Unknown


def short_names(text: str) -> list[str]:
    """``T3`` and ``t3`` as written in free text, upper-cased, each once."""
    return list(dict.fromkeys(f"T{int(number)}" for number in _SHORT.findall(text)))


def named(text: str, state: Session) -> list[Task]:
    """Tasks whose short names stand in the text."""
    ids = (state.shorts.get(short, "") for short in short_names(text))
    return [state.tasks[i] for i in ids if i in state.tasks]


class Referee:
    """Resolves phrases against ``among`` the tasks of a session, given the repository's named checks."""

    def __init__(self, state: Session, among: Sequence[Task], checks: Mapping[str, str]) -> None:
        self._state = state
        self._among = list(among)
        self._checks = checks
        self._marks = {task.id: self._tokens_of(task) for task in among}

    def meaning(self, phrase: str, last: Sequence[Task] = ()) -> Meaning:
        """Everything ``phrase`` names. ``last`` are the tasks "it" and "them" may mean."""
        phrase = _QUANTITY.sub("", phrase.strip(" ,.:"))
        if EVERYTHING.match(phrase):
            return Found(tuple(self._among), 0.8) if self._among else Unknown()
        if PRONOUN.match(phrase):
            return Found(tuple(last), 0.9) if last else Unknown()
        whole = self._one(phrase)
        parts = [part for part in _LIST.split(phrase) if part and part.strip()]
        if len(parts) < 2 or (isinstance(whole, Found) and whole.certainty >= PLAIN and len(short_names(phrase)) < 2):
            return whole
        several = [self._one(part) for part in parts]
        tasks = dict.fromkeys(t.id for one in several if isinstance(one, Found) for t in one.tasks)
        if all(isinstance(one, Found) for one in several):
            surely = min(one.certainty for one in several if isinstance(one, Found))
            return Found(tuple(self._state.tasks[i] for i in tasks), surely)
        return next((one for one in several if isinstance(one, Ambiguous)), whole)

    def mentioned(self, text: str) -> tuple[Task, ...]:
        """The tasks a longer text speaks of: by short name, else those that share most of its words. () when none."""
        shorts = [t for t in named(text, self._state) if t.id in self._marks]
        if shorts:
            return tuple(shorts)
        words = nouns(text)
        scores = {t.id: len(words & self._nouns(t)) for t in self._among}
        best = max(scores.values(), default=0)
        return tuple(t for t in self._among if best and scores[t.id] == best)

    def _one(self, phrase: str) -> Meaning:
        shorts = short_names(phrase)
        if shorts:
            tasks = [t for t in named(phrase, self._state) if t.id in self._marks]
            missing = [s for s in shorts if s not in {t.short for t in tasks}]
            if missing:
                return Unknown(missing[0])
            # "T3" and "T3 the retry" are plain; "start T3" or "T3 fails" says something else about it.
            left = tokens(_SHORT.sub(" ", phrase)) - frozenset().union(*(self._marks[t.id] for t in tasks))
            return Found(tuple(tasks), PARTIAL if left else 1.0)
        return self._by_check(phrase) or self._by_words(phrase)

    def _by_check(self, phrase: str) -> Meaning | None:
        """ "the tests" is the task that runs them, rather than one with "test" in its title."""
        bare = re.sub(r"^(?:running|run)\s+", "", phrase, flags=re.IGNORECASE)
        line = next((self._checks.get(name, "") for name, rx in CHECKS.items() if rx.fullmatch(bare)), "")
        return self._narrowed([t for t in self._among if line and t.content == line], PLAIN)

    def _by_words(self, phrase: str) -> Meaning:
        words = nouns(phrase)
        if not words:
            return Unknown()
        shares = {t.id: len(words & self._marks[t.id]) / len(words) for t in self._among}
        best = max(shares.values(), default=0.0)
        if best < 0.5:
            return Unknown()
        likely = [t for t in self._among if shares[t.id] == best]
        exact = [t for t in likely if self._nouns(t) == words]
        surely = 1.0 if best == 1 and _SAYS_TASK.search(phrase) else PLAIN if best == 1 else PARTIAL
        return self._narrowed(exact if len(exact) == 1 else likely, surely) or Unknown()

    def _narrowed(self, tasks: Sequence[Task], surely: float) -> Meaning | None:
        if not tasks:
            return None
        return Found(tuple(tasks), surely) if len(tasks) == 1 else Ambiguous(tuple(tasks))

    def _nouns(self, task: Task) -> frozenset[str]:
        return nouns(task.title)

    def _tokens_of(self, task: Task) -> frozenset[str]:
        checks = (name for name, line in self._checks.items() if line == task.content)
        return tokens(task.title) | {stem(name) for name in checks}


def shorts_of(tasks: Iterable[Task]) -> str:
    """``T2, T3``."""
    return ", ".join(task.short for task in tasks)
