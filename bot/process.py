"""The bot process: the web console and the posters, started together and ended together. Builds everything it needs here."""

from __future__ import annotations

import os
import socket

import structlog

from bot.intake import Intake
from bot.poster import Poster, Records
from bot.web.app import make_app
from bot.web.server import serve
from core.assembly import demand_fit_server, open_desk
from core.settings import Settings, console_token
from core.tasks import until_told

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
        await until_told(
            [serve(app, settings.web.host, settings.web.port), *(poster.run(consumer) for poster in posters)]
        )
    return 0
