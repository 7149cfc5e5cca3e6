"""All clauses of one message, each understood as a change, a step to do, a question, or talk.

The order of the readings is the rule: a literal command is a command; what speaks of an existing task is a change; a named
check is a command; the rest is prose, and prose stays prose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.domain import limits
from core.domain.model import Session
from jobs.manager.rules import change as plan_change
from jobs.manager.rules import lexicon as words
from jobs.manager.rules.commands import Command, CommandReader, Lacking, bare_of
from jobs.manager.rules.criteria import split_criteria, ticked
from jobs.manager.rules.plan import Step, cut, title_of
from jobs.manager.rules.refer import PLAIN, Found, Referee
from jobs.manager.rules.settle import Settler
from jobs.manager.rules.split import MARK, Clause, Said, clauses, without_filler
from jobs.manager.rules.talk import is_fresh, plain_words, unsettled
from jobs.manager.rules.tokens import tokens


@dataclass(slots=True)
class Understood:
    """What one message holds. ``idle`` are the explaining sentences that are no work by themselves."""

    questions: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    lacking: list[Lacking] = field(default_factory=list)
    idle: int = 0
    kept: bool = False

    @property
    def commands(self) -> list[str]:
        return [step.text for step in self.steps if step.command]

    @property
    def prose(self) -> list[Step]:
        return [step for step in self.steps if not step.command]


class Listener:
    """Understands one message against one state."""

    def __init__(self, heard: Said, state: Session, commands: CommandReader, checks: Mapping[str, str]) -> None:
        self._heard = heard
        self._state = state
        self._fresh = is_fresh(state)
        self._commands = commands
        self._open = Referee(state, unsettled(state), checks)
        self.settler = Settler(state, checks, heard.shown(without_filler(heard.text)))
        self.result = Understood()
        self._work = False
        self._first = False

    def listen(self) -> Understood:
        said = clauses(self._heard, whole=self._whole, starts=self._starts)
        for clause, following in zip(said, [*said[1:], None], strict=True):
            self._take(clause, following)
        if not self._work:
            # Nobody wished for anything here: sentences that only tell something are talk.
            self.result.steps = [step for step in self.result.steps if step.command]
        return self.result

    # -- where a clause begins and ends --

    def _whole(self, text: str) -> bool:
        return bool(self._commands.literal(bare_of(text), self._heard.literals))

    def _starts(self, piece: str, so_far: str) -> bool:
        bare = without_filler(piece).strip()
        first, _, rest = bare.lower().partition(" ")
        if (
            words.BESIDE.match(bare)
            or plan_change.leads(bare)
            or words.QUESTION.search(bare)
            or words.WANTS.match(bare)
        ):
            return True
        if words.THANKS.fullmatch(bare):
            return True
        if first in words.VERBS and (first not in words.NOUN_LIKE or rest.partition(" ")[0] in words.DETERMINERS):
            return True
        if words.STARTS_ZH.match(bare) or words.TASK_LEAD.match(bare):
            return True
        literal = self._commands.literal(bare_of(words.BESIDE.sub(" ", bare)), self._heard.literals)
        # "write docs and tests" names no command, "run the linter and the tests" does.
        return bool(literal) or (self._read(piece) is not None and self._read(so_far) is not None)

    def _read(self, text: str) -> Command | Lacking | None:
        bare = words.BESIDE.sub(" ", text).strip()
        return self._commands.read(bare, self._heard.literals, ("again",))

    # -- what a clause means --

    def _take(self, clause: Clause, following: Clause | None) -> None:
        if clause.asked:
            self.result.questions.append(self._heard.shown(clause.text))
            self.settler.last = self._open.mentioned(clause.text)
            return
        if clause.criterion:
            self._give_criteria((ticked(self._heard.shown(clause.text)),))
            return
        rest, criteria = split_criteria(clause.text, self._heard, self._check)
        if rest:
            self._clause(clause, rest, followed=following is not None and following.joint == "then")
        elif criteria and not self.result.steps:
            self._add(clause, clause.text, wish=True)
        self._give_criteria(criteria)

    def _check(self, phrase: str) -> str:
        found = self._commands.read(phrase, self._heard.literals)
        return found.line if isinstance(found, Command) else ""

    def _give_criteria(self, criteria: Sequence[str]) -> None:
        if not criteria:
            return
        at = next((i for i in range(len(self.result.steps) - 1, -1, -1) if not self.result.steps[i].command), -1)
        if at < 0 and not self.result.steps:
            self._add(Clause(criteria[0]), criteria[0], wish=True)
        step = self.result.steps[at]
        self.result.steps[at] = replace(step, criteria=step.criteria + tuple(criteria))

    def _clause(self, clause: Clause, text: str, *, followed: bool) -> None:
        literal = self._commands.literal(bare_of(text), self._heard.literals)
        if literal:
            self._command(clause, literal)
            return
        in_sequence = plan_change.is_sequence_word(text)
        self._first = in_sequence and not followed and bool(self._state.tasks)
        if followed and in_sequence:
            text = plan_change.without_first(text)
        elif self._state.tasks and self._changed(text):
            return
        text, after = self._waits(text)
        found = self._commands.read(text, self._heard.literals, self.result.commands)
        if isinstance(found, Command):
            self._command(clause, found.line, after)
        elif not self._is_talk(text):
            if isinstance(found, Lacking):
                self.result.lacking.append(found)
            self._prose(clause, plan_change.without_first(text) if self._state.tasks else text, after, sure=bool(found))

    def _changed(self, text: str) -> bool:
        swapped = plan_change.replaced(text)
        if swapped and self.settler.take(plan_change.Change("cancel", swapped[1], 0.8, firm=False)):
            text = f"{swapped[0]} first"
        firm = ""
        for change in plan_change.changes_in(text):
            if self.settler.take(change):
                self.result.kept |= change.kind == "keep"
                return True
            firm = firm or (change.phrase if change.firm and change.kind != "keep" else "")
        return bool(firm) and self.settler.unknown(firm)

    def _waits(self, text: str) -> tuple[str, tuple[str, ...]]:
        """The clause without its "after T2", and what it waits for."""
        match = words.AFTER.fullmatch(text)
        if not match or not self._state.tasks:
            return text, ()
        named = match["x"] or match["x2"] or match["x3"]
        meaning = self._open.meaning(named)
        if not isinstance(meaning, Found) or meaning.certainty < PLAIN:
            return text, ()
        return match["rest"] or match["rest2"] or match["rest3"], tuple(task.id for task in meaning.tasks)

    def _is_talk(self, text: str) -> bool:
        spoken = plain_words(MARK.sub(" ", text))
        return not MARK.search(text) and all(word in words.CHAT for word in spoken)

    def _command(self, clause: Clause, line: str, after: tuple[str, ...] = ()) -> None:
        step = Step(
            line,
            cut(line, limits.TITLE_CHARS),
            clause.joint,
            clause.beside,
            command=True,
            after=after,
            first=self._first,
        )
        self.result.steps.append(step)

    def _prose(self, clause: Clause, text: str, after: tuple[str, ...], *, sure: bool) -> None:
        wish = sure or clause.joint == "item" or self.wishes(text)
        self._work |= (
            wish
            or bool(words.PROBLEM.search(text) and not words.FORBIDS.match(text))
            or (self._fresh and len(tokens(text)) > 1)
        )
        if not wish:
            self.settler.last = self._open.mentioned(text) or self.settler.last
        self._add(clause, text, after, wish=wish)

    def _add(self, clause: Clause, text: str, after: tuple[str, ...] = (), *, wish: bool) -> None:
        shown = self._heard.shown(text)
        content = f"{self._heard.shown(clause.under)}\n{shown}" if clause.under else shown
        self._work |= wish
        self.result.steps.append(
            Step(content, title_of(shown), clause.joint, clause.beside, wish=wish, after=after, first=self._first)
        )

    def wishes(self, text: str) -> bool:
        """Whether a clause asks for something to be done, rather than tell how things are."""
        bare = without_filler(text)
        first, _, rest = bare.lower().partition(" ")
        return (first in words.VERBS and bool(rest)) or bool(words.STARTS_ZH.match(bare) or words.WANTS.search(bare))
