"""The only door to a session: load, decide, append; tried again when somebody else appended first.

A refusal leaves everything as it was. Bots, schedulers and workers all come in here.
"""

from __future__ import annotations

import asyncio
import random
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from core import snapshot
from core.domain import commands as c
from core.domain.apply import apply
from core.domain.decide import decide
from core.domain.decide.scribe import IdSource
from core.domain.event import Draft, Payload
from core.domain.facts import AgentMessage, TaskProgressed, ToolFinished
from core.domain.model import Session
from core.errors import Bug, Refused, Unavailable
from core.ids import new_id as real_ids
from core.ledger.port import Appended, Fence, Ledger, LostRace
from core.routing import effects

RACES = 20  # a race lost this often in a row means that the session is flooded; the caller may try later
OBSERVED = (AgentMessage, TaskProgressed, ToolFinished)  # no rule reads them
CACHED = 256  # folded sessions kept in memory; the least recently used goes first


@dataclass(slots=True)
class _Kept:
    state: Session
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    saved: int = 0


def _reconsider(kept: _Kept, last_seq: object) -> None:
    """Forget everything when the log is shorter than what we have read: a server that crashed may lose its tail."""
    if isinstance(last_seq, int) and last_seq < kept.state.seq:
        kept.state, kept.saved = Session(id=kept.state.id), 0


class Service:
    """One per process. States it hands out are its own: read them, never change them."""

    def __init__(self, ledger: Ledger, new_id: IdSource = real_ids, cached: int = CACHED) -> None:
        self.ledger = ledger
        self.new_id = new_id
        self._cached = cached
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    async def state(self, session_id: str) -> Session:
        """The session as of now. ``seq`` 0 means that there is none by that id."""
        kept = self._keep(session_id)
        async with kept.lock:
            await self._catch_up(kept)
            return kept.state

    async def handle(
        self, session_id: str, command: c.Command, *, dedupe: str | None = None, fence: Fence | None = None
    ) -> Appended:
        """Carry out a command. Raises Refused (nothing changed) or Unavailable (may be tried again with ``dedupe``).

        With a ``dedupe`` that was carried out before, the first answer comes back, whatever has happened since.
        """
        kept = self._keep(session_id)
        async with kept.lock:
            for _ in range(RACES):
                await self._catch_up(kept)
                try:
                    done = await self._carry_out(kept.state, command, dedupe, fence)
                except LostRace as race:
                    _reconsider(kept, race.params["seq"])
                    await asyncio.sleep(random.uniform(0, 0.02))  # noqa: S311  jitter, so that racers do not meet again
                    continue
                await self._catch_up(kept)
                return done
        raise Unavailable("too_many_races", session=session_id)

    async def _carry_out(self, state: Session, command: c.Command, dedupe: str | None, fence: Fence | None) -> Appended:
        now = await self.ledger.now()
        try:
            drafts = decide(state, command, now, self.new_id)
        except Refused:
            if before := await self._before(state.id, dedupe):
                return before
            raise
        if not drafts:
            return Appended(())
        wanted = effects(state, drafts, now, command)
        return await self.ledger.append(
            state.id, drafts, expected_seq=state.seq, effects=wanted, fence=fence, dedupe=dedupe
        )

    async def record(
        self, session_id: str, payloads: Sequence[Payload], *, attempt_id: str, worker: str, fence: Fence
    ) -> Appended:
        """Facts a worker observed and no rule depends on: appended without a race, fenced by their attempt.

        Raises Bug for any other fact: what rules depend on is decided.
        """
        for payload in payloads:
            if not isinstance(payload, OBSERVED) or getattr(payload, "task_id", fence.task_id) != fence.task_id:
                raise Bug("not_observed", type=payload.TYPE, task=fence.task_id)
        state = await self.state(session_id)
        task = state.tasks.get(fence.task_id)
        drafts = [
            Draft(
                id=self.new_id("evt"),
                payload=p,
                source="worker",
                source_ref=worker,
                task_id=fence.task_id,
                flow_id=task.flow_id if task else None,
                attempt_id=attempt_id,
            )
            for p in payloads
        ]
        now = await self.ledger.now()
        return await self.ledger.append(
            session_id, drafts, expected_seq=None, effects=effects(state, drafts, now), fence=fence
        )

    async def _before(self, session_id: str, dedupe: str | None) -> Appended | None:
        """What was written under ``dedupe`` before. The seq of no log makes the append write nothing."""
        if dedupe is None:
            return None
        try:
            return await self.ledger.append(session_id, (), expected_seq=-1, dedupe=dedupe)
        except LostRace:
            return None

    def _keep(self, session_id: str) -> _Kept:
        kept = self._kept.setdefault(session_id, _Kept(Session(id=session_id)))
        self._kept.move_to_end(session_id)
        while len(self._kept) > self._cached:
            self._kept.popitem(last=False)
        return kept

    async def _catch_up(self, kept: _Kept) -> None:
        state = kept.state
        if not state.seq:
            await self._restore(kept)
        while events := await self.ledger.read(state.id, kept.state.seq, 1000):
            for event in events:
                apply(kept.state, event)
            if len(events) < 1000:
                break
        if kept.state.seq - kept.saved >= snapshot.EVERY:
            await self.ledger.save_snapshot(state.id, kept.state.seq, snapshot.pack(kept.state))
            kept.saved = kept.state.seq

    async def _restore(self, kept: _Kept) -> None:
        stored = await self.ledger.load_snapshot(kept.state.id)
        restored = snapshot.unpack(stored[1]) if stored else None
        if restored is not None and restored.seq <= await self.ledger.last_seq(restored.id):
            kept.state, kept.saved = restored, restored.seq
