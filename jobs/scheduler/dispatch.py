"""Give a ready task to a worker, at most once however often it is asked.

The log decides: ``Dispatch`` is refused when the task is not ready or somebody was faster, and the ledger refuses one more
attempt than a worker has slots. What finds no slot waits in an index and is tried again when one is free.
"""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from core.assembly import Desk
from core.domain import commands as c
from core.domain.model import Session
from core.domain.tables import AttemptPhase, TaskStatus
from core.domain.views import dispatchable
from core.errors import Refused
from core.ledger.port import NoCapacity
from jobs import queues, roster

WAITING = "waiting"  # index of "session/task" by when it began to wait
WAKE_MOST = 20  # waiting tasks tried per freed slot; the rest are tried by the next one or by the sweep

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Dispatcher:
    desk: Desk
    enqueuer: queues.Enqueuer

    async def offer(self, session_id: str, task_id: str) -> bool:
        """Dispatch the task if it is ready and its worker has a slot."""
        state = await self.desk.service.state(session_id)
        task = state.tasks.get(task_id)
        if task is None or not dispatchable(state, task):
            return False
        worker = await self._worker(state)
        if worker is None:
            await self._wait(session_id, task_id)
            return False
        command = c.Dispatch(task_id=task_id, worker=worker.id, slots=worker.slots)
        try:
            await self.desk.service.handle(session_id, command)
        except NoCapacity:
            await self._wait(session_id, task_id)
            return False
        except Refused as refused:
            log.info("not_dispatched", task=task_id, code=refused.code)
            return False
        await self.desk.ledger.index_drop(WAITING, f"{session_id}/{task_id}")
        return True

    async def _worker(self, state: Session) -> roster.WorkerRow | None:
        """The worker that has the session's repository: a flow's worktrees stay on one machine."""
        home = state.repo.worker if state.repo else ""
        rows = [row for row in await roster.roster(self.desk.ledger) if row.alive and row.id == home]
        return rows[0] if rows else None

    async def _wait(self, session_id: str, task_id: str) -> None:
        await self.desk.ledger.index_put(WAITING, f"{session_id}/{task_id}", await self.desk.ledger.now())

    async def wake(self) -> None:
        """A slot is free or a worker came: try those that wait, the longest first."""
        waiting = await self.desk.ledger.index_range(WAITING, 0, await self.desk.ledger.now())
        for member, _ in waiting[:WAKE_MOST]:
            session_id, task_id = member.split("/", 1)
            state = await self.desk.service.state(session_id)
            task = state.tasks.get(task_id)
            if task is None or task.status is not TaskStatus.QUEUED:
                await self.desk.ledger.index_drop(WAITING, member)
                continue
            await self.offer(session_id, task_id)

    async def start(self, session_id: str, task_id: str, again: str = "") -> None:
        """Put the job of a prepared attempt on its worker's queue; the attempt itself makes copies harmless."""
        state = await self.desk.service.state(session_id)
        task = state.tasks.get(task_id)
        attempt = state.attempts.get(task.attempt_id) if task else None
        if attempt is not None and attempt.phase is AttemptPhase.PREPARED:
            await self.enqueuer.put(queues.run_attempt(attempt.worker, session_id, attempt.id, again))

    async def release_dependents(self, session_id: str, task_id: str) -> None:
        """A task was accepted: look at the tasks that wait for exactly it."""
        state = await self.desk.service.state(session_id)
        for dependent in list(state.dependents.get(task_id, ())):
            await self.offer(session_id, dependent)
