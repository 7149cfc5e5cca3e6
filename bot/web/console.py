"""What every route of the console works with, in one value; and the one way to a session that exists."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response

from bot.intake import Intake
from bot.web.door import Door
from bot.web.live import Live
from bot.web.overview import Overview
from bot.words import Language
from core.access import Person
from core.assembly import Desk
from core.domain.model import Session
from core.errors import Refused, Unavailable

READ_S = 4.0  # a page that only looks asks again; it is told soon rather than late
Route = Callable[[Request], Awaitable[Response]]


@dataclass(slots=True)
class Counts:
    """What ``/metrics`` tells, since this process began."""

    commands: int = 0
    refusals: int = 0
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Console:
    """One per application. ``agents`` are the names of the agents that can be given work; none means commands only."""

    desk: Desk
    intake: Intake
    door: Door
    person: Person
    agents: tuple[str, ...]
    live: Live
    overview: Overview
    counts: Counts = field(default_factory=Counts)


def console_of(request: Request) -> Console:
    console: Console = request.app.state.console
    return console


def language_of(request: Request) -> Language:
    """The language the page is in; what it shows of the session's own cards is in the session's."""
    return "zh" if request.query_params.get("lang", "").lower().startswith("zh") else "en"


async def known_state(console: Console, session_id: str) -> Session:
    """Raises Refused("unknown_session") when there is none, or what reading its log raises."""
    state = await console.desk.service.state(session_id)
    if not state.seq:
        raise Refused("unknown_session", session=session_id)
    return state


def soon(route: Route) -> Route:
    """A route that only reads, given up after ``READ_S``: the ledger itself waits far longer for its server."""

    async def bounded(request: Request) -> Response:
        try:
            async with asyncio.timeout(READ_S):
                return await route(request)
        except TimeoutError as error:
            raise Unavailable("redis_slow") from error

    return bounded
