"""Time and silence: timers that are due, leases that ended, workers that are gone, and the sweep behind everything."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from core.assembly import Desk
from core.domain import commands as c
from core.domain.model import Session
from core.domain.tables import AttemptPhase
from core.domain.views import ready_tasks
from core.errors import Refused
from core.ledger.port import Timer
from core.routing import holder, worker_place
from jobs import roster
from jobs.scheduler.dispatch import Dispatcher
from jobs.scheduler.react import Reactor

SWEPT_SESSIONS = 500  # the most recently active ones
PREPARED_MS = 5_000  # a prepared attempt older than this is put on its queue once more
CUT_OFF_S = 2.5  # two looks at the leases are never this far apart unless Redis or this process was away
CLAIMED = (AttemptPhase.DISPATCHING, AttemptPhase.ACCEPTED)

log = structlog.get_logger()


@dataclass(slots=True)
class Seen:
    """What one scheduler saw last. Seconds of ``time.monotonic``; at first it has seen nothing for ever."""

    looked: float = float("-inf")
    judging_from: float = 0.0
    alive: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Watch:
    desk: Desk
    dispatcher: Dispatcher
    reactor: Reactor
    seen: Seen = field(default_factory=Seen)

    async def timers(self) -> None:
        """Fire what is due. A timer stays until its command was carried out or refused, so a crash repeats it."""
        for timer in await self.desk.ledger.due(await self.desk.ledger.now()):
            command = TIMERS.get(timer.kind)
            if command is None:  # of a newer version; kept, it would come up again for ever
                log.error("set_aside", timer=timer.kind, session=timer.session_id)
            else:
                await self._quietly(timer.session_id, command(timer))
            await self.desk.ledger.done(timer)

    async def leases(self) -> None:
        """Attempts nobody has spoken for: their process is dead, or cut off.

        After we were cut off ourselves, everybody else was too: those who live get the length of a lease to say so.
        """
        expired = await roster.expired_leases(self.desk.ledger)
        before, self.seen.looked = self.seen.looked, time.monotonic()
        if self.seen.looked - before > CUT_OFF_S:
            self.seen.judging_from = self.seen.looked + self.desk.settings.worker.lease_s
        if self.seen.looked < self.seen.judging_from:
            return
        for member in expired:
            session_id, _, attempt_id = member.split("/")
            await self._quietly(session_id, c.LoseAttempt(attempt_id=attempt_id, why="lease"))
            await roster.drop_lease(self.desk.ledger, member)
            await self.dispatcher.wake()

    async def workers(self) -> None:
        """A worker that is here again gets what waits; what was sent to a dead one and not taken goes back to waiting."""
        rows = await roster.roster(self.desk.ledger)
        before, self.seen.alive = self.seen.alive, frozenset(row.id for row in rows if row.alive)
        if self.seen.alive - before:
            await self.dispatcher.wake()
        for row in rows:
            if row.alive:
                continue
            for session_id, attempt_id in await held(self.desk, row.id):
                state = await self.desk.service.state(session_id)
                attempt = state.attempts.get(attempt_id)
                if attempt is not None and attempt.phase is AttemptPhase.PREPARED:
                    await self._quietly(session_id, c.LoseAttempt(attempt_id=attempt_id, why="worker_gone"))

    async def sweep(self, stamp: str) -> None:
        """Look at everything recent as if it had just happened; all of it is idempotent."""
        for session_id, _ in await self.desk.ledger.sessions(SWEPT_SESSIONS):
            try:
                await self._sweep_one(await self.desk.service.state(session_id), stamp)
            except Refused as refused:  # one unreadable session must not hide the others
                log.error("session_not_swept", session=session_id, code=refused.code, **refused.params)
        await self.dispatcher.wake()

    async def _sweep_one(self, state: Session, stamp: str) -> None:
        await self.reactor.check_repo(state, stamp)
        await self.reactor.read_unread(state, stamp)
        await self.reactor.merge(state, stamp)
        for task in ready_tasks(state):
            await self.dispatcher.offer(state.id, task.id)
        now = await self.desk.ledger.now()
        leased = {member for member, _ in await self.desk.ledger.index_range("leases", 0, roster.FOREVER)}
        for task_id in list(state.live_tasks):
            attempt = state.attempts[state.tasks[task_id].attempt_id]
            name = holder(state.id, task_id, attempt.id)
            if attempt.phase is AttemptPhase.PREPARED and now - attempt.prepared_at > PREPARED_MS:
                await self.dispatcher.start(state.id, task_id, stamp)
            elif attempt.phase in CLAIMED and name not in leased and now - attempt.last_heard > PREPARED_MS:
                await self._quietly(state.id, c.LoseAttempt(attempt_id=attempt.id, why="lease"))

    async def _quietly(self, session_id: str, command: c.Command) -> None:
        """A refusal here means that somebody was faster."""
        try:
            await self.desk.service.handle(session_id, command)
        except Refused as refused:
            log.debug("nothing_to_do", command=type(command).__name__, code=refused.code)


def _grace(timer: Timer) -> c.Command:
    return c.LoseAttempt(attempt_id=timer.ref, why="grace")


def _approval(timer: Timer) -> c.Command:
    return c.ExpireApproval(interaction_id=timer.ref)


TIMERS: dict[str, Callable[[Timer], c.Command]] = {"grace": _grace, "approval": _approval}


async def held(desk: Desk, worker: str) -> list[tuple[str, str]]:
    """(session, attempt) of everything a worker holds a slot for."""
    found = []
    for member in await desk.ledger.holders(worker_place(worker)):
        session_id, _, attempt_id = member.split("/")
        found.append((session_id, attempt_id))
    return found
