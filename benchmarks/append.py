"""What an append costs beside a bare XADD of the same bytes: one JSON line, the ratios of medians of five repeats.

Run ``python -m benchmarks.append`` (with ``REDIS_URL`` for a server of your own; else a private one with its log on disk).
The kinds take turns within every repeat, so that a noisy machine is noisy for all of them alike. The absolute figures
belong to the machine; only the ratios mean something elsewhere.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import count
from uuid import uuid4

from core.domain.event import Draft
from core.domain.facts import TaskProgressed
from core.ledger.connect import Clients, connect
from core.ledger.keys import Bounds
from core.ledger.port import Claim, Effects, TaskChange, Timer
from core.ledger.redis_ledger import RedisLedger
from core.ledger.wire import encode_draft
from tests.servers import PrivateServer

REPEATS = 5
APPENDS = 400
SESSION = "ses_bench"
FULL = Effects(
    surfaces=["slack"],
    changes=[TaskChange("task_1", "ready", "running")],
    timers=[Timer("stall:att_1", 1, SESSION, "stall")],
    fences={"task_1": 1},
    claims=[Claim("w1", "att_1", 1)],
)

Kind = Callable[[], Awaitable[object]]


def drafts() -> Iterator[Draft]:
    """Events of about 300 bytes as JSON."""
    for number in count():
        payload = TaskProgressed(task_id="task_1", summary="x" * 120, percent=number % 100)
        yield Draft(id=f"evt_{uuid4().hex}", payload=payload, source="worker", task_id="task_1", attempt_id="att_1")


def kinds(ledger: RedisLedger, clients: Clients) -> dict[str, Kind]:
    fresh = drafts()
    raw = encode_draft(next(fresh), Bounds().event_bytes)
    return {
        "xadd": lambda: clients.writer.xadd("bench:bare", {"e": raw, "t": "1"}),
        "append": lambda: ledger.append(SESSION, [next(fresh)], expected_seq=None),
        "append_full": lambda: ledger.append(
            SESSION, [next(fresh)], expected_seq=None, effects=FULL, dedupe=uuid4().hex
        ),
    }


async def cost_us(kind: Kind) -> float:
    started = time.perf_counter()
    for _ in range(APPENDS):
        await kind()
    return (time.perf_counter() - started) / APPENDS * 1e6


async def measure(url: str) -> dict[str, object]:
    clients = connect(url)
    ledger = RedisLedger(clients, f"bench-{uuid4().hex[:8]}")
    costs: dict[str, list[float]] = {name: [] for name in kinds(ledger, clients)}
    try:
        for name, kind in [*kinds(ledger, clients).items()] * (REPEATS + 1):
            costs[name].append(await cost_us(kind))
        median = {name: statistics.median(figures[1:]) for name, figures in costs.items()}  # the first warms up
    finally:
        await clients.writer.delete("bench:bare")
        await ledger.close()
    return {
        "benchmark": "append",
        "repeats": REPEATS,
        "appends": APPENDS,
        **{f"{name}_us": round(value, 1) for name, value in median.items()},
        "append_ratio": round(median["append"] / median["xadd"], 2),
        "append_full_ratio": round(median["append_full"] / median["xadd"], 2),
    }


@contextmanager
def server_url() -> Iterator[str]:
    if url := os.environ.get("REDIS_URL"):
        yield url
        return
    server = PrivateServer("--appendfsync", "everysec", appendonly=True).start()
    try:
        yield server.url
    finally:
        server.remove()


if __name__ == "__main__":
    with server_url() as address:
        print(json.dumps(asyncio.run(measure(address))))
