"""The session logs on Redis: append, read, follow, import, snapshots.

The rule: an append is sent again only with the same event ids, and the script knows those, so a lost reply costs a
second question and never a second event. A reader stops at an entry that is missing or cannot be read; it never steps
over one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any
from uuid import uuid4

from core.domain.event import Draft, Event
from core.errors import Bug, Refused, Unavailable
from core.ledger import wire
from core.ledger.appending import Append, Written, build_call, read_reply
from core.ledger.connect import BLOCK_MS, Clients
from core.ledger.keys import IMPORT_TTL_S, Bounds, Keys
from core.ledger.link import Link, Script
from core.ledger.outage import Patience, once
from core.ledger.port import Appended, Effects, Fence

FOLLOW_CHUNK = 500
IMPORT_CHUNK = 500


class RedisLog(Link):
    """See ``core.ledger.port.Ledger`` for what each call promises."""

    def __init__(self, clients: Clients, keys: Keys, bounds: Bounds, patience: Patience) -> None:
        super().__init__(clients, keys, bounds, patience)
        self._append_script = Script("append.lua")
        self._adopt_script = Script("adopt.lua")

    async def now(self) -> int:
        seconds, micros = await self._ask(lambda redis: redis.time())
        return seconds * 1000 + micros // 1000

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
        ask = Append(
            session_id=session_id,
            drafts=drafts,
            token=drafts[0].id if drafts else uuid4().hex,
            expected_seq=expected_seq,
            effects=effects,
            fence=fence,
            dedupe=dedupe,
        )
        written, own = await self._send(ask)
        if not written.before:
            stamped = (Event.stamp(session_id, written.first + i, written.ts, d) for i, d in enumerate(drafts))
            return Appended(tuple(stamped))
        events = await self.read(written.session_id, written.first - 1, written.last - written.first + 1)
        if written.before == "sent" and [e.id for e in events] != [d.id for d in drafts]:
            raise Bug("event_id_reused", session=session_id, id=drafts[0].id)
        return Appended(tuple(events), duplicate=not own)

    async def _send(self, ask: Append) -> tuple[Written, bool]:
        """What was written, and whether this very call wrote it: now, or on a try whose reply was lost."""
        call = build_call(self._keys, self._bounds, ask)

        async def attempt(unknown: int) -> tuple[Written, bool]:
            written = read_reply(ask, await self._append_script.run(self._clients.writer, call.keys, call.argv))
            return written, not written.before or (written.before == "sent" and unknown > 0)

        return await self._patience.repeat(attempt)

    async def last_seq(self, session_id: str) -> int:
        tail = await self._ask(lambda redis: redis.xrevrange(self._keys.log(session_id), count=1))
        return _seq_of(tail[0][0]) if tail else 0

    async def read(self, session_id: str, after: int = 0, limit: int = 1000) -> list[Event]:
        if limit <= 0:
            return []
        key = self._keys.log(session_id)
        rows = await self._ask(lambda redis: redis.xrange(key, min=f"{after + 1}-0", count=limit))
        return list(_events(session_id, after, rows or ()))

    async def follow(self, session_id: str, after: int = 0) -> AsyncIterator[Event]:
        await self._check_reaches(session_id, after)
        while True:
            rows = await self._rows_after(self._keys.log(session_id), after)
            if not rows:
                await self._check_reaches(session_id, after)
            for event in _events(session_id, after, rows):
                yield event
                after = event.seq

    async def _check_reaches(self, session_id: str, seq: int) -> None:
        last = await self.last_seq(session_id) if seq else 0
        if last < seq:
            raise Unavailable("log_shorter", session=session_id, seq=last, after=seq)

    async def _rows_after(self, key: str, after: int) -> list[Any]:
        position = {key: f"{after}-0"}
        reply: Any = await self._wait(lambda redis: redis.xread(position, count=FOLLOW_CHUNK, block=BLOCK_MS))  # type: ignore[arg-type]
        return [row for _, found in reply or () for row in found]

    async def sessions(self, limit: int = 200) -> list[tuple[str, int]]:
        rows: Any = await self._ask(lambda redis: redis.zrevrange(self._keys.sessions, 0, limit - 1, withscores=True))
        return [(wire.text_of(name), int(score)) for name, score in rows]

    async def import_events(self, session_id: str, events: Sequence[Event]) -> None:
        if [e.seq for e in events] != list(range(1, len(events) + 1)):
            raise Refused("import_gap", session=session_id)
        incoming, log = self._keys.incoming(uuid4().hex), self._keys.log(session_id)
        if await self._ask(lambda redis: redis.exists(log)):
            raise Refused("session_exists", session=session_id)
        for start in range(0, len(events), IMPORT_CHUNK):
            await self._import_chunk(incoming, events[start : start + IMPORT_CHUNK])
        if events:
            await self._adopt(session_id, incoming, log, events[-1].ts)

    async def _import_chunk(self, incoming: str, events: Sequence[Event]) -> None:
        pipe = self._clients.writer.pipeline(transaction=False)
        for event in events:
            pipe.xadd(incoming, {"e": wire.encode_event(event), "t": event.ts}, id=f"{event.seq}-0")
        pipe.expire(incoming, IMPORT_TTL_S)
        await once(pipe.execute)

    async def _adopt(self, session_id: str, incoming: str, log: str, ts: int) -> None:
        keys = [incoming, log, self._keys.sessions]
        if not await once(lambda: self._adopt_script.run(self._clients.writer, keys, [wire.utf8(session_id), str(ts)])):
            await self._ask(lambda redis: redis.delete(incoming))
            raise Refused("session_exists", session=session_id)

    async def save_snapshot(self, session_id: str, seq: int, data: bytes) -> None:
        await self._ask(lambda redis: redis.set(self._keys.snap(session_id), wire.encode_snapshot(seq, data)))

    async def load_snapshot(self, session_id: str) -> tuple[int, bytes] | None:
        raw = await self._ask(lambda redis: redis.get(self._keys.snap(session_id)))
        return wire.decode_snapshot(raw) if isinstance(raw, bytes) else None


def _seq_of(entry_id: object) -> int:
    return int(wire.text_of(entry_id).partition("-")[0])


def _events(session_id: str, after: int, rows: Iterable[Any]) -> Iterator[Event]:
    """Decode log entries that must go on at ``after`` + 1; what stands before a bad one is still given."""
    for seq, (entry_id, fields) in enumerate(rows, after + 1):
        if _seq_of(entry_id) != seq:
            raise wire.unreadable(session_id, seq, "missing from the log")
        try:
            ts, raw = int(fields[b"t"]), fields[b"e"]
        except (KeyError, ValueError) as error:
            raise wire.unreadable(session_id, seq, "not an entry of ours") from error
        yield wire.decode_event(session_id, seq, ts, raw)
