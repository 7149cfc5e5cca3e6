"""The live side on Redis: feeds anybody may tail, and groups that share the work of a feed or an outbox.

The rule: at least once, and never a silent gap. A tail that was trimmed past says so; an entry a dead consumer held is
handed out again; one that was trimmed while it was held is acknowledged and forgotten.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from core.errors import Unavailable
from core.ledger import wire
from core.ledger.keys import is_outbox
from core.ledger.link import Link, slices
from core.ledger.outage import once
from core.ledger.port import FeedEntry

T = TypeVar("T")


class RedisFeeds(Link):
    """See ``core.ledger.port.Ledger`` for what each call promises."""

    async def publish(self, feed: str, data: Mapping[str, str]) -> str:
        fields: Any = {wire.utf8(name): wire.utf8(value) for name, value in data.items()}
        key, length = self._keys.feed(feed), self._length(feed)
        return wire.text_of(await once(lambda: self._clients.writer.xadd(key, fields, maxlen=length, approximate=True)))

    def _length(self, feed: str) -> int:
        return self._bounds.outbox_length if is_outbox(feed) else self._bounds.feed_length

    async def tail(self, feed: str, after: str, *, limit: int = 100, block_ms: int = 0) -> list[FeedEntry]:
        key = self._keys.feed(feed)
        found = await self._read_after(key, after, limit, block_ms)
        if not found or order(after) == (0, 0) or is_outbox(feed):
            return found
        # Asked after the read: trimming between the two calls must show as a gap too many, never as one too few.
        oldest: Any = await self._ask(lambda redis: redis.xrange(key, count=1))
        trimmed = bool(oldest) and order(wire.text_of(oldest[0][0])) > order(after)
        return [gap(after), *found] if trimmed else found

    async def _read_after(self, key: str, after: str, limit: int, block_ms: int) -> list[FeedEntry]:
        position: Any = {key: after}
        for block in slices(block_ms):
            reply = await self._wait(lambda redis, block=block: redis.xread(position, count=limit, block=block))  # type: ignore[misc]
            if found := wire.entries_of(reply):
                return found
        return []

    async def feed_end(self, feed: str) -> str:
        newest = await self._ask(lambda redis: redis.xrevrange(self._keys.feed(feed), count=1))
        return wire.text_of(newest[0][0]) if newest else "0"

    async def controls(self, attempt_id: str, after: str = "0", *, block_ms: int = 0) -> list[FeedEntry]:
        return await self._read_after(self._keys.control(attempt_id), after, 100, block_ms)

    async def take(
        self, feed: str, group: str, consumer: str, *, limit: int = 50, block_ms: int = 0, idle_ms: int = 15_000
    ) -> list[FeedEntry]:
        key = self._keys.feed(feed)
        if stale := await self._in_group(key, group, lambda: self._stale(key, group, consumer, limit, idle_ms)):
            return stale
        for block in slices(block_ms):
            fresh = await self._in_group(key, group, lambda b=block: self._fresh(key, group, consumer, limit, b))  # type: ignore[misc]
            if fresh:
                return fresh
        return []

    async def _fresh(self, key: str, group: str, consumer: str, limit: int, block: int | None) -> list[FeedEntry]:
        """Entries lost with a reply stay pending, so asking again is safe: they come back as stale."""
        new: Any = {key: ">"}
        reply = await self._wait(lambda redis: redis.xreadgroup(group, consumer, new, count=limit, block=block))
        return wire.entries_of(reply)

    async def _stale(self, key: str, group: str, consumer: str, limit: int, idle_ms: int) -> list[FeedEntry]:
        """XPENDING with IDLE and XCLAIM rather than XAUTOCLAIM: in 6.2 that one does not name what was trimmed."""
        pending = await self._ask(lambda redis: redis.xpending_range(key, group, "-", "+", limit, idle=idle_ms))
        ids: list[Any] = [row["message_id"] for row in pending]
        if not ids:
            return []
        rows: Any = await self._ask(lambda redis: redis.xclaim(key, group, consumer, idle_ms, ids))
        found = [wire.entry_of(id_, fields) for id_, fields in rows if id_ is not None and fields is not None]
        missing = {wire.text_of(id_) for id_ in ids} - {entry.id for entry in found}
        await self._forget_trimmed(key, group, sorted(missing))
        return found

    async def _forget_trimmed(self, key: str, group: str, ids: Sequence[str]) -> None:
        """Not claimed means trimmed, or another consumer was faster: only the first is ours to acknowledge."""
        for id_ in ids:
            if not await self._ask(lambda redis, id_=id_: redis.xrange(key, min=id_, max=id_)):  # type: ignore[misc]
                await self._ask(lambda redis, id_=id_: redis.xack(key, group, id_))  # type: ignore[misc]

    async def _in_group(self, key: str, group: str, read: Callable[[], Awaitable[T]]) -> T:
        """The group is made when it is first missed: before the first entry, or after the stream was deleted."""
        try:
            return await read()
        except Unavailable as error:
            if error.code != "no_group":
                raise
        await self._make_group(key, group)
        return await read()

    async def _make_group(self, key: str, group: str) -> None:
        try:
            await once(lambda: self._clients.writer.xgroup_create(key, group, id="0", mkstream=True))
        except Unavailable as error:
            if error.code != "group_exists":
                raise

    async def ack(self, feed: str, group: str, ids: Sequence[str]) -> None:
        if not ids:
            return
        key = self._keys.feed(feed)
        await self._ask(lambda redis: redis.xack(key, group, *ids))
        if is_outbox(feed):
            await self._ask(lambda redis: redis.xdel(key, *ids))


def order(entry_id: str) -> tuple[int, int]:
    """A stream id as its two numbers; text order is not id order."""
    ms, _, number = entry_id.partition("-")
    return int(ms), int(number or 0)


def gap(after: str) -> FeedEntry:
    return FeedEntry(after, {"gap": "1"})
