"""A folded state as bytes and back. A snapshot is only a short cut: one that cannot be read is ignored and rebuilt."""

from __future__ import annotations

import hashlib
from functools import cache

from pydantic import TypeAdapter, ValidationError

from core.domain.model import Session

EVERY = 500  # events between snapshots: replaying that many takes a few milliseconds


@cache
def _adapter() -> TypeAdapter[Session]:
    return TypeAdapter(Session)


@cache
def _schema() -> bytes:
    """Changes with the shape of the state, so that a program never reads another version's snapshot."""
    shape = repr(sorted(_adapter().json_schema().items())).encode()
    return hashlib.sha256(shape).hexdigest()[:16].encode()


def pack(state: Session) -> bytes:
    return _schema() + b"\n" + _adapter().dump_json(state)


def unpack(data: bytes) -> Session | None:
    """None when it is another version's or damaged."""
    schema, _, body = data.partition(b"\n")
    if schema != _schema():
        return None
    try:
        return _adapter().validate_json(body)
    except ValidationError:
        return None
