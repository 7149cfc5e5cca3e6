"""The table of folds, and the two changes every fold of a kind shares: a short name is counted, a task moves.

Whatever an index says about a task is changed in ``move`` and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.domain import model as m
from core.domain.event import Event, Payload
from core.domain.tables import LIVE, TaskStatus

Fold = Callable[[m.Session, Event, Any], None]
FOLDS: dict[str, Fold] = {}


def on(payload: type[Payload]) -> Callable[[Fold], Fold]:
    def keep(fn: Fold) -> Fold:
        FOLDS[payload.TYPE] = fn
        return fn

    return keep


def count(state: m.Session, short: str, id_: str) -> None:
    state.shorts[short] = id_
    state.counters[short[0]] = max(state.counters.get(short[0], 0), int(short[1:]))


def move(state: m.Session, event: Event, task: m.Task, status: TaskStatus) -> None:
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
