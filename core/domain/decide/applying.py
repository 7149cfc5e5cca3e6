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
    for task_id, dependencies in operations.edits(s.state, ops, made).items():
        s.say(by, f.TaskEdited(task_id=task_id, dependencies=dependencies))
    spared = operations.spared(s.state, ops)
    for op in ops:
        if op.spec is not None:
            _create(s, op.spec, by, plan, flow_id, made)
        elif op.kind not in ("release", "follow"):
            _change(s, op.kind, s.state.tasks[op.task_id], by.person, f"plan:{plan.short}", spared)


def _must_stop_first(state: Session, op: f.OpValue) -> bool:
    return op.kind in ("cancel", "pause") and ending.running(state, state.tasks[op.task_id])


def _change(s: Scribe, kind: str, task: Task, by: str, reason: str, spared: ending.Spared) -> None:
    if terminal(task) or not allowed("task", task.status.value, kind):
        return
    if ending.running(s.state, task) and not ending.stronger(task, kind):
        return  # it is being stopped for this or for more already
    if kind == "cancel":
        ending.cancel(s, task, by, reason, spared)
    elif kind == "resume":
        ending.resume(s, task, by)
    elif task.status is not TaskStatus.BLOCKED or not ending.at_large(s.state, task):
        ending.pause(s, task, by)  # one that is blocked on an unknown end does nothing without a person anyway


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
        raise Refused("merging", flow=flow.name)


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
            name=plan.objective[: limits.TITLE_CHARS],
            slug=slug(plan.objective),
            by=by.person,
            base_branch=repo.base_branch if repo else "",
            base_commit=repo.base_commit if repo else "",
        ),
    )
    return flow_id


def slug(text: str) -> str:
    """A branch-safe word of ASCII letters and digits from a title; ``work`` when nothing of it is ASCII."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    cut = "-".join(words)[:40].strip("-")
    return cut or "work"
