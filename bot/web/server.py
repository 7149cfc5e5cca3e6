"""Serves the console until it is told to stop, and then ends within 2 s, open event streams or not."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import uvicorn
from starlette.applications import Starlette

from core.errors import Unavailable

GRACE_S = 1  # for answers on their way; streams are ended first
HARD_STOP_S = 1.8
CONNECTIONS = 1_000  # beyond it 503, so that a flood of idle sockets leaves room for answers
BACKLOG = 128


class _Server(uvicorn.Server):
    """Leaves the signals to the process it runs in."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def listen(host: str, port: int) -> socket.socket:
    """A socket on the first address of ``host``; port 0 takes any. Raises Unavailable("port_unusable")."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        place = socket.socket(family, kind, proto)
        try:
            place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            place.bind(address)
            place.listen(BACKLOG)
        except OSError:
            place.close()
            raise
    except OSError as error:
        raise Unavailable("port_unusable", host=host, port=port, reason=error.strerror or str(error)) from error
    place.setblocking(False)
    return place


async def serve(
    app: Starlette, host: str, port: int, *, stop: asyncio.Event | None = None, place: socket.socket | None = None
) -> None:
    """Until ``stop`` is set or the caller is cancelled. ``place`` is a socket already bound, instead of host and port."""
    server = _Server(_config(app))
    running = asyncio.create_task(server.serve(sockets=[place or listen(host, port)]))
    stopping = asyncio.create_task((stop or asyncio.Event()).wait())
    try:
        await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        app.state.console.live.close()
        server.should_exit = True
        await asyncio.wait({running}, timeout=HARD_STOP_S)
        running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running


def _config(app: Starlette) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="on",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=GRACE_S,
        h11_max_incomplete_event_size=32 * 1024,
    )
