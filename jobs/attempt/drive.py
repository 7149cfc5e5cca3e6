"""Drive one open agent session to its end: carry out what it says, carry in what people decide.

Two streams meet here: what the agent says, and what was sent to the attempt (answers, cancel). The turn ends only when the
agent says that it is idle.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

import structlog

from core.domain import commands as c
from core.errors import Refused
from core.ledger.port import FeedEntry
from core.tasks import AT_ONCE_S, end
from jobs.attempt.leaving import LEAVING_S, Leaving
from jobs.attempt.telling import Teller
from jobs.harness import contract as h

BLOCK_MS = 1_000

log = structlog.get_logger()


T = TypeVar("T")


class Stopped(Exception):
    """A person ended the attempt while its report was being made."""


@dataclass(slots=True)
class Outcome:
    """How the turn ended, and what it brought."""

    stop_reason: str = "unknown"
    reported: h.Reported | None = None
    broke: h.Broke | None = None


@dataclass(slots=True)
class Drive:
    """One turn. ``asked`` are the requests that wait for an answer; a late answer to another is ignored."""

    teller: Teller
    session: h.HarnessSession
    patience_ms: int
    leaving: Leaving
    asked: set[str] = field(default_factory=set)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    shut_down: bool = False
    heard: str = "0"

    async def run(self) -> Outcome:
        """Until the agent is idle. Raises Fenced when another attempt has taken the task over."""
        listening = asyncio.create_task(self._listen())
        hearing = asyncio.create_task(self._hear())
        going = asyncio.create_task(self._go())
        try:
            # Deaf to what people decide is as bad as mute: whichever breaks first ends both, with its error.
            done, _ = await asyncio.wait([hearing, listening], return_when=asyncio.FIRST_COMPLETED)
            return await (hearing if hearing in done else listening)
        finally:
            await end([listening, hearing, going], AT_ONCE_S)

    async def _go(self) -> None:
        """The worker goes away: end the agent, and say that it was us unless a person asked for it before."""
        await self.leaving.asked.wait()
        self.shut_down = not self.stopping.is_set()
        self.stopping.set()
        await self.session.cancel(LEAVING_S)

    async def _stop(self) -> None:
        if not self.stopping.is_set():
            self.stopping.set()
            await self.session.cancel()

    async def _hear(self) -> Outcome:
        outcome = Outcome()
        async for said in self.session.events():
            if isinstance(said, h.PermissionAsked):
                await self._ask(said)
            elif isinstance(said, h.Reported):
                outcome.reported = said
            elif isinstance(said, h.Broke):
                outcome.broke = said
            elif isinstance(said, h.Idle):
                outcome.stop_reason = said.stop_reason
            else:
                await self.teller.tell(said)
        if self.shut_down and outcome.stop_reason == "cancelled":
            outcome.stop_reason = "shutdown"
        return outcome

    async def _ask(self, said: h.PermissionAsked) -> None:
        """Open an approval; where none can be opened any more (the task is being cancelled) the agent is told no."""
        self.asked.add(said.request_id)
        command = c.RequestApproval(
            attempt_id=self.teller.attempt_id,
            request_id=said.request_id,
            summary=said.command,
            folder=said.folder,
            reasons=said.reasons,
            risk=said.risk,
            digest=said.digest,
            patience_ms=self.patience_ms,
        )
        try:
            await self.teller.service.handle(self.teller.session_id, command, fence=self.teller.fence)
        except Refused as refused:
            log.info("approval_not_opened", code=refused.code)
            self.asked.discard(said.request_id)
            await self.session.answer(said.request_id, h.Answer(False, "", refused.code))

    async def unless_stopped(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of ``work`` for a turn that is over. Raises Stopped when a person ends the attempt meanwhile.

        A stop that came during the turn does not count: the agent knew of it and reported all the same.
        """
        self.stopping.clear()
        working = asyncio.ensure_future(work)
        listening = asyncio.create_task(self._listen())
        stopped = asyncio.create_task(self.stopping.wait())
        try:
            done, _ = await asyncio.wait([working, listening, stopped], return_when=asyncio.FIRST_COMPLETED)
            if stopped in done and working not in done:
                raise Stopped
            if working not in done:
                await listening
            return await working
        finally:
            await end([listening, stopped], AT_ONCE_S)
            await end([working])

    async def _listen(self) -> Outcome:
        while True:
            ledger = self.teller.service.ledger
            for entry in await ledger.controls(self.teller.attempt_id, self.heard, block_ms=BLOCK_MS):
                self.heard = entry.id
                await self._obey(entry)

    async def _obey(self, entry: FeedEntry) -> None:
        rule = CONTROLS.get(entry.data["kind"])
        if rule is not None:
            await rule(self, json.loads(entry.data["body"]))

    async def _answer(self, body: dict[str, object]) -> None:
        request_id = str(body["request_id"])
        if request_id not in self.asked:
            return
        self.asked.discard(request_id)
        answer = h.Answer(bool(body["allow"]), str(body["by"]), str(body["reason"]))
        await self.session.answer(request_id, answer)

    async def _cancel(self, body: dict[str, object]) -> None:
        await self._stop()


CONTROLS: dict[str, Callable[[Drive, dict[str, object]], Awaitable[None]]] = {
    "answer": Drive._answer,
    "cancel": Drive._cancel,
}
