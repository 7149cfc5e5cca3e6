"""From what an agent says to what the log keeps: bounded facts, large output as artifacts, live text on the feed only."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from core.domain import facts as f
from core.domain import limits
from core.domain.event import Payload
from core.errors import Unavailable
from core.ledger.port import Fence
from core.service import Service
from jobs.harness import contract as h
from jobs.harness.redact import Redactor

BLOB_LIMIT = 8 * 1024 * 1024  # bytes; the ledger refuses larger artifacts


@dataclass(frozen=True, slots=True)
class Teller:
    """Writes what one attempt says. Every write is fenced: once another attempt holds the task, nothing gets through."""

    service: Service
    session_id: str
    attempt_id: str
    worker: str
    fence: Fence
    redactor: Redactor

    async def tell(self, said: h.Said) -> None:
        """Record a message, progress, a finished tool; publish a chunk. Other values are the driver's. Raises Fenced."""
        if isinstance(said, h.Chunk):
            await self._chunk(said)
        elif isinstance(said, h.Message):
            await self._record(f.AgentMessage(text=said.text[: limits.SUMMARY_CHARS]))
        elif isinstance(said, h.Progress):
            await self._record(self._progress(said))
        elif isinstance(said, h.ToolFinished):
            await self._record(
                f.ToolFinished(
                    tool=said.tool,
                    summary=said.summary[: limits.SUMMARY_CHARS],
                    exit_code=said.exit_code,
                    output=await self.keep(said.output),
                    size=len(said.output),
                )
            )

    def _progress(self, said: h.Progress) -> f.TaskProgressed:
        return f.TaskProgressed(
            task_id=self.fence.task_id,
            summary=said.summary[:400],
            percent=said.percent,
            step=said.step,
            steps=said.steps,
            current_step=said.current_step[:400],
            next_step=said.next_step[:400],
        )

    async def keep(self, data: bytes) -> str:
        """Store an artifact without its secrets, "" for nothing; past the limit its end is kept, where results stand."""
        return await self.service.ledger.put_blob(self.redactor.data(data)[-BLOB_LIMIT:]) if data else ""

    async def _record(self, payload: Payload) -> None:
        await self.service.record(
            self.session_id, [payload], attempt_id=self.attempt_id, worker=self.worker, fence=self.fence
        )

    async def _chunk(self, said: h.Chunk) -> None:
        """Live text is a comfort; the work must not end because nobody can be shown it just now."""
        row = {"kind": "output", "session": self.session_id, "task": self.fence.task_id, "text": said.text[:4096]}
        with suppress(Unavailable):
            await self.service.ledger.publish("task", row)
