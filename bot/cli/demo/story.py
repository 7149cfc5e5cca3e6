"""The demo's script: what alice says and taps, and what must have happened before she goes on."""

from __future__ import annotations

from bot.cli.demo.stage import Stage
from core.domain.model import Session, Task
from core.domain.tables import TaskStatus

OBJECTIVE = (
    "look into the slow checkout, then build the price cache and at the same time write the docs, "
    "then measure the checkout"
)
CHANGE = "fix the retry first, leave the cache for now, and we don't need the docs"


def _task(state: Session, word: str) -> Task | None:
    return next((t for t in state.tasks.values() if word in t.title.lower()), None)


def _is(word: str, *statuses: TaskStatus) -> object:
    def true(state: Session) -> bool:
        task = _task(state, word)
        return task is not None and task.status in statuses

    return true


async def play(stage: Stage) -> None:
    """Raises StageError where the story does not go on."""
    working = TaskStatus.WORKING
    stage.remark("A temporary repository, a recorded agent, an embedded Redis. Everything else is the real thing.")
    await stage.begin()
    await stage.say(OBJECTIVE)
    await stage.tap("Apply", "plan:P1")
    stage.remark("T1 is only looked at, so it needs no one's leave; then two tasks run side by side.")
    await stage.until(lambda s: all(_at(s, w, working) for w in ("cache", "docs")), "two tasks run side by side")
    await stage.until(lambda s: all(_stepped(s, w) for w in ("cache", "docs")), "both have begun", shown=True)

    stage.remark("In the middle of it, alice changes her mind. Nothing stops before she has seen what would.")
    await stage.say(CHANGE)
    await stage.tap("Apply", "plan:P2")

    stage.remark("The agent wants to do something risky and is told no; it goes on another way.")
    await stage.tap("Reject", "approval:A1", "the cache is slow to build, keep it")
    await stage.tap("Rework", "report:", "say in the error how often it was tried")
    await stage.until(lambda s: (t := _task(s, "retry")) is not None and t.round == 2, "round 2")
    await stage.tap("Accept", "report:")

    stage.remark("The cache was kept for later. Now it goes on, and what waits for it gets both hand-offs.")
    await stage.say("go on with the cache")
    await stage.tap("Apply", "plan:P3")
    await stage.tap("Accept", "report:")
    await stage.until(lambda s: _done(s, "measure"), "the last task is done", shown=True)


def _at(state: Session, word: str, status: TaskStatus) -> bool:
    task = _task(state, word)
    return task is not None and task.status is status


def _stepped(state: Session, word: str) -> bool:
    task = _task(state, word)
    return task is not None and bool(task.progress.step)


def _done(state: Session, word: str) -> bool:
    task = _task(state, word)
    return task is not None and task.settled_success
