"""A failure of the server has one word in our language, and is waited out only where waiting can help."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from redis import exceptions as redis_errors

from core.errors import Refused, Unavailable
from core.ledger.connect import READER_TIMEOUT_S, connect
from core.ledger.outage import Patience, diagnose, once
from core.ledger.redis_ledger import RedisLedger, open_ledger

NEVER_LONG = Patience(base_s=0.001, cap_s=0.002, give_up_s=5)


@pytest.mark.parametrize(
    ("error", "code", "passes"),
    [
        (redis_errors.BusyLoadingError("Redis is loading the dataset in memory"), "redis_loading", True),
        (redis_errors.ReadOnlyError("You can't write against a read only replica."), "redis_readonly", True),
        (redis_errors.OutOfMemoryError("command not allowed when used memory > 'maxmemory'."), "redis_memory", False),
        (redis_errors.AuthenticationError("Authentication required."), "redis_auth", False),
        (redis_errors.NoPermissionError("this user has no permissions"), "redis_auth", False),
        (redis_errors.ResponseError("MISCONF Redis is configured to save RDB snapshots"), "redis_disk", False),
        (redis_errors.ResponseError("BUSY Redis is busy running a script."), "redis_busy", True),
        (redis_errors.ResponseError("NOREPLICAS Not enough good replicas to write."), "redis_replicas", False),
        (redis_errors.ResponseError("Error running script: @user_script:9: -OOM command not"), "redis_memory", False),
        (redis_errors.ResponseError("Error running script: -READONLY You can't write"), "redis_readonly", True),
        (redis_errors.MasterDownError("Link with MASTER is down"), "redis_cluster", True),
        (redis_errors.ConnectionError("Connection reset by peer"), "redis_unreachable", True),
        (redis_errors.TimeoutError("Timeout reading from socket"), "redis_unreachable", True),
        (ConnectionRefusedError(111, "refused"), "redis_unreachable", True),
        (redis_errors.ResponseError("WRONGTYPE Operation against a key"), "redis_error", False),
    ],
    ids=lambda value: str(value)[:24],
)
def test_every_failure_has_its_word(error: Exception, code: str, passes: bool) -> None:
    assert diagnose(error) == (code, passes)


def test_a_refused_password_is_not_mistaken_for_a_missing_server() -> None:
    error = redis_errors.ConnectionError("while connecting")
    error.__cause__ = redis_errors.AuthenticationError("WRONGPASS")
    assert diagnose(error) == ("redis_auth", False)


async def test_what_passes_is_waited_out_and_the_unknown_tries_are_counted() -> None:
    failures = [
        redis_errors.ReadOnlyError("certainly not written"),
        redis_errors.ConnectionError("perhaps written"),
        redis_errors.BusyLoadingError("certainly not written"),
    ]
    seen: list[int] = []

    async def attempt(unknown: int) -> str:
        seen.append(unknown)
        if failures:
            raise failures.pop(0)
        return "answer"

    assert await NEVER_LONG.repeat(attempt) == "answer"
    assert seen == [0, 0, 1, 1]


async def test_what_does_not_pass_is_said_at_once() -> None:
    tries: list[int] = []

    async def attempt(unknown: int) -> str:
        tries.append(unknown)
        raise redis_errors.OutOfMemoryError("full")

    with pytest.raises(Unavailable, match="redis_memory"):
        await NEVER_LONG.repeat(attempt)
    assert tries == [0]


async def test_what_must_not_be_sent_twice_is_tried_once() -> None:
    async def attempt() -> str:
        raise redis_errors.ConnectionError("cut")

    with pytest.raises(Unavailable, match="redis_unreachable"):
        await once(attempt)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost",
        "localhost:6379",
        "",
        "redis://localhost?protocol=3",
        "unix:///tmp/x.sock?decode_responses=1",
        "rediss://h?socket_timeout=1",
    ],
)
def test_an_address_the_ledger_cannot_keep_its_promises_on_is_refused(url: str) -> None:
    with pytest.raises(Refused, match="redis_url"):
        open_ledger(url, "acme")


@pytest.mark.parametrize("url", ["redis://alice:secret@localhost:6379/2", "rediss://localhost", "unix:///x.sock?db=1"])
async def test_no_client_retries_by_itself_and_a_reader_outwaits_its_block(url: str) -> None:
    clients = connect(url)
    for client in (clients.writer, clients.reader):
        assert client.connection_pool.connection_kwargs["retry"]._retries == 0
        assert client.connection_pool.connection_kwargs["protocol"] == 2
    assert clients.reader.connection_pool.connection_kwargs["socket_timeout"] == READER_TIMEOUT_S > 2
    await clients.close()


@pytest.mark.parametrize(
    "ask",
    [
        lambda ledger: ledger.read("ses_1"),
        lambda ledger: ledger.append("ses_1", [], expected_seq=None),
        lambda ledger: ledger.publish("task", {"text": "live"}),
        lambda ledger: ledger.tail("session", "0", block_ms=50),
    ],
    ids=["read", "append", "publish", "tail"],
)
async def test_a_cancel_that_came_while_the_task_ran_is_not_lost(
    redis_url: str, workspace: str, ask: Callable[[RedisLedger], Awaitable[object]]
) -> None:
    """As Ctrl-C comes: between two commands, to be delivered at the next wait. A task that lost it would run for ever."""
    ledger = open_ledger(redis_url, workspace)

    async def told() -> None:
        me = asyncio.current_task()
        assert me is not None
        me.cancel()
        await ask(ledger)

    try:
        await ledger.now()  # a connection that is open is checked before it is used, and that check loses it
        asked = asyncio.create_task(told())
        await asyncio.wait([asked])
        assert asked.cancelled()
    finally:
        await ledger.close()
