"""What must hold after every decision, whatever was asked: checked by every transcript and by the random machine."""

from __future__ import annotations

from collections import Counter

from core.domain import facts as f
from core.domain.event import Payload
from core.domain.model import Flow, Interaction, Plan, Session, Task
from core.domain.tables import ATTEMPT, LIVE, TASK, AttemptPhase, InteractionStatus, PlanStatus, TaskStatus
from core.domain.views import ENDED, terminal
from core.ledger.port import Effects

OPEN_PHASES = frozenset(AttemptPhase) - {AttemptPhase.FINALIZED}
WAITS = frozenset({TaskStatus.QUEUED, TaskStatus.PAUSED})
MOVES = {(source, target) for (source, _), targets in [*TASK.items(), *ATTEMPT.items()] for target in targets}


def check(state: Session, before: Session, payloads: list[Payload]) -> None:
    check_indexes(state)
    for task in state.tasks.values():
        _check_task(state, task)
    for flow in state.flows.values():
        _check_flow(state, flow)
    _check_once(payloads)
    _check_rounds(state, before, payloads)


def check_indexes(state: Session) -> None:
    """Every index says what a scan of everything says."""
    tasks = state.tasks.values()
    assert state.live_tasks == {t.id for t in tasks if t.status in LIVE}
    assert state.open_plans == {
        p.id for p in state.plans.values() if p.status in (PlanStatus.PROPOSED, PlanStatus.APPLYING)
    }
    assert state.open_interactions == {
        x.id for x in state.interactions.values() if x.status is InteractionStatus.PENDING
    }
    waits = Counter((d, t.id) for t in tasks for d in t.dependencies)
    assert Counter((d, i) for d, ids in state.dependents.items() for i in ids) == waits
    named: list[Task | Plan | Interaction] = [*tasks, *state.plans.values(), *state.interactions.values()]
    assert state.shorts == {x.short: x.id for x in named}
    for flow in state.flows.values():
        assert flow.tasks == [t.id for t in tasks if t.flow_id == flow.id]
        assert flow.open_tasks == {t.id for t in tasks if t.flow_id == flow.id and not terminal(t)}


def _check_task(state: Session, task: Task) -> None:
    open_attempts = [a for i in task.attempts if (a := state.attempts[i]).phase in OPEN_PHASES]
    assert len(open_attempts) <= 1, "two attempts of one task at once"
    phase = open_attempts[0].phase if open_attempts else None
    if task.status is TaskStatus.SUBMITTED:
        assert phase in (AttemptPhase.PREPARED, AttemptPhase.DISPATCHING)
    elif task.status in LIVE:
        assert phase is AttemptPhase.ACCEPTED
    elif task.status not in (TaskStatus.BLOCKED, TaskStatus.CANCELLED):
        assert phase is None, "an attempt goes on although its task does not"
    dependencies = [state.tasks[d] for d in task.dependencies]
    if task.status in LIVE:
        assert all(d.settled_success for d in dependencies), "it runs before what it waits for"
    if task.status in WAITS:
        assert not any(d.status in ENDED for d in dependencies), "it waits for what will never come"
    if task.wish:
        assert task.status in LIVE
        assert phase is not AttemptPhase.PREPARED
    assert (task.outcome == "success") == bool(task.verdicts and task.verdicts[-1].accepted)
    pending = [state.interactions[i] for i in state.open_interactions]
    asked = [x for x in pending if x.task_id == task.id and x.kind == "approval"]
    unknown = [x for x in pending if x.task_id == task.id and x.kind == "reconcile"]
    assert (task.status is TaskStatus.WAITING_APPROVAL) == bool(asked)
    assert len(unknown) == (phase is AttemptPhase.UNCERTAIN and not terminal(task))


def _check_flow(state: Session, flow: Flow) -> None:
    assert bool(flow.settled_at) == (not flow.open_tasks)


def _check_once(payloads: list[Payload]) -> None:
    """One decision does not say the same thing twice."""
    once = (f.TaskCancelled, f.TaskFailed, f.TaskPaused, f.TaskBlocked, f.TaskRequeued, f.TaskWished)
    ended = Counter(p.task_id for p in payloads if isinstance(p, once))
    assert all(count == 1 for count in ended.values()), f"two ends of one task: {ended}"
    closes = (f.ApprovalApproved, f.ApprovalRejected, f.InteractionCancelled, f.ReconcileResolved)
    closed = Counter(p.interaction_id for p in payloads if isinstance(p, closes))
    assert all(count == 1 for count in closed.values()), f"closed twice: {closed}"


def _check_rounds(state: Session, before: Session, payloads: list[Payload]) -> None:
    """A flow is said to have ended exactly when its last open task ended."""
    said = Counter(p.flow_id for p in payloads if isinstance(p, f.FlowSettled))
    for flow in state.flows.values():
        was = before.flows.get(flow.id)
        ended = was is not None and bool(was.open_tasks) and not flow.open_tasks
        assert said[flow.id] == ended
        assert flow.round == (was.round if was else 0) + ended


def places(state: Session) -> dict[str, str]:
    """Where every task and attempt stands."""
    tasks = {task.id: task.status.value for task in state.tasks.values()}
    return tasks | {attempt.id: attempt.phase.value for attempt in state.attempts.values()}


def check_move(before: dict[str, str], after: dict[str, str]) -> None:
    """One event moves tasks and attempts only along their tables."""
    for id_, place in before.items():
        assert place == after[id_] or (place, after[id_]) in MOVES, f"{id_}: {place} -> {after[id_]}"


def check_routes(routed: Effects, before: Session, after: Session) -> None:
    """The feed's changes of each task form one chain from where it was to where it is."""
    at = {task.id: str(task.status) for task in before.tasks.values()}
    for change in routed.changes:
        if change.to == "progress" or change.from_ == "live":
            continue
        assert at.get(change.task_id, "-") == change.from_
        at[change.task_id] = "completed" if change.to.startswith("settled-") else change.to
    assert at == {task.id: str(task.status) for task in after.tasks.values()}
