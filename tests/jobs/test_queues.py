"""Jobs on a real queue: one for each fact however often it is put there, as JSON, and retried only without effects."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator

import pytest
from redis import Redis
from rq import Queue
from rq.job import Job, Retry

from jobs import queues

JOBS = [
    queues.read_message("ps_1", "msg_1"),
    queues.check_repo("laptop", "ps_1", "evt_1"),
    queues.run_attempt("laptop", "ps_1", "att_1"),
    queues.merge_flow("laptop", "ps_1", "flow_1", "evt_2"),
]


@pytest.fixture
def connection(redis_url: str) -> Iterator[Redis]:
    with Redis.from_url(redis_url) as opened:
        yield opened


@pytest.fixture
def enqueuer(connection: Redis, workspace: str) -> queues.Enqueuer:
    return queues.Enqueuer(connection, workspace)


def stored(connection: Redis, job: queues.Task) -> Job:
    return Job.fetch(job.job_id, connection=connection, serializer="json")


def named(job: queues.Task, workspace: str) -> queues.Task:
    """The same job under an id of this test's own; RQ's job ids are one name space for the whole server."""
    return queues.Task(job.queue, job.function, job.args, f"{workspace}-{job.job_id}", job.retry, job.timeout)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: str(job.function))
async def test_what_is_put_is_what_a_worker_finds(
    connection: Redis, enqueuer: queues.Enqueuer, workspace: str, job: queues.Task
) -> None:
    job = named(job, workspace)
    assert await enqueuer.put(job)
    found = stored(connection, job)
    assert (found.func_name, tuple(found.args), found.kwargs) == (job.function, job.args, {})
    assert found.timeout == job.timeout
    assert found.origin == queues.queue_name(workspace, job.queue)


async def test_a_job_put_twice_is_there_once(connection: Redis, enqueuer: queues.Enqueuer, workspace: str) -> None:
    job = named(queues.run_attempt("laptop", "ps_1", "att_1"), workspace)
    assert [await enqueuer.put(job), await enqueuer.put(job)] == [True, False]
    assert Queue(queues.queue_name(workspace, job.queue), connection=connection).count == 1


async def test_the_same_fact_may_be_delivered_again_under_another_name(
    connection: Redis, enqueuer: queues.Enqueuer, workspace: str
) -> None:
    first, second = (named(queues.run_attempt("laptop", "s", "att_1", again), workspace) for again in ("", "-2"))
    assert await enqueuer.put(first)
    assert await enqueuer.put(second)
    assert Queue(queues.queue_name(workspace, first.queue), connection=connection).count == 2


async def test_workspaces_on_one_server_do_not_share_queues(connection: Redis, workspace: str) -> None:
    job = named(queues.run_attempt("laptop", "ps_1", "att_1"), workspace)
    assert await queues.Enqueuer(connection, f"{workspace}-a").put(job)
    assert Queue(queues.queue_name(f"{workspace}-b", job.queue), connection=connection).count == 0


async def test_a_job_is_stored_as_json_and_never_as_a_pickle(
    connection: Redis, enqueuer: queues.Enqueuer, workspace: str
) -> None:
    job = queues.Task(queues.MANAGE, "read_message", ("ps_1", "消息"), f"{workspace}-read")
    await enqueuer.put(job)
    data = stored(connection, job).data
    assert json.loads(data) == ["read_message", None, ["ps_1", "消息"], {}]
    with pytest.raises(pickle.UnpicklingError):
        pickle.loads(data)  # noqa: S301  it is what must not work


@pytest.mark.parametrize(
    ("job", "retries", "timeout"),
    [
        (queues.read_message("s", "m"), 3, queues.READ_TIMEOUT_S),
        (queues.check_repo("w", "s", "e"), 3, queues.READ_TIMEOUT_S),
        (queues.run_attempt("w", "s", "a"), 0, queues.NO_TIMEOUT),
        (queues.merge_flow("w", "s", "f", "e"), 0, queues.NO_TIMEOUT),
    ],
)
def test_only_jobs_without_effects_outside_are_retried_and_only_they_have_a_clock(
    job: queues.Task, retries: int, timeout: int
) -> None:
    assert (job.retry, job.timeout) == (retries, timeout)


async def test_the_retries_of_a_job_are_with_it(connection: Redis, enqueuer: queues.Enqueuer, workspace: str) -> None:
    reading = named(queues.read_message("s", "m"), workspace)
    attempt = named(queues.run_attempt("w", "s", "a"), workspace)
    await enqueuer.put(reading)
    await enqueuer.put(attempt)
    assert stored(connection, reading).retries_left == Retry(max=3).max
    assert stored(connection, attempt).retries_left is None


def test_what_a_worker_does_goes_to_its_own_queue_and_reading_to_the_shared_one() -> None:
    assert queues.run_attempt("laptop", "s", "a").queue == queues.run_queue("laptop") == "run.laptop"
    assert (
        queues.merge_flow("laptop", "s", "f", "e").queue == queues.check_repo("laptop", "s", "e").queue == "run.laptop"
    )
    assert queues.read_message("s", "m").queue == queues.MANAGE
