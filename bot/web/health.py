"""Is the process up, can it do its work, and a few numbers about it."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from bot.web.console import console_of
from core.errors import Unavailable

PATIENCE_S = 2.0  # a probe asks again soon; a slow answer is one that did not come


async def healthz(request: Request) -> Response:
    return JSONResponse({"ok": True})


async def readyz(request: Request) -> Response:
    """503 with the code while the log cannot be asked the time."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            await console_of(request).desk.ledger.now()
    except Unavailable as error:
        return JSONResponse({"ok": False, "code": error.code}, 503)
    except TimeoutError:
        return JSONResponse({"ok": False, "code": "redis_slow"}, 503)
    return JSONResponse({"ok": True})


async def metrics(request: Request) -> Response:
    """Prometheus text."""
    console = console_of(request)
    counts = console.counts
    rows = (
        ("threadlead_sessions", "gauge", "Sessions listed.", len(await console.overview.sessions())),
        ("threadlead_console_pages", "gauge", "Open event streams.", len(console.live)),
        ("threadlead_console_pages_dropped_total", "counter", "Pages that did not keep up.", console.live.dropped),
        ("threadlead_console_commands_total", "counter", "Commands taken in.", counts.commands),
        ("threadlead_console_refusals_total", "counter", "Commands that could not be.", counts.refusals),
        (
            "threadlead_console_failures_total",
            "counter",
            "Requests that failed without fault of theirs.",
            counts.failures,
        ),
    )
    text = "".join(
        f"# HELP {name} {about}\n# TYPE {name} {kind}\n{name} {value}\n" for name, kind, about, value in rows
    )
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")
