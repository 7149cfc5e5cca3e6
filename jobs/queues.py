"""RQ queues: their names, and the one way to put a job on them.

RQ is only the runner. A job id is made from the fact that caused it, and whoever runs the job looks at the facts first, so a
job that is enqueued or delivered twice runs once. Jobs with effects outside are never retried by RQ.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from redis import Redis
from rq import Queue, Retry
from rq.exceptions import DuplicateJobError

MANAGE = "manage"
UPKEEP = "upkeep"

RESULT_TTL_S = 60  # results are facts in the log; RQ's own are of no use to anyone
FAILURE_TTL_S = 24 * 3600
READ_TIMEOUT_S = 120  # a message that takes longer to understand is tried again
NO_TIMEOUT = -1  # work is ended by people or by silence, never by the clock


def run_queue(worker: str) -> str:
    """The queue only ``worker`` serves."""
    return f"run.{worker}"


@dataclass(frozen=True, slots=True)
class Task:
    """One call of a listed job function. ``retry`` only for jobs without effects outside."""

    queue: str
    function: str
    args: tuple[str, ...]
    job_id: str
    retry: int = 0
    timeout: int = NO_TIMEOUT


class Enqueuer:
    """Puts jobs on RQ queues from asyncio. ``prefix`` keeps workspaces apart on one server."""

    def __init__(self, connection: Redis, prefix: str) -> None:
        self._connection = connection
        self._prefix = prefix

    async def put(self, task: Task) -> bool:
        """False when a job of that id is already there."""
        return await asyncio.to_thread(self._put, task)

    def _put(self, task: Task) -> bool:
        queue = Queue(queue_name(self._prefix, task.queue), connection=self._connection, serializer="json")
        try:
            queue.enqueue_call(
                task.function,
                args=task.args,
                timeout=task.timeout,
                result_ttl=RESULT_TTL_S,
                failure_ttl=FAILURE_TTL_S,
                job_id=task.job_id,
                retry=Retry(max=task.retry, interval=1) if task.retry else None,
                unique=True,
            )
        except DuplicateJobError:
            return False
        return True


def queue_name(prefix: str, queue: str) -> str:
    return f"{prefix}.{queue}"


# -- the jobs there are ----------------------------------------------------------------------------------------------


def read_message(session_id: str, message_id: str, again: str = "") -> Task:
    return Task(
        MANAGE, "read_message", (session_id, message_id), f"read-{message_id}{again}", retry=3, timeout=READ_TIMEOUT_S
    )


def check_repo(worker: str, session_id: str, ref: str) -> Task:
    return Task(run_queue(worker), "check_repo", (session_id,), f"repo-{ref}", retry=3, timeout=READ_TIMEOUT_S)


def run_attempt(worker: str, session_id: str, attempt_id: str, again: str = "") -> Task:
    return Task(run_queue(worker), "run_attempt", (session_id, attempt_id), f"{attempt_id}{again}")


def merge_flow(worker: str, session_id: str, flow_id: str, request: str, again: str = "") -> Task:
    return Task(run_queue(worker), "merge_flow", (session_id, flow_id, request), f"merge-{request}{again}")
