"""All commands: what each is called, what its help teaches, and nothing of what it does.

Heavy imports stand inside the commands, so that ``--help`` answers at once.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.errors import exit_code, sentence
from core.errors import ThreadleadError

if TYPE_CHECKING:
    from core.settings import Settings

app = typer.Typer(
    name="threadlead",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Lead coding agents from a chat thread.\n\n"
    "Begin with [bold]threadlead demo[/bold] to see it work, or [bold]threadlead up[/bold] to use it.",
)

Json = Annotated[bool, typer.Option("--json", help="One JSON object a line, for programs.")]
Session = Annotated[
    str, typer.Argument(help="A session's id, or the beginning of one; `threadlead sessions` lists them.")
]
Port = Annotated[int | None, typer.Option("--port", min=1, max=65535, help="Port of the web console.")]

START, TALK, LOG = "Start", "Talk", "Look into the log"


def run() -> None:
    """Run the command line; a mistake of the person asking ends in a sentence, not a traceback."""
    try:
        app()
    except ThreadleadError as error:
        typer.echo(f"threadlead: {sentence(error)}", err=True)
        sys.exit(exit_code(error))


def _settings() -> Settings:
    from core.settings import load_settings

    return load_settings()


def _reachable() -> Settings:
    """Settings that name a Redis: the one set, or the embedded one of a running ``up``."""
    from bot.cli.reach import with_running_redis

    return with_running_redis(_settings())


def _process() -> Settings:
    """Settings of a long-running process. Started by ``up`` it ends with it, also when that one is killed outright."""
    from bot.cli.crew import TIED_TO
    from bot.cli.logging import configure
    from core.parent import die_with_parent

    if os.environ.pop(TIED_TO, "") == str(os.getppid()):
        die_with_parent(os.getppid(), signal.SIGTERM)
    settings = _reachable()
    configure(settings)
    return settings


@app.command(rich_help_panel=START)
def up(port: Port = None) -> None:
    """Run everything on this machine: Redis (if none is set), web console, scheduler and one worker.

    Prints the link of the console. Ctrl-C ends all of it within 4 seconds; the next `up` goes on where it was.
    """
    from bot.cli.up import run_up

    raise typer.Exit(run_up(_settings(), web_port=port))


@app.command(rich_help_panel=START)
def demo(
    json: Json = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the temporary folder and say where it is.")] = False,
) -> None:
    """Show the whole story in under half a minute: a plan, a change of mind, an approval, a rework, a hand-off.

    Needs no account and no key. A scripted team and a recorded agent work in a temporary git repository, through the
    same processes as a real team's.
    """
    from bot.cli.demo import run_demo

    raise typer.Exit(run_demo(as_json=json, keep=keep))


@app.command(rich_help_panel=START)
def bot() -> None:
    """Run the bot: web console and poster. One of the three processes of the Procfile."""
    from bot.process import run_bot

    raise typer.Exit(asyncio.run(run_bot(_process())))


@app.command(rich_help_panel=START)
def scheduler() -> None:
    """Run the scheduler: hands out work, fires timers, notices lost workers. Any number may run."""
    from jobs.scheduler.process import run_scheduler

    raise typer.Exit(asyncio.run(run_scheduler(_process())))


@app.command(rich_help_panel=START)
def worker() -> None:
    """Run this machine as a worker: takes tasks and carries them out in git worktrees. One per machine."""
    from jobs.worker import run_worker

    raise typer.Exit(run_worker(_process()))


@app.command(rich_help_panel=START)
def doctor(json: Json = False) -> None:
    """Look for what is missing or wrong on this machine and say how to mend it. Exits 1 when something is broken."""
    from bot.cli.show import print_findings

    raise typer.Exit(asyncio.run(print_findings(_settings(), as_json=json)))


@app.command(rich_help_panel=START)
def agents(json: Json = False) -> None:
    """List the agents that can be given work here, and say how to add one."""
    from bot.cli.show import print_agents

    print_agents(_settings(), as_json=json)


@app.command(rich_help_panel=START)
def settings(env: Annotated[bool, typer.Option("--env", help="As environment variables, for .env.")] = False) -> None:
    """Print every setting with its default and what it means: the beginning of a threadlead.toml.

    Example: threadlead settings > threadlead.toml
    """
    from bot.cli.show import print_settings

    print_settings(as_env=env)


@app.command(rich_help_panel=TALK)
def say(
    text: Annotated[
        str, typer.Argument(help="A message, or words that act: `status`, `apply P1`, `approve A1`, `stop` …")
    ],
    session: Annotated[str, typer.Option("--session", "-s", help="Speak in this session; left out, the latest.")] = "",
    repo: Annotated[
        Path | None, typer.Option("--repo", "-r", help="Begin a new session on this local git repository.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Show the answer.")] = True,
    json: Json = False,
) -> None:
    """Say something in a session from the terminal, exactly as in a chat.

    Examples:

      threadlead say --repo ~/src/shop "run the tests, then format with ruff and run them again"

      threadlead say "apply P1"
    """
    from bot.cli.talk import say_it

    path = str(repo.expanduser().absolute()) if repo else ""
    code = asyncio.run(say_it(_reachable(), text, session=session, repo=path, wait=wait, as_json=json))
    raise typer.Exit(code)


@app.command(rich_help_panel=TALK)
def watch(
    session: Annotated[str, typer.Argument(help="Left out, the latest session.")] = "", json: Json = False
) -> None:
    """Follow a session as it happens: messages, cards and their changes, until Ctrl-C."""
    from bot.cli.talk import watch_it

    asyncio.run(watch_it(_reachable(), session, as_json=json))


@app.command(rich_help_panel=TALK)
def sessions(json: Json = False) -> None:
    """List the sessions, the latest first, with what waits for a person."""
    from bot.cli.show import print_sessions

    asyncio.run(print_sessions(_reachable(), as_json=json))


@app.command(rich_help_panel=TALK)
def show(session: Session, json: Json = False) -> None:
    """Show a session as it stands: objective, tasks, what waits for a person, and its cards."""
    from bot.cli.show import print_session

    asyncio.run(print_session(_reachable(), session, as_json=json))


@app.command(rich_help_panel=LOG)
def log(
    session: Session,
    json: Json = False,
    after: Annotated[int, typer.Option("--after", min=0, help="Only events after this number.")] = 0,
) -> None:
    """Print everything that happened in a session, in order, one event a line; every number from 1 on is there."""
    from bot.cli.logs import print_log

    asyncio.run(print_log(_reachable(), session, after=after, as_json=json))


@app.command(rich_help_panel=LOG)
def export(
    session: Session,
    to: Annotated[Path | None, typer.Option("--to", help="File to write; left out, to the terminal.")] = None,
) -> None:
    """Write a session's log as JSON Lines: for an archive, a bug report, or another Redis."""
    from bot.cli.logs import export_log

    asyncio.run(export_log(_reachable(), session, to))


@app.command("import", rich_help_panel=LOG)
def import_(file: Annotated[Path, typer.Argument(help="A file written by `threadlead export`.")]) -> None:
    """Bring an exported session into this Redis. An existing session is never overwritten."""
    from bot.cli.logs import import_log

    asyncio.run(import_log(_reachable(), file))


@app.command(rich_help_panel=START)
def version(json: Json = False) -> None:
    """Print the version of Threadlead and of what it runs on."""
    from bot.cli.show import print_version

    print_version(as_json=json)
