"""The ledgers under test: the twin in memory and the one on a real server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest

from core.ledger.connect import connect
from core.ledger.keys import Bounds
from core.ledger.memory import MemoryLedger
from core.ledger.outage import Patience
from core.ledger.port import Ledger
from core.ledger.redis_ledger import RedisLedger, open_ledger

SMALL = Bounds(feed_length=10, blob_bytes=10_000, event_bytes=2_000)
QUICK = Patience(base_s=0.005, cap_s=0.05, give_up_s=5.0)


@pytest.fixture
async def redis_ledger(redis_url: str, workspace: str) -> AsyncIterator[RedisLedger]:
    ledger = open_ledger(redis_url, workspace, bounds=SMALL, patience=QUICK)
    yield ledger
    await ledger.close()


@pytest.fixture
async def opened() -> AsyncIterator[Callable[..., RedisLedger]]:
    """Opens ledgers that are closed after the test, whatever came of it; arguments as for ``open_ledger``."""
    found: list[RedisLedger] = []

    def open_(url: str, workspace: str, *, patience: Patience, writer_timeout_s: float = 5.0) -> RedisLedger:
        found.append(RedisLedger(connect(url, writer_timeout_s=writer_timeout_s), workspace, patience=patience))
        return found[-1]

    yield open_
    for ledger in found:
        await ledger.close()


@pytest.fixture(params=["memory", "redis"])
async def ledger(request: pytest.FixtureRequest, workspace: str) -> AsyncIterator[Ledger]:
    if request.param == "memory":
        yield MemoryLedger(workspace, bounds=SMALL)
        return
    found = open_ledger(request.getfixturevalue("redis_url"), workspace, bounds=SMALL, patience=QUICK)
    yield found
    await found.close()
