"""What becomes of an understood message: a proposal, a reply, or nothing.

One message gives one reading, all or nothing: when a part of it cannot be done or must be asked first, no other part is
proposed, so that nobody applies half of what they said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.domain import limits
from core.domain.model import Session, Task
from core.domain.reading import Proposal, Reading, Reply, TaskSpec
from core.domain.tables import TaskStatus
from jobs.manager.contract import Surroundings
from jobs.manager.rules import lexicon as words
from jobs.manager.rules import talk
from jobs.manager.rules.commands import CommandReader
from jobs.manager.rules.plan import SHELL, Step, TooMuch, cut, merged, specs, title_of, with_pasted
from jobs.manager.rules.refer import Referee, named
from jobs.manager.rules.settle import Settled
from jobs.manager.rules.split import CLOSE, OPEN, Said, without_filler
from jobs.manager.rules.understand import Listener, Understood

TEXT_CHARS = 200
COMMAND_SURE, PROSE_SURE, UNSURE = 0.9, 0.75, 0.6


def pasted_commands(heard: Said, commands: CommandReader) -> list[Step]:
    """The commands of a pasted block, one a line, when all that is said beside it is "run this"."""
    if not heard.fences or not words.RUN_THIS.fullmatch(heard.text):
        return []
    lines = [line.strip().removeprefix("$ ") for block in heard.fences for line in block.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    told = tuple(commands.literal(f"run {OPEN}0{CLOSE}", (line,)) for line in lines)
    return [Step(line, cut(line, limits.TITLE_CHARS), "item", command=True) for line in lines] if all(told) else []


class Turn:
    """One message against one state; ``text`` is the message as written."""

    def __init__(self, text: str, heard: Said, state: Session, around: Surroundings) -> None:
        self._text = text
        self._heard = heard
        self._state = state
        self._around = around
        self._fresh = talk.is_fresh(state)
        self._open = talk.unsettled(state)
        self._said = heard.shown(without_filler(heard.text))

    def document(self) -> Reading:
        """A very long message is one piece of work for an agent."""
        return self._create([Step(self._text.strip(), title_of(self._heard.shown(self._heard.text)))], Settled())

    def run(self, steps: Sequence[Step]) -> Reading:
        return self._create(steps, Settled())

    def reading(self, commands: CommandReader) -> Reading:
        listener = Listener(self._heard, self._state, commands, self._around.commands)
        result, settled = listener.listen(), listener.settler.settled
        if settled.conflict():
            settled.ask(self._conflict(settled))
        if settled.reply:
            return _asks(settled.reply, min(settled.confidence, UNSURE))
        steps = _without_asides(result, settled)
        rework = None if settled.any else self._rework(result, steps)
        if rework:
            return rework
        if not steps and not settled.any:
            return self._nothing(result, settled)
        if result.lacking and not self._around.agents:
            return _asks(Reply(code="no_check", params={"check": result.lacking[0].check}), PROSE_SURE)
        return self._create(steps, settled)

    # -- nothing to do --

    def _nothing(self, result: Understood, settled: Settled) -> Reading:
        if settled.idle:
            return _asks(settled.idle, 0.8)
        if result.questions:
            about = Referee(self._state, self._open, self._around.commands)
            return talk.question(" ".join(result.questions), self._state, about)
        return talk.NOTE

    def _conflict(self, settled: Settled) -> Reply:
        tasks = sorted(self._state.tasks[i].short for i in settled.conflict())
        params = {"change": "conflict", "tasks": ", ".join(tasks), "text": cut(self._said, TEXT_CHARS)}
        return Reply(code="unsure_change", params=params)

    # -- feedback on what waits for a judgement --

    def _rework(self, result: Understood, steps: Sequence[Step]) -> Reading | None:
        if result.commands or result.questions or result.kept or words.ALSO.match(self._heard.text.strip()):
            return None
        task = self._judged(steps)
        if task is None:
            return None
        params = {"task": task.short, "text": self._text.strip()[: limits.REASON_CHARS]}
        reply = Reply(code="offer_rework", params=params)
        return Reading(
            kind="follow_up", confidence=0.8, rationale=f"about {task.short}, which is reported", reply=reply
        )

    def _judged(self, steps: Sequence[Step]) -> Task | None:
        """The reported task a message is about: by name, by words, or because nothing else is left of the work."""
        reported = [task for task in self._open if task.status is TaskStatus.COMPLETED]
        by_name = [task for task in named(self._heard.text, self._state) if task in reported]
        if by_name:
            spoken = talk.plain_words(self._heard.text)
            praise = all(w in words.CHAT or w.upper() == by_name[0].short for w in spoken)
            return None if praise else by_name[0]
        if not steps or not reported:
            return None
        spoken_of = Referee(self._state, self._open, self._around.commands).mentioned(self._heard.text)
        if len(spoken_of) == 1:
            return spoken_of[0] if spoken_of[0] in reported else None
        waited_for = {d for task in reported for d in task.dependencies}
        last = [task for task in reported if task.id not in waited_for]
        return last[0] if len(reported) == len(self._open) and len(last) == 1 and last[0].target != SHELL else None

    # -- a proposal --

    def _create(self, steps: Sequence[Step], settled: Settled) -> Reading:
        prose = [step for step in steps if not step.command]
        if prose and not self._around.agents:
            text = "; ".join(step.text for step in prose)
            return self._refused(Reply(code="no_agent", params={"text": cut(text, TEXT_CHARS)}))
        agent = self._around.agents[0] if self._around.agents else SHELL
        joined = with_pasted(merged(steps), self._heard, self._text)
        joined = [self._placed(step, settled) for step in joined]
        try:
            created = specs(joined, agent=agent, after=self._behind(joined, settled), taken=self._state.tasks)
        except TooMuch as limit:
            return self._refused(Reply(code=limit.code, params=limit.params))
        proposal = Proposal(
            reason=cut(self._said or self._text, limits.REASON_CHARS),
            objective=cut(self._said, limits.OBJECTIVE_CHARS) if self._fresh and self._said else None,
            cancel=tuple(settled.cancel),
            pause=tuple(settled.pause),
            resume=tuple(settled.resume),
            release=(*settled.release, *freed(self._state, settled)),
            create=created,
            follow=self._following(joined, created, settled),
        )
        surely = min(settled.confidence, PROSE_SURE if prose else COMMAND_SURE) if created else settled.confidence
        return Reading(
            kind="objective_change" if self._fresh or settled.any else "new_task",
            size="small" if len(created) < 2 else "medium" if len(created) < 5 else "large",
            changes_objective=self._fresh,
            confidence=surely,
            rationale=_counted(settled, len(created)),
            proposal=proposal,
        )

    def _following(
        self, steps: Sequence[Step], created: Sequence[TaskSpec], settled: Settled
    ) -> tuple[tuple[str, str], ...]:
        """What was to be done "first" goes before the tasks that have not started."""
        new = [spec for spec in created if any(step.first and step.text == spec.content for step in steps)]
        behind = {name for spec in created for name in spec.after}
        waiting = [
            t for t in self._kept(settled) if t.status is TaskStatus.QUEUED and t.id not in behind | set(settled.resume)
        ]
        return tuple((task.id, spec.key) for task in waiting for spec in new)

    def _refused(self, reply: Reply) -> Reading:
        kind = "objective_change" if self._fresh else "new_task"
        return Reading(kind=kind, changes_objective=self._fresh, confidence=PROSE_SURE, reply=reply)

    def _kept(self, settled: Settled) -> list[Task]:
        """Open tasks that new work may wait for."""
        gone = set(settled.cancel) | set(settled.pause)
        return [t for t in self._open if t.id not in gone and t.status is not TaskStatus.PAUSED]

    def _placed(self, step: Step, settled: Settled) -> Step:
        """Prose about the same thing as one task under way waits for it, or two agents would change the same place."""
        kept = [task for task in self._kept(settled) if task.status is not TaskStatus.COMPLETED]
        if step.command or step.after or not kept:
            return step
        about = Referee(self._state, kept, self._around.commands).mentioned(step.text)
        return _after(step, about) if len(about) == 1 else step

    def _behind(self, steps: Sequence[Step], settled: Settled) -> Iterable[str]:
        """A message that begins with "then" goes behind all that is planned."""
        if not steps or steps[0].joint != "then":
            return ()
        kept = self._kept(settled)
        waited_for = {d for task in kept for d in task.dependencies}
        return [task.id for task in kept if task.id not in waited_for]


def freed(state: Session, settled: Settled) -> list[tuple[str, str]]:
    """Nobody wants to lose a task because something before it is not needed any more: it just stops waiting for that."""
    ended = set(settled.cancel)
    return [
        (other, task_id)
        for task_id in settled.cancel
        for other in state.dependents.get(task_id, ())
        if other not in ended
        and state.tasks[other].status is TaskStatus.QUEUED
        and (other, task_id) not in settled.release
    ]


def _after(step: Step, tasks: Sequence[Task]) -> Step:
    return replace(step, after=tuple(task.id for task in tasks))


def _without_asides(result: Understood, settled: Settled) -> list[Step]:
    """Sentences that only explain are no work beside a change or a command that was asked for."""
    if any(step.wish and not step.command for step in result.steps) or not (settled.any or result.commands):
        return result.steps
    return [step for step in result.steps if step.command]


def _asks(reply: Reply, confidence: float) -> Reading:
    return Reading(
        kind="objective_change", confidence=confidence, rationale="asked before anything changes", reply=reply
    )


def _counted(settled: Settled, created: int) -> str:
    counts = {
        "cancel": len(settled.cancel),
        "pause": len(settled.pause),
        "resume": len(settled.resume),
        "release": len(settled.release),
        "create": created,
    }
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)
