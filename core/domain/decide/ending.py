"""Rules about ending work, shared by plan changes and single commands: cancel, pause, fail, and what that drags along."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

from core.domain import facts as f
from core.domain.decide.scribe import Scribe
from core.domain.model import Session, Task
from core.domain.tables import LIVE, AttemptPhase, TaskStatus, demand
from core.domain.views import open_interactions, terminal
from core.errors import Refused

Wish = Literal["cancel", "pause", "stop"]
FAILED_BY = {"cancel": "dependency_cancelled", "fail": "dependency_failed"}
STRENGTH = {"": 0, "stop": 1, "pause": 2, "cancel": 3}


@dataclass(frozen=True, slots=True)
class Spared:
    """What propagation leaves alone: tasks that end on their own account, and (task, dependency) pairs set free."""

    tasks: frozenset[str] = frozenset()
    edges: frozenset[tuple[str, str]] = frozenset()


NOTHING = Spared()


def running(state: Session, task: Task) -> bool:
    """A worker has it or may have it: it can be asked to stop but not simply taken back."""
    return task.status in LIVE and state.attempts[task.attempt_id].phase is not AttemptPhase.PREPARED


def at_large(state: Session, task: Task) -> bool:
    """The end of the latest attempt is not known: a second one beside it could do the work twice."""
    attempt = state.attempts.get(task.attempt_id)
    return attempt is not None and attempt.phase is not AttemptPhase.FINALIZED


def stronger(task: Task, wish: str) -> bool:
    """Whether ``wish`` adds to what was asked already: a pause beats a stop, a cancel beats both."""
    return STRENGTH[wish] > STRENGTH[task.wish]


def ask(scribe: Scribe, task: Task, wish: Wish, by: str) -> None:
    """Ask running work to end. Raises Refused("already_stopping") when that adds nothing."""
    if not stronger(task, wish):
        raise Refused("already_stopping", name=task.short, wish=task.wish)
    scribe.emit(f.TaskWished(task_id=task.id, wish=wish, by=by), "user", by)


def take_back(scribe: Scribe, task: Task) -> None:
    """Recall an attempt no worker has claimed; whoever claims it later is refused."""
    if task.status in LIVE:
        scribe.emit(
            f.AttemptUpdated(
                attempt_id=task.attempt_id, phase="finalized", outcome="not_accepted", stop_reason="recalled"
            )
        )


def close_interactions(scribe: Scribe, task: Task, cause: str) -> None:
    """Every open wait of the task that this decision has not ended yet ends, explicitly, with its cause."""
    for interaction in open_interactions(scribe.state, task.id):
        if interaction.id in scribe.closed:
            continue
        if interaction.kind == "approval":
            scribe.emit(f.InteractionCancelled.model_validate({"interaction_id": interaction.id, "cause": cause}))
        else:
            decision = "cancel" if cause == "task" else "late_report"
            scribe.emit(f.ReconcileResolved(interaction_id=interaction.id, decision=decision, by="system"))


def cancel(scribe: Scribe, task: Task, by: str, reason: str, spared: Spared = NOTHING) -> None:
    """Cancel a task; what runs is asked to stop first."""
    demand("task", task.status.value, "cancel", name=task.short)
    if task.settled_success:
        raise Refused("already_accepted", name=task.short)
    if running(scribe.state, task):
        ask(scribe, task, "cancel", by)
        return
    take_back(scribe, task)
    end_cancelled(scribe, task, by, reason, spared)


def end_cancelled(scribe: Scribe, task: Task, by: str, reason: str, spared: Spared = NOTHING) -> None:
    """The task is cancelled now, and what waited for it cannot start any more."""
    close_interactions(scribe, task, "task")
    scribe.emit(f.TaskCancelled(task_id=task.id, reason=reason, by=by))
    propagate(scribe, task, "cancel", spared)


def propagate(scribe: Scribe, root: Task, how: str, spared: Spared = NOTHING) -> None:
    """Whatever waits for ``root`` fails at once, with the root named, so that reviving the root can revive it."""
    spared = Spared(spared.tasks | scribe.ended, spared.edges)
    for task in doomed(scribe.state, root.id, spared):
        scribe.emit(f.TaskFailed(task_id=task.id, failure=FAILED_BY[how], detail=root.short, cause=root.id))


def doomed(state: Session, root_id: str, spared: Spared = NOTHING) -> list[Task]:
    """The tasks that propagation from ``root_id`` would fail, breadth first, each once.

    A spared task also shields what waits for it alone.
    """
    seen, found, line = {root_id}, [], deque([root_id])
    while line:
        ended = line.popleft()
        for task in (state.tasks[i] for i in state.dependents.get(ended, ())):
            held = task.id in spared.tasks or (task.id, ended) in spared.edges or terminal(task)
            if task.id not in seen and not held:
                seen.add(task.id)
                line.append(task.id)
                found.append(task)
    return found


def pause(scribe: Scribe, task: Task, by: str) -> None:
    """Pause a task; what runs is asked to stop first."""
    demand("task", task.status.value, "pause", name=task.short)
    if running(scribe.state, task):
        ask(scribe, task, "pause", by)
        return
    if task.status is TaskStatus.BLOCKED:
        _demand_idle(scribe, task)
    take_back(scribe, task)
    back = "blocked" if task.status is TaskStatus.BLOCKED else "queued"
    scribe.emit(f.TaskPaused.model_validate({"task_id": task.id, "resume_to": back, "by": by}), "user", by)


def resume(scribe: Scribe, task: Task, by: str) -> None:
    """A stopped task waits for a worker again; a paused one goes back to where it was."""
    if task.status is TaskStatus.PAUSED:
        if task.resume_to == "blocked":
            scribe.emit(f.TaskBlocked(task_id=task.id, reason=task.block_reason), "user", by)
        else:
            scribe.emit(f.TaskRequeued(task_id=task.id, trigger="resume", reason="resumed", by=by), "user", by)
        return
    demand("task", task.status.value, "requeue", name=task.short)
    if running(scribe.state, task):
        raise Refused("still_running", name=task.short)
    _demand_idle(scribe, task)
    scribe.emit(f.TaskRequeued(task_id=task.id, trigger="requeue", reason="resumed", by=by), "user", by)


def _demand_idle(scribe: Scribe, task: Task) -> None:
    """An attempt nobody knows the end of must be decided first; one that was told to stop must have stopped."""
    uncertain = [x.short for x in open_interactions(scribe.state, task.id, "reconcile")]
    if uncertain:
        raise Refused("decide_first", name=task.short, short=uncertain[0])
    if at_large(scribe.state, task):
        raise Refused("still_stopping", name=task.short)
