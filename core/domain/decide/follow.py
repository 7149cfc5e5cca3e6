"""What follows from any decision, whatever caused it: a flow that ended or woke, a plan change that is complete."""

from __future__ import annotations

from core.domain import facts as f
from core.domain.decide.scribe import Scribe
from core.domain.event import Payload
from core.domain.tables import PlanStatus

ENDS = (f.TaskCancelled, f.TaskFailed)
STOPS = (f.TaskCancelled, f.TaskFailed, f.TaskPaused, f.TaskCompleted, f.TaskBlocked)


def follow(scribe: Scribe) -> None:
    """Append the consequences to the scribe's facts."""
    payloads = [d.payload for d in scribe.drafts]
    _flows(scribe, payloads)
    _plans(scribe, payloads)


def _flows(scribe: Scribe, payloads: list[Payload]) -> None:
    state = scribe.state
    opened: dict[str, set[str]] = {}
    closed: dict[str, set[str]] = {}
    for p in payloads:
        if isinstance(p, f.TaskCreated):
            opened.setdefault(p.flow_id, set()).add(p.task_id)
        elif isinstance(p, f.TaskRequeued):
            flow_id = state.tasks[p.task_id].flow_id
            if p.task_id not in state.flows[flow_id].open_tasks:
                opened.setdefault(flow_id, set()).add(p.task_id)
        elif isinstance(p, ENDS) or (isinstance(p, f.TaskSettled) and p.accepted):
            closed.setdefault(state.tasks[p.task_id].flow_id, set()).add(p.task_id)
    for flow_id in opened.keys() | closed.keys():
        _flow(scribe, flow_id, opened.get(flow_id, set()), closed.get(flow_id, set()))


def _flow(scribe: Scribe, flow_id: str, opened: set[str], closed: set[str]) -> None:
    flow = scribe.state.flows.get(flow_id)
    still_open = ((flow.open_tasks if flow else set()) | opened) - closed
    if flow is not None and flow.settled_at and opened:
        scribe.emit(f.FlowReactivated(flow_id=flow_id))
    if closed and not still_open:
        scribe.emit(f.FlowSettled(flow_id=flow_id, round=(flow.round if flow else 0) + 1))


def _plans(scribe: Scribe, payloads: list[Payload]) -> None:
    stopped = {p.task_id for p in payloads if isinstance(p, STOPS)}
    waiting = {p.plan_id: p.waiting for p in payloads if isinstance(p, f.PlanApproved)}
    for plan_id in scribe.state.open_plans:
        plan = scribe.state.plans[plan_id]
        if plan.status is PlanStatus.APPLYING and stopped.intersection(plan.waiting):
            waiting[plan_id] = tuple(t for t in plan.waiting if t not in stopped)
    version = scribe.state.version
    for plan_id in [i for i, left in waiting.items() if not left]:
        version += 1
        scribe.emit(f.PlanApplied(plan_id=plan_id, version=version))
        if (objective := scribe.state.plans[plan_id].objective) != scribe.state.objective:
            scribe.emit(f.ObjectiveUpdated(objective=objective))
