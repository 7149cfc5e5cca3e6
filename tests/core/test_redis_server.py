"""Is this Redis fit to hold the log: every verdict as a row, then a real server."""

from __future__ import annotations

import asyncio
import socket
import tempfile
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import SecretStr
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff, NoBackoff
from redis.exceptions import ConnectionError

from bot.cli.server_binary import discover
from core.errors import Refused, Unavailable
from core.redis_server import Finding, check_server, clock, judge, require, shown_url

WELL: dict[str, Any] = {
    "redis_version": "7.0.15",
    "aof_enabled": 1,
    "aof_last_write_status": "ok",
    "maxmemory": 2**30,
    "maxmemory_policy": "noeviction",
    "used_memory": 10 * 2**20,
    "total_system_memory": 2**33,
}
VALKEY = {"redis_version": "7.2.4", "server_name": "valkey"}
MANAGED = {"redis_version": "7.1.0"}  # a managed server that tells nothing else


@pytest.mark.parametrize(
    ("change", "name", "verdict"),
    [
        ({}, "server version", "ok"),
        ({"redis_version": "6.2.0"}, "server version", "ok"),
        ({"redis_version": "6.0.16"}, "server version", "fail"),
        ({"redis_version": "10.0.0"}, "server version", "ok"),
        ({"redis_version": "unstable"}, "server version", "warn"),
        ({**VALKEY, "valkey_version": "9.1.2"}, "server version", "ok"),
        ({**VALKEY, "valkey_version": "8.0.0"}, "server version", "ok"),
        ({**VALKEY, "valkey_version": "7.2.9"}, "server version", "fail"),
        ({"aof_enabled": 0}, "append-only file", "fail"),
        ({"aof_last_write_status": "err"}, "append-only writing", "fail"),
        ({"maxmemory_policy": "allkeys-lru"}, "eviction", "fail"),
        ({"maxmemory_policy": "volatile-ttl"}, "eviction", "fail"),
        ({"maxmemory_policy": "allkeys-lru", "maxmemory": 0}, "eviction", "warn"),
        ({"used_memory": 2**30 - 2**25}, "memory", "warn"),
        ({"used_memory": 2**30 - 2**20}, "memory", "fail"),
        ({"maxmemory": 0}, "memory", "ok"),
        ({"maxmemory": 0, "total_system_memory": 0}, "memory", "ok"),
    ],
)
def test_each_field_of_info_leads_to_its_verdict(change: dict[str, Any], name: str, verdict: str) -> None:
    found = {finding.name: finding for finding in judge(WELL | change)}
    assert found[name].ok == verdict
    assert bool(found[name].fix) == (verdict != "ok")


def test_a_server_that_tells_nothing_is_neither_passed_nor_refused() -> None:
    findings = judge(MANAGED)
    assert {f.name: f.ok for f in findings} == {
        "server version": "ok",
        "append-only file": "warn",
        "eviction": "warn",
        "memory": "warn",
    }
    assert {f.detail for f in findings if f.ok == "warn"} == {"could not check"}
    require(findings, allow_volatile=False)


@pytest.mark.parametrize(
    ("skew_s", "verdict", "words"),
    [
        (0.5, "ok", "within 2 s"),
        (9.0, "warn", "9.0 s ahead of this machine"),
        (-9.0, "warn", "9.0 s behind this machine"),
        (None, "warn", "could not check"),
    ],
)
def test_a_clock_that_differs_is_a_warning(skew_s: float | None, verdict: str, words: str) -> None:
    found = clock(skew_s)
    assert found.ok == verdict
    assert words in found.detail


def test_a_forgetful_server_is_refused_with_every_problem_unless_that_is_wanted() -> None:
    findings = judge(WELL | {"aof_enabled": 0, "maxmemory_policy": "allkeys-lru"})
    with pytest.raises(Refused) as refusal:
        require(findings, allow_volatile=False)
    assert refusal.value.code == "redis_unfit"
    lines = str(refusal.value.params["problems"]).splitlines()
    assert [line.split(":")[0] for line in lines] == ["append-only file", "eviction"]
    require(findings, allow_volatile=True)


def test_an_old_server_is_refused_however_forgetful_one_may_be() -> None:
    with pytest.raises(Refused):
        require(judge(WELL | {"redis_version": "5.0.7"}), allow_volatile=True)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://lead:hunter2@example.org:6380/0?socket_timeout=1", "redis://example.org:6380/0"),
        ("rediss://:hunter2@example.org", "rediss://example.org"),
        ("unix:///run/redis.sock?password=hunter2", "unix:///run/redis.sock"),
    ],
)
def test_an_address_is_shown_without_its_secrets(url: str, shown: str) -> None:
    assert shown_url(SecretStr(url)) == shown


@pytest.fixture
async def client() -> AsyncIterator[Redis]:
    """A server as it comes, with only the append-only file on; in a short folder, for socket paths are short."""
    with tempfile.TemporaryDirectory(prefix="tl") as folder:
        path = f"{folder}/s"
        options = ("--port", "0", "--unixsocket", path, "--dir", folder, "--appendonly", "yes")
        process = await asyncio.create_subprocess_exec(discover().path, *options, stdout=asyncio.subprocess.DEVNULL)
        patient = Retry(ConstantBackoff(0.02), 250, supported_errors=(ConnectionError,))
        async with Redis.from_url(f"unix://{path}", retry=patient) as connected:
            await connected.ping()
            yield connected
        process.terminate()
        await process.wait()


def verdicts(findings: list[Finding]) -> dict[str, str]:
    return {finding.name: finding.ok for finding in findings}


@pytest.mark.process
async def test_a_real_server_with_its_defaults_and_a_file_is_fit(client: Redis) -> None:
    findings = await check_server(client)
    assert set(verdicts(findings).values()) == {"ok"}
    await client.config_set("appendonly", "no")
    assert verdicts(await check_server(client))["append-only file"] == "fail"


@pytest.mark.process
async def test_a_clock_behind_the_servers_is_seen(client: Redis) -> None:
    findings = await check_server(client, now=lambda: time.time() - 60)
    assert verdicts(findings)["clock"] == "warn"


@pytest.mark.process
async def test_a_user_who_may_not_ask_gets_could_not_check(client: Redis) -> None:
    await client.acl_setuser("lead", enabled=True, nopass=True, commands=["+ping"], keys=["*"])
    path = client.connection_pool.connection_kwargs["path"]
    async with Redis(unix_socket_path=path, username="lead", password="any", retry=Retry(NoBackoff(), 0)) as narrow:
        findings = await check_server(narrow)
    assert set(verdicts(findings).values()) == {"warn"}
    require(findings, allow_volatile=False)


async def test_nothing_that_answers_is_unavailable_and_not_a_verdict() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    async with Redis(host="127.0.0.1", port=port, retry=Retry(NoBackoff(), 0)) as nobody:
        with pytest.raises(Unavailable) as failure:
            await check_server(nobody)
    assert failure.value.code == "redis_unreachable"
