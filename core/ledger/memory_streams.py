"""Streams in memory, as Redis has them: ids by time, trimming, groups with pending entries, and a bell for who waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from core.ledger.port import FeedEntry

Id = tuple[int, int]


def id_of(text: str) -> Id:
    ms, _, number = text.partition("-")
    return int(ms), int(number or 0)


class Bell:
    """Wakes everyone who waits for a change. Bound to no event loop, so one twin may serve several test loops."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def ring(self) -> None:
        for waiter in self._waiting:
            if not waiter.done():
                waiter.set_result(None)

    async def wait(self, timeout_s: float | None) -> None:
        """Return at the next ring, or after ``timeout_s`` seconds of real time."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.add(waiter)
        try:
            await asyncio.wait([waiter], timeout=timeout_s)
        finally:
            self._waiting.discard(waiter)


@dataclass(slots=True)
class Pending:
    consumer: str
    since: int


@dataclass(slots=True)
class Group:
    last: Id = (0, 0)
    pending: dict[Id, Pending] = field(default_factory=dict)


@dataclass(slots=True)
class Stream:
    """Entries by id, oldest first."""

    entries: dict[Id, dict[str, str]] = field(default_factory=dict)
    last: Id = (0, 0)
    groups: dict[str, Group] = field(default_factory=dict)

    def add(self, now: int, data: Mapping[str, str], length: int) -> str:
        self.last = max((now, 0), (self.last[0], self.last[1] + 1))
        self.entries[self.last] = dict(data)
        while len(self.entries) > length:
            del self.entries[next(iter(self.entries))]
        return _text(self.last)

    def after(self, position: Id, limit: int) -> list[FeedEntry]:
        found = [(id_, data) for id_, data in self.entries.items() if id_ > position]
        return [_entry(id_, data) for id_, data in found[:limit]]

    def oldest(self) -> Id | None:
        return next(iter(self.entries), None)

    def stale(self, group: Group, consumer: str, now: int, idle_ms: int, limit: int) -> list[FeedEntry]:
        """Hand over what has been pending too long; what was trimmed meanwhile is forgotten."""
        old = sorted(id_ for id_, held in group.pending.items() if now - held.since >= idle_ms)[:limit]
        for id_ in old:
            if id_ in self.entries:
                group.pending[id_] = Pending(consumer, now)
            else:
                del group.pending[id_]
        return [_entry(id_, self.entries[id_]) for id_ in old if id_ in self.entries]

    def fresh(self, group: Group, consumer: str, now: int, limit: int) -> list[FeedEntry]:
        found = self.after(group.last, limit)
        for entry in found:
            group.last = id_of(entry.id)
            group.pending[group.last] = Pending(consumer, now)
        return found

    def forget(self, group: str, ids: Sequence[str], *, remove: bool) -> None:
        for id_ in map(id_of, ids):
            if group in self.groups:
                self.groups[group].pending.pop(id_, None)
            if remove:
                self.entries.pop(id_, None)


def _text(id_: Id) -> str:
    return f"{id_[0]}-{id_[1]}"


def _entry(id_: Id, data: Mapping[str, str]) -> FeedEntry:
    return FeedEntry(_text(id_), dict(data))


async def until(bell: Bell, block_ms: int, look: Callable[[], list[FeedEntry]]) -> list[FeedEntry]:
    """What ``look`` finds now or within ``block_ms`` of real time."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + block_ms / 1000
    while not (found := look()) and (left := deadline - loop.time()) > 0:
        await bell.wait(left)
    return found
