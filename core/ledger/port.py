"""What the rest of the product may ask of the ledger: one Protocol, kept by Redis and by an in-memory twin alike.

The rule: an append checks everything first and then writes everything, or nothing. Readers may see an entry more than
once (at-least-once) and are idempotent by event id; nobody sees a gap.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.domain.event import Draft, Event
from core.errors import Refused


class LostRace(Refused):
    """Somebody appended first: reload, decide again. ``params["seq"]`` is the log's last seq."""

    code = "lost_race"


class Fenced(Refused):
    """The writer's attempt is no longer the task's current one; whatever it still says is refused."""

    code = "fenced"


class NoCapacity(Refused):
    """A place named in ``Effects.claims`` is full."""

    code = "no_capacity"


@dataclass(frozen=True, slots=True)
class Fence:
    """The write is allowed only while ``number`` is the current attempt number of ``task_id``."""

    task_id: str
    number: int


@dataclass(frozen=True, slots=True)
class Timer:
    """Due at ``due`` (ms UTC, the ledger's clock). ``key`` is unique per workspace: setting it again moves it."""

    key: str
    due: int
    session_id: str
    kind: str
    ref: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One of ``limit`` places at ``place`` (a worker's slots); ``holder`` already inside is fine."""

    place: str
    holder: str
    limit: int = 0


@dataclass(frozen=True, slots=True)
class TaskChange:
    """The live projection of a task event on the task feed; ``from_``/``to`` are domain words."""

    task_id: str
    from_: str
    to: str


@dataclass(frozen=True, slots=True)
class Control:
    """To a running attempt: ``kind`` is steer, cancel or answer; ``body`` is JSON text."""

    attempt_id: str
    kind: str
    body: str = "{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What changes in the same write as the events."""

    surfaces: Sequence[str] = ()
    changes: Sequence[TaskChange] = ()
    timers: Sequence[Timer] = ()
    cancel_timers: Sequence[str] = ()
    controls: Sequence[Control] = ()
    fences: Mapping[str, int] = field(default_factory=dict)
    claims: Sequence[Claim] = ()
    releases: Sequence[Claim] = ()


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry of a feed or outbox: ``id`` is the stream id, ``data`` its flat fields."""

    id: str
    data: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Appended:
    """The stamped events; ``duplicate`` when the dedupe key (or the same event ids) had been written before."""

    events: tuple[Event, ...]
    duplicate: bool = False


class Ledger(Protocol):
    """Every time is ms UTC of the ledger's own clock. All calls may raise ``Unavailable``."""

    async def now(self) -> int: ...

    async def append(
        self,
        session_id: str,
        drafts: Sequence[Draft],
        *,
        expected_seq: int | None,
        effects: Effects = Effects(),
        fence: Fence | None = None,
        dedupe: str | None = None,
    ) -> Appended:
        """Write all or nothing, in one round trip. ``expected_seq`` None is a record: no seq check.

        Without drafts only the effects are written. Within one append releases come before claims, and cancelled
        timers before set ones, so a place or a timer can change hands.

        ``dedupe`` is remembered for 7 days, across sessions; a second append with it writes nothing and returns the
        first one's events (``session_id`` of the first). Raises LostRace, Fenced, NoCapacity, Unavailable, and
        Refused("unwritable_event") for text or a size no log can hold. After a lost reply the client asks for its own
        event ids, so a retry never doubles and is not called a duplicate.
        """
        ...

    async def last_seq(self, session_id: str) -> int: ...

    async def read(self, session_id: str, after: int = 0, limit: int = 1000) -> list[Event]:
        """Events with seq > ``after``, in order. Raises Refused("unreadable_event", session=…, seq=…, why=…)."""
        ...

    def follow(self, session_id: str, after: int = 0) -> AsyncIterator[Event]:
        """Every event after ``after`` in order, then live, until the caller stops iterating.

        Raises what ``read`` raises, and Unavailable("log_shorter") when the log ends before ``after``: a server that
        lost its tail in a crash counts those numbers again, and a reader must start over.
        """
        ...

    async def sessions(self, limit: int = 200) -> list[tuple[str, int]]:
        """(session id, ts of its last event), newest first."""
        ...

    async def import_events(self, session_id: str, events: Sequence[Event]) -> None:
        """Write an exported log into an empty session, keeping ts and ids; Refused("session_exists") otherwise."""
        ...

    async def save_snapshot(self, session_id: str, seq: int, data: bytes) -> None: ...
    async def load_snapshot(self, session_id: str) -> tuple[int, bytes] | None: ...

    # feeds: "session", "task", "worker" (trimmed); outbox: "out:<surface>"
    async def publish(self, feed: str, data: Mapping[str, str]) -> str:
        """Live-only entry (heartbeats, text chunks)."""
        ...

    async def tail(self, feed: str, after: str, *, limit: int = 100, block_ms: int = 0) -> list[FeedEntry]:
        """Entries after stream id ``after`` ("0" from the start, "$" is not accepted: ask ``feed_end`` first).

        When the feed was trimmed past ``after`` the first entry has data ``{"gap": "1"}``: read the state again, then
        go on with the entries behind it.
        """
        ...

    async def feed_end(self, feed: str) -> str: ...

    async def take(
        self, feed: str, group: str, consumer: str, *, limit: int = 50, block_ms: int = 0, idle_ms: int = 15_000
    ) -> list[FeedEntry]:
        """Share of the work: entries pending longer than ``idle_ms`` (their consumer died) first, else new ones.

        Each needs ``ack``. A group starts at the feed's oldest entry.
        """
        ...

    async def ack(self, feed: str, group: str, ids: Sequence[str]) -> None:
        """Done with these. An outbox has one group, so there an acknowledged entry is also removed."""
        ...

    async def due(self, now: int, limit: int = 100) -> list[Timer]:
        """Timers due; each stays until ``done`` so a crash repeats it."""
        ...

    async def done(self, timer: Timer) -> None:
        """Remove it unless it was moved to a later time meanwhile."""
        ...

    async def controls(self, attempt_id: str, after: str = "0", *, block_ms: int = 0) -> list[FeedEntry]:
        """What was sent to this attempt after ``after``: data has ``kind`` and ``body``."""
        ...

    async def holders(self, place: str) -> list[str]:
        """Who holds a claim at ``place``."""
        ...

    async def bind(self, place: str, session_id: str) -> str:
        """Bind if free; returns the session the place belongs to now."""
        ...

    async def rebind(self, place: str, session_id: str) -> None: ...
    async def bound(self, place: str) -> str | None: ...

    # small named hashes, keys like "post:<key>" and "worker:<id>"; indexes have plain names, like "workers"
    async def get_hash(self, key: str) -> dict[str, str]: ...
    async def set_hash(self, key: str, values: Mapping[str, str], ttl_ms: int | None = None) -> None: ...
    async def set_newer(self, key: str, field: str, value: str, order: int) -> int:
        """Write one field unless it was already written with a higher ``order``; look and write are one step.

        Answers how often it was written, 0 for a refusal. The field holds ``<order> <revision> <value>``.
        """
        ...

    async def delete(self, key: str) -> None: ...
    async def index_put(self, name: str, member: str, score: int) -> None: ...
    async def index_drop(self, name: str, member: str) -> None: ...
    async def index_range(self, name: str, low: int, high: int) -> list[tuple[str, int]]: ...

    # artifacts
    async def put_blob(self, data: bytes) -> str:
        """Store compressed by content, at most 8 MiB (Refused("artifact_too_large")); returns the sha256 hex."""
        ...

    async def get_blob(self, digest: str) -> bytes | None: ...

    async def close(self) -> None: ...
