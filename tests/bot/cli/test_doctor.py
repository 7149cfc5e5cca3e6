"""The doctor: what it finds on a well machine and on broken ones, and that each failure says what to do."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.cli.doctor import (
    check_binary,
    check_data,
    check_disk,
    check_git,
    check_port,
    check_python,
    check_redis,
    check_repo,
    examine,
)
from bot.cli.embedded import EmbeddedServer, redis_folder, serving, socket_path
from core.redis_server import Finding
from core.settings import Repo, Settings

pytestmark = pytest.mark.process


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[EmbeddedServer]:
    async with serving(tmp_path) as running:
        yield running


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    alice = ("-c", "user.name=alice", "-c", "user.email=alice@example.org")
    for arguments in (
        ("init", "--quiet", "--initial-branch=main", str(folder)),
        ("-C", str(folder), *alice, "commit", "--quiet", "--allow-empty", "--message=First"),
    ):
        subprocess.run(["git", *arguments], check=True)
    return folder


def by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


async def test_a_well_machine_has_nothing_to_mend(tmp_path: Path, port: int, repository: Path) -> None:
    settings = Settings(data=tmp_path / "data", web={"port": port}, repos={"shop": {"path": str(repository)}})
    findings = await examine(settings)
    assert [f.name for f in findings if f.ok == "fail"] == []
    assert {"python", "git", "data folder", "disk", "redis", "console port", "repository shop"} <= set(
        by_name(findings)
    )
    assert not settings.data.exists()


async def test_a_running_embedded_server_is_looked_into(server: EmbeddedServer) -> None:
    found = by_name(await check_redis(Settings(data=server.data)))
    assert found["redis"].detail == "the embedded server answers"
    assert {f.ok for f in found.values()} == {"ok"}
    assert set(found) == {"redis", "server version", "append-only file", "eviction", "memory", "clock"}


async def test_a_server_that_does_not_answer_is_said_without_its_password(tmp_path: Path, port: int) -> None:
    settings = Settings(data=tmp_path, redis_url=f"redis://lead:hunter2@127.0.0.1:{port}/0")
    [found] = await check_redis(settings)
    assert (found.ok, found.detail) == ("fail", f"redis://127.0.0.1:{port}/0 does not answer (ConnectionError)")
    assert "REDIS_URL" in found.fix


async def test_a_socket_left_by_a_killed_server_is_told_from_a_running_one(tmp_path: Path) -> None:
    redis_folder(tmp_path).mkdir()
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(socket_path(tmp_path)))
    [found] = await check_redis(Settings(data=tmp_path))
    assert found.ok == "fail"
    assert "threadlead up" in found.fix


def test_no_server_on_the_machine_tells_how_to_get_one() -> None:
    found = check_binary(finders=())
    assert found.ok == "fail"
    assert "threadlead[embedded]" in found.fix


@pytest.mark.parametrize(("version", "verdict"), [((3, 10, 4), "fail"), ((3, 11, 0), "ok"), ((4, 0, 0), "ok")])
def test_an_old_python_fails(version: tuple[int, ...], verdict: str) -> None:
    assert check_python(version).ok == verdict


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("git version 2.29.9", "fail"),
        ("git version 2.38.0", "ok"),
        ("git version 3.1 (Apple)", "ok"),
        ("what?", "fail"),
    ],
)
async def test_an_old_git_fails(said: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git = tmp_path / "git"
    git.write_text(f"#!/bin/sh\necho '{said}'\n")
    git.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert (await check_git()).ok == verdict


async def test_a_missing_git_fails_and_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = await check_git()
    assert (found.ok, found.detail) == ("fail", "git is not on PATH")
    assert "apt install git" in found.fix


async def test_a_git_that_hangs_is_given_up_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git = tmp_path / "git"
    git.write_text("#!/bin/sh\nexec sleep 30\n")
    git.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr("bot.cli.doctor.PATIENCE_S", 0.1)
    assert (await check_git()).ok == "fail"


def test_a_data_folder_that_is_a_file_cannot_be_written(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    found = check_data(in_the_way / "data")
    assert found.ok == "fail"
    assert "THREADLEAD_DATA" in found.fix


@pytest.mark.parametrize(("low", "none", "verdict"), [(0, 0, "ok"), (2**62, 0, "warn"), (2**62, 2**62, "fail")])
def test_little_room_on_the_disk_warns_and_none_fails(
    low: int, none: int, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.cli.doctor.LOW_DISK", low)
    monkeypatch.setattr("bot.cli.doctor.NO_DISK", none)
    assert check_disk(tmp_path / "not" / "made").ok == verdict


def test_a_taken_port_fails_and_names_the_setting(port: int) -> None:
    assert check_port("127.0.0.1", port).ok == "ok"
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        found = check_port("127.0.0.1", port)
    assert (found.ok, found.detail) == ("fail", f"127.0.0.1:{port} is taken by another program")
    assert "THREADLEAD_WEB__PORT" in found.fix


def test_an_address_of_another_machine_fails() -> None:
    found = check_port("192.0.2.1", 7373)
    assert found.ok == "fail"
    assert "THREADLEAD_WEB__HOST" in found.fix


async def test_a_port_that_our_own_console_has_is_well(tmp_path: Path, port: int) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        writer.close()
        await writer.wait_closed()

    console = await asyncio.start_server(answer, "127.0.0.1", port)
    async with console:
        found = by_name(await examine(Settings(data=tmp_path, web={"port": port})))["console port"]
    assert (found.ok, found.detail) == ("ok", f"the console answers on 127.0.0.1:{port}")


async def test_repositories_are_looked_at_one_by_one(tmp_path: Path, repository: Path) -> None:
    (tmp_path / "plain").mkdir()
    seen = [
        (await check_repo("shop", Repo(path=path, base=base))).detail
        for path, base in (
            (str(repository), "main"),
            (str(repository), "release"),
            (str(tmp_path / "plain"), "main"),
            (str(tmp_path / "gone"), "main"),
            ("git@example.org:shop.git", "main"),
        )
    ]
    assert seen == [
        f"{repository}, from main",
        f"{repository} has no branch release",
        f"{tmp_path}/plain is no git repository",
        f"{tmp_path}/gone is no folder",
        "an address, looked at when it is cloned",
    ]


async def test_every_finding_that_is_not_well_says_what_to_do(tmp_path: Path, port: int) -> None:
    """Given a machine where all that can be wrong by settings is wrong, then each failure carries its mending."""
    (tmp_path / "file").touch()
    broken = Settings(
        data=tmp_path / "file" / "data",
        redis_url=f"redis://127.0.0.1:{port}/0",
        web={"host": "192.0.2.1", "token": "a-token-of-some-length"},
        repos={"gone": {"path": str(tmp_path / "gone")}},
    )
    failures = [f for f in await examine(broken) if f.ok != "ok"]
    assert {f.name for f in failures} == {"data folder", "redis", "console port", "repository gone"}
    assert all(f.fix.endswith(".") for f in failures)
