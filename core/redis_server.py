"""Is this Redis fit to hold the log? Looked at when a process starts and by ``threadlead doctor``.

The rule: what the server says is judged by pure functions of its INFO, and what it will not say (managed servers hide a
good deal) is a warning, never a pass and never a refusal. The version is a floor only; newer commands are probed, not
deduced, because Valkey reports the version of the Redis it is compatible with.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import SecretStr
from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from core.errors import Refused, Unavailable

REDIS_FLOOR = (6, 2)
VALKEY_FLOOR = (8, 0)
LOW_MEMORY = 64 * 1024 * 1024  # bytes; a busy day of one team's log
NO_MEMORY = 4 * 1024 * 1024  # bytes; the next artifact may not fit
SKEW_S = 2.0  # a heartbeat's length: beyond it, times in logs and in cards disagree visibly

Verdict = Literal["ok", "warn", "fail"]
Info = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing looked at: what was seen (``detail``) and, unless ``ok``, what to do about it (``fix``)."""

    name: str
    ok: Verdict
    detail: str
    fix: str = ""


async def check_server(client: Redis, *, now: Callable[[], float] = time.time) -> list[Finding]:
    """Look at the server behind ``client``. Raises Unavailable("redis_unreachable") when it does not answer."""
    try:
        await client.ping()
        info = await _info(client)
        skew = await _skew(client, now)
    except (RedisError, OSError) as error:
        raise Unavailable("redis_unreachable", reason=type(error).__name__) from error
    return [*judge(info), clock(skew)]


def require(findings: Sequence[Finding], *, allow_volatile: bool) -> None:
    """Raise Refused("redis_unfit", problems=one a line) for a server that would lose or refuse the log.

    ``allow_volatile`` lets one pass that may forget (no append-only file, eviction), and nothing else.
    """
    bad = [f for f in findings if f.ok == "fail" and not (allow_volatile and f.name in VOLATILE)]
    if bad:
        raise Refused("redis_unfit", problems="\n".join(f"{f.name}: {f.detail}. {f.fix}" for f in bad))


VOLATILE = ("append-only file", "eviction")


def judge(info: Info) -> list[Finding]:
    """What the server's INFO fields mean for a log that must not forget."""
    return [version(info), append_only(info), eviction(info), memory(info)]


def version(info: Info) -> Finding:
    valkey = info.get("server_name") == "valkey" or "valkey_version" in info
    name, floor = ("Valkey", VALKEY_FLOOR) if valkey else ("Redis", REDIS_FLOOR)
    said = str(info.get("valkey_version" if valkey else "redis_version", ""))
    numbers = tuple(int(part) for part in said.split(".")[:2] if part.isdigit())
    if len(numbers) < 2:
        return _unknown("server version", "ask who runs it for Redis 6.2 or Valkey 8, or later")
    if numbers < floor:
        wanted = ".".join(map(str, floor))
        return Finding(name="server version", ok="fail", detail=f"{name} {said}", fix=f"Use {name} {wanted} or later.")
    return Finding(name="server version", ok="ok", detail=f"{name} {said}")


def append_only(info: Info) -> Finding:
    name = "append-only file"
    enabled = info.get("aof_enabled")
    if enabled is None:
        return _unknown(name, "make sure that appendonly is yes")
    if not int(enabled):
        return Finding(
            name=name,
            ok="fail",
            detail="off, so a restart of the server forgets what was decided",
            fix="Set appendonly yes, now and in its configuration, or go on with allow_volatile.",
        )
    if info.get("aof_last_write_status", "ok") != "ok":
        fix = "Free space on the disk of the server; it refuses writes until then."
        return Finding(name="append-only writing", ok="fail", detail="the last write to the file failed", fix=fix)
    return Finding(name=name, ok="ok", detail="on")


def eviction(info: Info) -> Finding:
    policy = info.get("maxmemory_policy")
    if policy is None:
        return _unknown("eviction", "make sure that maxmemory-policy is noeviction")
    if policy == "noeviction":
        return Finding(name="eviction", ok="ok", detail="noeviction")
    # Without a limit nothing is evicted today; the day somebody sets one, the log goes silently.
    limited = int(info.get("maxmemory", 1)) > 0
    detail = f"maxmemory-policy is {policy}" + ("" if limited else ", without effect while maxmemory is 0")
    fix = "Set maxmemory-policy noeviction: with any other, parts of the log vanish without a word."
    return Finding(name="eviction", ok="fail" if limited else "warn", detail=detail, fix=fix)


def memory(info: Info) -> Finding:
    if "used_memory" not in info:
        return _unknown("memory", "make sure that it has some left")
    used = int(info["used_memory"])
    limit = int(info.get("maxmemory", 0)) or int(info.get("total_system_memory", 0))
    if not limit:
        return Finding(name="memory", ok="ok", detail=f"{_mib(used)} used, no limit")
    left = limit - used
    detail = f"{_mib(used)} used of {_mib(limit)}"
    if left >= LOW_MEMORY:
        return Finding(name="memory", ok="ok", detail=detail)
    verdict: Verdict = "fail" if left < NO_MEMORY else "warn"
    return Finding(name="memory", ok=verdict, detail=detail, fix="Raise maxmemory, or archive old sessions.")


def clock(skew_s: float | None) -> Finding:
    """``skew_s``: the server's clock minus ours, in seconds; None when it would not tell."""
    if skew_s is None:
        return _unknown("clock", "make sure that both machines keep time (NTP)")
    if abs(skew_s) <= SKEW_S:
        return Finding(name="clock", ok="ok", detail=f"within {SKEW_S:g} s of the server's")
    side = "ahead of" if skew_s > 0 else "behind"
    fix = "Let both machines keep time (NTP). Order is safe, but times shown and logged will disagree."
    return Finding(name="clock", ok="warn", detail=f"the server is {abs(skew_s):.1f} s {side} this machine", fix=fix)


def shown_url(url: SecretStr) -> str:
    """A server's address without user, password and options: fit for a screen or a log."""
    parts = urlsplit(url.get_secret_value())
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


async def _info(client: Redis) -> dict[str, Any]:
    """INFO, or nothing when an access rule forbids it."""
    try:
        return dict(await client.info())
    except ResponseError:
        return {}


async def _skew(client: Redis, now: Callable[[], float]) -> float | None:
    """Against the middle of the round trip, so that a slow line does not look like a wrong clock."""
    before = now()
    try:
        seconds, micros = await client.time()
    except ResponseError:
        return None
    return float(seconds) + float(micros) / 1e6 - (before + now()) / 2


def _unknown(name: str, ask: str) -> Finding:
    return Finding(name=name, ok="warn", detail="could not check", fix=f"The server does not tell; {ask}.")


def _mib(amount: int) -> str:
    return f"{amount / 2**20:.0f} MiB"
