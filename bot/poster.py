"""From the outbox to a surface: make what is shown equal what the cards say, each message once.

An outbox entry only says that a session changed. The poster compares all its cards with the record of what was shown and
sends the difference, so entries may come twice, late or many at once, and a crash anywhere ends in the same picture. The
record is written after the surface has the message; the surface is given our key, so that a message whose record was lost is
found again rather than sent twice. The record holds the seq it shows: of two posters at once the later state stays.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import structlog

from bot.cards.model import Card
from bot.cards.session import cards
from bot.posts import Post, read_posts, write_post
from core.errors import Refused, Unavailable
from core.ledger.port import FeedEntry, Ledger
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
                done = await self._show_all(entries)
                if done:
                    await self.ledger.ack(feed, GROUP, done)
            except Unavailable as error:
                log.warning("redis_unavailable", code=error.code)
                await asyncio.sleep(0.5)

    async def _show_all(self, entries: Sequence[FeedEntry]) -> list[str]:
        """Show each session once. Gives the entries that are done with; the others come again later."""
        by_session: dict[str, list[str]] = {}
        for entry in entries:
            by_session.setdefault(entry.data.get("session", ""), []).append(entry.id)
        done = by_session.pop("", [])
        for session_id, ids in by_session.items():
            if await self._tried(session_id):
                done += ids
        return done

    async def _tried(self, session_id: str) -> bool:
        """False when the outside world was in the way: worth another try, and no reason to keep the others waiting."""
        try:
            await self.show(session_id)
        except Unavailable as error:
            log.warning("session_not_shown", session=session_id, code=error.code)
            return False
        except Refused as refused:  # a session that cannot be read must not hide the others
            log.error("session_not_shown", session=session_id, code=refused.code, why=str(refused))
        except Exception:  # a card that cannot be made is our bug: said loudly, and the other sessions go on
            log.exception("session_not_shown", session=session_id)
        return True

    async def show(self, session_id: str) -> None:
        """Bring the surface up to date with the session.

        Another poster may have shown a later state meanwhile, and what we sent then stands over it: the record tells,
        and those messages are sent once more, as they are now.
        """
        seq, overtaken = await self._show(session_id, frozenset())
        while overtaken:
            before = seq
            seq, overtaken = await self._show(session_id, overtaken)
            if seq == before:  # a record of a state we cannot see: whoever wrote it shows it
                return

    async def _show(self, session_id: str, again: frozenset[str]) -> tuple[int, frozenset[str]]:
        """Once. Gives the seq that was shown and the keys of the messages for which a later one is recorded."""
        shown = {p.key: p for p in await read_posts(self.ledger, self.surface.name, session_id)}
        state = await self.service.state(session_id)
        seq, wanted = state.seq, cards(state)  # at once: the state moves on while we send
        drawn = [
            await self._show_card(session_id, card, shown.get(card.key), seq, card.key in again) for card in wanted
        ]
        for key in shown.keys() - {card.key for card in wanted}:
            drawn.append(await self._retire(session_id, shown[key], seq, key in again))
        return seq, frozenset(drawn) - {""}

    async def _show_card(self, session_id: str, card: Card, post: Post | None, seq: int, again: bool) -> str:
        """The card's key when a later state is recorded, else nothing."""
        digest, now = card.digest(), await self.ledger.now()
        if post is None:
            message = await self.surface.post(session_id, card)
            return await self._record(session_id, Post(card.key, message, 1, digest, now, now, card.to_json()), seq)
        if post.digest == digest and not again:
            return ""
        await self.surface.edit(session_id, post.message, card)
        return await self._record(session_id, replace(post, digest=digest, edited=now, card=card.to_json()), seq)

    async def _retire(self, session_id: str, post: Post, seq: int, again: bool) -> str:
        """A message no card stands behind any more: it stays readable, and its buttons go."""
        if not post.card.get("buttons") and not again:
            return ""
        card = replace(Card.from_json(post.card), buttons=(), mentions=())
        await self.surface.edit(session_id, post.message, card)
        edited = replace(post, digest="", edited=await self.ledger.now(), card=card.to_json())
        return await self._record(session_id, edited, seq)

    async def _record(self, session_id: str, post: Post, seq: int) -> str:
        if not await write_post(self.ledger, self.surface.name, session_id, post, seq):
            return post.key
        await self.ledger.publish("session", {"session": session_id, "post": post.key})
        return ""


@dataclass(frozen=True, slots=True)
class Records:
    """A surface whose messages are the records themselves: the web console and the terminal read those."""

    name: str

    async def post(self, session_id: str, card: Card) -> str:
        return f"{session_id}:{card.key}"

    async def edit(self, session_id: str, message: str, card: Card) -> None:
        return None
