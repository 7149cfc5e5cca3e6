"""From a change that was asked for to the tasks it touches, or to the question that must be asked first.

A change that would stop or lose work is proposed only when it was plainly meant; otherwise the person is asked. Nothing
is ever proposed for a task that cannot make the move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.domain.model import Session, Task
from core.domain.reading import Reply
from core.domain.tables import LIVE, UNFINISHED, TaskStatus
from core.domain.views import open_proposals
from jobs.manager.rules.change import Change
from jobs.manager.rules.change_table import DESTRUCTIVE
from jobs.manager.rules.lexicon import PRONOUN
from jobs.manager.rules.plan import cut
from jobs.manager.rules.refer import PLAIN, Ambiguous, Found, Referee, Unknown, shorts_of
from jobs.manager.rules.talk import unsettled
from jobs.manager.rules.tokens import nouns

SURE = 0.7
NAME_CHARS = 80
_FIRM_WORDS = 2  # "cancel the old cache layer" may be about a task; a longer phrase is work on the code

_MOVES: Mapping[str, frozenset[TaskStatus]] = {
    "cancel": UNFINISHED | {TaskStatus.COMPLETED},
    "pause": UNFINISHED - {TaskStatus.PAUSED},
    "resume": frozenset({TaskStatus.PAUSED}),
    "first": frozenset({TaskStatus.QUEUED, TaskStatus.PAUSED}),
    "keep": UNFINISHED | {TaskStatus.COMPLETED},
}


@dataclass(slots=True)
class Settled:
    """What changes, as task ids; ``reply`` when something must be asked or said instead."""

    cancel: dict[str, None] = field(default_factory=dict)
    pause: dict[str, None] = field(default_factory=dict)
    resume: dict[str, None] = field(default_factory=dict)
    release: dict[tuple[str, str], None] = field(default_factory=dict)
    confidence: float = 1.0
    reply: Reply | None = None
    idle: Reply | None = None
    """What to say when it turns out that nothing changes."""

    @property
    def any(self) -> bool:
        return bool(self.cancel or self.pause or self.resume or self.release)

    def ask(self, reply: Reply) -> None:
        self.reply = self.reply or reply

    def conflict(self) -> set[str]:
        """Tasks of which two things that exclude each other are asked."""
        first = set(self.resume) | {task for task, _ in self.release}
        return (set(self.cancel) & set(self.pause)) | (first & (set(self.cancel) | set(self.pause)))


class Settler:
    """Settles the changes of one message, one after the other."""

    def __init__(self, state: Session, checks: Mapping[str, str], text: str) -> None:
        self._state = state
        self._text = cut(text, NAME_CHARS * 2)
        open_tasks = unsettled(state)
        self._referees = {
            kind: Referee(state, [t for t in open_tasks if t.status in states], checks)
            for kind, states in _MOVES.items()
        }
        self._all = Referee(state, open_tasks, checks)
        self.settled = Settled()
        self.last: tuple[Task, ...] = ()

    def take(self, change: Change) -> bool:
        """Settle one change. False when it names no task, so that the words may mean something else."""
        meaning = self._referees[change.kind].meaning(change.phrase, self.last)
        if isinstance(meaning, Ambiguous):
            if change.kind != "keep":
                self.settled.ask(which_task(change.phrase, meaning.tasks))
            return True
        if isinstance(meaning, Found) and (change.kind != "keep" or meaning.certainty >= PLAIN):
            self.last = meaning.tasks
            self._apply(change, meaning)
            return True
        return isinstance(meaning, Unknown) and self._unmet(change, meaning)

    def unknown(self, phrase: str) -> bool:
        """Answer plain words about a plan that name nothing here. False when they are more likely about the code."""
        if PRONOUN.match(phrase) or not nouns(phrase) or len(nouns(phrase)) > _FIRM_WORDS:
            return bool(PRONOUN.match(phrase))
        for plan in open_proposals(self._state):
            titles = [nouns(op.spec.title) for op in plan.ops if op.spec is not None]
            if any(nouns(phrase) <= title for title in titles):
                self.settled.ask(Reply(code="edit_plan", params={"plan": plan.short, "name": cut(phrase, NAME_CHARS)}))
                return True
        self.settled.ask(Reply(code="unknown_task", params={"name": cut(phrase, NAME_CHARS)}))
        return True

    def _unmet(self, change: Change, meaning: Unknown) -> bool:
        """Nothing that could make the move fits: say so when a task is meant all the same."""
        if change.kind == "keep":
            return False
        other = self._all.meaning(change.phrase, self.last)
        if isinstance(other, Found) and other.certainty >= 0.9:
            self._idle(change, other.tasks[0])
            return True
        if meaning.short:
            known = self._state.tasks.get(self._state.shorts.get(meaning.short, ""))
            if known is not None:
                self._idle(change, known)
            else:
                self.settled.ask(Reply(code="unknown_task", params={"name": meaning.short}))
            return True
        return self._guessed(change)

    def _guessed(self, change: Change) -> bool:
        """ "drop it" with nothing named before: the one task at work may be meant, and it is asked."""
        if change.kind not in DESTRUCTIVE or not PRONOUN.match(change.phrase):
            return False
        there = unsettled(self._state)
        working = [task for task in there if task.status in LIVE] or (there if len(there) == 1 else [])
        if len(working) == 1:
            self.settled.ask(self._unsure(change, working))
        elif working:
            self.settled.ask(which_task(change.phrase, working))
        return bool(working)

    def _idle(self, change: Change, task: Task) -> None:
        params = {"change": change.kind, "task": task.short, "status": task.status.value}
        self.settled.idle = self.settled.idle or Reply(code="nothing_to_change", params=params)

    def _unsure(self, change: Change, tasks: Sequence[Task]) -> Reply:
        return Reply(
            code="unsure_change", params={"change": change.kind, "tasks": shorts_of(tasks), "text": self._text}
        )

    def _apply(self, change: Change, found: Found) -> None:
        if change.kind == "keep":
            return
        # A short name leaves no doubt about what "remove" or "stop" is about.
        base = max(change.base, 0.9) if found.certainty == 1.0 and change.base >= 0.6 else change.base
        surely = base * found.certainty
        self.settled.confidence = min(self.settled.confidence, surely)
        if change.kind in DESTRUCTIVE and surely < SURE:
            self.settled.ask(self._unsure(change, found.tasks))
            return
        for task in found.tasks:
            self._move(change, task)

    def _move(self, change: Change, task: Task) -> None:
        if change.kind == "cancel":
            self.settled.cancel[task.id] = None
        elif change.kind == "pause":
            self.settled.pause[task.id] = None
        elif change.kind == "resume" or task.status is TaskStatus.PAUSED:
            self.settled.resume[task.id] = None
        else:
            waits = [d for d in dict.fromkeys(task.dependencies) if not self._done(d)]
            self.settled.release.update(dict.fromkeys((task.id, d) for d in waits))
            if not waits:
                self._idle(change, task)

    def _done(self, task_id: str) -> bool:
        task = self._state.tasks.get(task_id)
        return task is not None and task.settled_success


def which_task(phrase: str, tasks: Sequence[Task]) -> Reply:
    return Reply(code="which_task", params={"name": cut(phrase, NAME_CHARS), "tasks": shorts_of(tasks[:10])})
