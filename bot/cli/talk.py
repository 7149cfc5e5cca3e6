"""``say`` and ``watch``: a session from the terminal, through the same door as every chat."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from uuid import uuid4

import typer

from bot.cards.model import clock
from bot.cli.errors import REFUSED
from bot.cli.reach import find_session, must_exist, reached
from bot.intake import Answer, Intake
from bot.posts import Post, read_posts
from bot.words import REPO_PROBLEMS, coded, language_of, visible
from core.access import Person
from core.assembly import Desk
from core.domain.model import Message, Session
from core.errors import Unavailable
from core.settings import Settings

ANSWER_S = 20.0  # how long `say` waits for something to show
STEP_MS = 1_000
INDENT = "    "


async def say_it(settings: Settings, text: str, *, session: str, repo: str, wait: bool, as_json: bool) -> int:
    """Say ``text``; shows what the thread answers. Returns the exit code."""
    person = Person(settings.web.person, frozenset({"owner"}))  # whoever can reach this Redis owns what is in it
    async with reached(settings) as desk:
        intake = Intake(desk.service, settings.language)
        if repo:
            begun = await _begin(desk, intake, person, repo, text, wait=wait)
            if not begun.ok:
                return _tell(begun, as_json)
            session_id = begun.session_id
        else:
            session_id = await find_session(desk.ledger, session)
        before = {p.key: p.revision for p in await _posts(desk, session_id)}
        answer = await intake.said(person, session_id, text, ref=uuid4().hex)
        code = _tell(answer, as_json)
        if answer.ok and wait:
            await _show_answer(desk, session_id, text, before, as_json)
        return code


async def _begin(desk: Desk, intake: Intake, person: Person, repo: str, text: str, *, wait: bool) -> Answer:
    """A new session on ``repo``; not ok, with the reason, when the repository cannot be used."""
    opened = await intake.open(person, place=f"cli:{uuid4().hex}", surface="cli", title=text)
    named = await intake.name_repo(person, opened.session_id, repo)
    if not named.ok or not wait:
        return named
    problem = await _looked_at(desk, named.session_id)
    if not problem:
        return named
    return Answer(False, named.session_id, problem, coded(REPO_PROBLEMS, problem, language_of(text), {"path": repo}))


async def _looked_at(desk: Desk, session_id: str) -> str:
    """What is wrong with the session's repository, "" for nothing. Raises Unavailable when no worker looks at it."""
    try:
        async with asyncio.timeout(ANSWER_S):
            after = await desk.ledger.feed_end("session")
            while True:
                repo = (await desk.service.state(session_id)).repo
                if repo is not None and repo.problem != "checking":
                    return repo.problem
                after = await _next(desk, after)
    except TimeoutError as error:
        raise Unavailable("nobody_answers", seconds=round(ANSWER_S)) from error


async def _next(desk: Desk, after: str) -> str:
    """Wait until something happens in any session, or a little while."""
    entries = await desk.ledger.tail("session", after, block_ms=STEP_MS)
    return entries[-1].id if entries else after


def _tell(answer: Answer, as_json: bool) -> int:
    if as_json:
        row = {"ok": answer.ok, "session": answer.session_id, "code": answer.code, "text": answer.text}
        typer.echo(json.dumps(row, ensure_ascii=False))
    elif answer.text:
        typer.echo(visible(answer.text), err=not answer.ok)
    return 0 if answer.ok else REFUSED


async def _show_answer(desk: Desk, session_id: str, text: str, seen: dict[str, int], as_json: bool) -> None:
    """Print what changes until the answer to ``text`` is among it; after a while say that there is none yet."""
    try:
        async with asyncio.timeout(ANSWER_S):
            after = await desk.ledger.feed_end("session")
            changed: set[str] = set()
            while True:
                changed |= await _print_changes(desk, session_id, seen, as_json)
                if _is_answered(await desk.service.state(session_id), text, changed):
                    return
                after = await _next(desk, after)
    except TimeoutError:
        typer.echo("No answer yet. `threadlead watch` shows it when it comes.", err=True)


def _is_answered(state: Session, text: str, changed: set[str]) -> bool:
    """Whether the card that answers the latest message with ``text`` was printed, or none will come."""
    message = next((m for m in reversed(state.messages.values()) if m.text == text), None)
    if message is None or not message.kind:
        return False
    if message.reply is not None:
        return f"reply:{message.id}" in changed
    if message.plan_id:
        return f"plan:{state.plans[message.plan_id].short}" in changed
    return bool(changed) or message.kind != "control"


async def watch_it(settings: Settings, name: str, *, as_json: bool) -> None:
    async with reached(settings) as desk:
        session_id = await find_session(desk.ledger, name)
        seen: dict[str, int] = {}
        with suppress(asyncio.CancelledError):
            after = await desk.ledger.feed_end("session")
            while True:
                _print_messages((await must_exist(desk.service, session_id)), seen, as_json)
                await _print_changes(desk, session_id, seen, as_json)
                after = await _next(desk, after)


async def _posts(desk: Desk, session_id: str) -> list[Post]:
    state = await must_exist(desk.service, session_id)
    return await read_posts(desk.ledger, state.surfaces[0], session_id)


async def _print_changes(desk: Desk, session_id: str, seen: dict[str, int], as_json: bool) -> set[str]:
    """Print each card that is new or was edited; gives their keys."""
    changed = [p for p in await _posts(desk, session_id) if seen.get(p.key) != p.revision]
    for post in changed:
        typer.echo(_printed(post, new=post.key not in seen, as_json=as_json))
        seen[post.key] = post.revision
    return {post.key for post in changed}


def _print_messages(state: Session, seen: dict[str, int], as_json: bool) -> None:
    for message in state.messages.values():
        if message.id not in seen:
            typer.echo(_said(message, as_json))
            seen[message.id] = 1


def _said(message: Message, as_json: bool) -> str:
    if as_json:
        row = {"message": message.id, "author": message.author, "text": message.text, "ts": message.ts}
        return json.dumps(row, ensure_ascii=False)
    return _indented(f"{message.author}: {visible(message.text)}")


def _printed(post: Post, *, new: bool, as_json: bool) -> str:
    if as_json:
        row = {"key": post.key, "revision": post.revision, "new": new, "card": post.card}
        return json.dumps(row, ensure_ascii=False)
    return f"{'+' if new else '~'} {card_text(post)}"


def card_text(post: Post) -> str:
    """A card as plain text, indented under its title."""
    card = post.card
    rows = [str(card["title"])]
    rows += [" ".join(x for x in (line["mark"], line["text"], clock(line["ts"])) if x) for line in card["lines"]]
    if card["buttons"]:
        rows.append(" ".join(f"[{b['label']}]" for b in card["buttons"]))
    return _indented("\n".join(rows))


def _indented(text: str) -> str:
    return text.replace("\n", "\n" + INDENT)
