"""RQ's worker, made safe: it runs only listed functions, its jobs die with it, and its lease is short.

RQ imports whatever function a job names; here a name is looked up in a table, so write access to Redis is not code
execution. A work-horse normally outlives its killed worker; here the kernel ends it (Linux), and the log's fencing refuses
whatever might still be written.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import structlog
from redis import Redis
from redis.exceptions import RedisError
from rq import Queue, Worker
from rq.executions import Execution
from rq.job import Job

from core.parent import die_with_parent

LEASE_S = 8  # RQ's own lease of 90 s would leave a dead worker's jobs alone for minutes
BEAT_S = 2
IDLE_TTL_S = 30  # how long RQ's blocking read may take before the worker says that it is alive

log = structlog.get_logger()

Functions = Mapping[str, Callable[..., Any]]


class UnlistedFunction(Exception):
    """The job names a function this worker does not run."""


def listed_job(functions: Functions) -> type[Job]:
    """A job class that resolves names in ``functions`` only, and ignores callbacks and instances."""

    class ListedJob(Job):
        @property
        def func(self) -> Callable[..., Any]:
            try:
                return functions[str(self.func_name)]
            except KeyError:
                raise UnlistedFunction(f"{str(self.func_name)[:100]} is not on this worker's list") from None

        @property
        def success_callback(self) -> None:
            return None

        @property
        def failure_callback(self) -> None:
            return None

        @property
        def stopped_callback(self) -> None:
            return None

    return ListedJob


class LeaseWorker(Worker):
    """Serves exactly one queue, so that RQ moves a job atomically instead of popping it."""

    def __init__(self, queue: str, connection: Redis, functions: Functions, name: str) -> None:
        job_class = listed_job(functions)
        super().__init__(
            [Queue(queue, connection=connection, serializer="json", job_class=job_class)],
            name=name,
            connection=connection,
            serializer="json",
            job_class=job_class,
            job_monitoring_interval=BEAT_S,
            worker_ttl=IDLE_TTL_S,
            log_job_description=False,
        )

    def get_heartbeat_ttl(self, job: Job, working_time: float = 0.0) -> int:
        return LEASE_S

    def maintain_heartbeats(self, job: Job, execution: Execution) -> None:
        """A Redis that is away must not end the worker, and with it the work: the log has a lease of its own."""
        try:
            super().maintain_heartbeats(job, execution)
        except RedisError as error:
            log.warning("rq_heartbeat_not_sent", why=str(error)[:200])

    def fork_work_horse(self, job: Job, queue: Queue) -> None:
        parent = os.getpid()
        # A SIGTERM in this moment waits until the child is known here, and there until it has a handler of its own.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        child = os.fork()
        if child:
            self._horse_pid = child
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
            return
        os.setpgrp()
        die_with_parent(parent)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        self.main_work_horse(job, queue)

    def handle_warm_shutdown_request(self) -> None:
        """Tell the job, which hands over and ends; RQ alone would wait for it for ever."""
        if self._horse_pid:
            # The signal may arrive between the child's end and RQ's note of it.
            with suppress(ProcessLookupError):
                os.kill(self._horse_pid, signal.SIGTERM)
