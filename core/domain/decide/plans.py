"""Rules about plan changes: what is proposed, edited, applied or refused, and what an application does."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter

from core.domain import commands as c
from core.domain import facts as f
from core.domain import limits
from core.domain.decide import ending
from core.domain.decide.scribe import Scribe
from core.domain.model import Op, Plan, Session
from core.domain.reading import Proposal, TaskSpec
from core.domain.tables import PlanStatus, allowed, demand
from core.domain.views import active_flow, find_plan, terminal
from core.errors import Refused


def propose(s: Scribe, message_id: str, proposal: Proposal) -> None:
    """A plan change for people to see; nothing of it has happened."""
    ops = _ops(s.state, proposal)
    if not ops:
        raise Refused("empty_plan")
    _validate(s.state, ops)
    s.emit(
        f.PlanProposed(
            plan_id=s.new_id("pd"),
            short=s.short("P"),
            message_id=message_id,
            base_version=s.state.version,
            ops=tuple(ops),
            reason=proposal.reason,
            objective=proposal.objective or s.state.objective or proposal.reason[: limits.OBJECTIVE_CHARS],
            first=not s.state.version,
            collateral=_collateral(s.state, ops),
            proposal=proposal,
        ),
        "manager",
    )


def _ops(state: Session, proposal: Proposal) -> list[f.OpValue]:
    """The operations in the order they are applied: freed capacity first, so nothing starts beside what is about to stop."""
    ops = [f.OpValue(key=f"cancel:{t}", kind="cancel", task_id=t) for t in proposal.cancel]
    ops += [f.OpValue(key=f"pause:{t}", kind="pause", task_id=t) for t in proposal.pause]
    ops += [f.OpValue(key=f"release:{t}:{o}", kind="release", task_id=t, other_id=o) for t, o in proposal.release]
    ops += [f.OpValue(key=f"create:{spec.key}", kind="create", spec=spec) for spec in proposal.create]
    ops += [f.OpValue(key=f"resume:{t}", kind="resume", task_id=t) for t in proposal.resume]
    return ops


def _validate(state: Session, ops: list[f.OpValue]) -> None:
    keys = [op.key for op in ops]
    if len(set(keys)) != len(keys):
        raise Refused("duplicate_operation")
    if len(state.tasks) + len(keys) > limits.TASKS_PER_SESSION:
        raise Refused("too_many_tasks", limit=limits.TASKS_PER_SESSION)
    for op in ops:
        if op.task_id and op.task_id not in state.tasks:
            raise Refused("unknown_task", name=op.task_id)
    specs = {op.spec.key: op.spec for op in ops if op.spec is not None}
    for spec in specs.values():
        _validate_spec(state, spec, specs)
    try:
        TopologicalSorter({k: [a for a in spec.after if a in specs] for k, spec in specs.items()}).prepare()
    except CycleError as error:
        raise Refused("dependency_cycle", names=" -> ".join(error.args[1])) from error


def _validate_spec(state: Session, spec: TaskSpec, specs: dict[str, TaskSpec]) -> None:
    if len(set(spec.after)) != len(spec.after):
        raise Refused("duplicate_dependency", name=spec.title)
    if spec.key in spec.after:
        raise Refused("depends_on_itself", name=spec.title)
    unknown = [a for a in spec.after if a not in specs and a not in state.tasks]
    if unknown:
        raise Refused("unknown_dependency", name=spec.title, dependency=unknown[0])
    if sum(map(len, spec.criteria)) > limits.CRITERIA_CHARS:
        raise Refused("criteria_too_long", name=spec.title, limit=limits.CRITERIA_CHARS)


def _spared(ops: list[f.OpValue]) -> frozenset[str]:
    """Tasks propagation must leave alone: they are cancelled themselves, or freed of what they waited for."""
    return frozenset(op.task_id for op in ops if op.kind in ("cancel", "release"))


def _collateral(state: Session, ops: list[f.OpValue]) -> tuple[str, ...]:
    """Short names of the tasks that cannot start any more when this is applied."""
    spare = _spared(ops)
    hit = [t.short for op in ops if op.kind == "cancel" for t in ending.doomed(state, op.task_id, spare)]
    return tuple(dict.fromkeys(hit))


def _shown(plan: Plan, revision: int) -> None:
    """A click counts for what its card showed, and for nothing newer."""
    if revision and revision != plan.revision:
        raise Refused("card_stale", short=plan.short)


def decide_plan(s: Scribe, cmd: c.DecidePlan) -> None:
    plan = find_plan(s.state, cmd.plan)
    if cmd.decision == "change":
        if plan.status is not PlanStatus.READ_AS_QUESTION or plan.proposal is None:
            raise Refused("not_a_question", short=plan.short)
        propose(s, plan.message_id, plan.proposal)
        return
    trigger = {"apply": "apply", "reject": "reject", "question": "read_as_question"}[cmd.decision]
    if not allowed("plan", plan.status.value, trigger):
        raise Refused("already_decided", short=plan.short, by=plan.decided_by, decision=plan.status.value)
    _shown(plan, cmd.revision)
    if cmd.decision == "apply":
        _apply(s, plan, cmd.by)
    elif cmd.decision == "reject":
        s.say(cmd.by, f.PlanRejected(plan_id=plan.id, by=cmd.by.person, reason=cmd.reason[: limits.REASON_CHARS]))
    else:
        s.say(cmd.by, f.PlanReadAsQuestion(plan_id=plan.id, by=cmd.by.person))


def edit_plan(s: Scribe, cmd: c.EditPlan) -> None:
    plan = find_plan(s.state, cmd.plan)
    demand("plan", plan.status.value, "apply", name=plan.short)
    _shown(plan, cmd.revision)
    ops = _without(plan.ops, set(cmd.drop), cmd.contents)
    if not ops:
        raise Refused("empty_plan", short=plan.short)
    _validate(s.state, ops)
    s.say(
        cmd.by,
        f.PlanEdited(
            plan_id=plan.id,
            revision=plan.revision + 1,
            ops=tuple(ops),
            collateral=_collateral(s.state, ops),
            by=cmd.by.person,
        ),
    )


def _without(ops: list[Op], drop: set[str], contents: dict[str, str]) -> list[f.OpValue]:
    """The operations left after an edit; what waited for a dropped new task waits for what that one waited for."""
    gone = {op.spec.key: op.spec.after for op in ops if op.key in drop and op.spec is not None}

    def after(names: tuple[str, ...]) -> tuple[str, ...]:
        flat: list[str] = []
        for name in names:
            flat += after(gone[name]) if name in gone else [name]
        return tuple(dict.fromkeys(flat))

    kept = []
    for op in ops:
        if op.key in drop:
            continue
        spec = op.spec
        if spec is not None:
            spec = _respecified(spec, after(spec.after), contents.get(op.key, "").strip())
        kept.append(
            f.OpValue.model_validate(
                {"key": op.key, "kind": op.kind, "task_id": op.task_id, "other_id": op.other_id, "spec": spec}
            )
        )
    return kept


def _respecified(spec: TaskSpec, after: tuple[str, ...], content: str) -> TaskSpec:
    update: dict[str, object] = {"after": after}
    if content and content != spec.content:
        if len(content) > limits.CONTENT_CHARS:
            raise Refused("content_too_long", limit=limits.CONTENT_CHARS)
        first_line = content.splitlines()[0]
        title = first_line if len(first_line) <= limits.TITLE_CHARS else first_line[: limits.TITLE_CHARS - 1] + "…"
        update |= {"content": content, "title": title}
    return spec.model_copy(update=update)


def _apply(s: Scribe, plan: Plan, by: c.Permitted) -> None:
    ops = [
        f.OpValue.model_validate(
            {"key": o.key, "kind": o.kind, "task_id": o.task_id, "other_id": o.other_id, "spec": o.spec}
        )
        for o in plan.ops
    ]
    collateral = _collateral(s.state, ops)
    if collateral != tuple(plan.collateral):
        raise Refused("plan_changed", short=plan.short, names=", ".join(collateral))
    flow_id = _flow_for(s, plan, by) if any(op.kind == "create" for op in ops) else ""
    made = {op.spec.key: s.new_id("task") for op in ops if op.spec is not None}
    waiting = [op.task_id for op in ops if _must_stop_first(s.state, op)]
    s.say(
        by,
        f.PlanApproved(
            plan_id=plan.id, by=by.person, flow_id=flow_id, waiting=tuple(waiting), created=tuple(made.values())
        ),
    )
    for op in ops:
        _apply_op(s, op, by, plan, flow_id, made, _spared(ops))


def _must_stop_first(state: Session, op: f.OpValue) -> bool:
    return op.kind in ("cancel", "pause") and ending.running(state, state.tasks[op.task_id])


def _apply_op(
    s: Scribe, op: f.OpValue, by: c.Permitted, plan: Plan, flow_id: str, made: dict[str, str], spare: frozenset[str]
) -> None:
    """One operation; a task that has meanwhile ended or is already there is left as it is."""
    if op.spec is not None:
        _create(s, op.spec, by, plan, flow_id, made)
        return
    task = s.state.tasks[op.task_id]
    if op.kind == "release":
        left = tuple(d for d in task.dependencies if d != op.other_id)
        if allowed("task", task.status.value, "edit") and len(left) < len(task.dependencies):
            s.say(by, f.TaskEdited(task_id=task.id, dependencies=left))
        return
    if terminal(task) or not allowed("task", task.status.value, op.kind):
        return
    if op.kind == "cancel":
        ending.cancel(s, task, by.person, f"plan:{plan.short}", spare)
    elif op.kind == "pause":
        ending.pause(s, task, by.person)
    else:
        ending.resume(s, task, by.person)


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


def _flow_for(s: Scribe, plan: Plan, by: c.Permitted) -> str:
    """The flow that takes the new tasks: the one under way, or a new one with its own branch."""
    flow = active_flow(s.state)
    if flow is not None:
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
