"""``threadlead up``: everything on this machine with one command, and all of it gone 4 s after Ctrl-C.

The rule: whatever would make it fail is said before anything starts; what started last ends first, so the embedded server
ends after its clients and every append is on disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import shlex
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TextIO
from urllib.parse import quote

from honcho.environ import parse_procfile  # type: ignore[import-untyped]
from pydantic import SecretStr
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from bot.cli.crew import TAIL_LINES, Ended, Program, Stop, run_crew, stop_on_signals
from bot.cli.doctor import check_git, check_python, healthy, port_error
from bot.cli.embedded import EmbeddedServer, log_tail, refuse_if_running, start
from core.errors import Refused
from core.redis_server import Finding, check_server, require
from core.settings import Settings, console_token, environ_of

SERVER_GRACE_S = 0.9  # with the crew's grace under 4 s; a flush takes milliseconds
HEALTH_POLL_S = 0.2
CONNECT_S = 5.0


def run_up(
    settings: Settings,
    *,
    web_port: int | None = None,
    out: TextIO = sys.stdout,
    programs: Sequence[Program] | None = None,
) -> int:
    """Run until somebody stops it. Gives the exit code: 0 when asked to stop, 1 when a process ended by itself.

    ``programs`` takes the place of the Procfile's. Raises Refused for what a person must mend first: ``python_too_old``,
    ``git_missing``, ``port_taken``, ``port_unusable``, ``already_running``, ``no_redis_server``, ``redis_unfit``; and
    Unavailable for a Redis that does not answer or start.
    """
    if web_port is not None:
        settings = settings.model_copy(update={"web": settings.web.model_copy(update={"port": web_port})})
    return asyncio.run(_until_signal(settings, procfile_programs() if programs is None else programs, out))


async def _until_signal(settings: Settings, programs: Sequence[Program], out: TextIO) -> int:
    stop = Stop()
    with stop_on_signals(stop):
        return await up(settings, programs, stop, out=out)


async def up(settings: Settings, programs: Sequence[Program], stop: Stop, *, out: TextIO) -> int:
    """What ``run_up`` does, until ``stop`` is asked; see there for the errors."""
    await preflight(settings)
    link = console_link(settings)
    async with contextlib.AsyncExitStack() as ending:
        server: EmbeddedServer | None = None
        if settings.redis_url is None:
            server = await start(settings.data)
            ending.push_async_callback(server.stop, SERVER_GRACE_S)
            settings = settings.model_copy(update={"redis_url": SecretStr(server.url)})
            _say(out, f"Redis: embedded, its data in {settings.data}")
        else:
            await _check_redis(settings.redis_url, allow_volatile=settings.allow_volatile)
        announcing = asyncio.ensure_future(_announce(settings, link, out))
        try:
            also = {"redis": server.wait()} if server else {}
            ended = await run_crew(programs, _environment(settings), stop, out=out, also=also)
        finally:
            announcing.cancel()
    if ended is None:
        _say(out, "Stopped.")
        return 0
    _say(out, obituary(ended, settings.data if server else None))
    return 1


async def preflight(settings: Settings) -> None:
    """Say what is missing before anything is started."""
    _demand("python_too_old", check_python())
    _demand("git_missing", await check_git())
    if settings.redis_url is None:
        refuse_if_running(settings.data)
    error = port_error(settings.web.host, settings.web.port)
    if error is not None:
        code = "port_taken" if error.errno == errno.EADDRINUSE else "port_unusable"
        raise Refused(code, port=settings.web.port, host=settings.web.host, reason=error.strerror)


def procfile_text() -> str:
    """The Procfile, as it is packed with the code; the repository's own is the same."""
    return resources.files("bot.cli").joinpath("Procfile").read_text(encoding="utf-8")


def procfile_programs(text: str | None = None) -> list[Program]:
    """The Procfile's processes. ``threadlead`` in it is the one of this Python, whatever PATH has."""
    lines: dict[str, str] = parse_procfile(procfile_text() if text is None else text).processes
    return [Program(name, _own(shlex.split(line, comments=True))) for name, line in lines.items()]


def _own(argv: list[str]) -> list[str]:
    if argv[:1] != ["threadlead"]:
        return argv
    beside = Path(sys.executable).with_name("threadlead")
    return [str(beside), *argv[1:]] if beside.is_file() else [sys.executable, "-m", "bot.cli", *argv[1:]]


def console_link(settings: Settings) -> str:
    """What to open in a browser; it holds the token, so it is for the person at the terminal only."""
    web = settings.web
    host = web.open_host or {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(web.host, web.host)  # noqa: S104
    place = f"[{host}]" if ":" in host else host
    return f"http://{place}:{web.port}/?token={quote(console_token(settings).get_secret_value(), safe='')}"


def obituary(ended: Ended, data: Path | None) -> str:
    """Who ended, how, and its last words; for the embedded server they are in its log in ``data``."""
    if ended.code is None:
        how = "could not be started"
    elif ended.code < 0:
        how = f"was killed by signal {-ended.code}"
    else:
        how = f"ended by itself, exit code {ended.code}"
    words = log_tail(data).splitlines()[-TAIL_LINES:] if data and ended.name == "redis" else ended.last_lines
    said = "".join(f"\n  {line}" for line in words) or " nothing."
    return f"{ended.name} {how}, so everything was stopped. It last said:{said}"


async def _announce(settings: Settings, link: str, out: TextIO) -> None:
    while not await healthy(settings.web.host, settings.web.port):  # noqa: ASYNC110  another process tells no event
        await asyncio.sleep(HEALTH_POLL_S)
    _say(out, f"Console: {link}\nStop with Ctrl-C.")


async def _check_redis(url: SecretStr, *, allow_volatile: bool) -> None:
    client = Redis.from_url(
        url.get_secret_value(), retry=Retry(NoBackoff(), 0), socket_timeout=CONNECT_S, socket_connect_timeout=CONNECT_S
    )
    try:
        require(await check_server(client), allow_volatile=allow_volatile)
    finally:
        await client.aclose()


def _environment(settings: Settings) -> dict[str, str]:
    """Ours and the settings as they are now, so that children agree with us whatever files lie around."""
    redis = settings.redis_url.get_secret_value() if settings.redis_url else ""
    return {**os.environ, **environ_of(settings), "REDIS_URL": redis, "PYTHONUNBUFFERED": "1"}


def _demand(code: str, finding: Finding) -> None:
    if finding.ok == "fail":
        raise Refused(code, detail=finding.detail, fix=finding.fix)


def _say(out: TextIO, text: str) -> None:
    print(text, file=out, flush=True)
