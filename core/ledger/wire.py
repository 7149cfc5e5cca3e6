"""Between facts and bytes: how events, timers, snapshots and artifacts are stored.

The rule: what is written can be read back. Text that is no valid Unicode, a number JSON has no word for, or an event
above the size bound is refused before it reaches the log; bytes that do not decode stop their reader and are never
skipped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import zstandard

from core.domain.event import Draft, Event, UnreadableEvent
from core.errors import Refused
from core.ledger.port import FeedEntry, Timer

SNAPSHOT_BYTES = 256 * 1024 * 1024  # a state larger than this is not ours
_COMPACT = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False
)  # dumps() would build one a call


def dump(value: object) -> bytes:
    """Compact JSON in UTF-8. Raises Refused("unwritable_event") for lone surrogates and for NaN or infinity."""
    try:
        return _COMPACT.encode(value).encode()
    except (UnicodeEncodeError, ValueError) as error:
        raise Refused("unwritable_event", why=str(error)[:200]) from error


def utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise Refused("unwritable_event", why=str(error)[:200]) from error


def encode_draft(draft: Draft, limit: int) -> bytes:
    """The stored JSON of a draft, at most ``limit`` bytes."""
    raw = dump(draft.to_wire())
    if len(raw) > limit:
        raise Refused("unwritable_event", why=f"{len(raw)} bytes, at most {limit}", type=draft.type)
    return raw


def encode_event(event: Event) -> bytes:
    """The same JSON for an event that already has its place (import)."""
    wire = event.to_wire()
    return dump({name: value for name, value in wire.items() if name not in ("session_id", "seq", "ts")})


def decode_event(session_id: str, seq: int, ts: int, raw: bytes) -> Event:
    """Raises Refused("unreadable_event", session=…, seq=…, why=…)."""
    try:
        return Event.from_wire(session_id, seq, ts, json.loads(raw))
    except (UnreadableEvent, ValueError, KeyError, TypeError, AttributeError) as error:
        raise unreadable(session_id, seq, str(error) or type(error).__name__) from error


def unreadable(session_id: str, seq: int, why: str) -> Refused:
    return Refused("unreadable_event", session=session_id, seq=seq, why=why[:300])


def encode_timer(timer: Timer) -> bytes:
    return dump({"session": timer.session_id, "kind": timer.kind, "ref": timer.ref, "due": timer.due})


def decode_timer(key: str, raw: bytes) -> Timer:
    body = json.loads(raw)
    return Timer(key=key, due=body["due"], session_id=body["session"], kind=body["kind"], ref=body["ref"])


def pack(data: bytes) -> bytes:
    """zstd with a checksum, so that a cut or flipped copy is noticed."""
    return zstandard.ZstdCompressor(level=3, write_checksum=True).compress(data)


def unpack(packed: bytes, limit: int) -> bytes | None:
    """None when damaged or when the frame says it holds more than ``limit`` bytes, which is read before its data."""
    try:
        if not 0 <= zstandard.frame_content_size(packed) <= limit:
            return None
        return zstandard.ZstdDecompressor().decompress(packed)
    except zstandard.ZstdError:
        return None


def encode_snapshot(seq: int, data: bytes) -> bytes:
    return b"%d:" % seq + pack(data)


def decode_snapshot(raw: bytes, limit: int = SNAPSHOT_BYTES) -> tuple[int, bytes] | None:
    """None when it cannot be trusted; the log rebuilds it."""
    head, _, packed = raw.partition(b":")
    data = unpack(packed, limit)
    return (int(head), data) if head.isdigit() and data is not None else None


def text_of(value: object) -> str:
    """Redis answers bytes; ids and field names are ours, so they are text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def entry_of(id_: object, fields: Mapping[Any, Any]) -> FeedEntry:
    return FeedEntry(text_of(id_), {text_of(name): text_of(value) for name, value in fields.items()})


def entries_of(reply: Any) -> list[FeedEntry]:
    """Entries of an XREAD or XREADGROUP of one stream, as RESP2 has them; nothing new is an empty list."""
    return [entry_of(id_, fields) for _, rows in reply or () for id_, fields in rows]
