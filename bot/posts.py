"""What has been shown where: one record per message of ours, so that a replay edits instead of posting again.

Keys: index ``posts-<surface>-<session>`` (card key by time of posting), hash ``post:<surface>:<session>:<card key>`` with
``message`` (the platform's id), ``revision`` (1, then one more per edit), ``digest``, ``card`` (JSON), ``ts``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from core.ledger.port import Ledger


@dataclass(frozen=True, slots=True)
class Post:
    """One message as it stands. ``posted`` and ``edited`` are ms UTC; ``revision`` 1 means never edited."""

    key: str
    message: str
    revision: int
    digest: str
    posted: int
    edited: int
    card: dict[str, Any]


def _index(surface: str, session_id: str) -> str:
    return f"posts-{surface}-{session_id}"


def _hash(surface: str, session_id: str, key: str) -> str:
    return f"post:{surface}:{session_id}:{key}"


async def read_posts(ledger: Ledger, surface: str, session_id: str) -> list[Post]:
    """Every message shown on ``surface`` for the session, oldest first."""
    rows = await ledger.index_range(_index(surface, session_id), 0, 1 << 53)
    found = [await read_post(ledger, surface, session_id, key) for key, _ in rows]
    return sorted((p for p in found if p is not None), key=lambda p: (p.posted, p.key))


async def read_post(ledger: Ledger, surface: str, session_id: str, key: str) -> Post | None:
    row = await ledger.get_hash(_hash(surface, session_id, key))
    if not row:
        return None
    return Post(
        key=key,
        message=row["message"],
        revision=int(row["revision"]),
        digest=row["digest"],
        posted=int(row["posted"]),
        edited=int(row["edited"]),
        card=json.loads(row["card"]),
    )


async def write_post(ledger: Ledger, surface: str, session_id: str, post: Post) -> None:
    await ledger.set_hash(
        _hash(surface, session_id, post.key),
        {
            "message": post.message,
            "revision": str(post.revision),
            "digest": post.digest,
            "posted": str(post.posted),
            "edited": str(post.edited),
            "card": json.dumps(post.card, ensure_ascii=False),
        },
    )
    await ledger.index_put(_index(surface, session_id), post.key, post.posted)
