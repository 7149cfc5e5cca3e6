"""Answers to ``status``, ``why T3`` and ``help``: what stands in the way, down to a person, a worker or nothing."""

from __future__ import annotations

from collections.abc import Callable

from bot.cards.common import Page, page_of, state_word, title_of
from bot.cards.progress import INHERITED, block_words, failure_words, task_line
from bot.control import Control
from bot.words import HELP, OBSTACLES, Language, fill, refusal_text, status_label
from core.domain.model import Session, Task
from core.domain.tables import TaskStatus
from core.domain.views import find_task, open_interactions, open_proposals, why
from core.errors import Refused


def why_text(state: Session, control: Control, language: Language) -> str:
    """One line a reason."""
    try:
        task = find_task(state, control.subject)
    except Refused as refused:
        return refusal_text(refused, language)
    page = page_of(state)
    lines = [f"{task.short} {title_of(task)}:"]
    for obstacle in why(state, task):
        detail = block_words(page, task) if obstacle.kind == "blocked" else status_label(obstacle.detail, language)
        params = {"ref": obstacle.ref, "detail": detail, "name": task.short}
        lines.append(fill(OBSTACLES[obstacle.kind], language, params))
    if len(lines) == 1:
        lines.append(_ended(page, task))
    return "\n".join(lines)


def _ended(page: Page, task: Task) -> str:
    if task.status is not TaskStatus.FAILED:
        return fill(OBSTACLES["nothing"], page.language, {"detail": state_word(page, task)})
    if task.failure in INHERITED:
        return failure_words(page, task)
    return fill(OBSTACLES["failed"], page.language, {"detail": failure_words(page, task), "name": task.short})


def status_text(state: Session, control: Control, language: Language) -> str:
    """The objective, every task, and what waits for a person."""
    page = page_of(state)
    lines = [state.objective or page.say("nothing_so_far")]
    lines += [f"{line.mark} {line.text}" for line in (task_line(page, t) for t in list(state.tasks.values())[-20:])]
    waiting = [x.short for x in open_interactions(state)] + [p.short for p in open_proposals(state)]
    if waiting:
        lines.append(page.say("waiting_for_you", names=", ".join(waiting)))
    return "\n".join(lines)


def help_text(state: Session, control: Control, language: Language) -> str:
    return fill(HELP, language, {})


ANSWERS: dict[str, Callable[[Session, Control, Language], str]] = {
    "why": why_text,
    "status": status_text,
    "help": help_text,
}
