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

from bot.cli.reach import find_session
from core.assembly import open_desk
from core.domain.event import Event
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
    async with open_desk(settings) as desk:
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
        flat = " ".join(shown.split())
        parts.append(f"{key}={flat[:100]}{'…' if len(flat) > 100 else ''}")
    return " ".join(parts)


async def export_log(settings: Settings, name: str, to: Path | None) -> None:
    async with open_desk(settings) as desk:
        session_id = await find_session(desk.ledger, name)
        lines = [as_line(event) async for event in events_of(desk.ledger, session_id)]
    text = "\n".join(lines) + "\n"
    if to is None:
        typer.echo(text, nl=False)
        return
    try:
        await asyncio.to_thread(to.write_text, text, encoding="utf-8")
    except OSError as error:
        raise Refused("no_file", file=str(to), why=error.strerror) from error
    typer.echo(f"{len(lines)} events written to {to}", err=True)


def read_export(file: Path) -> list[Event]:
    """Raises Refused("bad_export") naming the line; a log with a gap or of two sessions is none."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused("no_file", file=str(file), why=str(error)) from error
    events: list[Event] = []
    for number, line in enumerate(lines, 1):
        try:
            wire = json.loads(line)
            event = Event.from_wire(wire["session_id"], wire["seq"], wire["ts"], wire)
        except (ValueError, KeyError, TypeError) as error:
            raise Refused("bad_export", file=str(file), line=number, why=str(error)[:300]) from error
        if event.seq != number or (events and event.session_id != events[0].session_id):
            raise Refused("bad_export", file=str(file), line=number, why="it does not follow the line before")
        events.append(event)
    if not events:
        raise Refused("bad_export", file=str(file), line=1, why="the file is empty")
    return events


async def import_log(settings: Settings, file: Path) -> None:
    events = read_export(file)
    async with open_desk(settings) as desk:
        await desk.ledger.import_events(events[0].session_id, events)
    typer.echo(f"{len(events)} events of {events[0].session_id} imported")
