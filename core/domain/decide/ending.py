"""Rules about ending work, shared by plan changes and single commands: cancel, pause, fail, and what that drags along."""

from __future__ import annotations

from core.domain import facts as f
from core.domain.decide.scribe import Scribe
from core.domain.model import Session, Task
from core.domain.tables import LIVE, AttemptPhase, TaskStatus, demand
from core.domain.views import downstream, open_interactions, terminal
from core.errors import Refused

FAILED_BY = {"cancel": "dependency_cancelled", "fail": "dependency_failed"}


def running(state: Session, task: Task) -> bool:
    """A worker has it or may have it: it can be asked to stop but not simply taken back."""
    return task.status in LIVE and state.attempts[task.attempt_id].phase is not AttemptPhase.PREPARED


def take_back(scribe: Scribe, task: Task) -> None:
    """Recall an attempt no worker has claimed; whoever claims it later is refused."""
    if task.status in LIVE:
        scribe.emit(
            f.AttemptUpdated(
                attempt_id=task.attempt_id, phase="finalized", outcome="not_accepted", stop_reason="recalled"
            )
        )


def close_interactions(scribe: Scribe, task: Task, cause: str) -> None:
    """Every open wait of the task ends, explicitly, with its cause."""
    for interaction in open_interactions(scribe.state, task.id):
        if interaction.kind == "approval":
            scribe.emit(f.InteractionCancelled.model_validate({"interaction_id": interaction.id, "cause": cause}))
        else:
            decision = "cancel" if cause == "task" else "late_report"
            scribe.emit(f.ReconcileResolved(interaction_id=interaction.id, decision=decision, by="system"))


def cancel(scribe: Scribe, task: Task, by: str, reason: str, spare: frozenset[str] = frozenset()) -> bool:
    """Cancel a task. False when it must first stop running; ``spare`` are tasks propagation leaves alone."""
    demand("task", task.status.value, "cancel", name=task.short)
    if task.settled_success:
        raise Refused("already_accepted", name=task.short)
    if running(scribe.state, task):
        scribe.emit(f.TaskWished(task_id=task.id, wish="cancel", by=by), "user", by)
        return False
    take_back(scribe, task)
    end_cancelled(scribe, task, by, reason, spare)
    return True


def end_cancelled(scribe: Scribe, task: Task, by: str, reason: str, spare: frozenset[str] = frozenset()) -> None:
    """The task is cancelled now, and what waited for it cannot start any more."""
    close_interactions(scribe, task, "task")
    scribe.emit(f.TaskCancelled(task_id=task.id, reason=reason, by=by))
    propagate(scribe, task, "cancel", spare)


def propagate(scribe: Scribe, root: Task, how: str, spare: frozenset[str] = frozenset()) -> None:
    """Whatever waits for ``root`` fails at once, with the root named, so that reviving the root can revive it."""
    for task in doomed(scribe.state, root.id, spare | scribe.ended):
        scribe.emit(f.TaskFailed(task_id=task.id, failure=FAILED_BY[how], detail=root.short, cause=root.id))


def doomed(state: Session, root_id: str, spare: frozenset[str] = frozenset()) -> list[Task]:
    """The tasks that propagation from ``root_id`` would fail."""
    return [t for t in downstream(state, root_id) if not terminal(t) and t.id not in spare]


def pause(scribe: Scribe, task: Task, by: str) -> bool:
    """Pause a task. False when it must first stop running."""
    demand("task", task.status.value, "pause", name=task.short)
    if running(scribe.state, task):
        scribe.emit(f.TaskWished(task_id=task.id, wish="pause", by=by), "user", by)
        return False
    take_back(scribe, task)
    back = "blocked" if task.status is TaskStatus.BLOCKED else "queued"
    scribe.emit(f.TaskPaused.model_validate({"task_id": task.id, "resume_to": back, "by": by}))
    return True


def resume(scribe: Scribe, task: Task, by: str) -> None:
    """A paused or stopped task waits for a worker again; an attempt nobody knows the end of must be decided first."""
    uncertain = [x.short for x in open_interactions(scribe.state, task.id, "reconcile")]
    if uncertain:
        raise Refused("decide_first", name=task.short, short=uncertain[0])
    if task.status is TaskStatus.PAUSED:
        scribe.emit(f.TaskRequeued(task_id=task.id, trigger="resume", reason="resumed", by=by), "user", by)
        return
    demand("task", task.status.value, "requeue", name=task.short)
    if running(scribe.state, task):
        raise Refused("still_running", name=task.short)
    scribe.emit(f.TaskRequeued(task_id=task.id, trigger="requeue", reason="resumed", by=by), "user", by)
