"""The rest of the in-memory twin: timers, claims, bindings, small hashes, indexes and artifacts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.errors import Refused
from core.ledger.keys import Bounds, Keys
from core.ledger.port import Timer


@dataclass(slots=True)
class _Hash:
    values: dict[str, str] = field(default_factory=dict)
    until: int | None = None


class MemoryShelf:
    """See ``core.ledger.port.Ledger`` for what each call promises."""

    _keys: Keys
    _clock: Callable[[], int]
    _bounds: Bounds

    def __init__(self) -> None:
        self._places: dict[str, set[str]] = {}
        self._timers: dict[str, Timer] = {}
        self._bound: dict[str, str] = {}
        self._hashes: dict[str, _Hash] = {}
        self._indexes: dict[str, dict[str, int]] = {}
        self._blobs: dict[str, tuple[bytes, int]] = {}

    async def due(self, now: int, limit: int = 100) -> list[Timer]:
        ready = sorted((timer.due, timer.key) for timer in self._timers.values() if timer.due <= now)
        return [self._timers[key] for _, key in ready[:limit]]

    async def done(self, timer: Timer) -> None:
        if timer.key in self._timers and self._timers[timer.key].due == timer.due:
            del self._timers[timer.key]

    async def holders(self, place: str) -> list[str]:
        return sorted(self._places.get(place, ()))

    async def bind(self, place: str, session_id: str) -> str:
        return self._bound.setdefault(place, session_id)

    async def rebind(self, place: str, session_id: str) -> None:
        self._bound[place] = session_id

    async def bound(self, place: str) -> str | None:
        return self._bound.get(place)

    def _hash(self, key: str) -> _Hash:
        name = self._keys.hash(key)
        found = self._hashes.get(name)
        if found is None or (found.until is not None and found.until <= self._clock()):
            found = self._hashes[name] = _Hash()
        return found

    async def get_hash(self, key: str) -> dict[str, str]:
        return dict(self._hash(key).values)

    async def set_hash(self, key: str, values: Mapping[str, str], ttl_ms: int | None = None) -> None:
        found = self._hash(key)
        found.values.update(values)
        if ttl_ms is not None and found.values:
            found.until = self._clock() + ttl_ms

    async def set_newer(self, key: str, field: str, value: str, order: int) -> int:
        found = self._hash(key).values
        known, revision, _ = found[field].split(" ", 2) if field in found else ("0", "0", "")
        if int(known) > order:
            return 0
        found[field] = f"{order} {int(revision) + 1} {value}"
        return int(revision) + 1

    async def delete(self, key: str) -> None:
        self._hashes.pop(self._keys.hash(key), None)

    async def index_put(self, name: str, member: str, score: int) -> None:
        self._indexes.setdefault(self._keys.index(name), {})[member] = score

    async def index_drop(self, name: str, member: str) -> None:
        self._indexes.get(self._keys.index(name), {}).pop(member, None)

    async def index_range(self, name: str, low: int, high: int) -> list[tuple[str, int]]:
        found = self._indexes.get(self._keys.index(name), {})
        return sorted(((m, s) for m, s in found.items() if low <= s <= high), key=lambda pair: (pair[1], pair[0]))

    async def put_blob(self, data: bytes) -> str:
        if len(data) > self._bounds.blob_bytes:
            raise Refused("artifact_too_large", size=len(data), limit=self._bounds.blob_bytes)
        digest = hashlib.sha256(data).hexdigest()
        self._blobs[digest] = (data, self._clock() + self._bounds.blob_ttl_s * 1000)
        return digest

    async def get_blob(self, digest: str) -> bytes | None:
        data, until = self._blobs.get(digest, (None, 0))
        return data if until > self._clock() else None
