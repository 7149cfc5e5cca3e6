"""What the scheduler does about each kind of fact, as two tables: one for task changes, one for session facts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from core.assembly import Desk
from core.domain.model import Session
from core.domain.views import ready_tasks
from jobs import queues, roster
from jobs.scheduler.dispatch import Dispatcher

FREES_A_SLOT = frozenset({"completed", "failed", "cancelled", "paused", "blocked"})


@dataclass(frozen=True, slots=True)
class Reactor:
    desk: Desk
    dispatcher: Dispatcher
    enqueuer: queues.Enqueuer

    async def task_changed(self, data: Mapping[str, str]) -> None:
        """One ``TaskChange`` of the task feed; live output and progress on the same feed are not for us."""
        to = data.get("to", "")
        if not to or to == "progress":
            return
        session_id, task_id = data["session"], data["task"]
        if to == "queued":
            await self.dispatcher.offer(session_id, task_id)
        elif to == "submitted":
            await self.dispatcher.start(session_id, task_id)
        elif to == "settled-success":
            await self.dispatcher.release_dependents(session_id, task_id)
        if to in FREES_A_SLOT or to == "queued":
            await self.dispatcher.wake()

    async def session_changed(self, data: Mapping[str, str]) -> None:
        """One event of the session feed."""
        rule = SESSION_RULES.get(data.get("type", ""))
        if rule is not None:
            await rule(self, await self.desk.service.state(data["session"]))

    async def read_unread(self, state: Session, again: str = "") -> None:
        """Have every message read that was not, and those that waited for the repository once it is there."""
        usable = state.repo is not None and not state.repo.problem
        for message in list(state.messages.values()):
            if not message.kind:
                await self.enqueuer.put(queues.read_message(state.id, message.id, again))
            elif message.waits_for == "repo" and usable:
                await self.enqueuer.put(queues.read_message(state.id, message.id, f"-repo{again}"))

    async def check_repo(self, state: Session, again: str = "") -> None:
        if state.repo is not None and state.repo.problem == "checking":
            worker = await self._repo_worker()
            if worker:
                await self.enqueuer.put(queues.check_repo(worker, state.id, f"{state.id}-{state.seq}{again}"))

    async def repo_checked(self, state: Session) -> None:
        await self.read_unread(state, f"-{state.seq}")
        for task in ready_tasks(state):
            await self.dispatcher.offer(state.id, task.id)

    async def merge(self, state: Session, again: str = "") -> None:
        for flow in state.flows.values():
            if flow.merge is not None and flow.merge.status == "requested" and state.repo is not None:
                job = queues.merge_flow(state.repo.worker, state.id, flow.id, flow.merge.tip, again)
                await self.enqueuer.put(job)

    async def _repo_worker(self) -> str:
        """Who is asked whether a repository is there: with several machines, settings say who has which."""
        alive = [row.id for row in await roster.roster(self.desk.ledger) if row.alive]
        return alive[0] if alive else ""


SESSION_RULES: dict[str, Callable[[Reactor, Session], Awaitable[None]]] = {
    "session.message.added": Reactor.read_unread,
    "session.repo.named": Reactor.check_repo,
    "session.repo.checked": Reactor.repo_checked,
    "flow.merge.requested": Reactor.merge,
}
