"""One turn of a harness that runs in our own process: what it says goes out in order, a question waits, a cancel reaches
whatever runs.

``ShellTurn`` and ``ScriptTurn`` only write ``play``; everything that must not go wrong in between is here, once.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from jobs.harness import contract as h
from jobs.harness.live import Live
from jobs.harness.process import Ended, Running, start
from jobs.harness.redact import Redactor


class Cancelled(Exception):
    """The turn was cancelled while it waited or ran."""


class Turn(ABC):
    """A ``HarnessSession``. ``redactor`` hides secrets in everything said."""

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self._out: asyncio.Queue[h.Said] = asyncio.Queue()
        self._waiting: dict[str, asyncio.Future[h.Answer]] = {}
        self._running: Running | None = None
        self._cancelled = asyncio.Event()
        self._playing: asyncio.Task[None] | None = None

    @abstractmethod
    async def play(self, prompt: str) -> str:
        """The turn itself; returns the stop reason. Raises Cancelled when it was cancelled on the way."""

    async def send(self, prompt: str) -> h.Admission:
        if self._playing is not None:
            return "rejected"
        self._playing = asyncio.create_task(self._whole(prompt))
        return "new_turn"

    async def _whole(self, prompt: str) -> None:
        reason = "broken"
        try:
            reason = await self.play(prompt)
        except Cancelled:
            reason = "cancelled"
        except Exception as error:  # whatever a turn does wrong ends it with a word, never in silence
            self.say(h.Broke("harness_error", f"{type(error).__name__}: {error}"[:500]))
            raise
        finally:
            self.say(h.Idle(reason))

    async def events(self) -> AsyncIterator[h.Said]:
        while True:
            said = await self._out.get()
            yield said
            if isinstance(said, h.Idle):
                return

    async def answer(self, request_id: str, answer: h.Answer) -> None:
        waiting = self._waiting.pop(request_id, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    async def cancel(self) -> None:
        self._cancelled.set()
        for waiting in self._waiting.values():
            waiting.cancel()
        if self._running is not None:
            await self._running.stop()

    async def close(self) -> None:
        await self.cancel()
        if self._playing is not None:
            with suppress(Exception):  # it has been said as ``Broke``
                await self._playing

    # -- for play --

    def say(self, said: h.Said) -> None:
        self._out.put_nowait(said)

    async def ask(self, asked: h.PermissionAsked) -> h.Answer:
        """Wait for a person. Raises Cancelled."""
        waiting: asyncio.Future[h.Answer] = asyncio.get_running_loop().create_future()
        self._waiting[asked.request_id] = waiting
        self.say(asked)
        try:
            return await waiting
        except asyncio.CancelledError:
            if self._cancelled.is_set():
                raise Cancelled from None
            raise

    async def until_cancelled(self, seconds: float | None = None) -> None:
        """Wait for a cancel, at most ``seconds``. Raises Cancelled when it comes."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._cancelled.wait()
        self.go_on()

    def go_on(self) -> None:
        """Raises Cancelled once the turn was cancelled."""
        if self._cancelled.is_set():
            raise Cancelled

    async def run(self, argv: Sequence[str], folder: Path, env: Mapping[str, str], *, steps: bool = False) -> Ended:
        """Run a program to its end, its output live on the feed; ``steps`` also tells its last line as the current step.

        Raises Cancelled, and what ``start`` refuses.
        """
        self.go_on()
        live = Live(self.say, self.redactor, steps=steps)
        self._running = await start(argv, folder=folder, env=env, heard=live.hear)
        try:
            if self._cancelled.is_set():
                await self._running.stop()
            ended = await self._running.wait()
        finally:
            self._running = None
            live.flush()
        self.go_on()
        return ended
