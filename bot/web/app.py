"""The console's application: its routes and what stands around them, on one screen.

The rule: routes are thin. What a person did goes through ``bot.intake`` like on every other surface, what they see is made
by pure functions of the state, and every error has a code the page can put into words.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from bot.intake import Intake
from bot.web import acting, events, health, page, reading
from bot.web.console import Console, console_of, language_of, soon
from bot.web.door import Door, Guard, hosts_of
from bot.web.live import Live
from bot.web.overview import Overview
from bot.web.shapes import NotUnderstood
from bot.words import refusal_text
from core.access import Person
from core.assembly import Desk
from core.errors import Refused, Unavailable


def make_app(desk: Desk, intake: Intake, token: str, person: str, agents: Sequence[str] = ()) -> Starlette:
    """The console of one process. ``person`` is who uses it, an owner; ``agents`` can be given work, if any."""
    console = Console(
        desk=desk,
        intake=intake,
        door=Door(token, hosts_of(desk.settings.web)),
        person=Person(name=person, roles=frozenset({"owner"})),
        agents=tuple(agents),
        live=Live(desk.ledger),
        overview=Overview(desk.ledger, desk.service),
    )
    app = Starlette(
        routes=[
            Route("/", page.page),
            Route("/api/sessions", soon(soon(reading.sessions)), methods=["GET"]),
            Route("/api/sessions", acting.begin, methods=["POST"]),
            Route("/api/state", soon(reading.state)),
            Route("/api/plan", soon(reading.plan)),
            Route("/api/artifacts/{digest}", soon(reading.artifact)),
            Route("/api/events", events.events),
            Route("/api/commands", acting.command, methods=["POST"]),
            Route("/api/dispatch", acting.dispatch, methods=["POST"]),
            Route("/healthz", health.healthz),
            Route("/readyz", health.readyz),
            Route("/metrics", soon(health.metrics)),
            Mount("/static", StaticFiles(directory=page.STATIC)),
        ],
        middleware=[Middleware(Guard, door=console.door)],
        exception_handlers={NotUnderstood: _not_understood, Refused: _refused, Unavailable: _unavailable},
        lifespan=_lifespan,
    )
    app.state.console = console
    return app


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    live: Live = app.state.console.live
    following = asyncio.create_task(live.run())
    try:
        yield
    finally:
        live.close()
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


MISSING = frozenset({"unknown_session", "unknown_plan", "unknown_task", "unknown_artifact"})


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)  # noqa: S101  starlette looks handlers up by type
    text = refusal_text(error, language_of(request))
    return JSONResponse({"code": error.code, "text": text}, 404 if error.code in MISSING else 409)


async def _not_understood(request: Request, error: Exception) -> Response:
    assert isinstance(error, NotUnderstood)  # noqa: S101  as above
    body = {"code": error.code, "field": error.field, "text": error.why}
    return JSONResponse({name: value for name, value in body.items() if value}, error.status)


async def _unavailable(request: Request, error: Exception) -> Response:
    assert isinstance(error, Unavailable)  # noqa: S101  as above
    console_of(request).counts.failures += 1
    return JSONResponse({"code": error.code, "text": ""}, 503, {"Retry-After": "1"})
