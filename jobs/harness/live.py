"""Output as it happens: joined to a few pieces a second, bounded, and its last line as the current step.

Pieces are cut at line ends, so that a secret is not split in two and slips through; what has no line end yet waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from jobs.harness import contract as h
from jobs.harness.plain import last_line
from jobs.harness.redact import Redactor

PIECE_S = 0.25
STEP_S = 1.0
MOST_BYTES = 256 * 1024  # shown live per program; the artifact has the rest
LINE_BYTES = 8 * 1024  # a longer line is shown in pieces


class Live:
    def __init__(self, say: Callable[[h.Said], None], redactor: Redactor, *, steps: bool) -> None:
        self._say, self._redactor, self._steps = say, redactor, steps
        self._buffer = bytearray()
        self._shown = 0
        self._stepped = float("-inf")
        self._timer: asyncio.TimerHandle | None = None

    def hear(self, data: bytes) -> None:
        """Called with output as it comes."""
        self._buffer += data
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(PIECE_S, self._piece)

    def flush(self) -> None:
        """Show what is left; the program has ended."""
        if self._timer is not None:
            self._timer.cancel()
        self._show(bytes(self._buffer))
        self._buffer.clear()

    def _piece(self) -> None:
        self._timer = None
        end = self._buffer.rfind(b"\n") + 1
        if not end and len(self._buffer) > LINE_BYTES:
            end = len(self._buffer)
        whole = bytes(self._buffer[:end])
        del self._buffer[:end]
        self._show(whole)

    def _show(self, data: bytes) -> None:
        if not data:
            return
        text = self._redactor.text(data)
        if self._shown < MOST_BYTES:
            self._say(h.Chunk(text[-4096:]))
            self._shown += len(data)
        now = asyncio.get_running_loop().time()
        step = last_line(text)
        if self._steps and step and now - self._stepped >= STEP_S:
            self._stepped = now
            self._say(h.Progress(current_step=step))
