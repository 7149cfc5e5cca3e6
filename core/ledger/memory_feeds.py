"""The live side of the in-memory twin: feeds, outboxes, control streams."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.ledger.keys import CONTROL_LENGTH, Bounds, Keys, is_outbox
from core.ledger.memory_streams import Bell, Group, Stream, id_of, until
from core.ledger.port import Control, FeedEntry


class MemoryFeeds:
    """See ``core.ledger.port.Ledger`` for what each call promises. Stream names are checked like Redis keys."""

    def __init__(self, workspace: str, clock: Callable[[], int], bounds: Bounds) -> None:
        self._keys = Keys(workspace)
        self._clock = clock
        self._bounds = bounds
        self._bell = Bell()
        self._streams: dict[str, Stream] = {}

    def _stream(self, key: str) -> Stream:
        return self._streams.setdefault(key, Stream())

    def _put(self, feed: str, data: Mapping[str, str]) -> str:
        length = self._bounds.outbox_length if is_outbox(feed) else self._bounds.feed_length
        return self._stream(self._keys.feed(feed)).add(self._clock(), data, length)

    def _send(self, control: Control) -> None:
        stream = self._stream(self._keys.control(control.attempt_id))
        stream.add(self._clock(), {"kind": control.kind, "body": control.body}, CONTROL_LENGTH)

    async def publish(self, feed: str, data: Mapping[str, str]) -> str:
        entry_id = self._put(feed, data)
        self._bell.ring()
        return entry_id

    async def tail(self, feed: str, after: str, *, limit: int = 100, block_ms: int = 0) -> list[FeedEntry]:
        stream = self._stream(self._keys.feed(feed))
        found = await until(self._bell, block_ms, lambda: stream.after(id_of(after), limit))
        oldest = stream.oldest()
        trimmed = id_of(after) > (0, 0) and oldest is not None and oldest > id_of(after) and not is_outbox(feed)
        return [FeedEntry(after, {"gap": "1"}), *found] if found and trimmed else found

    async def feed_end(self, feed: str) -> str:
        stream = self._stream(self._keys.feed(feed))
        return "{}-{}".format(*max(stream.entries)) if stream.entries else "0"

    async def controls(self, attempt_id: str, after: str = "0", *, block_ms: int = 0) -> list[FeedEntry]:
        stream = self._stream(self._keys.control(attempt_id))
        return await until(self._bell, block_ms, lambda: stream.after(id_of(after), 100))

    async def take(
        self, feed: str, group: str, consumer: str, *, limit: int = 50, block_ms: int = 0, idle_ms: int = 15_000
    ) -> list[FeedEntry]:
        stream = self._stream(self._keys.feed(feed))
        members = stream.groups.setdefault(group, Group())
        if stale := stream.stale(members, consumer, self._clock(), idle_ms, limit):
            return stale
        return await until(self._bell, block_ms, lambda: stream.fresh(members, consumer, self._clock(), limit))

    async def ack(self, feed: str, group: str, ids: Sequence[str]) -> None:
        self._stream(self._keys.feed(feed)).forget(group, ids, remove=is_outbox(feed))
