"""Questions about a state, answered by pure functions; nothing here is stored.

``blocked_by`` is the gate of a task: empty means that it may be dispatched.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.domain.model import Flow, Interaction, Plan, Session, Task
from core.domain.tables import LIVE, PlanStatus, TaskStatus
from core.errors import Refused

ENDED = frozenset({TaskStatus.FAILED, TaskStatus.CANCELLED})


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One thing in the way: ``kind`` dependency, approval, reconcile, paused, blocked, repo; ``ref`` a short name or word."""

    kind: str
    ref: str
    detail: str = ""


def terminal(task: Task) -> bool:
    """Ended for good, as far as anyone knows now; a failed task may still be retried by a person."""
    return task.status in ENDED or task.settled_success


def blocked_by(state: Session, task: Task) -> list[Obstacle]:
    """What keeps a queued task from being dispatched, apart from capacity, which only the scheduler knows."""
    found = []
    for other_id in task.dependencies:
        other = state.tasks[other_id]
        if not other.settled_success:
            found.append(Obstacle("dependency", other.short, other.status))
    if state.repo is None or state.repo.problem:
        found.append(Obstacle("repo", state.repo.problem if state.repo else "missing"))
    return found


def dispatchable(state: Session, task: Task) -> bool:
    return task.status is TaskStatus.QUEUED and not blocked_by(state, task)


def ready_tasks(state: Session, among: Iterable[str] | None = None) -> list[Task]:
    """Queued tasks with an open gate, in the order they were created; ``among`` narrows to some ids."""
    ids = state.tasks if among is None else among
    return [t for i in ids if (t := state.tasks.get(i)) is not None and dispatchable(state, t)]


def downstream(state: Session, task_id: str) -> Iterator[Task]:
    """Every task that waits for this one, directly or not, breadth first, each once."""
    seen, line = {task_id}, deque([task_id])
    while line:
        for other in state.dependents.get(line.popleft(), ()):
            if other not in seen:
                seen.add(other)
                line.append(other)
                yield state.tasks[other]


def open_interactions(state: Session, task_id: str = "", kind: str = "") -> list[Interaction]:
    """Pending approvals and questions, oldest first."""
    found = [state.interactions[i] for i in state.open_interactions]
    found = [x for x in found if (not task_id or x.task_id == task_id) and (not kind or x.kind == kind)]
    return sorted(found, key=lambda x: (x.opened_at, x.short))


def find_task(state: Session, name: str) -> Task:
    """By short name in any case, or by id. Raises Refused("unknown_task")."""
    task = state.tasks.get(state.shorts.get(name.upper(), name))
    if task is None:
        raise Refused("unknown_task", name=name[:40])
    return task


def find_plan(state: Session, name: str) -> Plan:
    plan = state.plans.get(state.shorts.get(name.upper(), name))
    if plan is None:
        raise Refused("unknown_plan", name=name[:40])
    return plan


def find_interaction(state: Session, name: str) -> Interaction:
    interaction = state.interactions.get(state.shorts.get(name.upper(), name))
    if interaction is None:
        raise Refused("unknown_interaction", name=name[:40])
    return interaction


def flow_tasks(state: Session, flow: Flow) -> list[Task]:
    return [state.tasks[i] for i in flow.tasks]


def awaiting_review(state: Session, flow: Flow) -> list[Task]:
    """Reported and not yet judged."""
    return [t for i in sorted(flow.open_tasks) if (t := state.tasks[i]).status is TaskStatus.COMPLETED]


def review_ready(state: Session, flow: Flow) -> bool:
    """Whether all that is left of the flow is a person's judgement: then one report stands for all of it."""
    return bool(flow.open_tasks) and all(state.tasks[i].status is TaskStatus.COMPLETED for i in flow.open_tasks)


def active_flow(state: Session) -> Flow | None:
    """The flow new tasks join: the latest one, until it was merged."""
    flow = next(reversed(state.flows.values()), None)
    merged = flow is not None and flow.merge is not None and flow.merge.status == "merged"
    return None if merged else flow


def settled_commits(state: Session, flow: Flow) -> list[str]:
    """The commits the flow's branch must contain: every accepted task's, in the order of acceptance."""
    done = [t for t in flow_tasks(state, flow) if t.settled_success and t.report and t.report.commit]
    return [t.report.commit for t in sorted(done, key=lambda t: t.settled_at) if t.report]


def why(state: Session, task: Task) -> list[Obstacle]:
    """The first thing in the way of a task and the next, down to a person, a worker or nothing."""
    asked = [Obstacle(x.kind, x.short) for x in open_interactions(state, task.id)]
    if asked:
        return asked
    if task.status in LIVE:
        return [Obstacle("running", task.worker, task.status)]
    if task.status is TaskStatus.QUEUED:
        return blocked_by(state, task) or [Obstacle("capacity", "worker")]
    if task.status is TaskStatus.COMPLETED and not task.settled_success:
        return [Obstacle("review", task.short)]
    if task.status in (TaskStatus.PAUSED, TaskStatus.BLOCKED):
        return [Obstacle(task.status.value, task.changed_by, task.block_reason)]
    return []


def _open(state: Session, status: PlanStatus) -> list[Plan]:
    plans = [state.plans[i] for i in state.open_plans]
    return sorted((p for p in plans if p.status is status), key=lambda p: int(p.short[1:]))


def open_proposals(state: Session) -> list[Plan]:
    """Plan changes nobody has decided, oldest first."""
    return _open(state, PlanStatus.PROPOSED)


def applying(state: Session) -> list[Plan]:
    """Approved plan changes that wait for running work to stop, oldest first."""
    return _open(state, PlanStatus.APPLYING)
