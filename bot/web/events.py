"""``GET /api/events``: one page's stream of notes, with ids a browser comes back with.

The id names how far the page is on all three feeds, so a reconnect replays what it missed and nothing it had.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.web import shapes
from bot.web.console import console_of, known_state
from bot.web.live import FEEDS, Full, Listener, Live, Note, order

HEARTBEAT_S = 15
SEND_S = 10.0  # a page that takes nothing for this long is gone or hopeless
RETRY_MS = 1_000
_ID = re.compile(r"^\d{1,15}(-\d{1,10})?(\.\d{1,15}(-\d{1,10})?){2}$")


async def events(request: Request) -> Response:
    console = console_of(request)
    state = await known_state(console, shapes.query(request, "session", shapes.SESSION_ID))
    since = read_position(request.headers.get("last-event-id", ""))
    try:
        listener, now = await console.live.join(state.id)
    except (Full, TimeoutError):
        return JSONResponse({"code": "too_many_pages", "text": ""}, 503, {"Retry-After": "5"})
    return EventSourceResponse(_stream(console.live, listener, now, since), ping=HEARTBEAT_S, send_timeout=SEND_S)


def read_position(last_event_id: str) -> dict[str, str] | None:
    """The position a browser comes back with; None for none, or for one that is not ours."""
    if not _ID.fullmatch(last_event_id):
        return None
    return dict(zip(FEEDS, last_event_id.split("."), strict=True))


async def _stream(
    live: Live, listener: Listener, now: dict[str, str], since: dict[str, str] | None
) -> AsyncIterator[ServerSentEvent]:
    """First ``ready`` with where the page is, then what it missed, then what happens. Entries it had are left out."""
    at = dict(since or now)
    try:
        yield ServerSentEvent("{}", event="ready", id=_position(at), retry=RETRY_MS)
        if since is not None:
            async for missed in live.replay(listener, since):
                yield _event(missed, at)
        while (said := await listener.queue.get()) is not None:
            if not said.id or order(said.id) > order(at[said.feed]):
                yield _event(said, at)
    finally:
        live.leave(listener)


def _event(said: Note, at: dict[str, str]) -> ServerSentEvent:
    if said.id:
        at[said.feed] = said.id
    data = json.dumps(dict(said.data), ensure_ascii=False)
    return ServerSentEvent(data, event=said.event, id=_position(at) if said.id else None)


def _position(at: dict[str, str]) -> str:
    return ".".join(at[feed] for feed in FEEDS)
