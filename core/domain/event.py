"""The envelope every fact travels in, and the registry of payloads by ``(type, v)``.

A draft is what ``decide`` or a worker proposes; the ledger stamps session, ``seq`` and ``ts`` and it becomes an event.
An event is never changed: a payload that must change gets a new ``V`` and an upcaster (``upcast``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict

Source = Literal["user", "manager", "system", "worker"]
SOURCES = frozenset(get_args(Source))
COORDINATES = ("task_id", "flow_id", "attempt_id", "parent_event_id")
REQUIRED = frozenset({"id", "type", "v", "source", "payload"})
OPTIONAL = frozenset({"source_ref", *COORDINATES, "session_id", "seq", "ts"})


class Payload(BaseModel):
    """Base of every payload: frozen, closed to unknown fields, named by ``TYPE`` and versioned by ``V``."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    TYPE: ClassVar[str]
    V: ClassVar[int] = 1


P = TypeVar("P", bound=type[Payload])
_PAYLOADS: dict[tuple[str, int], type[Payload]] = {}
_UPCASTERS: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {}


def register(cls: P) -> P:
    """Class decorator: make a payload readable from the log; two payloads of one (type, v) are a mistake."""
    key = (cls.TYPE, cls.V)
    if key in _PAYLOADS:
        raise TypeError(f"two payloads for {key}")
    _PAYLOADS[key] = cls
    return cls


def payload_types() -> dict[tuple[str, int], type[Payload]]:
    """Every registered payload, for documentation and for the test that a changed payload got a new version."""
    return dict(_PAYLOADS)


def upcaster(type_: str, from_v: int) -> Callable[[Callable[[dict[str, Any]], dict[str, Any]]], None]:
    """Register a function that turns a stored payload of ``from_v`` into one of ``from_v + 1``."""

    def keep(fn: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        _UPCASTERS[(type_, from_v)] = fn

    return keep


class UnreadableEvent(ValueError):
    """An event of an unknown type or a newer version: its session must stop, and says at which seq."""


def read_payload(type_: str, v: int, raw: dict[str, Any]) -> Payload:
    """Build the current payload from a stored one, upcast step by step.

    Raises:
        UnreadableEvent: the type or version is not known to this program.
    """
    while (up := _UPCASTERS.get((type_, v))) is not None:
        raw, v = up(raw), v + 1
    cls = _PAYLOADS.get((type_, v))
    if cls is None:
        raise UnreadableEvent(f"{type_} v{v} is not known to this version")
    try:
        return cls.model_validate(raw)
    except ValueError as error:
        raise UnreadableEvent(f"{type_} v{v} does not have its shape: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A fact proposed for the log. ``id`` is ``evt_…``; coordinates are copied so a reader need not open the payload."""

    id: str
    payload: Payload
    source: Source = "system"
    source_ref: str = ""
    task_id: str | None = None
    flow_id: str | None = None
    attempt_id: str | None = None
    parent_event_id: str | None = None

    @property
    def type(self) -> str:
        return self.payload.TYPE

    def to_wire(self) -> dict[str, Any]:
        """The stored JSON object; ``seq`` and ``ts`` are the ledger's and stand beside it."""
        wire: dict[str, Any] = {
            "id": self.id,
            "type": self.payload.TYPE,
            "v": self.payload.V,
            "source": self.source,
            "source_ref": self.source_ref,
        }
        for name in COORDINATES:
            value = getattr(self, name)
            if value is not None:
                wire[name] = value
        wire["payload"] = self.payload.model_dump(mode="json", exclude_defaults=True)
        return wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fact in the log. ``seq`` counts from 1 without gaps per session; ``ts`` is milliseconds UTC of the ledger's clock."""

    session_id: str
    seq: int
    ts: int
    id: str
    type: str
    source: Source
    payload: Payload
    source_ref: str = ""
    task_id: str | None = None
    flow_id: str | None = None
    attempt_id: str | None = None
    parent_event_id: str | None = None

    @classmethod
    def from_wire(cls, session_id: str, seq: int, ts: int, wire: dict[str, Any]) -> Event:
        """Raises UnreadableEvent when anything of it is missing or not known; never drops a field silently."""
        missing, unknown = REQUIRED - wire.keys(), wire.keys() - REQUIRED - OPTIONAL
        if missing or unknown or wire["source"] not in SOURCES:
            raise UnreadableEvent(f"envelope: {sorted(missing | unknown) or wire['source']}")
        return cls(
            session_id=session_id,
            seq=seq,
            ts=ts,
            id=wire["id"],
            type=wire["type"],
            source=wire["source"],
            source_ref=wire.get("source_ref", ""),
            task_id=wire.get("task_id"),
            flow_id=wire.get("flow_id"),
            attempt_id=wire.get("attempt_id"),
            parent_event_id=wire.get("parent_event_id"),
            payload=read_payload(wire["type"], wire["v"], wire["payload"]),
        )

    @classmethod
    def stamp(cls, session_id: str, seq: int, ts: int, draft: Draft) -> Event:
        """The event a draft becomes once the ledger accepted it."""
        return cls(
            session_id=session_id,
            seq=seq,
            ts=ts,
            id=draft.id,
            type=draft.type,
            source=draft.source,
            source_ref=draft.source_ref,
            task_id=draft.task_id,
            flow_id=draft.flow_id,
            attempt_id=draft.attempt_id,
            parent_event_id=draft.parent_event_id,
            payload=draft.payload,
        )

    def to_wire(self) -> dict[str, Any]:
        """The one JSON object of export and of ``threadlead log --json``."""
        draft = Draft(
            id=self.id,
            payload=self.payload,
            source=self.source,
            source_ref=self.source_ref,
            task_id=self.task_id,
            flow_id=self.flow_id,
            attempt_id=self.attempt_id,
            parent_event_id=self.parent_event_id,
        )
        return {"session_id": self.session_id, "seq": self.seq, "ts": self.ts, **draft.to_wire()}
