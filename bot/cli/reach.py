"""Find the Redis a command should talk to: the one set, else the embedded one of a running ``up``.

A process waits for a Redis that is away; a person at a terminal is told at once.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import SecretStr
from redis.exceptions import RedisError

from bot.cli.embedded import socket_url
from core.assembly import Desk, open_desk
from core.domain.model import Session
from core.errors import Refused
from core.ledger.outage import unavailable
from core.ledger.port import Ledger
from core.service import Service
from core.settings import Settings

ANSWER_S = 5.0


def with_running_redis(settings: Settings) -> Settings:
    """Raises Refused("no_redis_url") when there is neither."""
    if settings.redis_url is not None:
        return settings
    url = socket_url(settings.data)
    if not os.path.exists(url.removeprefix("unix://").split("?")[0]):
        raise Refused("no_redis_url")
    return settings.model_copy(update={"redis_url": SecretStr(url)})


@asynccontextmanager
async def reached(settings: Settings) -> AsyncIterator[Desk]:
    """``open_desk`` on a Redis that answers now. Raises Unavailable."""
    async with open_desk(settings) as desk:
        try:
            async with asyncio.timeout(ANSWER_S):
                await desk.clients.writer.ping()
        except (RedisError, OSError, TimeoutError) as error:
            raise unavailable(error) from error
        yield desk


async def find_session(ledger: Ledger, name: str) -> str:
    """A whole id, the beginning or the end of one, or "" for the latest. Raises Refused("unknown_session")."""
    known = [session_id for session_id, _ in await ledger.sessions()]
    if not name and known:
        return known[0]
    found = [i for i in known if name and (i == name or i.startswith((name, f"ps_{name}")) or i.endswith(name))]
    if len(found) != 1:
        raise Refused("unknown_session", session=name or "yet")
    return found[0]


async def must_exist(service: Service, session_id: str) -> Session:
    state = await service.state(session_id)
    if not state.seq:
        raise Refused("unknown_session", session=session_id)
    return state
