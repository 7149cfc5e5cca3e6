"""What every process builds from settings: the ledger and the door to it. Nothing else opens Redis."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from core.errors import Refused
from core.ledger.connect import Clients, connect
from core.ledger.port import Ledger
from core.ledger.redis_ledger import RedisLedger
from core.redis_server import check_server, require
from core.service import Service
from core.settings import Settings


@dataclass(frozen=True, slots=True)
class Desk:
    """The tools of one process; closed when its ``open_desk`` block ends."""

    settings: Settings
    clients: Clients
    ledger: Ledger
    service: Service


def redis_address(settings: Settings) -> str:
    """Raises Refused("no_redis_url") when none is set: only ``up`` and ``demo`` start one themselves."""
    if settings.redis_url is None:
        raise Refused("no_redis_url")
    return settings.redis_url.get_secret_value()


async def demand_fit_server(desk: Desk) -> None:
    """Every long-running process looks at its Redis first. Raises Refused("redis_unfit"), Unavailable."""
    require(await check_server(desk.clients.writer), allow_volatile=desk.settings.allow_volatile)


@asynccontextmanager
async def open_desk(settings: Settings) -> AsyncIterator[Desk]:
    clients = connect(redis_address(settings))
    ledger = RedisLedger(clients, settings.workspace)
    try:
        yield Desk(settings, clients, ledger, Service(ledger))
    finally:
        await ledger.close()
