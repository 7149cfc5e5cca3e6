"""The worker process: takes its id, says what an earlier life left open, then keeps RQ workers and a heartbeat running.

RQ listens safely on one queue only, so each RQ worker is a process of its own: some for this worker's attempts, some for
reading messages, some for upkeep. They are forked from a parent that has imported everything and opened nothing.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from functools import partial

import structlog
from redis import Redis

from core.assembly import Desk, demand_fit_server, open_desk, redis_address
from core.domain import commands as c
from core.domain.model import Attempt
from core.domain.tables import AttemptPhase
from core.errors import Refused, Unavailable
from core.settings import Settings
from core.tasks import AT_ONCE_S, until_told
from jobs import queues, roster
from jobs.attempt.run import run_attempt
from jobs.harness.registry import Harnesses
from jobs.manager.read import read_message
from jobs.merge import merge_flow
from jobs.repo_check import check_repo
from jobs.runner import Functions, LeaseWorker
from jobs.scheduler.watch import held
from jobs.supervise import supervise
from jobs.understanding import Understanding

GOODBYE_S = 1.0

log = structlog.get_logger()


def run_worker(settings: Settings) -> int:
    """Until SIGTERM or SIGINT; returns the exit code. Raises Refused("worker_id_taken") and what settings refuse."""
    harnesses = Harnesses.from_settings(settings)
    understanding = Understanding.from_settings(settings)
    asyncio.run(_prepare(settings, os.getpid()))
    functions = job_functions(settings, harnesses, understanding)
    children: dict[str, Callable[[], None]] = {"heartbeat": partial(_heartbeat, settings)}
    for queue, count in _queues(settings).items():
        for number in range(count):
            children[f"{queue}#{number}"] = partial(_serve, settings, queue, functions)
    return supervise(children, partial(_say_goodbye, settings))


def _queues(settings: Settings) -> dict[str, int]:
    worker = settings.worker
    return {
        queues.run_queue(worker.id): worker.slots,
        queues.MANAGE: worker.manage_workers,
        queues.UPKEEP: worker.upkeep_workers,
    }


def job_functions(settings: Settings, harnesses: Harnesses, understanding: Understanding) -> Functions:
    """The only functions a job may name, each a short synchronous call into asyncio."""

    def job(step: Callable[..., Awaitable[None]]) -> Callable[..., None]:
        def run(*args: str) -> None:
            asyncio.run(_with_desk(settings, lambda desk: step(desk, *args)))

        return run

    return {
        "run_attempt": job(lambda desk, *args: run_attempt(desk, harnesses, *args)),
        "read_message": job(lambda desk, *args: read_message(desk, understanding, *args)),
        "check_repo": job(check_repo),
        "merge_flow": job(merge_flow),
    }


async def _with_desk(settings: Settings, step: Callable[[Desk], Awaitable[None]]) -> None:
    async with open_desk(settings) as desk:
        await step(desk)


async def _prepare(settings: Settings, pid: int) -> None:
    """Register, and say of every attempt this worker had when it died that nobody knows how it ended."""
    async with open_desk(settings) as desk:
        await demand_fit_server(desk)
        await roster.register(desk.ledger, settings, pid)
        for session_id, attempt_id in await held(desk, settings.worker.id):
            attempt = (await desk.service.state(session_id)).attempts.get(attempt_id)
            if attempt is not None:
                await _left_behind(desk, session_id, attempt, pid)


async def _left_behind(desk: Desk, session_id: str, attempt: Attempt, pid: int) -> None:
    """Not claimed: its job may have died in the hands of an RQ worker, so it is put on the queue once more."""
    if attempt.phase is AttemptPhase.PREPARED:
        enqueuer = queues.Enqueuer(Redis.from_url(redis_address(desk.settings)), f"tl.{desk.settings.workspace}")
        await enqueuer.put(queues.run_attempt(attempt.worker, session_id, attempt.id, f"-r{pid}"))
        return
    try:
        await desk.service.handle(session_id, c.LoseAttempt(attempt_id=attempt.id, why="worker_restarted"))
    except Refused as refused:
        log.info("attempt_not_lost", attempt=attempt.id, code=refused.code)


def _say_goodbye(settings: Settings) -> None:
    """Nothing new is sent here from now on. A Redis that is away must not hold up the end: silence says the same."""

    async def leave() -> None:
        async with asyncio.timeout(GOODBYE_S), open_desk(settings) as desk:
            await roster.leave(desk.ledger, settings)

    try:
        asyncio.run(leave())
    except (Unavailable, TimeoutError):
        log.warning("not_signed_off", worker=settings.worker.id)


def _serve(settings: Settings, queue: str, functions: Functions) -> None:
    """One RQ worker on one queue, until told to stop."""
    connection = Redis.from_url(redis_address(settings))
    name = f"{settings.worker.id}.{queue}.{os.getpid()}".replace(":", "-")
    worker = LeaseWorker(queues.queue_name(f"tl.{settings.workspace}", queue), connection, functions, name)
    worker.work(logging_level="WARNING")


def _heartbeat(settings: Settings) -> None:
    asyncio.run(until_told([_beat(settings)], AT_ONCE_S))


async def _beat(settings: Settings) -> None:
    async with open_desk(settings) as desk:
        while True:
            try:
                await roster.beat(desk.ledger, settings)
            except Unavailable as error:
                log.warning("heartbeat_not_sent", code=error.code)
            await asyncio.sleep(settings.worker.heartbeat_s)
