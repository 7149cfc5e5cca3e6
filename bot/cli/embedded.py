"""Our own Redis or Valkey, for people who have none: a child process with its append-only file in the data folder.

The rule: one data folder, one server, whatever was killed before. Two locks in the folder keep it, of the kind the
kernel drops when a process dies, so neither can be stale. ``up.lock`` is held by the launcher. ``server.lock`` is
inherited by the server and held for as long as it lives: a server whose launcher was killed is thereby seen, and ended
before the next one opens the same file.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from bot.cli.folder_lock import FolderLock
from bot.cli.server_binary import ServerBinary, discover
from core.errors import Refused, Unavailable

SOCKET_PATH_LIMIT = 104  # bytes, macOS' sun_path with its final NUL; Linux has 108
READY_S = 30.0  # an append-only file of 100,000 events loads in a quarter of a second
STOP_S = 5.0  # to flush the file; then it is killed, and at most a second of appends is lost
POLL_S = 0.02
LOG_TAIL = 2000  # bytes of the server's own log repeated in an error


@dataclass(frozen=True, kw_only=True)
class EmbeddedServer:
    """A running server. ``url`` is what redis-py and RQ take."""

    url: str
    pid: int
    data: Path
    process: asyncio.subprocess.Process
    lock: FolderLock

    async def wait(self) -> int:
        """Until the server ends by itself; gives its exit code."""
        return await self.process.wait()

    async def stop(self, grace_s: float = STOP_S) -> None:
        """End it so that every append is on disk; kill it after ``grace_s`` seconds. A second call does nothing."""
        await _end(self.process, grace_s)
        self.lock.release()


def redis_folder(data: Path) -> Path:
    return data / "redis"


def socket_path(data: Path) -> Path:
    """Where the socket is: beside the data, or in a short folder named after it when that path is too long."""
    beside = redis_folder(data) / "redis.sock"
    if _fits(beside):
        return beside
    name = f"threadlead-{os.getuid()}-{hashlib.sha256(os.fsencode(data)).hexdigest()[:12]}"
    short = [Path(folder) / name / "redis.sock" for folder in (tempfile.gettempdir(), "/tmp")]  # noqa: S108  0700, checked
    return next((path for path in short if _fits(path)), short[-1])


def socket_url(data: Path) -> str:
    return f"unix://{quote(str(socket_path(data)))}"


async def start(data: Path, *, binary: ServerBinary | None = None, ready_s: float = READY_S) -> EmbeddedServer:
    """Start a server on ``data`` (an absolute path, as in the settings); returns when it answers.

    Raises Refused("already_running", pid, data) when another launcher has the folder, Refused("no_redis_server", how)
    when the machine has no server, Unavailable("redis_server_failed", log) when it does not come up.
    """
    binary = binary or discover()
    folder = _private_folder(redis_folder(data))
    lock = FolderLock(folder / "up.lock")
    if not lock.take():
        raise _already_running(lock, data)
    try:
        lock.write(os.getpid())
        await _end_orphan(FolderLock(folder / "server.lock"))
        process = await _spawn(binary, data)
        try:
            await _ready(process, data, ready_s)
        except BaseException:
            await _end(process, 0)
            raise
    except BaseException:
        lock.release()
        raise
    return EmbeddedServer(url=socket_url(data), pid=process.pid, data=data, process=process, lock=lock)


def refuse_if_running(data: Path) -> None:
    """Raise Refused("already_running", pid, data) when a launcher has this folder now; changes nothing."""
    place = redis_folder(data) / "up.lock"
    if place.is_file():
        lock = FolderLock(place)
        if not lock.take():
            raise _already_running(lock, data)
        lock.release()


def _already_running(lock: FolderLock, data: Path) -> Refused:
    return Refused("already_running", pid=lock.holder() or "unknown", data=str(data))


@contextlib.asynccontextmanager
async def serving(data: Path) -> AsyncIterator[EmbeddedServer]:
    """A server for the length of a block."""
    server = await start(data)
    try:
        yield server
    finally:
        await server.stop()


def arguments(data: Path) -> list[str]:
    """The server's options. Its defaults read a cut-off file up to the cut, which is what a killed machine leaves."""
    return [
        *("--port", "0", "--unixsocket", str(socket_path(data)), "--unixsocketperm", "700"),
        *("--appendonly", "yes", "--appendfsync", "everysec", "--save", ""),
        *("--maxmemory-policy", "noeviction", "--dir", str(redis_folder(data)), "--daemonize", "no"),
    ]


async def _spawn(binary: ServerBinary, data: Path) -> asyncio.subprocess.Process:
    """In a session of its own: a Ctrl-C in the terminal must not reach the server before its clients are done."""
    _private_folder(socket_path(data).parent)
    socket_path(data).unlink(missing_ok=True)
    held = FolderLock(redis_folder(data) / "server.lock")
    held.take()
    with (redis_folder(data) / "server.log").open("ab") as log:
        try:
            process = await asyncio.create_subprocess_exec(
                str(binary.path),
                *arguments(data),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=(held.fileno(),),
            )
            held.write(process.pid)
        except OSError as error:
            raise Unavailable("redis_server_failed", log=f"{binary.path}: {error.strerror}") from error
        finally:
            held.close()  # ours only: the server keeps the lock by its inherited copy
    return process


async def _ready(process: asyncio.subprocess.Process, data: Path, ready_s: float) -> None:
    client = Redis.from_url(socket_url(data), retry=Retry(NoBackoff(), 0), socket_timeout=1)
    try:
        async with asyncio.timeout(ready_s):
            while process.returncode is None:
                with contextlib.suppress(RedisError, OSError):
                    await client.ping()
                    return
                await asyncio.sleep(POLL_S)
    except TimeoutError as error:
        raise Unavailable("redis_server_failed", log=log_tail(data)) from error
    finally:
        await client.aclose()
    raise Unavailable("redis_server_failed", log=log_tail(data))


async def _end(process: asyncio.subprocess.Process, grace_s: float) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(grace_s):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _end_orphan(server_lock: FolderLock) -> None:
    """End the server a killed launcher left. That its lock is held proves it lives, so the pid is still its own."""
    for sent, patience_s in ((signal.SIGTERM, STOP_S), (signal.SIGKILL, 1.0)):
        if server_lock.take():
            break
        pid = server_lock.holder()
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, sent)
        if await server_lock.taken_within(patience_s):
            break
    else:
        raise Unavailable("orphan_redis_server", pid=server_lock.holder() or "unknown")
    server_lock.release()


def _private_folder(folder: Path) -> Path:
    """A folder only this user can enter; in a shared place like /tmp somebody else's is not taken for ours."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        if found.st_uid != os.getuid() or folder.is_symlink():
            raise Refused("foreign_folder", folder=str(folder))
        folder.chmod(0o700)
    except OSError as error:
        raise Unavailable("data_unwritable", data=str(folder), reason=error.strerror) from error
    return folder


def log_tail(data: Path) -> str:
    """The end of what the server wrote about itself, for an error."""
    try:
        return (redis_folder(data) / "server.log").read_bytes()[-LOG_TAIL:].decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) < SOCKET_PATH_LIMIT
