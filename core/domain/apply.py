"""The fold: one function per fact, picked from one table, changing the state its caller owns.

``apply`` trusts the log: what may happen was settled by ``decide`` before the fact was written, so nothing here refuses.
The cost of a fact does not grow with the session: every index a rule needs is kept here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.domain import facts as f
from core.domain import model as m
from core.domain.event import Event, Payload
from core.domain.tables import LIVE, AttemptPhase, InteractionStatus, PlanStatus, TaskStatus

Fold = Callable[[m.Session, Event, Any], None]
_FOLDS: dict[str, Fold] = {}


def apply(state: m.Session, event: Event) -> None:
    """Fold ``event`` into ``state``. ``event.seq`` must be the next one; a gap is a bug of the caller."""
    if event.seq != state.seq + 1:
        raise ValueError(f"{state.id}: event {event.seq} cannot follow {state.seq}")
    fold = _FOLDS.get(event.type)
    if fold is not None:
        fold(state, event, event.payload)
    state.seq = event.seq
    state.updated_at = event.ts


def fold(session_id: str, events: Any) -> m.Session:
    """The state a whole log folds to."""
    state = m.Session(id=session_id)
    for event in events:
        apply(state, event)
    return state


def _on(payload: type[Payload]) -> Callable[[Fold], Fold]:
    def keep(fn: Fold) -> Fold:
        _FOLDS[payload.TYPE] = fn
        return fn

    return keep


def _count(state: m.Session, short: str, id_: str) -> None:
    state.shorts[short] = id_
    state.counters[short[0]] = max(state.counters.get(short[0], 0), int(short[1:]))


def _to(state: m.Session, event: Event, task: m.Task, status: TaskStatus) -> None:
    """The one place where a task's status changes, so that the indexes cannot disagree with it."""
    task.status = status
    task.updated_at = event.ts
    if status in LIVE:
        state.live_tasks.add(task.id)
    else:
        state.live_tasks.discard(task.id)
        task.wish = ""
        for plan in map(state.plans.__getitem__, state.open_plans):
            if task.id in plan.waiting:
                plan.waiting.remove(task.id)
    flow = state.flows[task.flow_id]
    if status in (TaskStatus.FAILED, TaskStatus.CANCELLED) or task.settled_success:
        flow.open_tasks.discard(task.id)
    else:
        flow.open_tasks.add(task.id)


# -- session ---------------------------------------------------------------------------------------------------------


@_on(f.SessionCreated)
def _session_created(s: m.Session, e: Event, p: f.SessionCreated) -> None:
    s.created_at, s.title, s.created_by, s.place = e.ts, p.title, p.by, p.place
    s.surfaces.append(p.surface)


@_on(f.RepoNamed)
def _repo_named(s: m.Session, e: Event, p: f.RepoNamed) -> None:
    s.repo = m.Repo(path=p.path, problem="checking")


@_on(f.RepoChecked)
def _repo_checked(s: m.Session, e: Event, p: f.RepoChecked) -> None:
    s.repo = m.Repo(p.path, p.root, p.name, p.base_branch, p.base_commit, p.worker, p.problem, p.detail)
    for flow in s.flows.values():
        if not flow.base_commit:  # planned before there was a repository to start from
            flow.base_branch, flow.base_commit = p.base_branch, p.base_commit


@_on(f.MessageAdded)
def _message_added(s: m.Session, e: Event, p: f.MessageAdded) -> None:
    if not s.messages:
        s.language = p.language
    s.messages[p.message_id] = m.Message(p.message_id, p.author, p.text, e.ts)


@_on(f.MessageClassified)
def _message_classified(s: m.Session, e: Event, p: f.MessageClassified) -> None:
    message = s.messages[p.message_id]
    message.kind, message.waits_for, message.reply = p.kind, p.waits_for, p.reply


@_on(f.ObjectiveUpdated)
def _objective(s: m.Session, e: Event, p: f.ObjectiveUpdated) -> None:
    s.objective = p.objective


# -- plan ------------------------------------------------------------------------------------------------------------


def _ops(values: tuple[f.OpValue, ...]) -> list[m.Op]:
    return [m.Op(v.key, v.kind, v.task_id, v.other_id, v.spec) for v in values]


@_on(f.PlanProposed)
def _plan_proposed(s: m.Session, e: Event, p: f.PlanProposed) -> None:
    s.plans[p.plan_id] = m.Plan(
        id=p.plan_id,
        short=p.short,
        message_id=p.message_id,
        base_version=p.base_version,
        ops=_ops(p.ops),
        reason=p.reason,
        objective=p.objective,
        opened_at=e.ts,
        first=p.first,
        collateral=list(p.collateral),
        proposal=p.proposal,
    )
    s.messages[p.message_id].plan_id = p.plan_id
    s.open_plans.add(p.plan_id)
    _count(s, p.short, p.plan_id)


@_on(f.PlanEdited)
def _plan_edited(s: m.Session, e: Event, p: f.PlanEdited) -> None:
    plan = s.plans[p.plan_id]
    plan.revision, plan.ops, plan.collateral, plan.edited_by = p.revision, _ops(p.ops), list(p.collateral), p.by


@_on(f.PlanApproved)
def _plan_approved(s: m.Session, e: Event, p: f.PlanApproved) -> None:
    plan = s.plans[p.plan_id]
    plan.status, plan.decided_by, plan.decided_at = PlanStatus.APPLYING, p.by, e.ts
    plan.flow_id, plan.waiting, plan.created = p.flow_id, list(p.waiting), list(p.created)


@_on(f.PlanApplied)
def _plan_applied(s: m.Session, e: Event, p: f.PlanApplied) -> None:
    plan = s.plans[p.plan_id]
    plan.status, plan.waiting, s.version = PlanStatus.APPLIED, [], p.version
    s.open_plans.discard(p.plan_id)


def _plan_closed(status: PlanStatus) -> Fold:
    def close(s: m.Session, e: Event, p: Any) -> None:
        plan = s.plans[p.plan_id]
        plan.status, plan.decided_at = status, e.ts
        plan.decided_by = getattr(p, "by", "")
        plan.decision_reason = getattr(p, "reason", "")
        s.open_plans.discard(p.plan_id)

    return close


_on(f.PlanRejected)(_plan_closed(PlanStatus.REJECTED))
_on(f.PlanSuperseded)(_plan_closed(PlanStatus.SUPERSEDED))
_on(f.PlanReadAsQuestion)(_plan_closed(PlanStatus.READ_AS_QUESTION))


# -- flow ------------------------------------------------------------------------------------------------------------


@_on(f.FlowCreated)
def _flow_created(s: m.Session, e: Event, p: f.FlowCreated) -> None:
    s.flows[p.flow_id] = m.Flow(
        id=p.flow_id,
        name=p.name,
        slug=p.slug,
        created_by=p.by,
        created_at=e.ts,
        base_branch=p.base_branch,
        base_commit=p.base_commit,
    )


@_on(f.FlowSettled)
def _flow_settled(s: m.Session, e: Event, p: f.FlowSettled) -> None:
    s.flows[p.flow_id].round, s.flows[p.flow_id].settled_at = p.round, e.ts


@_on(f.FlowReactivated)
def _flow_reactivated(s: m.Session, e: Event, p: f.FlowReactivated) -> None:
    s.flows[p.flow_id].settled_at, s.flows[p.flow_id].merge = 0, None


@_on(f.MergeRequested)
def _merge_requested(s: m.Session, e: Event, p: f.MergeRequested) -> None:
    s.flows[p.flow_id].merge = m.Merge("requested", p.by, e.ts, tip=p.tip)


@_on(f.MergePostponed)
def _merge_postponed(s: m.Session, e: Event, p: f.MergePostponed) -> None:
    s.flows[p.flow_id].merge = m.Merge("later", p.by, e.ts)


@_on(f.FlowMerged)
def _flow_merged(s: m.Session, e: Event, p: f.FlowMerged) -> None:
    merge = s.flows[p.flow_id].merge
    assert merge is not None  # noqa: S101  decide allows it only after a request
    merge.status, merge.sha, merge.ts = "merged", p.sha, e.ts
    if s.repo is not None:
        s.repo.base_commit = p.sha  # the next flow starts from what was merged


@_on(f.MergeRefused)
def _merge_refused(s: m.Session, e: Event, p: f.MergeRefused) -> None:
    merge = s.flows[p.flow_id].merge
    assert merge is not None  # noqa: S101
    merge.status, merge.code, merge.detail, merge.ts = "refused", p.code, p.detail, e.ts


# -- task ------------------------------------------------------------------------------------------------------------


@_on(f.TaskCreated)
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
    _count(s, p.short, task.id)
    _to(s, e, task, TaskStatus.QUEUED)


@_on(f.TaskEdited)
def _task_edited(s: m.Session, e: Event, p: f.TaskEdited) -> None:
    task = s.tasks[p.task_id]
    for other in task.dependencies:
        s.dependents[other].remove(task.id)
    for other in p.dependencies:
        s.dependents.setdefault(other, []).append(task.id)
    task.dependencies = list(p.dependencies)


@_on(f.TaskAssigned)
def _task_assigned(s: m.Session, e: Event, p: f.TaskAssigned) -> None:
    task = s.tasks[p.task_id]
    s.attempts[p.attempt_id] = m.Attempt(
        p.attempt_id, p.task_id, p.number, p.worker, p.prompt, prepared_at=e.ts, supersedes=p.supersedes
    )
    task.attempt_id, task.attempt_number, task.worker = p.attempt_id, p.number, p.worker
    task.attempts.append(p.attempt_id)
    _to(s, e, task, TaskStatus.SUBMITTED)


@_on(f.TaskRequeued)
def _task_requeued(s: m.Session, e: Event, p: f.TaskRequeued) -> None:
    task = s.tasks[p.task_id]
    task.block_reason, task.failure, task.failure_detail = "", "", ""
    task.changed_by, task.report = p.by, None
    if p.trigger == "retry":
        task.retry_count += 1
    _to(s, e, task, TaskStatus.QUEUED)


@_on(f.TaskStarted)
def _task_started(s: m.Session, e: Event, p: f.TaskStarted) -> None:
    task = s.tasks[p.task_id]
    task.started_at = task.started_at or e.ts
    task.progress = m.Progress()
    _to(s, e, task, TaskStatus.WORKING)


@_on(f.TaskProgressed)
def _task_progressed(s: m.Session, e: Event, p: f.TaskProgressed) -> None:
    task = s.tasks[p.task_id]
    task.progress = m.Progress(p.summary, p.percent, p.step, p.steps, p.current_step, p.next_step, p.risk, e.ts)
    s.attempts[task.attempt_id].last_heard = e.ts


@_on(f.TaskCompleted)
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
    _to(s, e, task, TaskStatus.COMPLETED)


@_on(f.TaskSettled)
def _task_settled(s: m.Session, e: Event, p: f.TaskSettled) -> None:
    task = s.tasks[p.task_id]
    task.verdicts.append(m.Verdict(task.round, p.accepted, p.by, e.ts, p.feedback, p.basis))
    if p.accepted:
        task.outcome, task.settled_at = "success", e.ts
        _to(s, e, task, TaskStatus.COMPLETED)


@_on(f.TaskReworked)
def _task_reworked(s: m.Session, e: Event, p: f.TaskReworked) -> None:
    task = s.tasks[p.task_id]
    task.retries, task.report = p.round - 1, None
    task.progress = m.Progress()
    _to(s, e, task, TaskStatus.QUEUED)


@_on(f.TaskBlocked)
def _task_blocked(s: m.Session, e: Event, p: f.TaskBlocked) -> None:
    task = s.tasks[p.task_id]
    task.block_reason = p.reason
    _to(s, e, task, TaskStatus.BLOCKED)


@_on(f.TaskPaused)
def _task_paused(s: m.Session, e: Event, p: f.TaskPaused) -> None:
    task = s.tasks[p.task_id]
    task.resume_to, task.changed_by = p.resume_to, p.by
    _to(s, e, task, TaskStatus.PAUSED)


@_on(f.TaskWished)
def _task_wished(s: m.Session, e: Event, p: f.TaskWished) -> None:
    s.tasks[p.task_id].wish, s.tasks[p.task_id].wish_by = p.wish, p.by


@_on(f.TaskCancelled)
def _task_cancelled(s: m.Session, e: Event, p: f.TaskCancelled) -> None:
    task = s.tasks[p.task_id]
    task.failure, task.failure_detail, task.changed_by = p.reason, "", p.by
    _to(s, e, task, TaskStatus.CANCELLED)


@_on(f.TaskFailed)
def _task_failed(s: m.Session, e: Event, p: f.TaskFailed) -> None:
    task = s.tasks[p.task_id]
    task.failure, task.failure_detail = p.failure, p.detail
    if p.output:
        task.report = m.Report(summary=p.detail, output=p.output)
    _to(s, e, task, TaskStatus.FAILED)


@_on(f.HandoffSubmitted)
def _handoff(s: m.Session, e: Event, p: f.HandoffSubmitted) -> None:
    s.tasks[p.to_task].handoffs[p.from_task] = p.document


# -- attempt and interactions ----------------------------------------------------------------------------------------


@_on(f.AttemptUpdated)
def _attempt_updated(s: m.Session, e: Event, p: f.AttemptUpdated) -> None:
    attempt = s.attempts[p.attempt_id]
    attempt.phase, attempt.last_heard = AttemptPhase(p.phase), e.ts
    attempt.accepted = attempt.accepted or p.phase == "accepted"
    attempt.outcome = p.outcome or attempt.outcome
    attempt.stop_reason = p.stop_reason or attempt.stop_reason
    attempt.detail = p.detail or attempt.detail


def _open(s: m.Session, interaction: m.Interaction) -> None:
    s.interactions[interaction.id] = interaction
    s.open_interactions.add(interaction.id)
    _count(s, interaction.short, interaction.id)


@_on(f.ApprovalRequested)
def _approval_requested(s: m.Session, e: Event, p: f.ApprovalRequested) -> None:
    _open(
        s,
        m.Interaction(
            id=p.interaction_id,
            short=p.short,
            kind="approval",
            task_id=p.task_id,
            attempt_id=p.attempt_id,
            summary=p.summary,
            opened_at=e.ts,
            request_id=p.request_id,
            folder=p.folder,
            reasons=list(p.reasons),
            risk=p.risk,
            digest=p.digest,
            deadline=p.deadline,
        ),
    )
    s.attempts[p.attempt_id].requests[p.request_id] = p.interaction_id
    _to(s, e, s.tasks[p.task_id], TaskStatus.WAITING_APPROVAL)


@_on(f.ReconcileOpened)
def _reconcile_opened(s: m.Session, e: Event, p: f.ReconcileOpened) -> None:
    _open(s, m.Interaction(p.interaction_id, p.short, "reconcile", p.task_id, p.attempt_id, p.summary, e.ts))


def _close(
    s: m.Session, e: Event, id_: str, status: InteractionStatus, by: str, decision: str, why: str
) -> m.Interaction:
    interaction = s.interactions[id_]
    interaction.status, interaction.decided_by, interaction.decided_at = status, by, e.ts
    interaction.decision, interaction.reason = decision, why
    s.open_interactions.discard(id_)
    return interaction


def _release(s: m.Session, e: Event, interaction: m.Interaction) -> None:
    """The task goes on when no other approval holds it."""
    task = s.tasks[interaction.task_id]
    held = any(s.interactions[i].task_id == task.id for i in s.open_interactions)
    _to(s, e, task, TaskStatus.WAITING_APPROVAL if held else TaskStatus.WORKING)


@_on(f.ApprovalApproved)
def _approved(s: m.Session, e: Event, p: f.ApprovalApproved) -> None:
    _release(s, e, _close(s, e, p.interaction_id, InteractionStatus.APPROVED, p.by, p.lifetime, ""))


@_on(f.ApprovalRejected)
def _rejected(s: m.Session, e: Event, p: f.ApprovalRejected) -> None:
    decision = "reject_stop" if p.stop else "reject"
    _release(s, e, _close(s, e, p.interaction_id, InteractionStatus.REJECTED, p.by, decision, p.reason))


@_on(f.InteractionCancelled)
def _interaction_cancelled(s: m.Session, e: Event, p: f.InteractionCancelled) -> None:
    _release(s, e, _close(s, e, p.interaction_id, InteractionStatus.CANCELLED, "", p.cause, ""))


@_on(f.ReconcileResolved)
def _reconcile_resolved(s: m.Session, e: Event, p: f.ReconcileResolved) -> None:
    if p.decision == "wait":  # noted on the card; the question stays open
        s.interactions[p.interaction_id].decision, s.interactions[p.interaction_id].decided_by = "wait", p.by
        return
    _close(s, e, p.interaction_id, InteractionStatus.RESOLVED, p.by, p.decision, p.reason)
