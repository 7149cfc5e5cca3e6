"""A relay between a client and its server that fails on purpose, in the ways a network does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

WATCHED = (b"EVALSHA", b"EVAL", b"XADD")


class Relay:
    """``cut_replies``: that many watched commands reach the server, whose answer is dropped with the connection.

    ``hold_requests``: that many watched commands are kept back until ``let_go``, while their client hears nothing.
    """

    def __init__(self, server: Path) -> None:
        self._server = server
        self._held: list[tuple[bytes, asyncio.StreamWriter]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.cut_replies = 0
        self.hold_requests = 0
        self.requests = 0
        self._released = asyncio.Event()

    async def let_go(self) -> None:
        for request, upstream in self._held:
            upstream.write(request)
            await upstream.drain()
        self._held.clear()
        self._released.set()

    async def serve(self, client: asyncio.StreamReader, client_writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        server, upstream = await asyncio.open_unix_connection(self._server)
        try:
            await self._carry(client, client_writer, server, upstream)
        except asyncio.CancelledError:  # asyncio's streams log a cancelled handler as an error
            return
        finally:
            upstream.close()
            client_writer.close()

    async def _carry(
        self,
        client: asyncio.StreamReader,
        client_writer: asyncio.StreamWriter,
        server: asyncio.StreamReader,
        upstream: asyncio.StreamWriter,
    ) -> None:
        while request := await client.read(1 << 20):
            if not await self._exchange(request, server, upstream, client_writer):
                return

    async def _exchange(
        self,
        request: bytes,
        server: asyncio.StreamReader,
        upstream: asyncio.StreamWriter,
        client: asyncio.StreamWriter,
    ) -> bool:
        """Carry one small request and its reply; False ends the connection."""
        self.requests += 1
        watched = any(word in request for word in WATCHED)
        if watched and self.hold_requests:
            self.hold_requests -= 1
            self._held.append((request, upstream))
            await self._released.wait()
            return False
        upstream.write(request)
        reply = await server.read(1 << 20)
        if watched and self.cut_replies and b"NOSCRIPT" not in reply:
            self.cut_replies -= 1
            return False
        client.write(reply)
        return bool(reply)

    async def stop(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def relay_to(server: Path, place: Path) -> AsyncIterator[tuple[Relay, str]]:
    """A relay on the socket ``place``, and the URL a client uses."""
    relay = Relay(server)
    listener = await asyncio.start_unix_server(relay.serve, place)
    try:
        yield relay, f"unix://{place}"
    finally:
        listener.close()
        await relay.stop()
