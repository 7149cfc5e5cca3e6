"""``threadlead demo``: the whole story in under half a minute, through the same processes as a real team's.

A temporary folder holds a git repository, an embedded Redis and a recorded agent; bot, scheduler and worker run as in
``up``. Alice is played from a script, through the same intake as every person.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Collection
from pathlib import Path
from typing import TextIO

import typer
from pydantic import SecretStr

from bot.cli.crew import Ended, Stop, run_crew
from bot.cli.demo.scenery import paint
from bot.cli.demo.stage import Stage, StageError
from bot.cli.demo.story import play
from bot.cli.doctor import check_git, check_python
from bot.cli.embedded import serving
from bot.cli.up import procfile_programs
from core.assembly import open_desk
from core.errors import Refused
from core.settings import Settings, Worker, environ_of
from core.settings.model import Web
from core.tasks import end

LIMIT_S = 90.0  # far more than it takes; a demo that hangs must say so


def run_demo(*, as_json: bool, keep: bool) -> int:
    """0 when the story ended as written. Raises Refused for what the machine lacks (git, a redis-server)."""
    folder = Path(tempfile.mkdtemp(prefix="threadlead-demo-"))
    try:
        return asyncio.run(_run(folder, as_json=as_json))
    except KeyboardInterrupt:
        typer.echo("\nStopped.", err=True)
        return 130
    finally:
        if keep:
            typer.echo(f"Kept: {folder}", err=True)
        else:
            shutil.rmtree(folder, ignore_errors=True)


async def _run(folder: Path, *, as_json: bool) -> int:
    for code, finding in (("python_too_old", check_python()), ("git_missing", await check_git())):
        if finding.ok == "fail":
            raise Refused(code, detail=finding.detail, fix=finding.fix)
    began = time.monotonic()
    scenery = await paint(folder)
    data = folder / "data"
    async with serving(data) as server:
        settings = Settings(
            data=data,
            redis_url=SecretStr(server.url),
            web=Web(port=free_port(), person="alice"),
            worker=Worker(id="laptop"),
            agents={"demo": {"harness": "script", "recording": str(scenery.recording)}},
        )
        with (folder / "processes.log").open("w+", encoding="utf-8") as log:
            ok, facts = await _with_crew(settings, scenery.repo, log, quiet=as_json)
    seconds = round(time.monotonic() - began, 1)
    if as_json:
        typer.echo(json.dumps({"ok": ok, "seconds": seconds, **facts}, ensure_ascii=False))
    elif ok:
        typer.echo(f"\nThat was {seconds} s, {facts['events']} events in one log, and no account. Now: threadlead up")
    return 0 if ok else 1


async def _with_crew(settings: Settings, repo: Path, log: TextIO, *, quiet: bool) -> tuple[bool, dict[str, object]]:
    """Play the story while the three processes run; one of them ending early ends the story."""
    stop = Stop()
    environment = {**_inherited(), **environ_of(settings)}
    crew = asyncio.create_task(run_crew(procfile_programs(), environment, stop, out=log))
    async with open_desk(settings) as desk:
        stage = Stage(desk, repo, quiet=quiet)
        playing = asyncio.create_task(play(stage))
        done, _ = await asyncio.wait([crew, playing], timeout=LIMIT_S, return_when=asyncio.FIRST_COMPLETED)
        await end([playing])
        ok = _verdict(done, crew, playing, log)
        facts = await stage.facts()
    stop.ask()
    await crew
    return ok, facts


def _verdict(
    done: Collection[object], crew: asyncio.Task[Ended | None], playing: asyncio.Task[None], log: TextIO
) -> bool:
    if playing in done and not playing.cancelled():
        error = playing.exception()
        if error is None:
            return True
        if not isinstance(error, (StageError, Refused)):
            raise error
        typer.echo(f"\nThe demo did not go as written: {error}", err=True)
    elif crew in done:
        typer.echo("\nA process ended by itself.", err=True)
    else:
        typer.echo(f"\nThe demo did not end within {LIMIT_S:.0f} s.", err=True)
    log.flush()
    log.seek(0)
    typer.echo("".join(log.readlines()[-30:]), err=True)
    return False


def free_port() -> int:
    """A port nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _inherited() -> dict[str, str]:
    """Our own environment without what somebody else's Threadlead on this machine is told."""
    return {k: v for k, v in os.environ.items() if not k.startswith("THREADLEAD_") and k != "REDIS_URL"}
