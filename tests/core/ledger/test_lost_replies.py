"""Faults between the ledger and its server: nothing is doubled, nothing accepted is lost, the failure has a name."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from redis.asyncio import Redis

from core.errors import Unavailable
from core.ledger.connect import connect
from core.ledger.outage import Patience
from core.ledger.port import Control, Effects
from core.ledger.redis_ledger import RedisLedger
from tests.core.ledger.facts import said
from tests.core.ledger.relay import Relay, relay_to
from tests.servers import PrivateServer

S = "ses_1"
QUICK = Patience(base_s=0.005, cap_s=0.05, give_up_s=5.0)
IMPATIENT = Patience(base_s=0.005, cap_s=0.02, give_up_s=0.05)


@asynccontextmanager
async def through_relay(
    redis_url: str, workspace: str, timeout_s: float = 5.0
) -> AsyncIterator[tuple[Relay, RedisLedger]]:
    server = Path(urlsplit(redis_url).path)
    async with relay_to(server, server.parent / f"relay-{workspace}.sock") as (relay, url):
        ledger = RedisLedger(connect(url, writer_timeout_s=timeout_s), workspace, patience=QUICK)
        try:
            yield relay, ledger
        finally:
            await ledger.close()


async def test_an_append_with_all_its_effects_is_one_round_trip(redis_url: str, workspace: str) -> None:
    async with through_relay(redis_url, workspace) as (relay, ledger):
        await ledger.append(S, [said("the server knows the script now")], expected_seq=0)
        before = relay.requests
        effects = Effects(surfaces=["slack", "web"], controls=[Control("att_1", "steer")], fences={"task_1": 1})
        await ledger.append(S, [said("a"), said("b")], expected_seq=1, effects=effects, dedupe="key")
        assert relay.requests == before + 1


@pytest.mark.parametrize("cuts", [1, 2, 5])
async def test_a_cut_between_the_write_and_its_reply_writes_once(redis_url: str, workspace: str, cuts: int) -> None:
    async with through_relay(redis_url, workspace) as (relay, ledger):
        await ledger.append(S, [said("before")], expected_seq=0)
        relay.cut_replies = cuts
        drafts = [said("a"), said("b")]
        effects = Effects(surfaces=["slack"], controls=[Control("att_1", "steer")])
        appended = await ledger.append(S, drafts, expected_seq=1, effects=effects, dedupe="key")
        assert relay.cut_replies == 0
        assert [event.id for event in appended.events] == [draft.id for draft in drafts]
        assert not appended.duplicate  # this call did write it; its caller still has to act on it
        assert [event.id for event in await ledger.read(S, after=1)] == [draft.id for draft in drafts]
        assert len(await ledger.tail("out:slack", "0")) == 1
        assert len(await ledger.controls("att_1")) == 1


async def test_effects_without_events_are_written_once_too(redis_url: str, workspace: str) -> None:
    async with through_relay(redis_url, workspace) as (relay, ledger):
        relay.cut_replies = 1
        effects = Effects(controls=[Control("att_1", "cancel")])
        assert (await ledger.append(S, [], expected_seq=None, effects=effects)).events == ()
        assert len(await ledger.controls("att_1")) == 1


async def test_a_request_that_arrives_after_its_own_retry_is_dropped(redis_url: str, workspace: str) -> None:
    async with through_relay(redis_url, workspace, timeout_s=0.1) as (relay, ledger):
        await ledger.append(S, [said("before")], expected_seq=0)
        relay.hold_requests = 1
        appended = await ledger.append(S, [said("once")], expected_seq=None)
        await relay.let_go()
        assert [event.seq for event in appended.events] == [2]
        assert await ledger.last_seq(S) == 2


async def test_fifty_writers_through_a_network_that_cuts_lose_and_double_nothing(
    redis_url: str, workspace: str
) -> None:
    async with through_relay(redis_url, workspace) as (relay, ledger):
        relay.cut_replies = 30
        drafts = [said(str(n)) for n in range(50)]
        await asyncio.gather(*(ledger.append(S, [draft], expected_seq=None) for draft in drafts))
        events = await ledger.read(S)
        assert [event.seq for event in events] == list(range(1, 51))
        assert sorted(event.id for event in events) == sorted(draft.id for draft in drafts)


async def test_a_restarted_server_is_found_again_and_nothing_accepted_is_lost(
    start_server: Callable[..., PrivateServer], opened: Callable[..., RedisLedger], workspace: str
) -> None:
    server = start_server("--appendfsync", "always", appendonly=True)
    ledger = opened(server.url, workspace, patience=QUICK)
    follower = ledger.follow(S)
    accepted: list[str] = []
    busy = asyncio.Event()

    async def write(number: int) -> None:
        for n in range(20):
            draft = said(f"{number}.{n}")
            await ledger.append(S, [draft], expected_seq=None)
            accepted.append(draft.id)
            if len(accepted) == 20:
                busy.set()

    async def crash() -> None:
        await busy.wait()
        server.kill()
        await asyncio.to_thread(server.start)

    await asyncio.gather(crash(), *(write(number) for number in range(5)))
    async with asyncio.timeout(20):
        followed = [await anext(follower) for _ in range(100)]
    assert [event.seq for event in followed] == list(range(1, 101))
    assert sorted(event.id for event in followed) == sorted(accepted)


async def test_a_server_that_is_away_is_reported_after_a_bounded_wait(
    opened: Callable[..., RedisLedger], workspace: str, tmp_path: Path
) -> None:
    ledger = opened(f"unix://{tmp_path}/nobody.sock", workspace, patience=IMPATIENT)
    started = time.monotonic()
    with pytest.raises(Unavailable) as away:
        await ledger.append(S, [said("a")], expected_seq=0)
    assert away.value.code == "redis_unreachable"
    assert time.monotonic() - started < 2


async def test_a_full_memory_refuses_the_whole_append_and_says_so(
    start_server: Callable[..., PrivateServer], opened: Callable[..., RedisLedger], workspace: str
) -> None:
    server = start_server("--maxmemory-policy", "noeviction")
    ledger = opened(server.url, workspace, patience=IMPATIENT)
    await ledger.append(S, [said("fits")], expected_seq=0)
    async with Redis.from_url(server.url, protocol=2) as admin:
        await admin.config_set("maxmemory", "1")
        with pytest.raises(Unavailable) as full:
            await ledger.append(S, [said("a")], expected_seq=1, effects=Effects(surfaces=["slack"]), dedupe="k")
        await admin.config_set("maxmemory", "0")
    assert full.value.code == "redis_memory"
    assert await ledger.tail("out:slack", "0") == []
    assert not (await ledger.append(S, [said("a")], expected_seq=1, dedupe="k")).duplicate


async def test_a_read_only_replica_is_named(
    start_server: Callable[..., PrivateServer], opened: Callable[..., RedisLedger], workspace: str
) -> None:
    server = start_server()
    ledger = opened(server.url, workspace, patience=IMPATIENT)
    async with Redis.from_url(server.url, protocol=2) as admin:
        await admin.replicaof("127.0.0.1", "1")
    with pytest.raises(Unavailable) as replica:
        await ledger.append(S, [said("a")], expected_seq=None)
    assert replica.value.code in ("redis_readonly", "redis_cluster")


async def test_a_missing_password_is_named(
    start_server: Callable[..., PrivateServer], opened: Callable[..., RedisLedger], workspace: str
) -> None:
    server = start_server()
    async with Redis.from_url(server.url, protocol=2) as admin:
        await admin.config_set("requirepass", "secret")
    ledger = opened(server.url, workspace, patience=QUICK)
    with pytest.raises(Unavailable) as closed:
        await ledger.append(S, [said("a")], expected_seq=None)
    assert closed.value.code == "redis_auth"


async def test_a_disk_that_cannot_be_written_is_named(
    start_server: Callable[..., PrivateServer], opened: Callable[..., RedisLedger], workspace: str
) -> None:
    server = start_server()
    ledger = opened(server.url, workspace, patience=QUICK)
    async with Redis.from_url(server.url, protocol=2) as admin:
        await admin.config_set("save", "1 1")
        (server.folder / "dump.rdb").mkdir()
        await admin.set("dirty", 1)
        await admin.bgsave()
        async with asyncio.timeout(10):
            while (await admin.info("persistence"))["rdb_last_bgsave_status"] == "ok":
                await asyncio.sleep(0.01)
    with pytest.raises(Unavailable) as disk:
        await ledger.append(S, [said("a")], expected_seq=None)
    assert disk.value.code == "redis_disk"
    assert await ledger.last_seq(S) == 0


async def test_a_frozen_server_doubles_nothing_when_it_thaws(
    start_server: Callable[..., PrivateServer], opened: Callable[..., RedisLedger], workspace: str
) -> None:
    server = start_server()
    ledger = opened(server.url, workspace, patience=QUICK, writer_timeout_s=0.1)
    await ledger.append(S, [said("before")], expected_seq=0)
    server.signal(signal.SIGSTOP)
    appending = asyncio.create_task(ledger.append(S, [said("once")], expected_seq=None))
    await asyncio.sleep(0.5)  # several tries time out meanwhile; all of them wait in the server's sockets
    server.signal(signal.SIGCONT)
    assert [event.seq for event in (await appending).events] == [2]
    assert await ledger.last_seq(S) == 2
