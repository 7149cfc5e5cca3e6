"""New tasks from what was said: who does each, what waits for what, and when it is done.

A command is a task of its own. Prose is one task per thing wished for; a sentence that only explains ("login returns
500"), or that speaks of "it", belongs to the task beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.domain import limits
from core.domain.reading import TaskSpec
from jobs.manager.rules import lexicon as words
from jobs.manager.rules.change import without_first
from jobs.manager.rules.split import Beside, Joint, Said, without_filler

SHELL = "shell"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do. ``text`` is a command line, or prose for an agent; ``criteria`` as tasks carry them."""

    text: str
    title: str
    joint: Joint = "start"
    beside: Beside = ""
    command: bool = False
    wish: bool = True
    """False for a sentence that only explains."""
    criteria: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    first: bool = False
    """Said to come before what is already planned."""


class TooMuch(Exception):
    """A limit is in the way; ``code`` and ``params`` as in a reply."""

    def __init__(self, code: str, **params: str) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


def cut(text: str, size: int) -> str:
    """``text`` on one line in at most ``size`` characters, cut after a word with "…"."""
    flat = " ".join(text.split())
    if len(flat) <= size:
        return flat
    head = flat[: size - 1]
    at = head.rfind(" ")
    return (head[:at] if at > size // 2 else head).rstrip(" ,;:-") + "…"


def title_of(text: str) -> str:
    """A title from the words themselves."""
    bare = without_first(without_filler(text)).strip(" .,;:!。，；：！-")
    bare = bare or text.strip() or "…"
    return cut(bare[:1].upper() + bare[1:], limits.TITLE_CHARS)


def merged(steps: Sequence[Step]) -> list[Step]:
    """Explanations and sentences about "it" joined to the wish they belong to."""
    made: list[Step] = []
    before: list[Step] = []
    for step in steps:
        if not step.command and not step.wish:
            before.append(step)
        elif before and not step.command:
            made.append(_joined(before, step))
            before = []
        elif _belongs(step, made):
            made[-1] = replace(made[-1], text=_together(made[-1], step), criteria=made[-1].criteria + step.criteria)
        else:
            made.extend(before)
            made.append(step)
            before = []
    if before and made and not made[-1].command:
        made[-1] = replace(made[-1], text="\n".join([made[-1].text, *(s.text for s in before)]))
        return made
    return made + ([_joined(before[:-1], before[-1])] if before else [])


def _belongs(step: Step, made: list[Step]) -> bool:
    """Whether the step is about what the one before makes: "fix it", "add a test"."""
    if not made or made[-1].command or step.command or step.joint in ("item", "then") or step.beside:
        return False
    return bool(words.ANAPHORA.search(step.text)) or (step.joint == "and" and bool(words.ADDS_TEST.search(step.text)))


def _together(one: Step, other: Step) -> str:
    return (
        f"{one.text} and {other.text}" if other.joint == "and" and other.text.isascii() else f"{one.text}\n{other.text}"
    )


def _joined(before: Sequence[Step], step: Step) -> Step:
    """A wish with its explanation; the explanation names the task when the wish only says "fix it"."""
    if not before:
        return step
    title = before[0].title if words.ANAPHORA.search(step.title) or not step.wish else step.title
    text = "\n".join([*(s.text for s in before), step.text])
    first = before[0]
    return replace(step, text=text, title=title, joint=first.joint, beside=first.beside or step.beside, wish=True)


def grouped(steps: Sequence[Step]) -> list[list[Step]]:
    """Groups in order; all of a group waits for all of the group before it."""
    groups: list[list[Step]] = []
    for stage in _stages(steps):
        together = len(stage) > 1 and (stage[0].beside == "lead" or stage[-1].beside == "trail")
        if together and stage[0].joint != "then" and stage[0].beside == "lead" and groups and stage[0].joint != "item":
            groups[-1].extend(stage)
        elif together:
            groups.append(list(stage))
        else:
            for step in stage:
                if step.beside and groups and step.joint != "then":
                    groups[-1].append(step)
                else:
                    groups.append([step])
    return groups


def _stages(steps: Sequence[Step]) -> list[list[Step]]:
    """Runs of steps said in one breath: a "then", a new sentence or a new item begins the next."""
    stages: list[list[Step]] = []
    for step in steps:
        same_breath = stages and step.joint == "and"
        listed_beside = stages and step.joint == "item" and step.beside == "lead" == stages[-1][-1].beside
        if same_breath or listed_beside:
            stages[-1].append(step)
        else:
            stages.append([step])
    return stages


def specs(steps: Sequence[Step], *, agent: str, after: Iterable[str], taken: Iterable[str]) -> tuple[TaskSpec, ...]:
    """Tasks for all steps. ``after`` are existing tasks the first of them wait for; keys avoid ``taken``.

    Raises TooMuch when a limit of a plan would be broken; nothing is ever cut but a title.
    """
    if len(steps) > limits.TASKS_PER_PLAN:
        raise TooMuch("too_many_tasks", count=str(len(steps)), limit=str(limits.TASKS_PER_PLAN))
    names = _keys(len(steps), set(taken))
    made: list[TaskSpec] = []
    before: tuple[str, ...] = tuple(dict.fromkeys(after))
    for group in grouped(steps):
        here = []
        for step in group:
            waits = tuple(dict.fromkeys([*before, *step.after]))
            made.append(_spec(step, names[len(made)], agent, waits))
            here.append(made[-1].key)
        before = tuple(here)
    return tuple(made)


def _keys(count: int, taken: set[str]) -> list[str]:
    prefix = "new"
    while any(f"{prefix}{n}" in taken for n in range(1, count + 1)):
        prefix += "-"
    return [f"{prefix}{n}" for n in range(1, count + 1)]


def _spec(step: Step, key: str, agent: str, after: tuple[str, ...]) -> TaskSpec:
    if len(after) > limits.DEPENDENCIES:
        raise TooMuch("too_many_beside", count=str(len(after)), limit=str(limits.DEPENDENCIES))
    if len(step.text) > limits.CONTENT_CHARS:
        raise TooMuch("too_long", what="content", limit=str(limits.CONTENT_CHARS))
    if sum(map(len, step.criteria)) > limits.CRITERIA_CHARS:
        raise TooMuch("too_long", what="criteria", limit=str(limits.CRITERIA_CHARS))
    return TaskSpec(
        key=key,
        title=step.title,
        content=step.text,
        target=SHELL if step.command else agent,
        after=after,
        criteria=step.criteria,
        acceptance="auto" if _only_looks(step) else None,
    )


def _only_looks(step: Step) -> bool:
    """Reading and measuring changes nothing, so nobody needs to accept it before the next step may start."""
    return not step.command and not step.criteria and bool(words.ONLY_LOOKS.match(step.title))


def with_pasted(steps: Sequence[Step], heard: Said, whole: str) -> list[Step]:
    """What was pasted belongs to the first prose; a message that is one wish is passed on as it was written."""
    prose = [i for i, step in enumerate(steps) if not step.command]
    if len(steps) == 1 and prose:
        return [replace(steps[0], text=whole.strip())]
    if not prose or not heard.fences:
        return list(steps)
    at = prose[0]
    pasted = "".join(f"\n```\n{block}\n```" for block in heard.fences)
    return [replace(step, text=step.text + pasted) if i == at else step for i, step in enumerate(steps)]
