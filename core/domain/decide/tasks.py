"""Rules about what people do to tasks: stop, pause, resume, cancel, retry, judge the report, merge the branch."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Literal

from core.domain import commands as c
from core.domain import facts as f
from core.domain import limits
from core.domain.decide import ending
from core.domain.decide.applying import demand_no_merge
from core.domain.decide.scribe import Scribe
from core.domain.model import Flow, Session, Task
from core.domain.tables import LIVE, TaskStatus, demand
from core.domain.views import ENDED, awaiting_review, downstream, find_task
from core.errors import Refused

NEVER_RETRIED = frozenset({"goal_conflict", "user_cancelled"})
INHERITED = frozenset({"dependency_failed", "dependency_cancelled"})


def change_task(s: Scribe, cmd: c.ChangeTask) -> None:
    if not cmd.task:
        _stop_all(s, cmd)
        return
    CHANGES[cmd.change](s, find_task(s.state, cmd.task), cmd)


def _stop_all(s: Scribe, cmd: c.ChangeTask) -> None:
    if cmd.change != "stop":
        raise Refused("which_task")
    live = [s.state.tasks[i] for i in sorted(s.state.live_tasks)]
    if not live:
        raise Refused("nothing_running")
    left = [task for task in live if ending.stronger(task, "stop")]
    if not left:
        raise Refused("already_stopping", name=", ".join(task.short for task in live), wish=live[0].wish)
    for task in left:
        _stop(s, task, cmd)


def _stop(s: Scribe, task: Task, cmd: c.ChangeTask) -> None:
    """Stop what runs, resumable."""
    if task.status not in LIVE:
        raise Refused("not_running", name=task.short, status=task.status.value)
    if ending.running(s.state, task):
        ending.ask(s, task, "stop", cmd.by.person)
        return
    ending.take_back(s, task)
    s.say(cmd.by, f.TaskBlocked(task_id=task.id, reason="interrupted"))


def _pause(s: Scribe, task: Task, cmd: c.ChangeTask) -> None:
    ending.pause(s, task, cmd.by.person)


def _resume(s: Scribe, task: Task, cmd: c.ChangeTask) -> None:
    ending.resume(s, task, cmd.by.person)


def _cancel(s: Scribe, task: Task, cmd: c.ChangeTask) -> None:
    ending.cancel(s, task, cmd.by.person, "user_cancelled")


def _retry(s: Scribe, task: Task, cmd: c.ChangeTask) -> None:
    """A failed task is tried again with a reason, and what failed only because of it comes back too."""
    if task.status is TaskStatus.BLOCKED:
        ending.resume(s, task, cmd.by.person)
        return
    demand("task", task.status.value, "retry", name=task.short)
    if task.failure in INHERITED:
        raise Refused("retry_the_cause", name=task.short, cause=task.failure_detail)
    if task.failure in NEVER_RETRIED:
        raise Refused("never_retried", name=task.short, failure=task.failure)
    demand_no_merge(s.state.flows[task.flow_id])
    reason = cmd.reason.strip()[: limits.REASON_CHARS] or "tried again"
    s.say(cmd.by, f.TaskRequeued(task_id=task.id, trigger="retry", reason=reason, by=cmd.by.person))
    for other in revived(s.state, task):
        s.emit(f.TaskRequeued(task_id=other.id, trigger="revive", reason="dependency_recovered", by=cmd.by.person))


def revived(state: Session, root: Task) -> list[Task]:
    """The tasks that come back with ``root``: failed by propagation, and with no other dead task before them."""
    line = [t for t in downstream(state, root.id) if t.status is TaskStatus.FAILED and t.failure in INHERITED]
    back, found = {root.id}, []
    while ready := [t for t in line if t.id not in back and _only_waits_for(state, t, back)]:
        back.update(task.id for task in ready)
        found += ready
    return found


def _only_waits_for(state: Session, task: Task, back: set[str]) -> bool:
    return all(d in back or state.tasks[d].status not in ENDED for d in task.dependencies)


CHANGES: dict[Literal["stop", "pause", "resume", "cancel", "retry"], Callable[[Scribe, Task, c.ChangeTask], None]] = {
    "stop": _stop,
    "pause": _pause,
    "resume": _resume,
    "cancel": _cancel,
    "retry": _retry,
}


# -- the verdict -----------------------------------------------------------------------------------------------------


def settle(s: Scribe, cmd: c.Settle) -> None:
    tasks = _judged(s.state, cmd.subject)
    if cmd.revision and cmd.revision != review_revision(tasks):
        raise Refused("card_stale", short=cmd.subject)
    if cmd.accept:
        for task in tasks:
            s.say(cmd.by, f.TaskSettled(task_id=task.id, accepted=True, by=cmd.by.person, basis="person"))
        return
    if len(tasks) > 1:
        raise Refused("which_task", names=", ".join(t.short for t in tasks))
    _rework(s, tasks[0], cmd)


def review_revision(tasks: list[Task]) -> int:
    """Stands for the tasks and the rounds shown on one report card: other work, or another round of it, gives another."""
    return zlib.crc32(" ".join(sorted(f"{task.short}:{task.round}" for task in tasks)).encode())


def _judged(state: Session, subject: str) -> list[Task]:
    flow = state.flows.get(subject)
    tasks = awaiting_review(state, flow) if flow is not None else [find_task(state, subject)]
    if not tasks:
        raise Refused("nothing_to_review")
    for task in tasks:
        demand("task", task.status.value, "settle_success", name=task.short)
        if task.settled_success:
            last = task.verdicts[-1]
            raise Refused("already_decided", short=task.short, by=last.by, decision="accepted")
    return tasks


def _rework(s: Scribe, task: Task, cmd: c.Settle) -> None:
    feedback = cmd.feedback.strip()
    if not feedback:
        raise Refused("feedback_needed", name=task.short)
    if len(feedback) > limits.CONTENT_CHARS:
        raise Refused("content_too_long", limit=limits.CONTENT_CHARS)
    s.say(
        cmd.by,
        f.TaskSettled(task_id=task.id, accepted=False, by=cmd.by.person, basis="person", feedback=feedback),
    )
    s.emit(f.TaskReworked(task_id=task.id, round=task.round + 1))


# -- the branch ------------------------------------------------------------------------------------------------------


def mergeable(state: Session, flow: Flow) -> bool:
    """All work ended, something of it was accepted with a commit, and it is not merged or under way."""
    if flow.open_tasks or (flow.merge is not None and flow.merge.status in ("requested", "merged")):
        return False
    return any(t.settled_success and t.report and t.report.commit for t in map(state.tasks.__getitem__, flow.tasks))


def _flow(state: Session, name: str) -> Flow:
    flow = state.flows.get(name)
    if flow is None:
        raise Refused("unknown_flow", name=name[:40])
    return flow


def decide_merge(s: Scribe, cmd: c.DecideMerge) -> None:
    flow = _flow(s.state, cmd.flow)
    if not mergeable(s.state, flow):
        raise Refused("not_mergeable", status=flow.merge.status if flow.merge else "")
    if cmd.merge:
        s.say(cmd.by, f.MergeRequested(flow_id=flow.id, by=cmd.by.person, tip=s.new_id("mr")))
    else:
        s.say(cmd.by, f.MergePostponed(flow_id=flow.id, by=cmd.by.person))


def record_merge(s: Scribe, cmd: c.RecordMerge) -> None:
    flow = _flow(s.state, cmd.flow_id)
    if flow.merge is None or flow.merge.status != "requested" or flow.merge.tip != cmd.tip:
        raise Refused("not_asked", flow=flow.id)
    if cmd.sha:
        s.emit(f.FlowMerged(flow_id=flow.id, sha=cmd.sha), "worker")
    else:
        s.emit(f.MergeRefused(flow_id=flow.id, code=cmd.code, detail=cmd.detail), "worker")
