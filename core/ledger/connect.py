"""The two Redis clients of a process, and nothing hidden in them.

``writer`` sends short commands: no automatic retry, 5 s to answer. ``reader`` waits in ``BLOCK``: its socket timeout is
longer than any block, or redis-py would cut and resend in silence. Both speak RESP2, whose replies keep one shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from core.errors import Refused

BLOCK_MS = 2_000  # one wait; longer ones are several of these
WRITER_TIMEOUT_S = 5.0
READER_TIMEOUT_S = BLOCK_MS / 1000 + WRITER_TIMEOUT_S
CONNECT_TIMEOUT_S = 3.0
WRITER_CONNECTIONS = 16  # one server thread answers them all; more only queue there instead of here
READER_CONNECTIONS = 512  # every live follower holds one while it waits
SCHEMES = ("redis", "rediss", "unix")
_OURS = frozenset(
    {"protocol", "decode_responses", "retry", "retry_on_timeout", "retry_on_error", "socket_timeout", "max_connections"}
)


@dataclass(frozen=True, slots=True)
class Clients:
    """Both answer bytes. Close them with ``close``."""

    writer: Redis
    reader: Redis

    async def close(self) -> None:
        for client in (self.writer, self.reader):
            await client.aclose()
            await client.connection_pool.disconnect()


def connect(url: str, *, writer_timeout_s: float = WRITER_TIMEOUT_S) -> Clients:
    """Clients for ``redis://``, ``rediss://`` or ``unix://``; nothing is sent yet.

    Raises Refused("redis_url") for another scheme or for a query option the ledger must decide itself.
    """
    _check(url)
    return Clients(
        writer=_client(url, writer_timeout_s, WRITER_CONNECTIONS),
        reader=_client(url, READER_TIMEOUT_S, READER_CONNECTIONS),
    )


def _check(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES:
        raise Refused("redis_url", why=f"starts with none of {', '.join(f'{s}://' for s in SCHEMES)}")
    if ours := _OURS & {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}:
        raise Refused("redis_url", why=f"may not set {', '.join(sorted(ours))}")


def _client(url: str, timeout_s: float, connections: int) -> Redis:
    over_tcp = {} if url.startswith("unix:") else {"socket_keepalive": True}
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=connections,
        timeout=timeout_s,
        protocol=2,
        legacy_responses=True,
        decode_responses=False,
        socket_timeout=timeout_s,
        socket_connect_timeout=CONNECT_TIMEOUT_S,
        retry=Retry(NoBackoff(), 0),
        client_name="threadlead",
        **over_tcp,
    )
    return Redis(connection_pool=pool)
