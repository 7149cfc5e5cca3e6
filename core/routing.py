"""What else must change in the same write as some facts: feeds, timers, control messages, fences, places.

A pure function of the state before and the facts; the ledger carries it out atomically with them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.domain import commands as c
from core.domain import facts as f
from core.domain import limits
from core.domain.event import Draft, Payload
from core.domain.model import Attempt, Interaction, Session
from core.domain.tables import LIVE
from core.ledger.port import Claim, Control, Effects, TaskChange, Timer

GRACE_MARGIN_MS = 3_000  # a worker that ends an agent at the grace still has to say so


@dataclass(slots=True)
class _Route:
    """Effects being collected. ``statuses`` and ``closed`` follow tasks and approvals through the facts of this write."""

    state: Session
    now: int
    slots: int
    statuses: dict[str, str] = field(default_factory=dict)
    closed: set[str] = field(default_factory=set)
    changes: list[TaskChange] = field(default_factory=list)
    timers: list[Timer] = field(default_factory=list)
    cancel_timers: list[str] = field(default_factory=list)
    controls: list[Control] = field(default_factory=list)
    fences: dict[str, int] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)
    releases: list[Claim] = field(default_factory=list)
    surfaces: list[str] = field(default_factory=list)

    def status(self, task_id: str) -> str:
        task = self.state.tasks.get(task_id)
        return self.statuses.get(task_id, task.status.value if task else "-")

    def change(self, task_id: str, to: str, mark: str = "") -> None:
        self.changes.append(TaskChange(task_id, self.status(task_id), mark or to))
        self.statuses[task_id] = to

    def timer(self, kind: str, ref: str, due: int) -> None:
        self.timers.append(Timer(timer_key(kind, ref), due, self.state.id, kind, ref))

    def stop(self, attempt_id: str, wish: str, by: str) -> None:
        """Tell the attempt to end, and look after the grace whether it did."""
        self.control(attempt_id, "cancel", wish=wish, by=by)
        self.timer("grace", attempt_id, self.now + limits.CANCEL_GRACE_MS + GRACE_MARGIN_MS)

    def control(self, attempt_id: str, kind: str, **body: Any) -> None:
        self.controls.append(Control(attempt_id, kind, json.dumps(body, ensure_ascii=False)))


def timer_key(kind: str, ref: str) -> str:
    return f"{kind}:{ref}"


def worker_place(worker: str) -> str:
    """The place whose claims are a worker's busy slots."""
    return f"worker:{worker}"


def holder(session_id: str, task_id: str, attempt_id: str) -> str:
    return f"{session_id}/{task_id}/{attempt_id}"


def effects(state: Session, drafts: Sequence[Draft], now: int, command: c.Command | None = None) -> Effects:
    """The effects of ``drafts`` on a session that still is as ``state``. ``now`` is ms UTC."""
    slots = command.slots if isinstance(command, c.Dispatch) else 0
    route = _Route(state, now, slots, surfaces=list(state.surfaces))
    for draft in drafts:
        rule = _ROUTES.get(type(draft.payload))
        if rule is not None:
            rule(route, draft.payload)
    return Effects(
        surfaces=tuple(dict.fromkeys(route.surfaces)),
        changes=tuple(route.changes),
        timers=tuple(route.timers),
        cancel_timers=tuple(route.cancel_timers),
        controls=tuple(route.controls),
        fences=route.fences,
        claims=tuple(route.claims),
        releases=tuple(route.releases),
    )


def _session_created(r: _Route, p: f.SessionCreated) -> None:
    r.surfaces.append(p.surface)


def _assigned(r: _Route, p: f.TaskAssigned) -> None:
    r.change(p.task_id, "submitted")
    r.fences[p.task_id] = p.number
    r.claims.append(Claim(worker_place(p.worker), holder(r.state.id, p.task_id, p.attempt_id), r.slots))


def _attempt(r: _Route, p: f.AttemptUpdated) -> None:
    attempt: Attempt = r.state.attempts[p.attempt_id]
    if p.phase in ("finalized", "uncertain"):
        r.cancel_timers.append(timer_key("grace", attempt.id))
        r.releases.append(Claim(worker_place(attempt.worker), holder(r.state.id, attempt.task_id, attempt.id)))


def _wished(r: _Route, p: f.TaskWished) -> None:
    r.stop(r.state.tasks[p.task_id].attempt_id, p.wish, p.by)
    r.changes.append(TaskChange(p.task_id, "live", f"wish-{p.wish}"))


def _blocked(r: _Route, p: f.TaskBlocked) -> None:
    task = r.state.tasks[p.task_id]
    if p.reason == "approval_timeout" and task.status in LIVE:  # not when a pause of the blocked task ends
        r.stop(task.attempt_id, "stop", "system")
    r.change(p.task_id, "blocked")


def _settled(r: _Route, p: f.TaskSettled) -> None:
    r.change(p.task_id, "completed", "settled-success" if p.accepted else "settled-failure")


def _requested(r: _Route, p: f.ApprovalRequested) -> None:
    r.change(p.task_id, "waiting_approval")
    r.timer("approval", p.interaction_id, p.deadline)


def _decided(r: _Route, interaction_id: str, allow: bool, by: str, reason: str) -> None:
    interaction: Interaction = r.state.interactions[interaction_id]
    r.closed.add(interaction_id)
    r.cancel_timers.append(timer_key("approval", interaction_id))
    r.control(interaction.attempt_id, "answer", request_id=interaction.request_id, allow=allow, by=by, reason=reason)
    left = r.state.open_interactions - r.closed
    if not any(r.state.interactions[i].task_id == interaction.task_id for i in left):
        r.change(interaction.task_id, "working")


def _approved(r: _Route, p: f.ApprovalApproved) -> None:
    _decided(r, p.interaction_id, True, p.by, "")


def _rejected(r: _Route, p: f.ApprovalRejected) -> None:
    _decided(r, p.interaction_id, False, p.by, p.reason)


def _cancelled(r: _Route, p: f.InteractionCancelled) -> None:
    _decided(r, p.interaction_id, False, "", p.cause)


def _moves(to: str) -> Callable[[_Route, Any], None]:
    return lambda r, p: r.change(p.task_id, to)


_ROUTES: dict[type[Payload], Callable[[_Route, Any], None]] = {
    f.SessionCreated: _session_created,
    f.TaskCreated: _moves("queued"),
    f.TaskEdited: lambda r, p: r.change(p.task_id, r.status(p.task_id)),
    f.TaskAssigned: _assigned,
    f.TaskRequeued: _moves("queued"),
    f.TaskStarted: _moves("working"),
    f.TaskProgressed: lambda r, p: r.changes.append(TaskChange(p.task_id, "progress", "progress")),
    f.TaskCompleted: _moves("completed"),
    f.TaskSettled: _settled,
    f.TaskReworked: _moves("queued"),
    f.TaskBlocked: _blocked,
    f.TaskPaused: _moves("paused"),
    f.TaskCancelled: _moves("cancelled"),
    f.TaskFailed: _moves("failed"),
    f.TaskWished: _wished,
    f.AttemptUpdated: _attempt,
    f.ApprovalRequested: _requested,
    f.ApprovalApproved: _approved,
    f.ApprovalRejected: _rejected,
    f.InteractionCancelled: _cancelled,
}
