"""Parts that several cards share: names of tasks, states in words, evidence, durations."""

from __future__ import annotations

from dataclasses import dataclass

import humanize

from bot.cards.model import Line
from bot.words import Language, say, status_label
from core.domain.model import Check, Report, Session, Task
from core.domain.tables import LIVE

NOTIFY_CHARS = 140  # what a lock screen shows
WISHES = {"cancel": "cancelling", "pause": "pausing", "stop": "stopping"}


@dataclass(frozen=True, slots=True)
class Page:
    """A session as one surface shows it: the state and the language its cards are in."""

    state: Session
    language: Language

    def say(self, code: str, /, **params: object) -> str:
        return say(code, self.language, **params)

    def task(self, task_id: str) -> Task:
        return self.state.tasks[task_id]

    def names(self, task_ids: list[str]) -> str:
        return ", ".join(self.state.tasks[i].short for i in task_ids)


def page_of(state: Session) -> Page:
    return Page(state, "zh" if state.language == "zh" else "en")


def state_word(page: Page, task: Task) -> str:
    """The task's state as people say it; a wish that has not come true yet is a state of its own to them."""
    if task.status in LIVE and task.wish:
        return status_label(WISHES[task.wish], page.language)
    return status_label("done" if task.settled_success else task.status.value, page.language)


def shown_title(title: str, content: str, target: str) -> str:
    """A command stands as code, also where its title is only its beginning; words stand as they are."""
    return f"`{title}`" if target == "shell" and content.startswith(title.removesuffix("…")) else title


def title_of(task: Task) -> str:
    return shown_title(task.title, task.content, task.target)


def change_words(page: Page, files: int, added: int, removed: int) -> str:
    if not files:
        return page.say("no_files")
    return page.say("one_file" if files == 1 else "files", files=files, added=added, removed=removed)


def result_words(page: Page, check: Check) -> str:
    """`pytest -q` exit 0."""
    if not check.command:
        return check.criterion
    if check.exit_code is None:
        return f"`{check.command}` {page.say('not_run')}"
    return f"`{check.command}` {page.say('exit', code=check.exit_code)}"


def results(page: Page, task: Task, *, bare: bool = False) -> list[str]:
    """What the report shows for itself: a command's own words, or how each check that ran ended, failures first.

    ``bare`` leaves out the command where the line already names it.
    """
    report = task.report
    if report is None:
        return []
    if task.target == "shell" and report.evidence:
        words = clip(report.summary, 200)
        return [words.removeprefix(f"`{task.content}` ") if bare else words]
    ran = [check for check in report.evidence if check.exit_code is not None]  # a claim is no result
    return [result_words(page, check) for check in sorted(ran, key=lambda check: check.proven)]


def evidence_lines(page: Page, report: Report) -> list[Line]:
    """Each criterion as proven or only claimed."""
    lines = []
    for check in report.evidence:
        mark = page.say("proven") if check.proven else page.say("claimed" if check.exit_code is None else "failed_mark")
        at = f" @ {check.commit[:8]}" if check.commit and check.proven else ""
        lines.append(Line(result_words(page, check) + at, mark=mark))
    return lines


def duration(page: Page, ms: int) -> str:
    """38 min, as people say it."""
    seconds = max(1, round(ms / 1000))
    if seconds < 90:
        return f"{seconds} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return (
        humanize.precisedelta(seconds, minimum_unit="minutes", format="%0.0f")
        if page.language == "en"
        else (f"{seconds / 3600:.1f} 小时")
    )


def clip(text: str, limit: int) -> str:
    """One line of at most ``limit`` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
