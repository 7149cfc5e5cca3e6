"""Facts about tasks: where the work stands, what it brought, how it was judged."""

from __future__ import annotations

from core.domain import facts as f
from core.domain import model as m
from core.domain.event import Event
from core.domain.folds.table import count, move, on
from core.domain.tables import TaskStatus


@on(f.TaskCreated)
def _task_created(s: m.Session, e: Event, p: f.TaskCreated) -> None:
    spec = p.spec
    task = m.Task(
        id=p.task_id,
        short=p.short,
        title=spec.title,
        content=spec.content,
        target=spec.target,
        plan_id=p.plan_id,
        flow_id=p.flow_id,
        initiator=p.initiator,
        created_at=e.ts,
        dependencies=list(p.dependencies),
        criteria=list(spec.criteria),
        priority=spec.priority,
        risk=spec.risk,
        acceptance=spec.acceptance,
        handoff_expected=spec.handoff_expected,
    )
    s.tasks[task.id] = task
    s.flows[p.flow_id].tasks.append(task.id)
    for other in task.dependencies:
        s.dependents.setdefault(other, []).append(task.id)
    count(s, p.short, task.id)
    move(s, e, task, TaskStatus.QUEUED)


@on(f.TaskEdited)
def _task_edited(s: m.Session, e: Event, p: f.TaskEdited) -> None:
    task = s.tasks[p.task_id]
    for other in task.dependencies:
        s.dependents[other].remove(task.id)
    for other in p.dependencies:
        s.dependents.setdefault(other, []).append(task.id)
    task.dependencies = list(p.dependencies)


@on(f.TaskAssigned)
def _task_assigned(s: m.Session, e: Event, p: f.TaskAssigned) -> None:
    task = s.tasks[p.task_id]
    s.attempts[p.attempt_id] = m.Attempt(
        p.attempt_id, p.task_id, p.number, p.worker, p.prompt, prepared_at=e.ts, supersedes=p.supersedes
    )
    task.attempt_id, task.attempt_number, task.worker = p.attempt_id, p.number, p.worker
    task.attempts.append(p.attempt_id)
    move(s, e, task, TaskStatus.SUBMITTED)


@on(f.TaskRequeued)
def _task_requeued(s: m.Session, e: Event, p: f.TaskRequeued) -> None:
    task = s.tasks[p.task_id]
    task.block_reason, task.failure, task.failure_detail = "", "", ""
    task.changed_by, task.report = p.by, None
    if p.trigger == "retry":
        task.retry_count += 1
    move(s, e, task, TaskStatus.QUEUED)


@on(f.TaskStarted)
def _task_started(s: m.Session, e: Event, p: f.TaskStarted) -> None:
    task = s.tasks[p.task_id]
    task.started_at = task.started_at or e.ts
    task.progress = m.Progress()
    move(s, e, task, TaskStatus.WORKING)


@on(f.TaskProgressed)
def _task_progressed(s: m.Session, e: Event, p: f.TaskProgressed) -> None:
    task = s.tasks[p.task_id]
    task.progress = m.Progress(p.summary, p.percent, p.step, p.steps, p.current_step, p.next_step, p.risk, e.ts)
    s.attempts[task.attempt_id].last_heard = e.ts


@on(f.TaskCompleted)
def _task_completed(s: m.Session, e: Event, p: f.TaskCompleted) -> None:
    task = s.tasks[p.task_id]
    task.report = m.Report(
        summary=p.summary,
        evidence=[m.Check(c.criterion, c.command, c.exit_code, c.excerpt, c.output, c.commit) for c in p.evidence],
        commit=p.commit,
        base=p.base,
        files=p.files,
        added=p.added,
        removed=p.removed,
        flow_files=p.flow_files,
        flow_added=p.flow_added,
        flow_removed=p.flow_removed,
        biggest=list(p.biggest),
        diff=p.diff,
        output=p.output,
        by=p.by,
    )
    task.block_reason = ""
    move(s, e, task, TaskStatus.COMPLETED)


@on(f.TaskSettled)
def _task_settled(s: m.Session, e: Event, p: f.TaskSettled) -> None:
    task = s.tasks[p.task_id]
    task.verdicts.append(m.Verdict(task.round, p.accepted, p.by, e.ts, p.feedback, p.basis))
    if p.accepted:
        task.outcome, task.settled_at = "success", e.ts
        move(s, e, task, TaskStatus.COMPLETED)


@on(f.TaskReworked)
def _task_reworked(s: m.Session, e: Event, p: f.TaskReworked) -> None:
    task = s.tasks[p.task_id]
    task.retries, task.report = p.round - 1, None
    task.progress = m.Progress()
    move(s, e, task, TaskStatus.QUEUED)


@on(f.TaskBlocked)
def _task_blocked(s: m.Session, e: Event, p: f.TaskBlocked) -> None:
    task = s.tasks[p.task_id]
    task.block_reason = p.reason
    move(s, e, task, TaskStatus.BLOCKED)


@on(f.TaskPaused)
def _task_paused(s: m.Session, e: Event, p: f.TaskPaused) -> None:
    task = s.tasks[p.task_id]
    task.resume_to, task.changed_by = p.resume_to, p.by
    move(s, e, task, TaskStatus.PAUSED)


@on(f.TaskWished)
def _task_wished(s: m.Session, e: Event, p: f.TaskWished) -> None:
    s.tasks[p.task_id].wish, s.tasks[p.task_id].wish_by = p.wish, p.by


@on(f.TaskCancelled)
def _task_cancelled(s: m.Session, e: Event, p: f.TaskCancelled) -> None:
    task = s.tasks[p.task_id]
    task.failure, task.failure_detail, task.changed_by = p.reason, "", p.by
    move(s, e, task, TaskStatus.CANCELLED)


@on(f.TaskFailed)
def _task_failed(s: m.Session, e: Event, p: f.TaskFailed) -> None:
    task = s.tasks[p.task_id]
    task.failure, task.failure_detail = p.failure, p.detail
    if p.output:
        task.report = m.Report(summary=p.detail, output=p.output)
    move(s, e, task, TaskStatus.FAILED)


@on(f.HandoffSubmitted)
def _handoff(s: m.Session, e: Event, p: f.HandoffSubmitted) -> None:
    s.tasks[p.to_task].handoffs[p.from_task] = p.document
