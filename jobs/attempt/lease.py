"""Says every few seconds that an attempt is alive; when its process dies the saying stops, and the scheduler notices."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog

from core.errors import Unavailable
from core.ledger.port import Ledger
from core.tasks import AT_ONCE_S, end
from jobs import roster

log = structlog.get_logger()


@asynccontextmanager
async def leased(ledger: Ledger, holder: str, lease_s: float) -> AsyncIterator[None]:
    """Hold the lease of ``holder`` (``session/task/attempt``) while the block runs."""
    await roster.renew(ledger, holder, int(lease_s * 1000))
    beating = asyncio.create_task(_beat(ledger, holder, lease_s))
    try:
        yield
    finally:
        await end([beating], AT_ONCE_S)
        await roster.drop_lease(ledger, holder)


async def _beat(ledger: Ledger, holder: str, lease_s: float) -> None:
    while True:
        await asyncio.sleep(lease_s / 4)
        try:
            await roster.renew(ledger, holder, int(lease_s * 1000))
        except Unavailable:
            log.warning("lease_not_renewed", holder=holder)
