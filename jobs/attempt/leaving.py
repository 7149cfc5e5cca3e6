"""The worker is asked to go while an attempt is under way: at whatever step that comes, the attempt ends with a word.

A work-horse that just died of SIGTERM would leave an attempt nobody knows the end of, and a person would be asked about
work that we ourselves stopped.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from core.tasks import end

T = TypeVar("T")

LEAVING_S = 1.0  # for a step or an agent to end by itself; the worker has 3 s for everything


class Left(Exception):
    """A step was given up because the worker goes away."""


class Leaving:
    """``asked`` is set by the first SIGTERM."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    @contextmanager
    def on_sigterm(self) -> Iterator[Leaving]:
        """Listen for the length of the block."""
        loop = asyncio.get_running_loop()
        with suppress(ValueError, RuntimeError):  # not in the main thread: then nobody sends signals here either
            loop.add_signal_handler(signal.SIGTERM, self.asked.set)
        try:
            yield self
        finally:
            with suppress(ValueError, RuntimeError):
                loop.remove_signal_handler(signal.SIGTERM)

    async def before(self, work: Coroutine[Any, Any, T], patience_s: float = LEAVING_S) -> T:
        """The result of ``work``. Raises Left when the worker is to go and it is not there ``patience_s`` later."""
        working = asyncio.ensure_future(work)
        asked = asyncio.ensure_future(self.asked.wait())
        try:
            await asyncio.wait([working, asked], return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                await asyncio.wait([working], timeout=patience_s)
            if not working.done():
                raise Left
            return working.result()
        finally:
            await end([asked, working])
