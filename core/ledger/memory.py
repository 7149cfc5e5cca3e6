"""The in-memory twin of the Redis ledger, for tests and for trying things out; one contract suite holds both.

The rule: what Redis would refuse, this refuses, and facts pass through their stored form, so that a payload that cannot
be read back fails here too. Time is the injected clock's; only blocking reads wait in real time. One process, and
nothing is kept.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from core.domain.event import Draft, Event
from core.errors import Bug, Refused, Unavailable
from core.ledger import wire
from core.ledger.appending import fenced
from core.ledger.keys import SEEN_TTL_S, SENT_TTL_S, Bounds
from core.ledger.memory_feeds import MemoryFeeds
from core.ledger.memory_shelf import MemoryShelf
from core.ledger.port import Appended, Claim, Effects, Fence, LostRace, NoCapacity

FOLLOW_CHUNK = 500


def wall_clock() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class _Stored:
    ts: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class _Range:
    session_id: str
    first: int
    last: int
    until: int


class MemoryLedger(MemoryFeeds, MemoryShelf):
    """A ``Ledger``. ``clock`` gives ms UTC."""

    def __init__(
        self, workspace: str = "memory", *, clock: Callable[[], int] = wall_clock, bounds: Bounds | None = None
    ) -> None:
        MemoryFeeds.__init__(self, workspace, clock, bounds or Bounds())
        MemoryShelf.__init__(self)
        self._logs: dict[str, list[_Stored]] = {}
        self._snapshots: dict[str, bytes] = {}
        self._sent: dict[str, _Range] = {}
        self._seen: dict[str, _Range] = {}
        self._fences: dict[tuple[str, str], int] = {}

    async def now(self) -> int:
        return self._clock()

    async def append(
        self,
        session_id: str,
        drafts: Sequence[Draft],
        *,
        expected_seq: int | None,
        effects: Effects = Effects(),  # noqa: B008 - frozen and empty
        fence: Fence | None = None,
        dedupe: str | None = None,
    ) -> Appended:
        stored = [wire.encode_draft(draft, self._bounds.event_bytes) for draft in drafts]
        if drafts and (sent := self._live(self._sent, drafts[0].id)):
            return self._again(sent, drafts)
        if dedupe is not None and (seen := self._live(self._seen, dedupe)):
            return self._again(seen)
        log = self._logs.get(session_id, [])  # joins the others only once something is written
        self._check(session_id, len(log), expected_seq, fence)
        places = self._room(effects)
        now = self._clock()
        ts = max(now, log[-1].ts if log else 0)
        if stored:
            self._logs.setdefault(session_id, log).extend(_Stored(ts, raw) for raw in stored)
            self._sent[drafts[0].id] = self._range(session_id, len(drafts), now + SENT_TTL_S * 1000)
        if dedupe is not None:
            self._seen[dedupe] = self._range(session_id, len(drafts), now + SEEN_TTL_S * 1000)
        self._places.update(places)
        self._fences.update({(session_id, task): number for task, number in effects.fences.items()})
        self._take_effect(effects)
        self._tell(session_id, drafts, effects, len(log), ts)
        first = len(log) - len(drafts) + 1
        return Appended(tuple(Event.stamp(session_id, first + i, ts, draft) for i, draft in enumerate(drafts)))

    def _live(self, ranges: dict[str, _Range], key: str) -> _Range | None:
        found = ranges.get(key)
        return found if found and found.until > self._clock() else None

    def _range(self, session_id: str, count: int, until: int) -> _Range:
        last = len(self._logs.get(session_id, ()))
        return _Range(session_id, last - count + 1, last, until)

    def _again(self, where: _Range, drafts: Sequence[Draft] | None = None) -> Appended:
        events = tuple(self._event(where.session_id, seq) for seq in range(where.first, where.last + 1))
        if drafts is not None and [e.id for e in events] != [d.id for d in drafts]:
            raise Bug("event_id_reused", session=where.session_id, id=drafts[0].id)
        return Appended(events, duplicate=True)

    def _check(self, session_id: str, last: int, expected_seq: int | None, fence: Fence | None) -> None:
        if expected_seq is not None and expected_seq != last:
            raise LostRace(session=session_id, seq=last)
        if fence is not None:
            current = self._fences.get((session_id, fence.task_id))
            if current != fence.number:
                raise fenced(fence, "" if current is None else str(current))

    def _room(self, effects: Effects) -> dict[str, set[str]]:
        """The places as they will be; nothing is changed yet. Raises NoCapacity."""
        claimed: Sequence[Claim] = (*effects.releases, *effects.claims)
        places = {claim.place: set(self._places.get(claim.place, ())) for claim in claimed}
        for release in effects.releases:
            places[release.place].discard(release.holder)
        for claim in effects.claims:
            inside = places[claim.place]
            if claim.holder not in inside and len(inside) >= claim.limit:
                raise NoCapacity(place=claim.place)
            inside.add(claim.holder)
        return places

    def _take_effect(self, effects: Effects) -> None:
        for name in effects.cancel_timers:
            self._timers.pop(name, None)
        self._timers.update({timer.key: timer for timer in effects.timers})
        for control in effects.controls:
            self._send(control)

    def _tell(self, session_id: str, drafts: Sequence[Draft], effects: Effects, last: int, ts: int) -> None:
        """The entries of the live feeds and of the outboxes."""
        at = {"session": session_id, "seq": str(last)}
        for seq, draft in enumerate(drafts, last - len(drafts) + 1):
            about = {"type": draft.type, "id": draft.id, "task": draft.task_id or "", "ts": str(ts)}
            self._put("session", {**at, "seq": str(seq), **about})
        for change in effects.changes:
            moved = {"task": change.task_id, "from": change.from_, "to": change.to, "ts": str(ts)}
            self._put("task", {**at, **moved})
        for surface in effects.surfaces:
            self._put(f"out:{surface}", at)
        self._bell.ring()

    async def last_seq(self, session_id: str) -> int:
        return len(self._logs.get(session_id, ()))

    async def read(self, session_id: str, after: int = 0, limit: int = 1000) -> list[Event]:
        last = min(len(self._logs.get(session_id, ())), after + max(limit, 0))
        return [self._event(session_id, seq) for seq in range(after + 1, last + 1)]

    def _event(self, session_id: str, seq: int) -> Event:
        stored = self._logs[session_id][seq - 1]
        return wire.decode_event(session_id, seq, stored.ts, stored.raw)

    async def follow(self, session_id: str, after: int = 0) -> AsyncIterator[Event]:
        while True:
            last = await self.last_seq(session_id)
            if last < after:
                raise Unavailable("log_shorter", session=session_id, seq=last, after=after)
            if last == after:
                await self._bell.wait(None)
            for seq in range(after + 1, last + 1):
                yield self._event(session_id, seq)
                after = seq

    async def sessions(self, limit: int = 200) -> list[tuple[str, int]]:
        newest = sorted(((log[-1].ts, name) for name, log in self._logs.items()), reverse=True)
        return [(name, ts) for ts, name in newest[:limit]]

    async def import_events(self, session_id: str, events: Sequence[Event]) -> None:
        if [e.seq for e in events] != list(range(1, len(events) + 1)):
            raise Refused("import_gap", session=session_id)
        if session_id in self._logs:
            raise Refused("session_exists", session=session_id)
        if events:
            self._logs[session_id] = [_Stored(event.ts, wire.encode_event(event)) for event in events]
            self._bell.ring()

    async def save_snapshot(self, session_id: str, seq: int, data: bytes) -> None:
        self._snapshots[session_id] = wire.encode_snapshot(seq, data)

    async def load_snapshot(self, session_id: str) -> tuple[int, bytes] | None:
        raw = self._snapshots.get(session_id)
        return None if raw is None else wire.decode_snapshot(raw)

    async def close(self) -> None:
        """Nothing to close: what it holds lives as long as the object."""
