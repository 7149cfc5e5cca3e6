"""Ending asyncio tasks for certain.

One ``cancel`` is not always enough: a library that waits with a zero timeout can lose it (redis-py does while it checks a
connection), and the task would run on as if nothing had been asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

PATIENCE_S = 2.5  # time for a task to close what it holds; a second cancel would cut that short
AT_ONCE_S = 0.05  # for tasks that only wait and have nothing to close


async def end(tasks: Iterable[asyncio.Task[Any] | asyncio.Future[Any]], again_s: float = PATIENCE_S) -> None:
    """Cancel the tasks, and again every ``again_s`` seconds, until all have ended; what they raise is not raised here."""
    left = {task for task in tasks if not task.done()}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=again_s)
