"""``say`` and ``watch``: a session from the terminal, through the same door as every chat."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from uuid import uuid4

import typer

from bot.cli.errors import REFUSED
from bot.cli.reach import find_session, must_exist
from bot.intake import Answer, Intake
from bot.posts import Post, read_posts
from core.access import Person
from core.assembly import Desk, open_desk
from core.settings import Settings

ANSWER_S = 20.0  # how long `say` waits for something to show
STEP_MS = 1_000


async def say_it(settings: Settings, text: str, *, session: str, repo: str, wait: bool, as_json: bool) -> int:
    """Say ``text``; shows what the thread answers. Returns the exit code."""
    person = Person(settings.web.person, frozenset({"owner"}))  # whoever can reach this Redis owns what is in it
    async with open_desk(settings) as desk:
        intake = Intake(desk.service, settings.language)
        if repo:
            opened = await intake.open(person, place=f"cli:{uuid4().hex}", surface="cli", title=text)
            named = await intake.name_repo(person, opened.session_id, repo)
            if not named.ok:
                return _tell(named, as_json)
            session_id = opened.session_id
        else:
            session_id = await find_session(desk.ledger, session)
        before = {p.key: p.revision for p in await _posts(desk, session_id)}
        answer = await intake.said(person, session_id, text, ref=uuid4().hex)
        code = _tell(answer, as_json)
        if answer.ok and wait:
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_S):
                    await _show_changes(desk, session_id, before, as_json, once=True)
        return code


def _tell(answer: Answer, as_json: bool) -> int:
    if as_json:
        typer.echo(
            json.dumps({"ok": answer.ok, "session": answer.session_id, "code": answer.code, "text": answer.text})
        )
    elif answer.text:
        typer.echo(answer.text, err=not answer.ok)
    return 0 if answer.ok else REFUSED


async def watch_it(settings: Settings, name: str, *, as_json: bool) -> None:
    async with open_desk(settings) as desk:
        session_id = await find_session(desk.ledger, name)
        with suppress(asyncio.CancelledError):
            await _show_changes(desk, session_id, {}, as_json, once=False)


async def _posts(desk: Desk, session_id: str) -> list[Post]:
    state = await must_exist(desk.service, session_id)
    return await read_posts(desk.ledger, state.surfaces[0], session_id)


async def _show_changes(desk: Desk, session_id: str, seen: dict[str, int], as_json: bool, *, once: bool) -> None:
    """Print each message that is new or was edited, as it happens."""
    after = await desk.ledger.feed_end("session")
    while True:
        changed = [p for p in await _posts(desk, session_id) if seen.get(p.key) != p.revision]
        for post in changed:
            typer.echo(_printed(post, new=post.key not in seen, as_json=as_json))
            seen[post.key] = post.revision
        if changed and once:
            return
        entries = await desk.ledger.tail("session", after, block_ms=STEP_MS)
        after = entries[-1].id if entries else after


def _printed(post: Post, *, new: bool, as_json: bool) -> str:
    if as_json:
        return json.dumps(
            {"key": post.key, "revision": post.revision, "new": new, "card": post.card}, ensure_ascii=False
        )
    return f"{'+' if new else '~'} {card_text(post)}"


def card_text(post: Post) -> str:
    """A card as plain text, indented under its title."""
    card = post.card
    rows = [str(card["title"])]
    rows += ["    " + " ".join(x for x in (line["mark"], line["text"]) if x) for line in card["lines"]]
    if card["buttons"]:
        rows.append("    " + " ".join(f"[{b['label']}]" for b in card["buttons"]))
    return "\n".join(rows)
