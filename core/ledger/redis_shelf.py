"""Everything on Redis that is not a stream: timers, claims, bindings, small hashes, indexes and artifacts.

The rule: each call may be repeated without harm, so a lost reply is answered by asking again.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from typing import Any

from core.errors import Refused, Unavailable
from core.ledger import wire
from core.ledger.connect import Clients
from core.ledger.keys import Bounds, Keys, valid_digest
from core.ledger.link import Link, Script
from core.ledger.outage import Patience
from core.ledger.port import Timer


class RedisShelf(Link):
    """See ``core.ledger.port.Ledger`` for what each call promises."""

    def __init__(self, clients: Clients, keys: Keys, bounds: Bounds, patience: Patience) -> None:
        super().__init__(clients, keys, bounds, patience)
        self._done_script = Script("done.lua")
        self._newer_script = Script("newer.lua")

    async def due(self, now: int, limit: int = 100) -> list[Timer]:
        keys = self._keys
        names: Any = await self._ask(lambda redis: redis.zrangebyscore(keys.due, "-inf", now, start=0, num=limit))
        if not names:
            return []
        bodies = await self._ask(lambda redis: redis.hmget(keys.timers, names))
        found = zip(names, bodies, strict=True)
        timers = [wire.decode_timer(wire.text_of(name), body) for name, body in found if isinstance(body, bytes)]
        return [timer for timer in timers if timer.due <= now]  # one may have moved between the two questions

    async def done(self, timer: Timer) -> None:
        keys = [self._keys.due, self._keys.timers]
        await self._ask(lambda redis: self._done_script.run(redis, keys, [wire.utf8(timer.key), str(timer.due)]))

    async def holders(self, place: str) -> list[str]:
        return sorted(map(wire.text_of, await self._ask(lambda redis: redis.smembers(self._keys.slots(place)))))

    async def bind(self, place: str, session_id: str) -> str:
        key = self._keys.bind(place)
        await self._ask(lambda redis: redis.set(key, session_id, nx=True))
        return await self.bound(place) or session_id

    async def rebind(self, place: str, session_id: str) -> None:
        await self._ask(lambda redis: redis.set(self._keys.bind(place), session_id))

    async def bound(self, place: str) -> str | None:
        session_id = await self._ask(lambda redis: redis.get(self._keys.bind(place)))
        return None if session_id is None else wire.text_of(session_id)

    async def get_hash(self, key: str) -> dict[str, str]:
        found = await self._ask(lambda redis: redis.hgetall(self._keys.hash(key)))
        return {wire.text_of(name): wire.text_of(value) for name, value in found.items()}

    async def set_hash(self, key: str, values: Mapping[str, str], ttl_ms: int | None = None) -> None:
        name = self._keys.hash(key)
        fields: Any = {wire.utf8(field): wire.utf8(value) for field, value in values.items()}

        async def write(redis: Any) -> None:
            pipe = redis.pipeline(transaction=True)  # a hash whose writer dies in between must not live for ever
            if fields:
                pipe.hset(name, mapping=fields)
            if ttl_ms is not None:
                pipe.pexpire(name, ttl_ms)
            await pipe.execute()

        await self._ask(write)

    async def set_newer(self, key: str, field: str, value: str, order: int) -> int:
        name, argv = self._keys.hash(key), (wire.utf8(field), str(order).encode(), wire.utf8(value))
        return int(await self._ask(lambda redis: self._newer_script.run(redis, [name], argv)))

    async def delete(self, key: str) -> None:
        await self._ask(lambda redis: redis.delete(self._keys.hash(key)))

    async def index_put(self, name: str, member: str, score: int) -> None:
        await self._ask(lambda redis: redis.zadd(self._keys.index(name), {wire.utf8(member): score}))

    async def index_drop(self, name: str, member: str) -> None:
        await self._ask(lambda redis: redis.zrem(self._keys.index(name), wire.utf8(member)))

    async def index_range(self, name: str, low: int, high: int) -> list[tuple[str, int]]:
        key = self._keys.index(name)
        rows: Any = await self._ask(lambda redis: redis.zrangebyscore(key, low, high, withscores=True))
        return [(wire.text_of(member), int(score)) for member, score in rows]

    async def put_blob(self, data: bytes) -> str:
        if len(data) > self._bounds.blob_bytes:
            raise Refused("artifact_too_large", size=len(data), limit=self._bounds.blob_bytes)
        digest, packed = await asyncio.to_thread(lambda: (hashlib.sha256(data).hexdigest(), wire.pack(data)))
        key, ttl_s = self._keys.blob(digest), self._bounds.blob_ttl_s
        await self._ask(lambda redis: redis.set(key, packed, ex=ttl_s))
        return digest

    async def get_blob(self, digest: str) -> bytes | None:
        packed = await self._ask(lambda redis: redis.get(self._keys.blob(digest))) if valid_digest(digest) else None
        if not isinstance(packed, bytes):
            return None
        data = await asyncio.to_thread(wire.unpack, packed, self._bounds.blob_bytes)
        if data is None:
            raise Unavailable("artifact_damaged", digest=digest)
        return data
