"""The bot process: the web console and the posters, started together and ended together. Builds everything it needs here."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Coroutine
from typing import Any

import structlog

from bot.intake import Intake
from bot.poster import Poster, Records
from bot.web.app import make_app
from bot.web.server import serve
from core.assembly import demand_fit_server, open_desk
from core.settings import Settings, console_token
from core.tasks import end

RECORDED = ("web", "cli")  # surfaces whose messages are read from their records

log = structlog.get_logger()


async def run_bot(settings: Settings) -> int:
    """Until SIGTERM or SIGINT; returns the exit code. Raises Refused("redis_unfit")."""
    async with open_desk(settings) as desk:
        await demand_fit_server(desk)
        intake = Intake(desk.service, settings.language)
        consumer = f"{socket.gethostname()}-{os.getpid()}"
        token = console_token(settings).get_secret_value()
        app = make_app(desk, intake, token, settings.web.person, tuple(settings.agents))
        posters = [Poster(desk.ledger, desk.service, Records(name)) for name in RECORDED]
        await together(
            [serve(app, settings.web.host, settings.web.port), *(poster.run(consumer) for poster in posters)]
        )
    return 0


async def together(parts: list[Coroutine[Any, Any, None]]) -> None:
    """Run all until a signal; a part that ends by itself ends the process, loudly when it broke."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    running = [asyncio.ensure_future(part) for part in parts]
    waiting = asyncio.ensure_future(told.wait())
    done, _ = await asyncio.wait([waiting, *running], return_when=asyncio.FIRST_COMPLETED)
    await end([waiting, *running])
    for task in done - {waiting}:
        task.result()
