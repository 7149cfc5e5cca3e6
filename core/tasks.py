"""Running the parts of a process until it is told to stop, and ending asyncio tasks for certain.

One ``cancel`` is not always enough: a library that waits with a zero timeout can lose it (redis-py does while it checks a
connection), and the task would run on as if nothing had been asked.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine, Iterable
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


async def until_told(parts: Iterable[Coroutine[Any, Any, None]], again_s: float = PATIENCE_S) -> None:
    """Run all until SIGTERM or SIGINT; a part that ends by itself ends the others too, loudly when it broke.

    ``again_s`` as in ``end``: the time the parts need to close what they hold.
    """
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    running = [asyncio.ensure_future(part) for part in parts]
    waiting = asyncio.ensure_future(told.wait())
    done, _ = await asyncio.wait([waiting, *running], return_when=asyncio.FIRST_COMPLETED)
    await end([waiting, *running], again_s)
    for task in done - {waiting}:
        task.result()
