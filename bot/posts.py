"""What has been shown where: one record per message of ours, so that a replay edits instead of posting again.

Key: hash ``posts:<surface>:<session>``; each field is a card key and holds ``<order> <revision> <JSON>``: the seq of the
session it shows, 1 and one more per edit, and the rest of a ``Post``. One read brings a whole conversation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json, to_json

from core.ledger.port import Ledger


@dataclass(frozen=True, slots=True)
class Post:
    """One message as it stands. ``message`` is the platform's id for it.

    ``posted`` and ``edited`` are ms UTC; ``revision`` 1 means never edited.
    """

    key: str
    message: str
    revision: int
    digest: str
    posted: int
    edited: int
    card: dict[str, Any]


def _hash(surface: str, session_id: str) -> str:
    return f"posts:{surface}:{session_id}"


async def read_posts(ledger: Ledger, surface: str, session_id: str) -> list[Post]:
    """Every message shown on ``surface`` for the session, oldest first."""
    rows = await ledger.get_hash(_hash(surface, session_id))
    return sorted((_read(key, value) for key, value in rows.items()), key=lambda p: (p.posted, p.key))


def _read(key: str, value: str) -> Post:
    _, revision, body = value.split(" ", 2)
    return Post(key=key, revision=int(revision), **from_json(body))


async def write_post(ledger: Ledger, surface: str, session_id: str, post: Post, seq: int) -> int:
    """Record what shows the session as of ``seq``; gives the revision, or 0 when a later state is recorded already."""
    body = {name: getattr(post, name) for name in ("message", "digest", "posted", "edited", "card")}
    return await ledger.set_newer(_hash(surface, session_id), post.key, to_json(body).decode(), seq)
