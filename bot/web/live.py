"""The three feeds for any number of open pages: read once a process, handed out to all.

The rule: a page sees every change of its session or is told to read the state again; never a gap that looks like silence.
A page that does not keep up is dropped and comes back with the position it had.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

from core.errors import Unavailable
from core.ledger.port import FeedEntry, Ledger

FEEDS = ("session", "task", "worker")
CLIENTS = 200  # open pages; each costs a socket and a queue
QUEUE = 500  # notes a page may be behind
READ = 200
BLOCK_MS = 2_000
REPLAY = 5_000  # entries read again for a page that comes back; one further behind reads the state instead
RETRY_S = 0.5
TICK_S = 1.0  # the list of sessions is announced at most this often


class Full(Exception):
    """As many pages are open as this process carries."""


@dataclass(frozen=True, slots=True)
class Note:
    """One thing a page is told: ``event`` change, output, sessions or reload. ``feed`` and ``id`` say how far it is then."""

    event: str
    data: Mapping[str, str]
    feed: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Listener:
    """One open page. None in the queue ends it."""

    session: str
    queue: asyncio.Queue[Note | None] = field(default_factory=lambda: asyncio.Queue(QUEUE))


def order(entry_id: str) -> tuple[int, int]:
    ms, _, number = entry_id.partition("-")
    return int(ms), int(number or 0)


class Live:
    """One per process. ``run`` reads the feeds until it is cancelled."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._listeners: set[Listener] = set()
        self._at: dict[str, str] = {}
        self._touched: set[str] = set()
        self._workers: dict[str, tuple[str, str]] = {}
        self._started = asyncio.Event()
        self.closed = False
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._listeners)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for feed in FEEDS:
                group.create_task(self._follow(feed))
            group.create_task(self._announce_sessions())

    def close(self) -> None:
        """Let every page go, and nobody new in."""
        self.closed = True
        self.let_go()

    def let_go(self) -> None:
        """End every stream; the pages come back with the position they have."""
        for listener in list(self._listeners):
            self._drop(listener)

    async def join(self, session: str) -> tuple[Listener, dict[str, str]]:
        """A listener and the positions it begins at. Raises Full, and TimeoutError while the feeds cannot be read."""
        async with asyncio.timeout(RETRY_S * 4):
            await self._started.wait()
        if self.closed or len(self._listeners) >= CLIENTS:
            raise Full
        listener = Listener(session)
        self._listeners.add(listener)
        return listener, dict(self._at)

    def leave(self, listener: Listener) -> None:
        self._listeners.discard(listener)

    async def replay(self, listener: Listener, since: Mapping[str, str]) -> AsyncIterator[Note]:
        """What was on the feeds after ``since``; a ``reload`` where that is no longer known or too much."""
        for feed in FEEDS:
            after, read = since[feed], 0
            while entries := await self._ledger.tail(feed, after, limit=READ):
                read += len(entries)
                if "gap" in entries[0].data or read > REPLAY:
                    yield Note("reload", {}, feed, await self._ledger.feed_end(feed))
                    break
                for entry in entries:
                    if entry.data.get("session", listener.session) == listener.session and feed != "worker":
                        yield note(feed, entry)
                after = entries[-1].id

    async def _follow(self, feed: str) -> None:
        while True:
            try:
                if feed not in self._at:
                    self._at[feed] = await self._ledger.feed_end(feed)
                    if len(self._at) == len(FEEDS):
                        self._started.set()
                for entry in await self._ledger.tail(feed, self._at[feed], limit=READ, block_ms=BLOCK_MS):
                    self._at[feed] = entry.id
                    self._hand_out(feed, entry)
            except Unavailable:
                await asyncio.sleep(RETRY_S)

    def _hand_out(self, feed: str, entry: FeedEntry) -> None:
        if "gap" in entry.data:
            self._tell_all(Note("reload", {}))
        elif feed == "worker":
            if self._news_of_worker(entry.data):
                self._tell_all(note(feed, entry))
        else:
            session = entry.data.get("session", "")
            if entry.data.get("kind") != "output":
                self._touched.add(session)
            for listener in [x for x in self._listeners if x.session == session]:
                self._tell(listener, note(feed, entry))

    def _news_of_worker(self, data: Mapping[str, str]) -> bool:
        """A heartbeat that says the same as the one before is no news."""
        worker, says = data.get("worker", ""), (data.get("status", ""), data.get("load", ""))
        if self._workers.get(worker) == says:
            return False
        self._workers[worker] = says
        return True

    async def _announce_sessions(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            if self._touched:
                self._touched.clear()
                self._tell_all(Note("sessions", {}))

    def _tell_all(self, said: Note) -> None:
        for listener in list(self._listeners):
            self._tell(listener, said)

    def _tell(self, listener: Listener, said: Note) -> None:
        try:
            listener.queue.put_nowait(said)
        except asyncio.QueueFull:
            self.dropped += 1
            self._drop(listener)

    def _drop(self, listener: Listener) -> None:
        """What is queued is forgotten: the page reads it again from its last position."""
        self._listeners.discard(listener)
        while not listener.queue.empty():
            listener.queue.get_nowait()
        listener.queue.put_nowait(None)


def note(feed: str, entry: FeedEntry) -> Note:
    data = entry.data
    if feed == "task" and data.get("kind") == "output":
        return Note("output", {"task": data.get("task", ""), "text": data.get("text", "")}, feed, entry.id)
    return Note("change", {"feed": feed, "seq": data.get("seq", "")}, feed, entry.id)
