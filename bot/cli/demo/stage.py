"""Plays a person: says things, taps buttons, waits for what must become true, and prints what a newcomer would see.

Waiting is on the session's feed, never on the clock; what does not become true in time is named.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import typer

from bot.cards.model import Button, clock
from bot.cards.session import cards
from bot.intake import Answer, Intake
from bot.posts import Post, read_posts
from core.access import Person
from core.assembly import Desk
from core.domain.model import Session

SURFACE = "cli"
PATIENCE_S = 25.0
BLOCK_MS = 500
ALICE = Person("alice", frozenset({"owner"}))


class StageError(Exception):
    """Something the story needs did not happen."""


class Stage:
    def __init__(self, desk: Desk, repo: Path, *, quiet: bool) -> None:
        self._desk = desk
        self._repo = repo
        self._quiet = quiet
        self._intake = Intake(desk.service)
        self._seen: dict[str, Post] = {}
        self._session = ""

    async def begin(self) -> None:
        """Open a session on the repository and wait until it can be used."""
        opened = await self._intake.open(ALICE, place=f"cli:{uuid4().hex}", surface=SURFACE, title="demo")
        self._session = opened.session_id
        self._must(await self._intake.name_repo(ALICE, self._session, str(self._repo)))
        await self.until(lambda s: s.repo is not None and not s.repo.problem, "the repository is looked at")

    def remark(self, text: str) -> None:
        """A line for the newcomer, in the margin."""
        self._print(f"\n   ({text})")

    async def say(self, text: str) -> None:
        self._print(f"\nalice: {text}")
        self._must(await self._intake.said(ALICE, self._session, text, ref=uuid4().hex))

    async def tap(self, label: str, card: str, text: str = "") -> None:
        """Tap the button with ``label`` on the card whose key begins with ``card``; it must be there."""
        found: list[Button] = []

        def there(state: Session) -> bool:
            found[:] = [b for c in cards(state) if c.key.startswith(card) for b in c.buttons if b.label == label]
            return bool(found)

        await self.until(there, f"[{label}] on {card}", shown=True)
        button = found[-1]
        self._print(f"\nalice taps [{label}]" + (f": {text}" if text else ""))
        answer = await self._intake.tapped(
            ALICE,
            self._session,
            button.action,
            button.subject,
            revision=button.revision,
            text=text,
            digest=button.digest,
        )
        self._must(answer)

    async def until(self, true: Callable[[Session], bool], what: str, *, shown: bool = False) -> None:
        """Wait until ``true`` of the session; with ``shown`` also until its cards have been posted as they are."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._wait(true, shown)
        except TimeoutError as error:
            raise StageError(f"waited {PATIENCE_S:.0f} s for: {what}") from error

    async def _wait(self, true: Callable[[Session], bool], shown: bool) -> None:
        after = await self._desk.ledger.feed_end("session")
        while True:
            await self._show()
            state = await self._desk.service.state(self._session)
            if true(state) and (not shown or self._is_shown(state)):
                return
            entries = await self._desk.ledger.tail("session", after, block_ms=BLOCK_MS)
            after = entries[-1].id if entries else after

    def _is_shown(self, state: Session) -> bool:
        return all((p := self._seen.get(c.key)) is not None and p.digest == c.digest() for c in cards(state))

    async def _show(self) -> None:
        for post in await read_posts(self._desk.ledger, SURFACE, self._session):
            before = self._seen.get(post.key)
            if before is None:
                self._print(_lines("+", post.card, ()))
            elif before.revision != post.revision:
                self._changed(before.card, post.card)
            self._seen[post.key] = post

    def _changed(self, before: dict[str, Any], card: dict[str, Any]) -> None:
        known = {_line(row) for row in before["lines"]}
        if before["title"] == card["title"]:
            known |= {_line(row) for row in card["lines"] if row["mark"] in QUIET}
        if before["title"] != card["title"] or any(_line(row) not in known for row in card["lines"]):
            self._print(_lines("~", card, known))

    def _print(self, text: str) -> None:
        if not self._quiet:
            typer.echo(text)

    def _must(self, answer: Answer) -> None:
        if not answer.ok:
            raise StageError(answer.text or answer.code)

    async def facts(self) -> dict[str, object]:
        """What came of it, counted from the log and from the record of what was posted."""
        if not self._session:
            return {"events": 0, "tasks": {}, "approvals": {}, "posts": 0, "edits": 0}
        state = await self._desk.service.state(self._session)
        posts = await read_posts(self._desk.ledger, SURFACE, self._session)
        return {
            "session": self._session,
            "events": state.seq,
            "tasks": dict(Counter("done" if t.settled_success else t.status.value for t in state.tasks.values())),
            "approvals": dict(Counter(x.status.value for x in state.interactions.values() if x.kind == "approval")),
            "posts": len(posts),
            "edits": sum(p.revision - 1 for p in posts),
        }


QUIET = ("○", "◔")  # waiting and assigned: they pass in no time here, and say nothing new


def _line(row: dict[str, Any]) -> str:
    return " ".join(part for part in (row["mark"], row["text"], clock(row["ts"])) if part)


def _lines(sign: str, card: dict[str, Any], known: Any) -> str:
    """A card in the transcript; of an edited one only what changed."""
    rows = [f"lead {sign} {card['title']}"]
    rows += [f"         {line}" for line in map(_line, card["lines"]) if line not in known]
    if card["buttons"]:
        rows.append("         " + " ".join(f"[{b['label']}]" for b in card["buttons"]))
    return "\n".join(rows)
