"""What every part of the Redis ledger shares: the clients, the key names, the bounds and the patience."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from importlib.resources import files
from typing import Any, TypeVar

from redis.asyncio import Redis
from redis.exceptions import NoScriptError

from core.ledger.connect import BLOCK_MS, Clients
from core.ledger.keys import Bounds, Keys
from core.ledger.outage import Patience

T = TypeVar("T")


class Script:
    """A ``.lua`` file of this package, sent whole only to a server that does not know it yet."""

    def __init__(self, name: str) -> None:
        self._text = files("core.ledger").joinpath(name).read_text("utf-8")
        self._sha = hashlib.sha1(self._text.encode(), usedforsecurity=False).hexdigest()

    async def run(self, client: Redis, keys: Sequence[str], argv: Sequence[bytes | str]) -> Any:
        """Raises redis-py's errors. A restarted server has forgotten every script: NOSCRIPT is answered with the text."""
        try:
            return await client.evalsha(self._sha, len(keys), *keys, *argv)
        except NoScriptError:
            return await client.eval(self._text, len(keys), *keys, *argv)


class Link:
    """Base of the parts; ``RedisLedger`` is all of them."""

    def __init__(self, clients: Clients, keys: Keys, bounds: Bounds, patience: Patience) -> None:
        self._clients = clients
        self._keys = keys
        self._bounds = bounds
        self._patience = patience

    async def _ask(self, command: Callable[[Redis], Awaitable[T]]) -> T:
        """A command that may be sent twice, on the writer."""
        return await self._patience.repeat(lambda _: command(self._clients.writer))

    async def _wait(self, command: Callable[[Redis], Awaitable[T]]) -> T:
        """A command that may block and may be sent twice, on the reader."""
        return await self._patience.repeat(lambda _: command(self._clients.reader))


def slices(block_ms: int) -> Iterator[int | None]:
    """The BLOCK arguments that add up to ``block_ms``; a single None, for no wait, when it is 0."""
    if block_ms <= 0:
        yield None
    while block_ms > 0:
        yield min(block_ms, BLOCK_MS)
        block_ms -= BLOCK_MS
