"""What follows from any decision, whatever caused it: a flow that ended or woke, a plan change that is complete."""

from __future__ import annotations

from core.domain import facts as f
from core.domain.decide.scribe import Scribe
from core.domain.event import Payload
from core.domain.model import Plan, Session
from core.domain.views import applying

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
    for flow_id in {**opened, **closed}:  # in the order of the facts: the same decision gives the same facts
        _flow(scribe, flow_id, opened.get(flow_id, set()), closed.get(flow_id, set()))


def _flow(scribe: Scribe, flow_id: str, opened: set[str], closed: set[str]) -> None:
    flow = scribe.state.flows.get(flow_id)
    if flow is None:
        return  # made by this decision, with tasks that have only begun to wait
    if flow.settled_at and opened:
        scribe.emit(f.FlowReactivated(flow_id=flow_id))
    if closed and not (flow.open_tasks | opened) - closed:
        scribe.emit(f.FlowSettled(flow_id=flow_id, round=flow.round + 1))


def _plans(scribe: Scribe, payloads: list[Payload]) -> None:
    stopped = {p.task_id for p in payloads if isinstance(p, STOPS)}
    waiting = {p.plan_id: p.waiting for p in payloads if isinstance(p, f.PlanApproved)}
    for plan in applying(scribe.state):
        if stopped.intersection(plan.waiting):
            waiting[plan.id] = tuple(t for t in plan.waiting if t not in stopped)
    version = scribe.state.version
    for plan_id in [i for i, left in waiting.items() if not left]:
        version += 1
        scribe.emit(f.PlanApplied(plan_id=plan_id, version=version))
        objective = _objective(scribe.state, scribe.state.plans[plan_id])
        if objective != scribe.state.objective:
            scribe.emit(f.ObjectiveUpdated(objective=objective))


def _objective(state: Session, plan: Plan) -> str:
    """A plan that names no objective leaves whatever the session has by now."""
    named = plan.proposal is not None and plan.proposal.objective
    return plan.objective if named or not state.objective else state.objective
