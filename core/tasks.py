"""Ending asyncio tasks for certain.

One ``cancel`` is not enough: a library that waits with a zero timeout can lose it (redis-py does while it checks a
connection), and the task would run on as if nothing had been asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

AGAIN_S = 0.05


async def end(tasks: Iterable[asyncio.Task[Any] | asyncio.Future[Any]]) -> None:
    """Cancel the tasks, again and again, until all have ended; what they raise is not raised here."""
    left = {task for task in tasks if not task.done()}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=AGAIN_S)
