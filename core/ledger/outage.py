"""What Redis can fail with, in our words, and how long a caller is kept waiting for it to come back.

The rule: only what is safe to send twice goes through ``Patience.repeat``. A client of ours never retries by itself
(redis-py's default of ten retries turned one append into three), so this is the one place that decides.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from redis import exceptions as redis_errors

from core.errors import Unavailable

T = TypeVar("T")

# Raised by redis-py as classes, most special first; the second value: will waiting help?
_CLASSES: tuple[tuple[type[Exception], str, bool], ...] = (
    (redis_errors.BusyLoadingError, "redis_loading", True),
    (redis_errors.AuthenticationError, "redis_auth", False),
    (redis_errors.AuthorizationError, "redis_auth", False),
    (redis_errors.NoPermissionError, "redis_auth", False),
    (redis_errors.OutOfMemoryError, "redis_memory", False),
    (redis_errors.ReadOnlyError, "redis_readonly", True),
    (redis_errors.ClusterDownError, "redis_cluster", True),
    (redis_errors.TryAgainError, "redis_cluster", True),
    (redis_errors.ConnectionError, "redis_unreachable", True),
    (redis_errors.TimeoutError, "redis_unreachable", True),
    (OSError, "redis_unreachable", True),
)
# The same and others as words in a message: a script wraps the server's error in its own (before Redis 7 always).
_WORDS: dict[str, tuple[str, bool]] = {
    "LOADING": ("redis_loading", True),
    "BUSY": ("redis_busy", True),
    "READONLY": ("redis_readonly", True),
    "MASTERDOWN": ("redis_cluster", True),
    "NOREPLICAS": ("redis_replicas", False),
    "OOM": ("redis_memory", False),
    "MISCONF": ("redis_disk", False),
    "NOAUTH": ("redis_auth", False),
    "WRONGPASS": ("redis_auth", False),
    "NOPERM": ("redis_auth", False),
    "NOGROUP": ("no_group", False),
    "UNBLOCKED": ("no_group", False),  # 6.2, when the stream goes while a reader waits in it
    "BUSYGROUP": ("group_exists", False),
}
_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b")
_MAYBE_WRITTEN = (redis_errors.ConnectionError, redis_errors.TimeoutError, OSError)


def diagnose(error: Exception) -> tuple[str, bool]:
    """(code word of Unavailable, whether waiting helps); ``redis_error`` for what we do not know."""
    if isinstance(error.__cause__, redis_errors.RedisError):  # while connecting, every refusal is a ConnectionError
        return diagnose(error.__cause__)
    for kind, code, passes in _CLASSES:
        if isinstance(error, kind):
            return code, passes
    word = _WORD.search(str(error)[:300])
    return _WORDS[word[1]] if word else ("redis_error", False)


def unavailable(error: Exception) -> Unavailable:
    return Unavailable(diagnose(error)[0], why=str(error)[:200])


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Tries with full-jitter back-off from ``base_s`` to ``cap_s``, until ``give_up_s`` have passed. All in seconds."""

    base_s: float = 0.05
    cap_s: float = 2.0
    give_up_s: float = 15.0

    async def repeat(self, attempt: Callable[[int], Awaitable[T]]) -> T:
        """Call ``attempt(tries so far whose outcome is unknown)`` until it answers.

        Raises Unavailable at once for what waiting does not help, else after ``give_up_s``. Other errors pass through.
        """
        started, tries, unknown = time.monotonic(), 0, 0
        while True:
            try:
                return await _uncancelled(partial(attempt, unknown))
            except (redis_errors.RedisError, OSError) as error:
                code, passes = diagnose(error)
                unknown += isinstance(error, _MAYBE_WRITTEN) and code == "redis_unreachable"
                tries += 1
                pause = random.uniform(0, min(self.cap_s, self.base_s * 2**tries))  # noqa: S311 - jitter, not a secret
                if not passes or time.monotonic() - started + pause > self.give_up_s:
                    raise unavailable(error) from error
            await asyncio.sleep(pause)


async def _uncancelled(ask: Callable[[], Awaitable[T]]) -> T:
    """The answer, unless the task was cancelled meanwhile: redis-py loses a cancel that comes as it checks a connection.

    One that was asked for while the task ran (Ctrl-C does) comes at the next wait; that wait must not be redis-py's.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    if before:
        await asyncio.sleep(0)
    found = await ask()
    if task is not None and task.cancelling() > before:
        raise asyncio.CancelledError
    return found


async def once(ask: Callable[[], Awaitable[T]]) -> T:
    """For what must not be sent twice: one try, its failure in our words."""
    try:
        return await _uncancelled(ask)
    except (redis_errors.RedisError, OSError) as error:
        raise unavailable(error) from error
