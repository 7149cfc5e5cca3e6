"""What is wrong with this machine's set-up, as values: the same checks ``up`` makes, all of them, without starting anything.

The rule: a check never raises and never changes anything; whatever is not well says what to do about it.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import shutil
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

import httpx
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from bot.cli.embedded import socket_path, socket_url
from bot.cli.server_binary import FINDERS, Finder, discover
from core.errors import Refused, Unavailable
from core.redis_server import Finding, check_server, shown_url
from core.settings import Repo, Settings

PYTHON_FLOOR = (3, 11)
GIT_FLOOR = (2, 38)  # the first that merges without a checkout (`merge-tree --write-tree`)
LOW_DISK = 1024**3  # bytes; a few worktrees of a middling repository
NO_DISK = 64 * 1024**2  # bytes; the append-only file needs room to be rewritten
PATIENCE_S = 3.0


async def examine(settings: Settings) -> list[Finding]:
    """Every check, in the order a person would mend things."""
    findings = [check_python(), await check_git(), check_data(settings.data), check_disk(settings.data)]
    findings += await check_redis(settings)
    findings.append(await check_console(settings.web.host, settings.web.port))
    findings += [await check_repo(name, repo) for name, repo in settings.repos.items()]
    return findings


def check_python(version: tuple[int, ...] = sys.version_info[:3]) -> Finding:
    seen, floor = ".".join(map(str, version)), ".".join(map(str, PYTHON_FLOOR))
    if version[:2] < PYTHON_FLOOR:
        return Finding(name="python", ok="fail", detail=f"Python {seen}", fix=f"Install Python {floor} or later.")
    return Finding(name="python", ok="ok", detail=f"Python {seen}")


async def check_git() -> Finding:
    floor = ".".join(map(str, GIT_FLOOR))
    fix = f"Install git {floor} or later (apt install git, or brew install git)."
    said = await _said("git", "--version")
    if said is None:
        return Finding(name="git", ok="fail", detail="git is not on PATH", fix=fix)
    numbers = re.search(r"(\d+)\.(\d+)", said)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < GIT_FLOOR:
        return Finding(name="git", ok="fail", detail=said or "git does not tell its version", fix=fix)
    return Finding(name="git", ok="ok", detail=said)


def check_data(data: Path) -> Finding:
    """Whether the data folder can be written; one that is not there yet counts by the folder it would be made in."""
    existing = _existing(data)
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        fix = f"Give this user the right to write {existing}, or set THREADLEAD_DATA to another folder."
        return Finding(name="data folder", ok="fail", detail=f"{data} cannot be written", fix=fix)
    return Finding(name="data folder", ok="ok", detail=f"{data}" if existing == data else f"{data} (not made yet)")


def check_disk(data: Path) -> Finding:
    try:
        free = shutil.disk_usage(_existing(data)).free
    except OSError:
        return Finding(name="disk", ok="warn", detail="could not check", fix="Make sure that the disk has room.")
    detail = f"{free / 1024**3:.1f} GiB free"
    if free >= LOW_DISK:
        return Finding(name="disk", ok="ok", detail=detail)
    fix = f"Free space where {data} is, or set THREADLEAD_DATA to a folder on another disk."
    return Finding(name="disk", ok="fail" if free < NO_DISK else "warn", detail=detail, fix=fix)


async def check_redis(settings: Settings) -> list[Finding]:
    """The server in the settings; without one, the embedded server when it runs, else the program it would be."""
    if settings.redis_url is not None:
        url, shown = settings.redis_url.get_secret_value(), shown_url(settings.redis_url)
    elif socket_path(settings.data).is_socket():
        url, shown = socket_url(settings.data), "the embedded server"
    else:
        return [check_binary()]
    client = Redis.from_url(
        url, retry=Retry(NoBackoff(), 0), socket_timeout=PATIENCE_S, socket_connect_timeout=PATIENCE_S
    )
    try:
        found = await check_server(client)
    except Unavailable as error:
        return [_unreachable(shown, str(error.params["reason"]), embedded=settings.redis_url is None)]
    finally:
        await client.aclose()
    return [Finding(name="redis", ok="ok", detail=f"{shown} answers"), *found]


def check_binary(finders: Sequence[Finder] = FINDERS) -> Finding:
    """Which server ``up`` would start."""
    try:
        binary = discover(finders)
    except Refused as refusal:
        return Finding(name="redis", ok="fail", detail="no server found", fix=str(refusal.params["how"]))
    return Finding(name="redis", ok="ok", detail=f"up will start {binary.path}")


def port_error(host: str, port: int) -> OSError | None:
    """Why nothing could listen there now; None when something could."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except OSError as error:
        return error
    return None


def check_port(host: str, port: int) -> Finding:
    """Whether the console could listen there now."""
    error = port_error(host, port)
    if error is None:
        return Finding(name="console port", ok="ok", detail=f"{host}:{port} is free")
    taken = error.errno == errno.EADDRINUSE
    what = "is taken by another program" if taken else f"cannot be listened on ({error.strerror})"
    fix = "End that program" if taken else "Set THREADLEAD_WEB__HOST to an address of this machine"
    fix += ", or choose another port (THREADLEAD_WEB__PORT)."
    return Finding(name="console port", ok="fail", detail=f"{host}:{port} {what}", fix=fix)


async def check_console(host: str, port: int) -> Finding:
    """A taken port is well when it is our own console that has it."""
    finding = check_port(host, port)
    if finding.ok != "ok" and await healthy(host, port):
        return Finding(name=finding.name, ok="ok", detail=f"the console answers on {host}:{port}")
    return finding


async def healthy(host: str, port: int) -> bool:
    """Whether a console answers ``GET /healthz`` there."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  recognised, not listened on
    place = f"[{reachable}]" if ":" in reachable else reachable
    try:
        async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as client:
            return (await client.get(f"http://{place}:{port}/healthz")).status_code == httpx.codes.OK
    except (httpx.HTTPError, httpx.InvalidURL):
        return False


async def check_repo(name: str, repo: Repo) -> Finding:
    """A folder must be a git repository that has the base branch; an address is looked at when it is cloned."""
    shown, folder = f"repository {name}", repo.folder()
    if folder is None:
        return Finding(name=shown, ok="ok", detail="an address, looked at when it is cloned")
    if not folder.is_dir():
        fix = f"Correct repos.{name}.path, or put the repository there."
        return Finding(name=shown, ok="fail", detail=f"{folder} is no folder", fix=fix)
    if await _said("git", "-C", str(folder), "rev-parse", "--git-dir") is None:
        fix = f"Correct repos.{name}.path, or run git init there."
        return Finding(name=shown, ok="fail", detail=f"{folder} is no git repository", fix=fix)
    base = f"{repo.base}^{{commit}}"
    if await _said("git", "-C", str(folder), "rev-parse", "--verify", "--quiet", "--end-of-options", base) is None:
        fix = f"Set repos.{name}.base to a branch it has, or make a first commit."
        return Finding(name=shown, ok="fail", detail=f"{folder} has no branch {repo.base}", fix=fix)
    return Finding(name=shown, ok="ok", detail=f"{folder}, from {repo.base}")


def _unreachable(shown: str, reason: str, *, embedded: bool) -> Finding:
    fix = "Run threadlead up; it mends what a killed one left." if embedded else "Start it, or correct REDIS_URL."
    return Finding(name="redis", ok="fail", detail=f"{shown} does not answer ({reason})", fix=fix)


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    return next(path for path in (folder, *folder.parents) if path.exists())


async def _said(program: str, *arguments: str) -> str | None:
    """A command's output in one line; None when it is not there, fails or does not end in time."""
    try:
        process = await asyncio.create_subprocess_exec(
            program,
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return None
    try:
        async with asyncio.timeout(PATIENCE_S):
            out, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return None
    return out.decode("utf-8", "replace").strip() if process.returncode == 0 else None
