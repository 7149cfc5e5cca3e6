"""The scheduler process: three consumers and their clocks, ended together.

Any number may run: the consumers share the feeds as one group, and every command they issue is idempotent. An entry is
acknowledged only after it was acted on; one that keeps failing is set aside so that the rest flows on.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Mapping

import structlog
from redis import Redis

from core.assembly import Desk, demand_fit_server, open_desk, redis_address
from core.errors import Refused, Unavailable
from core.settings import Settings
from core.tasks import AT_ONCE_S, until_told
from jobs import queues
from jobs.scheduler.dispatch import Dispatcher
from jobs.scheduler.react import Reactor
from jobs.scheduler.watch import Watch

GROUP = "scheduler"
BLOCK_MS = 1_000
TIMER_S = 0.25
LEASE_S = 1.0
SWEEP_S = 60.0
TRIES = 3  # then an entry is set aside

log = structlog.get_logger()


async def run_scheduler(settings: Settings) -> int:
    """Until SIGTERM or SIGINT; returns the exit code."""
    async with open_desk(settings) as desk:
        await demand_fit_server(desk)
        enqueuer = queues.Enqueuer(Redis.from_url(redis_address(settings)), f"tl.{settings.workspace}")
        dispatcher = Dispatcher(desk, enqueuer)
        reactor = Reactor(desk, dispatcher, enqueuer)
        watch = Watch(desk, dispatcher, reactor)
        consumer = f"{socket.gethostname()}-{os.getpid()}"
        parts = [
            _consume(desk, "task", consumer, reactor.task_changed),
            _consume(desk, "session", consumer, reactor.session_changed),
            _consume(desk, "worker", consumer, _online(desk, watch)),
            _every(TIMER_S, watch.timers),
            _every(LEASE_S, watch.leases),
            _every(LEASE_S, watch.workers),
            _every(SWEEP_S, _stamped(desk, watch)),
        ]
        await until_told(parts, AT_ONCE_S)
    return 0


def _online(desk: Desk, watch: Watch) -> Callable[[Mapping[str, str]], Awaitable[None]]:
    """A worker came: whatever waited for one is looked at now, not at the next sweep."""
    sweep = _stamped(desk, watch)

    async def react(data: Mapping[str, str]) -> None:
        if data.get("status") == "online":
            await sweep()

    return react


def _stamped(desk: Desk, watch: Watch) -> Callable[[], Awaitable[None]]:
    async def sweep() -> None:
        await watch.sweep(f"-s{await desk.ledger.now() // 1000}")

    return sweep


async def _every(seconds: float, step: Callable[[], Awaitable[None]]) -> None:
    while True:
        try:
            await step()
        except Unavailable as error:
            log.warning("redis_unavailable", code=error.code)
        except Refused as refused:
            log.error("step_refused", step=step.__name__, code=refused.code, **refused.params)
        await asyncio.sleep(seconds)


async def _consume(desk: Desk, feed: str, consumer: str, react: Callable[[Mapping[str, str]], Awaitable[None]]) -> None:
    while True:
        try:
            for entry in await desk.ledger.take(feed, GROUP, consumer, block_ms=BLOCK_MS):
                await _react(entry.data, react)
                await desk.ledger.ack(feed, GROUP, [entry.id])
        except Unavailable as error:
            log.warning("redis_unavailable", code=error.code)
            await asyncio.sleep(0.5)


async def _react(data: Mapping[str, str], react: Callable[[Mapping[str, str]], Awaitable[None]]) -> None:
    for attempt in range(1, TRIES + 1):
        try:
            await react(data)
            return
        except Refused as refused:
            log.warning("set_aside", code=refused.code, entry=dict(data))
            return
        except Unavailable:
            if attempt == TRIES:
                raise
            await asyncio.sleep(0.2 * attempt)
        except Exception:  # a fact we cannot act on is our bug: said loudly, and the rest flows on
            log.exception("set_aside", entry=dict(data))
            return
