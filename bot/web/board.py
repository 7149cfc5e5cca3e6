"""The board and the graph of a session as plain values, for the page to draw. Pure.

The rule: a task stands in exactly one column, columns that wait for a person come first, and a graph is laid out here, by
longest path, so that every browser draws the same picture.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.words import OBSTACLES, Language, Row, fill, status_label
from core.domain.model import Flow, Session, Task
from core.domain.tables import LIVE
from core.domain.views import dispatchable, flow_tasks, why

COLUMN_TASKS = 60  # newest shown of a column; a person reads no further
GRAPH_TASKS = 200  # nodes drawn of one flow
GRAPHS = 20  # latest flows

COLUMNS: dict[str, Row] = {
    "waiting_approval": ("Needs approval", "待审批"),
    "blocked": ("Blocked", "受阻"),
    "completed": ("Review", "待验收"),
    "working": ("Working", "进行中"),
    "submitted": ("Assigned", "待执行"),
    "queued": ("Waiting", "待投递"),
    "paused": ("Paused", "已暂停"),
    "failed": ("Failed", "失败"),
    "done": ("Done", "已完成"),
    "cancelled": ("Cancelled", "已取消"),
}
UNSAID = frozenset({"running", "review"})  # the column says it already


def column_of(task: Task) -> str:
    return "done" if task.settled_success else task.status.value


def label_of(task: Task, language: Language) -> str:
    """The column's name, or the wish of a person that has not come true yet."""
    if task.wish and task.status in LIVE:
        return status_label({"cancel": "cancelling", "pause": "pausing", "stop": "stopping"}[task.wish], language)
    return fill(COLUMNS[column_of(task)], language, {})


def board(state: Session, language: Language) -> list[dict[str, Any]]:
    """Every column in order; ``tasks`` holds its newest, oldest first, and ``more`` counts the rest."""
    columns: dict[str, list[Task]] = {name: [] for name in COLUMNS}
    for task in state.tasks.values():
        columns[column_of(task)].append(task)
    return [
        {
            "status": name,
            "label": fill(COLUMNS[name], language, {}),
            "more": max(0, len(tasks) - COLUMN_TASKS),
            "tasks": [_card(state, task, language) for task in tasks[-COLUMN_TASKS:]],
        }
        for name, tasks in columns.items()
    ]


def is_command(task: Task) -> bool:
    """Whether the title is the command line itself, to be shown as code."""
    return task.target == "shell" and task.content.startswith(task.title.rstrip("…"))


def obstacles(state: Session, task: Task, language: Language) -> list[str]:
    """What is in the way of a task, in words."""
    words = []
    for found in why(state, task):
        if found.kind in UNSAID:
            continue
        detail = status_label(found.detail, language).replace("_", " ")
        words.append(fill(OBSTACLES[found.kind], language, {"ref": found.ref, "detail": detail, "name": task.short}))
    return words


def _card(state: Session, task: Task, language: Language) -> dict[str, Any]:
    p = task.progress
    return {
        "id": task.id,
        "short": task.short,
        "title": task.title,
        "code": is_command(task),
        "content": task.content[:2000],
        "criteria": task.criteria,
        "status": column_of(task),
        "label": label_of(task, language),
        "worker": task.worker,
        "round": task.round,
        "blocked_by": obstacles(state, task, language),
        "progress": {"percent": p.percent, "step": p.step, "steps": p.steps, "current": p.current_step or p.summary},
        "failure": task.failure_detail,
        "ready": dispatchable(state, task),
        "live": task.status in LIVE,
        "updated_at": task.updated_at,
    }


def graphs(state: Session, language: Language) -> list[dict[str, Any]]:
    """The latest flows, newest first, each with its ``nodes``, where they stand (``rows``) and its ``edges``.

    A row lists ids from left to right; "" is a gap a long edge goes through, and an edge is [from, to, its gaps].
    """
    latest = list(state.flows.values())[-GRAPHS:]
    return [_graph(state, flow, language) for flow in reversed(latest)]


def _graph(state: Session, flow: Flow, language: Language) -> dict[str, Any]:
    tasks = flow_tasks(state, flow)
    shown = tasks[-GRAPH_TASKS:]
    ids = {t.id for t in shown}
    before = {t.id: [d for d in t.dependencies if d in ids] for t in shown}
    rows, routes = place(before)
    merged = flow.merge is not None and flow.merge.status == "merged"
    return {
        "id": flow.id,
        "name": flow.name,
        "status": "merged" if merged else "active" if flow.open_tasks else "ended",
        "more": len(tasks) - len(shown),
        "nodes": [
            {
                "id": t.id,
                "short": t.short,
                "title": t.title,
                "code": is_command(t),
                "status": column_of(t),
                "label": label_of(t, language),
                "after": [state.tasks[d].short for d in t.dependencies],
            }
            for t in shown
        ],
        "rows": rows,
        "edges": [[source, target, routes.get((source, target), [])] for target in before for source in before[target]],
    }


Spot = tuple[int, int]  # row, place in it


def place(before: Mapping[str, Sequence[str]]) -> tuple[list[list[str]], dict[tuple[str, str], list[Spot]]]:
    """Rows of ids, each below everything it waits for and near the middle of it, so that few lines cross.

    An edge that passes rows gets a gap "" of its own in each, so that it runs beside boxes, not behind them.
    """
    layers = _layers(before)
    above: dict[str, Sequence[str]] = dict(before)
    gaps: dict[str, tuple[str, str]] = {}
    at = dict(layers)
    for target, sources in before.items():
        above[target] = [_gap_chain(source, target, layers, at, above, gaps) for source in sources]
    rows: list[list[str]] = [[] for _ in range(max(at.values(), default=-1) + 1)]
    for node, layer in at.items():
        rows[layer].append(node)
    spots: dict[str, Spot] = {}
    for layer, row in enumerate(rows):
        row.sort(key=lambda node: _middle([spots[b][1] for b in above[node]]))
        spots.update({node: (layer, order) for order, node in enumerate(row)})
    routes: dict[tuple[str, str], list[Spot]] = {}
    for gap, edge in gaps.items():
        routes.setdefault(edge, []).append(spots[gap])
    return [["" if node in gaps else node for node in row] for row in rows], routes


def _gap_chain(
    source: str,
    target: str,
    layers: Mapping[str, int],
    at: dict[str, int],
    above: dict[str, Sequence[str]],
    gaps: dict[str, tuple[str, str]],
) -> str:
    """One gap for every row between the two; gives what stands right above the target then."""
    last = source
    for layer in range(layers[source] + 1, layers[target]):
        gap = f"{source}>{target}@{layer}"
        at[gap], above[gap], gaps[gap] = layer, [last], (source, target)
        last = gap
    return last


def _middle(orders: Sequence[int]) -> float:
    return sum(orders) / len(orders) if orders else 0.0


def _layers(before: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Length of the longest path into each node, without recursion: a chain may be long."""
    left = {node: set(sources) for node, sources in before.items()}
    layers: dict[str, int] = {}
    while left:
        free = [node for node, sources in left.items() if not sources & left.keys()]
        if not free:  # a circle cannot come out of the log; drawn flat it hangs nothing
            free = list(left)
        for node in free:
            layers[node] = max((layers.get(b, -1) + 1 for b in before[node]), default=0)
        for node in free:
            del left[node]
    return {node: layers[node] for node in before}
