"""``sessions``, ``show``, ``doctor``, ``agents``, ``version``: what is, printed for people or as JSON."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version as installed
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.answers import status_text
from bot.cards.session import cards
from bot.cli.doctor import examine
from bot.cli.errors import sentence
from bot.cli.reach import find_session, must_exist, reached
from bot.control import Control
from bot.words import visible
from core.domain.model import Session
from core.domain.views import open_interactions, open_proposals
from core.errors import Refused
from core.service import Service
from core.settings import Settings, example_env, example_toml
from jobs.policy import ShellPolicy

MARKS = {"ok": "[green]✓[/green]", "warn": "[yellow]![/yellow]", "fail": "[red]✗[/red]"}


def _emit(row: dict[str, Any]) -> None:
    typer.echo(json.dumps(row, ensure_ascii=False))


async def print_findings(settings: Settings, *, as_json: bool) -> int:
    """1 when anything is broken."""
    findings = await examine(settings)
    console = Console(highlight=False, soft_wrap=True)
    for f in findings:
        if as_json:
            _emit({"name": f.name, "ok": f.ok, "detail": f.detail, "fix": f.fix})
            continue
        console.print(f"{MARKS[f.ok]} {f.name}: ", end="")
        console.print(f.detail, markup=False)
        if f.ok != "ok" and f.fix:
            console.print(f"    {f.fix}", markup=False, style="dim")
    return 1 if any(f.ok == "fail" for f in findings) else 0


def waiting_for_people(state: Session) -> list[str]:
    return [x.short for x in open_interactions(state)] + [p.short for p in open_proposals(state)]


async def print_sessions(settings: Settings, *, as_json: bool) -> None:
    table = Table("session", "repository", "objective", "tasks", "waits for you", box=None)
    async with reached(settings) as desk:
        rows = [await _session_row(desk.service, i) for i, _ in await desk.ledger.sessions()]
    if as_json:
        for row in rows:
            _emit(row)
        return
    for row in rows:
        about = row["problem"] or row["objective"] or row["title"]
        cells = (row["session"][-12:], row["repo"], about[:60], str(row["tasks"]), " ".join(row["waiting"]))
        table.add_row(*(Text(visible(cell)) for cell in cells))
    if rows:
        Console().print(table)
    else:
        typer.echo('No session yet. Begin one: threadlead say --repo PATH "run the tests"')


async def _session_row(service: Service, session_id: str) -> dict[str, Any]:
    """One that cannot be read is listed with its trouble, and hides no other."""
    row: dict[str, Any] = {"session": session_id, "repo": "", "title": "", "objective": "", "waiting": [], "tasks": 0}
    try:
        state = await service.state(session_id)
    except Refused as refused:
        return {**row, "seq": 0, "problem": sentence(refused)}
    repo = (state.repo.name or state.repo.path) if state.repo else ""
    row |= {"repo": repo, "title": state.title, "objective": state.objective, "tasks": len(state.tasks)}
    return {**row, "waiting": waiting_for_people(state), "seq": state.seq, "problem": ""}


async def print_session(settings: Settings, name: str, *, as_json: bool) -> None:
    async with reached(settings) as desk:
        state = await must_exist(desk.service, await find_session(desk.ledger, name))
    if as_json:
        tasks = [
            {"short": t.short, "title": t.title, "status": t.status, "outcome": t.outcome} for t in state.tasks.values()
        ]
        row = {"session": state.id, "seq": state.seq, "objective": state.objective, "tasks": tasks}
        _emit({**row, "waiting": waiting_for_people(state), "cards": [card.to_json() for card in cards(state)]})
        return
    status = status_text(state, Control("status"), "zh" if state.language == "zh" else "en")
    typer.echo(f"{state.id}\n{visible(status)}\n")
    for card in cards(state):
        typer.echo(card.text() + "\n")


def whole_toml() -> str:
    """The example of threadlead.toml with the tables of every room."""
    return example_toml({"shell": ShellPolicy})


def print_settings(*, as_env: bool) -> None:
    typer.echo(example_env() if as_env else whole_toml(), nl=False)


def print_agents(settings: Settings, *, as_json: bool) -> None:
    for name, row in settings.agents.items():
        if as_json:
            _emit({"name": name, "harness": row.get("harness", "")})
        else:
            typer.echo(f"{name}: {row.get('harness', '?')}")
    if as_json:
        return
    if not settings.agents:
        typer.echo("No agent is set up: only commands can be run.\n")
    typer.echo(
        "To add one, write into threadlead.toml:\n\n"
        "  [agents.replay]\n"
        '  harness = "script"              # plays a recording; good for trying things out\n'
        '  recording = "recording.json"\n'
    )


def print_version(*, as_json: bool) -> None:
    names = ("threadlead", "redis", "rq", "pydantic")
    row = {name: installed(name) for name in names} | {"python": platform.python_version()}
    if as_json:
        _emit(row)
    else:
        typer.echo("\n".join(f"{name} {number}" for name, number in row.items()))
