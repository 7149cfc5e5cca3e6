"""``log``, ``export`` and ``import``: the log as people and programs read it."""

from __future__ import annotations

import asyncio
import datetime
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from bot.cli.reach import find_session, reached
from bot.words import visible
from core.domain.apply import apply
from core.domain.event import Event
from core.domain.model import Session
from core.errors import Refused
from core.ledger.port import Ledger
from core.settings import Settings

PAGE = 1_000


async def events_of(ledger: Ledger, session_id: str, after: int = 0) -> AsyncIterator[Event]:
    """Every event after ``after``, in pages."""
    while page := await ledger.read(session_id, after, PAGE):
        for event in page:
            yield event
        after = page[-1].seq


def as_line(event: Event) -> str:
    return json.dumps(event.to_wire(), ensure_ascii=False)


async def print_log(settings: Settings, name: str, *, after: int, as_json: bool) -> None:
    console = Console(highlight=False, soft_wrap=True)
    async with reached(settings) as desk:
        session_id = await find_session(desk.ledger, name)
        async for event in events_of(desk.ledger, session_id, after):
            if as_json:
                typer.echo(as_line(event))
            else:
                console.print(_row(event))


def _row(event: Event) -> Text:
    when = datetime.datetime.fromtimestamp(event.ts / 1000).astimezone().strftime("%H:%M:%S.%f")[:-3]
    who = f"{event.source}{f':{event.source_ref}' if event.source_ref else ''}"
    return Text.assemble(
        (f"{event.seq:>5} ", "bold"), (f"{when} ", "dim"), f"{event.type:<26} ", (f"{who:<20} ", "cyan"), _brief(event)
    )


def _brief(event: Event) -> str:
    """The payload on one line, without ids people cannot use."""
    body: dict[str, Any] = event.payload.model_dump(mode="json", exclude_defaults=True)
    parts = []
    for key, value in body.items():
        if key.endswith("_id") or key == "proposal":
            continue
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        flat = " ".join(visible(shown).split())
        parts.append(f"{key}={flat[:100]}{'…' if len(flat) > 100 else ''}")
    return " ".join(parts)


async def export_log(settings: Settings, name: str, to: Path | None) -> None:
    async with reached(settings) as desk:
        session_id = await find_session(desk.ledger, name)
        lines = [as_line(event) async for event in events_of(desk.ledger, session_id)]
    text = "\n".join(lines) + "\n"
    if to is None:
        typer.echo(text, nl=False)
        return
    try:
        await asyncio.to_thread(to.write_text, text, encoding="utf-8")
    except OSError as error:
        raise Refused("not_written", file=str(to), why=error.strerror) from error
    typer.echo(f"{len(lines)} events written to {to}", err=True)


def read_export(file: Path) -> list[Event]:
    """Raises Refused("bad_export") naming the line; a log with a gap or of two sessions is none."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused("no_file", file=str(file), why=getattr(error, "strerror", None) or "it is not text") from error
    if not lines:
        raise Refused("bad_export", file=str(file), line=1, why="the file is empty")
    events: list[Event] = []
    state = Session(id="")
    for number, line in enumerate(lines, 1):
        try:
            event = _event(line)
            if event.seq != number or (events and event.session_id != events[0].session_id):
                raise ValueError("it does not follow the line before")
            apply(state, event)  # what cannot be folded here could not be read there, ever
        except (ValueError, KeyError, TypeError, AttributeError, AssertionError) as error:
            why = f"it speaks of {error}, which is not there" if isinstance(error, KeyError) else str(error)
            raise Refused("bad_export", file=str(file), line=number, why=" ".join(why.split())[:200]) from error
        events.append(event)
    return events


def _event(line: str) -> Event:
    """Raises ValueError, KeyError or TypeError for anything but an exported event."""
    wire = json.loads(line)
    texts, numbers = (wire["session_id"], wire["id"], wire["type"]), (wire["seq"], wire["ts"])
    if not all(isinstance(t, str) and t for t in texts) or not all(type(n) is int for n in numbers):
        raise ValueError("its id, type, number or time is not what it should be")
    return Event.from_wire(wire["session_id"], wire["seq"], wire["ts"], wire)


async def import_log(settings: Settings, file: Path) -> None:
    events = read_export(file)
    async with reached(settings) as desk:
        await desk.ledger.import_events(events[0].session_id, events)
    typer.echo(f"{len(events)} events of {events[0].session_id} imported")
