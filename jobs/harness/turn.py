"""One turn of a harness that runs in our own process: what it says goes out in order, a question waits, a cancel reaches
whatever runs.

``ShellTurn`` and ``ScriptTurn`` only write ``play``; everything that must not go wrong in between is here, once.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import structlog

from core.errors import Refused, Unavailable
from jobs.harness import contract as h
from jobs.harness.live import Live
from jobs.harness.process import GRACE_S, Ended, Running, start
from jobs.harness.redact import Redactor
from jobs.harness.said import safe

log = structlog.get_logger()


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
        self._grace_s = GRACE_S
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
        reason = "end_turn"
        try:
            reason = await self.play(prompt)
        except Cancelled:
            reason = "cancelled"
        except (Refused, Unavailable) as error:
            self.say(h.Broke("harness_error", str(error)[:500]))
        except Exception as error:  # whatever a turn does wrong ends it with a word, never in silence
            log.exception("harness_error")
            self.say(h.Broke("harness_error", f"{type(error).__name__}: {error}"[:500]))
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

    async def cancel(self, grace_s: float = GRACE_S) -> None:
        self._grace_s = min(self._grace_s, grace_s)
        self._cancelled.set()
        for waiting in self._waiting.values():
            waiting.cancel()
        if self._running is not None:
            await self._running.stop(self._grace_s)

    async def close(self) -> None:
        await self.cancel()
        if self._playing is not None:
            await asyncio.wait([self._playing])

    # -- for play --

    def say(self, said: h.Said) -> None:
        """Put ``said`` on the way out, without secrets."""
        self._out.put_nowait(safe(said, self.redactor))

    async def ask(self, asked: h.PermissionAsked) -> h.Answer:
        """Wait for a person. Raises Cancelled."""
        self.go_on()
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

    async def run(
        self,
        argv: Sequence[str],
        folder: Path,
        env: Mapping[str, str],
        *,
        told: tuple[str, str] = ("", ""),
        steps: bool = False,
    ) -> Ended:
        """Run a program to its end, its output live on the feed; the output returned is redacted.

        ``told`` is a tool's name and what it does: they are said with the output when the program ends, also when it
        was cancelled; without a name nothing is. ``steps`` also tells the last line as the current step. Raises
        Cancelled, and what ``start`` refuses.
        """
        self.go_on()
        tool, summary = told
        live = Live(self.say, self.redactor, steps=steps)
        self._running = running = await start(argv, folder=folder, env=env, heard=live.hear)
        try:
            ended = await (running.stop(self._grace_s) if self._cancelled.is_set() else running.wait())
        except asyncio.CancelledError:  # our own loop is being closed: no time for grace
            running.kill()
            raise
        finally:
            self._running = None
            live.flush()
        # A thread, because the worker must stay able to hear a cancel while a megabyte is searched for secrets.
        ended = replace(ended, output=await asyncio.to_thread(self.redactor.data, ended.output))
        if tool:
            self.say(h.ToolFinished(tool, summary, ended.exit_code, ended.output))
        if ended.left:
            self.say(h.Message(f"Processes of `{summary or argv[0]}` that could not be ended: {ended.left}"))
        self.go_on()
        return ended
