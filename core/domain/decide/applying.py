"""What an approved plan change does: one decision, all of it, in an order in which nothing starts that is about to vanish.

A task that has meanwhile ended, or is where the operation wants it, is left as it is. Work that runs is asked to stop;
the change counts as applied when it has.
"""

from __future__ import annotations

import re

from core.domain import commands as c
from core.domain import facts as f
from core.domain import limits
from core.domain.decide import ending, operations
from core.domain.decide.scribe import Scribe
from core.domain.model import Flow, Plan, Session, Task
from core.domain.reading import TaskSpec
from core.domain.tables import TaskStatus, allowed
from core.domain.views import active_flow, terminal
from core.errors import Refused


def apply_plan(s: Scribe, plan: Plan, by: c.Permitted) -> None:
    ops = [operations.value_of(op, op.spec) for op in plan.ops]
    operations.validate(s.state, ops)
    more = [short for short in operations.collateral(s.state, ops) if short not in plan.collateral]
    if more:
        raise Refused("plan_changed", short=plan.short, names=", ".join(more))
    specs = [op.spec for op in ops if op.spec is not None]
    flow_id = _flow_for(s, plan, by) if specs else ""
    made = {spec.key: s.new_id("task") for spec in specs}
    waiting = tuple(op.task_id for op in ops if _must_stop_first(s.state, op))
    s.say(
        by,
        f.PlanApproved(plan_id=plan.id, by=by.person, flow_id=flow_id, waiting=waiting, created=tuple(made.values())),
    )
    _end(s, plan, by, ops)
    for spec in specs:
        _create(s, spec, by, plan, flow_id, made)
    for task_id, dependencies in operations.edits(s.state, ops, made).items():
        if task_id not in s.ended:  # and after what it may wait for was created
            s.say(by, f.TaskEdited(task_id=task_id, dependencies=dependencies))
    for task in _meant(s, ops, "resume"):
        ending.resume(s, task, by.person)


def _must_stop_first(state: Session, op: f.OpValue) -> bool:
    return op.kind in ("cancel", "pause") and ending.running(state, state.tasks[op.task_id])


def _meant(s: Scribe, ops: list[f.OpValue], kind: str) -> list[Task]:
    """The tasks the operations of this kind still can do something to; what a cancellation drags along is over."""
    tasks = [s.state.tasks[op.task_id] for op in ops if op.kind == kind and op.task_id not in s.ended]
    return [task for task in tasks if not terminal(task) and allowed("task", task.status.value, kind)]


def _end(s: Scribe, plan: Plan, by: c.Permitted, ops: list[f.OpValue]) -> None:
    spared = operations.spared(s.state, ops)
    for task in _meant(s, ops, "cancel"):
        if not _already(s.state, task, "cancel"):
            ending.cancel(s, task, by.person, f"plan:{plan.short}", spared)
    for task in _meant(s, ops, "pause"):
        unknown = task.status is TaskStatus.BLOCKED and ending.at_large(s.state, task)
        if not unknown and not _already(s.state, task, "pause"):  # unknown: it does nothing without a person anyway
            ending.pause(s, task, by.person)


def _already(state: Session, task: Task, wish: str) -> bool:
    return ending.running(state, task) and not ending.stronger(task, wish)


def _create(s: Scribe, spec: TaskSpec, by: c.Permitted, plan: Plan, flow_id: str, made: dict[str, str]) -> None:
    s.say(
        by,
        f.TaskCreated(
            task_id=made[spec.key],
            short=s.short("T"),
            plan_id=plan.id,
            flow_id=flow_id,
            initiator=by.person,
            spec=spec,
            dependencies=tuple(made.get(a, a) for a in spec.after),
        ),
    )


def demand_no_merge(flow: Flow) -> None:
    """While its branch is being merged a flow takes no work: the merge would take some of it or none."""
    if flow.merge is not None and flow.merge.status == "requested":
        raise Refused("merge_under_way", flow=flow.name)


def _flow_for(s: Scribe, plan: Plan, by: c.Permitted) -> str:
    """The flow that takes the new tasks: the one under way, or a new one with its own branch."""
    flow = active_flow(s.state)
    if flow is not None:
        demand_no_merge(flow)
        return flow.id
    flow_id, repo = s.new_id("fl"), s.state.repo
    s.say(
        by,
        f.FlowCreated(
            flow_id=flow_id,
            name=shortened(plan.objective, limits.TITLE_CHARS),
            slug=slug(plan.objective),
            by=by.person,
            base_branch=repo.base_branch if repo else "",
            base_commit=repo.base_commit if repo else "",
        ),
    )
    return flow_id


def shortened(text: str, limit: int) -> str:
    """``text`` on one line, cut after a word where that is possible."""
    flat = " ".join(text.split())
    if len(flat) <= limit:
        return flat
    head = flat[: limit - 1]
    return (head[: head.rfind(" ")] if " " in head[limit // 2 :] else head) + "…"


def slug(text: str) -> str:
    """A branch-safe word of ASCII letters and digits from a title; ``work`` when nothing of it is ASCII."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    cut = "-".join(words)[:40].strip("-")
    return cut or "work"
