"""What one append says to ``append.lua`` and what its answer means.

The rule: every key the script touches is declared, every text goes through JSON or a plain argument, and an event's
JSON travels beside the plan, never inside it, so no second encoder can change it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core.domain.event import Draft
from core.errors import Bug
from core.ledger import wire
from core.ledger.keys import CONTROL_LENGTH, CONTROL_TTL_S, SEEN_TTL_S, SENT_TTL_S, Bounds, Keys
from core.ledger.port import Effects, Fence, Fenced, LostRace, NoCapacity


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """One append as asked for. ``token`` names it for ever: the id of its first event, or a fresh id without events."""

    session_id: str
    drafts: Sequence[Draft]
    token: str
    expected_seq: int | None = None
    effects: Effects = field(default_factory=Effects)
    fence: Fence | None = None
    dedupe: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """KEYS and ARGV of the script."""

    keys: list[str]
    argv: list[bytes]


@dataclass(frozen=True, slots=True)
class Written:
    """Events ``first`` to ``last`` of ``session_id``. ``before``: '' just now, else ``sent`` or ``seen``."""

    session_id: str
    first: int
    last: int
    ts: int = 0
    before: str = ""


class _Positions:
    """KEYS in the making; Lua counts from 1."""

    def __init__(self, keys: Sequence[str]) -> None:
        self.keys = list(keys)

    def of(self, key: str) -> int:
        if key not in self.keys:
            self.keys.append(key)
        return self.keys.index(key) + 1


def build_call(keys: Keys, bounds: Bounds, ask: Append) -> Call:
    """Raises Refused("unwritable_event") before anything is sent."""
    sid = ask.session_id
    sent = keys.sent(ask.token)
    seen = sent if ask.dedupe is None else keys.seen(ask.dedupe)
    at = _Positions(
        [
            *(keys.log(sid), sent, seen, keys.fence(sid)),
            *(keys.session_feed, keys.task_feed, keys.due, keys.timers, keys.sessions),
        ]
    )
    plan: dict[str, Any] = {
        "session": sid,
        "dedupe": ask.dedupe is not None,
        "events": [(d.type, d.id, d.task_id or "") for d in ask.drafts],
        "keep": _keep(bounds),
    }
    plan |= {name: rows for name, rows in _effects(keys, at, ask.effects).items() if rows}
    if ask.expected_seq is not None:
        plan["expected"] = ask.expected_seq
    if ask.fence is not None:
        plan["fence"] = (ask.fence.task_id, str(ask.fence.number))
    events = [wire.encode_draft(draft, bounds.event_bytes) for draft in ask.drafts]
    return Call(at.keys, [wire.dump(plan), *events])


def _effects(keys: Keys, at: _Positions, effects: Effects) -> dict[str, list[Any]]:
    return {
        "claims": [(at.of(keys.slots(c.place)), c.holder, c.limit) for c in effects.claims],
        "releases": [(at.of(keys.slots(c.place)), c.holder) for c in effects.releases],
        "changes": [(c.task_id, c.from_, c.to) for c in effects.changes],
        "surfaces": [at.of(keys.feed(f"out:{surface}")) for surface in effects.surfaces],
        "timers": [(t.key, str(t.due), wire.encode_timer(t).decode()) for t in effects.timers],
        "cancel": list(effects.cancel_timers),
        "controls": [(at.of(keys.control(c.attempt_id)), c.kind, c.body) for c in effects.controls],
        "fences": [(task, str(number)) for task, number in effects.fences.items()],
    }


def _keep(bounds: Bounds) -> dict[str, int]:
    return {
        "feed": bounds.feed_length,
        "outbox": bounds.outbox_length,
        "control": CONTROL_LENGTH,
        "control_s": CONTROL_TTL_S,
        "seen": SEEN_TTL_S,
        "sent": SENT_TTL_S,
    }


def read_reply(ask: Append, reply: Sequence[Any]) -> Written:
    """Raises LostRace, Fenced or NoCapacity when the script refused."""
    word, value = wire.text_of(reply[0]), wire.text_of(reply[1])
    match word:
        case "done":
            first = int(value)
            return Written(ask.session_id, first, first + len(ask.drafts) - 1, ts=int(reply[2]))
        case "sent" | "seen":
            return _written_before(word, value)
        case "race":
            raise LostRace(session=ask.session_id, seq=int(value))
        case "fenced":
            raise fenced(ask.fence, value)
        case "full":
            raise NoCapacity(place=ask.effects.claims[int(value) - 1].place)
        case _:
            raise Bug("append_reply", word=word)


def _written_before(word: str, value: str) -> Written:
    seqs, _, session_id = value.partition(" ")
    first, _, last = seqs.partition("-")
    return Written(session_id, int(first), int(last), before=word)


def fenced(fence: Fence | None, current: str) -> Fenced:
    task, number = (fence.task_id, fence.number) if fence else ("", 0)
    return Fenced(task=task, number=number, current=current)
