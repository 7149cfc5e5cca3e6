"""The operations of a plan change: built from a proposal, checked against the session and each other, and foreseen.

The rule: what is shown is what can happen. An operation that could not do what its line says is refused here, and what
an application would drag along is counted here, before anybody decides.
"""

from __future__ import annotations

from collections import Counter
from graphlib import CycleError, TopologicalSorter

from core.domain import facts as f
from core.domain import limits
from core.domain.decide import ending
from core.domain.model import Op, Session, Task
from core.domain.reading import Proposal, TaskSpec
from core.domain.tables import allowed
from core.domain.views import ENDED, downstream, terminal
from core.errors import Refused


def from_proposal(proposal: Proposal) -> list[f.OpValue]:
    """In the order they are applied: freed capacity first, so nothing starts beside what is about to stop."""
    ops = [f.OpValue(key=f"release:{t}:{o}", kind="release", task_id=t, other_id=o) for t, o in proposal.release]
    ops += [f.OpValue(key=f"cancel:{t}", kind="cancel", task_id=t) for t in proposal.cancel]
    ops += [f.OpValue(key=f"pause:{t}", kind="pause", task_id=t) for t in proposal.pause]
    ops += [f.OpValue(key=f"create:{spec.key}", kind="create", spec=spec) for spec in proposal.create]
    ops += [f.OpValue(key=f"follow:{t}:{k}", kind="follow", task_id=t, other_id=k) for t, k in proposal.follow]
    ops += [f.OpValue(key=f"resume:{t}", kind="resume", task_id=t) for t in proposal.resume]
    return ops


def value_of(op: Op, spec: TaskSpec | None) -> f.OpValue:
    """A stored operation as a fact again, with its task specification replaced."""
    return f.OpValue.model_validate(
        {"key": op.key, "kind": op.kind, "task_id": op.task_id, "other_id": op.other_id, "spec": spec}
    )


def validate(state: Session, ops: list[f.OpValue]) -> None:
    """Raises Refused for a plan that cannot be applied to ``state`` as a whole."""
    keys = [op.key for op in ops]
    if len(set(keys)) != len(keys):
        raise Refused("duplicate_operation")
    for op in ops:
        if op.task_id and op.task_id not in state.tasks:
            raise Refused("unknown_task", name=op.task_id[:40])
    _validate_agreement(state, ops)
    specs = {op.spec.key: op.spec for op in ops if op.spec is not None}
    if len(state.tasks) + len(specs) > limits.TASKS_PER_SESSION:
        raise Refused("too_many_tasks", limit=limits.TASKS_PER_SESSION)
    dead = _dead(state, ops)
    for spec in specs.values():
        _validate_spec(state, spec, specs, dead)
    for op in ops:
        if op.kind == "follow" and op.other_id not in specs:
            raise Refused("unknown_dependency", name=state.tasks[op.task_id].title, dependency=op.other_id[:64])
    edits(state, ops, {key: key for key in specs})
    try:
        TopologicalSorter(_graph(state, ops, specs)).prepare()
    except CycleError as error:
        raise Refused("dependency_cycle", names=" -> ".join(error.args[1])) from error


def _graph(state: Session, ops: list[f.OpValue], specs: dict[str, TaskSpec]) -> dict[str, list[str]]:
    """Who would wait for whom, as far as a new edge can close a circle: new tasks, and what lies behind a follow."""
    graph = {key: list(spec.after) for key, spec in specs.items()}
    for op in ops:
        if op.kind == "follow":
            graph.setdefault(op.task_id, []).append(op.other_id)
            for task in downstream(state, op.task_id):
                graph.setdefault(task.id, []).extend(task.dependencies)
    return graph


def _validate_agreement(state: Session, ops: list[f.OpValue]) -> None:
    """One task, one fate: cancel, pause and resume exclude each other, and what is cancelled is not set free."""
    fates = Counter(op.task_id for op in ops if op.kind in ("cancel", "pause", "resume"))
    released = {op.task_id for op in ops if op.kind in ("release", "follow")}
    fates.update(op.task_id for op in ops if op.kind == "cancel" and op.task_id in released)
    for task_id, count in fates.items():
        if count > 1:
            raise Refused("conflicting_operations", name=state.tasks[task_id].short)


def validate_releases(state: Session, ops: list[f.OpValue]) -> None:
    """Raises Refused("not_a_dependency"): only for a new proposal, since later the wait may rightly be over."""
    for op in ops:
        if op.kind == "release" and op.other_id not in state.tasks[op.task_id].dependencies:
            raise Refused("not_a_dependency", name=state.tasks[op.task_id].short, dependency=op.other_id[:40])


def _validate_spec(state: Session, spec: TaskSpec, specs: dict[str, TaskSpec], dead: set[str]) -> None:
    if len(set(spec.after)) != len(spec.after):
        raise Refused("duplicate_dependency", name=spec.title)
    if len(spec.after) > limits.DEPENDENCIES:
        raise Refused("too_many_dependencies", name=spec.title, limit=limits.DEPENDENCIES)
    if spec.key in spec.after:
        raise Refused("depends_on_itself", name=spec.title)
    for other in spec.after:
        if other in specs:
            continue
        if other not in state.tasks:
            raise Refused("unknown_dependency", name=spec.title, dependency=other[:64])
        if other in dead:
            raise Refused("dead_dependency", name=spec.title, dependency=state.tasks[other].short)
    if sum(map(len, spec.criteria)) > limits.CRITERIA_CHARS:
        raise Refused("criteria_too_long", name=spec.title, limit=limits.CRITERIA_CHARS)


def _dead(state: Session, ops: list[f.OpValue]) -> set[str]:
    """Tasks that will never succeed as things stand: ended without success, or ended by this change."""
    ended = {task.id for task in state.tasks.values() if task.status in ENDED}
    return ended | {task.id for task in _cancelled(state, ops) + _dragged(state, ops)}


def _cancelled(state: Session, ops: list[f.OpValue]) -> list[Task]:
    """The tasks a cancel would still do something to."""
    tasks = [state.tasks[op.task_id] for op in ops if op.kind == "cancel"]
    return [task for task in tasks if not terminal(task)]


def _dragged(state: Session, ops: list[f.OpValue]) -> list[Task]:
    spare = spared(state, ops)
    return [task for root in _cancelled(state, ops) for task in ending.doomed(state, root.id, spare)]


def collateral(state: Session, ops: list[f.OpValue]) -> tuple[str, ...]:
    """Short names of the tasks that cannot start any more when this is applied."""
    return tuple(dict.fromkeys(task.short for task in _dragged(state, ops)))


def spared(state: Session, ops: list[f.OpValue]) -> ending.Spared:
    """What the cancellations of these operations leave alone: the cancelled themselves, and waits that end with them."""
    edges = {(task_id, other) for task_id, others in releases(state, ops).items() for other in others}
    return ending.Spared(frozenset(op.task_id for op in ops if op.kind == "cancel"), frozenset(edges))


def edits(state: Session, ops: list[f.OpValue], made: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """By task, the dependencies it has afterwards. ``made`` gives the ids of the new tasks by key.

    Raises Refused("too_many_dependencies").
    """
    found = {
        task_id: [d for d in state.tasks[task_id].dependencies if d not in gone]
        for task_id, gone in releases(state, ops).items()
    }
    for op in ops:
        if op.kind == "follow" and allowed("task", state.tasks[op.task_id].status.value, "edit"):
            found.setdefault(op.task_id, list(state.tasks[op.task_id].dependencies)).append(made[op.other_id])
    for task_id, dependencies in found.items():
        if len(dependencies) > limits.DEPENDENCIES:
            raise Refused("too_many_dependencies", name=state.tasks[task_id].short, limit=limits.DEPENDENCIES)
    return {task_id: tuple(dependencies) for task_id, dependencies in found.items()}


def releases(state: Session, ops: list[f.OpValue]) -> dict[str, set[str]]:
    """By task, the dependencies it stops waiting for. A task that was started waits for nothing any more."""
    found: dict[str, set[str]] = {}
    for op in ops:
        if op.kind != "release":
            continue
        task = state.tasks[op.task_id]
        if allowed("task", task.status.value, "edit") and op.other_id in task.dependencies:
            found.setdefault(task.id, set()).add(op.other_id)
    return found
