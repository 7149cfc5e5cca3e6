"""From the outbox to a surface: make what is shown equal what the cards say, each message once.

An outbox entry only says that a session changed. The poster compares all its cards with the record of what was shown and
sends the difference, so entries may come twice, late or many at once, and a crash anywhere ends in the same picture. The
record is written after the surface has the message; the surface is given our key, so that a message whose record was lost is
found again rather than sent twice.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any, Protocol

import structlog

from bot.cards.model import Card
from bot.cards.session import cards
from bot.posts import Post, read_posts, write_post
from core.errors import Refused, Unavailable
from core.ledger.port import Ledger
from core.service import Service

GROUP = "poster"
BLOCK_MS = 1_000
BATCH = 100  # entries taken at once: changes of one session among them become one edit

log = structlog.get_logger()


class Surface(Protocol):
    """Where messages go. ``name`` is the outbox; both calls may be repeated with the same key and must not double."""

    @property
    def name(self) -> str: ...

    async def post(self, session_id: str, card: Card) -> str:
        """Show a new message; returns the platform's id for it."""
        ...

    async def edit(self, session_id: str, message: str, card: Card) -> None: ...


@dataclass(frozen=True, slots=True)
class Poster:
    ledger: Ledger
    service: Service
    surface: Surface

    async def run(self, consumer: str) -> None:
        """Until cancelled."""
        feed = f"out:{self.surface.name}"
        while True:
            try:
                entries = await self.ledger.take(feed, GROUP, consumer, limit=BATCH, block_ms=BLOCK_MS)
                for session_id in dict.fromkeys(e.data["session"] for e in entries if "session" in e.data):
                    await self._quietly(session_id)
                if entries:
                    await self.ledger.ack(feed, GROUP, [e.id for e in entries])
            except Unavailable as error:
                log.warning("redis_unavailable", code=error.code)
                await asyncio.sleep(0.5)

    async def _quietly(self, session_id: str) -> None:
        try:
            await self.show(session_id)
        except Refused as refused:  # a session that cannot be read must not hide the others
            log.error("session_not_shown", session=session_id, code=refused.code, **refused.params)
        except Unavailable:
            raise
        except Exception:  # a card that cannot be made is our bug: said loudly, and the other sessions go on
            log.exception("session_not_shown", session=session_id)

    async def show(self, session_id: str) -> None:
        """Bring the surface up to date with the session."""
        state = await self.service.state(session_id)
        shown = {p.key: p for p in await read_posts(self.ledger, self.surface.name, session_id)}
        wanted = cards(state)
        for card in wanted:
            await self._show_card(session_id, card, shown.get(card.key))
        for key in shown.keys() - {card.key for card in wanted}:
            await self._retire(session_id, shown[key])

    async def _show_card(self, session_id: str, card: Card, post: Post | None) -> None:
        digest, now = card.digest(), await self.ledger.now()
        if post is None:
            message = await self.surface.post(session_id, card)
            made = Post(card.key, message, 1, digest, now, now, card.to_json())
            await write_post(self.ledger, self.surface.name, session_id, made)
        elif post.digest != digest:
            await self.surface.edit(session_id, post.message, card)
            edited = replace(post, revision=post.revision + 1, digest=digest, edited=now, card=card.to_json())
            await write_post(self.ledger, self.surface.name, session_id, edited)
        else:
            return
        await self.ledger.publish("session", {"session": session_id, "post": card.key})

    async def _retire(self, session_id: str, post: Post) -> None:
        """A message no card stands behind any more: it stays readable, and its buttons go."""
        if not post.card.get("buttons"):
            return
        body: dict[str, Any] = {**post.card, "buttons": [], "mentions": []}
        card = Card(key=post.key, kind=str(body["kind"]), title=str(body["title"]))
        await self.surface.edit(session_id, post.message, card)
        edited = replace(post, revision=post.revision + 1, digest="", edited=await self.ledger.now(), card=body)
        await write_post(self.ledger, self.surface.name, session_id, edited)
        await self.ledger.publish("session", {"session": session_id, "post": post.key})


@dataclass(frozen=True, slots=True)
class Records:
    """A surface whose messages are the records themselves: the web console and the terminal read those."""

    name: str

    async def post(self, session_id: str, card: Card) -> str:
        return f"{session_id}:{card.key}"

    async def edit(self, session_id: str, message: str, card: Card) -> None:
        return None
