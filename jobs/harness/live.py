"""Output as it happens: joined to a few pieces a second, bounded, and its last line as the current step.

Pieces are cut at line ends, so that a secret is not split in two and slips through; what has no line end yet waits.
A flood costs no memory: of what came since the last piece only the end is kept, as only the end is shown.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

from jobs.harness import contract as h
from jobs.harness.plain import last_line, plain
from jobs.harness.redact import KEY_BEGIN, Redactor, ends_in_key

PIECE_S = 0.25
FLOOD_S = 2.0  # after MOST_BYTES of live text: the feed is shared with the other tasks
MOST_BYTES = 256 * 1024
STEP_S = 1.0
KEPT_BYTES = 64 * 1024  # between two pieces
LINE_BYTES = 8 * 1024  # a longer line is shown in parts
PIECE_CHARS = 4_000
LEFT_OUT = "[…]\n"


class Live:
    """``say`` gets a Chunk for what ``hear`` heard, and with ``steps`` a Progress for its last line."""

    def __init__(self, say: Callable[[h.Said], None], redactor: Redactor, *, steps: bool) -> None:
        self._say, self._redactor, self._steps = say, redactor, steps
        self._buffer = bytearray()
        self._skipped = False
        self._in_key = False
        self._shown = 0
        self._stepped = float("-inf")
        self._timer: asyncio.TimerHandle | None = None

    def hear(self, data: bytes) -> None:
        """Called with output as it comes."""
        self._buffer += data
        if len(self._buffer) > KEPT_BYTES:
            self._forget()
        if self._timer is None:
            pause = PIECE_S if self._shown < MOST_BYTES else FLOOD_S
            self._timer = asyncio.get_running_loop().call_later(pause, self._piece)

    def flush(self) -> None:
        """Show what is left; the program has ended."""
        if self._timer is not None:
            self._timer.cancel()
        self._show(bytes(self._buffer))
        self._buffer.clear()

    def _forget(self) -> None:
        cut = whole_lines(self._buffer, len(self._buffer) - KEPT_BYTES // 2)
        if self._in_key or b"PRIVATE KEY" in self._buffer[:cut]:
            self._in_key = ends_in_key(self._joined(bytes(self._buffer[:cut])))
        del self._buffer[:cut]
        self._skipped = True

    def _piece(self) -> None:
        self._timer = None
        end = self._buffer.rfind(b"\n") + 1
        if not end and len(self._buffer) > LINE_BYTES:
            end = whole_lines(self._buffer, len(self._buffer))
        data = bytes(self._buffer[:end])
        del self._buffer[:end]
        self._show(data)

    def _joined(self, data: bytes) -> str:
        """As text; inside a private key its first line is put before, so that the rest is known for what it is."""
        return (f"{KEY_BEGIN}\n" if self._in_key else "") + plain(data)

    def _show(self, data: bytes) -> None:
        if not data:
            return
        raw = self._joined(data)
        self._in_key = ends_in_key(raw)
        text = self._redactor.text(raw)
        cut = self._skipped or len(text) > PIECE_CHARS
        self._skipped = False
        self._say(h.Chunk((LEFT_OUT if cut else "") + text[-PIECE_CHARS:]))
        self._shown += min(len(data), PIECE_CHARS)
        self._step(text)

    def _step(self, text: str) -> None:
        now = asyncio.get_running_loop().time()
        step = last_line(text) if self._steps else ""
        if step and now - self._stepped >= STEP_S:
            self._stepped = now
            self._say(h.Progress(current_step=step))


_BLANK = re.compile(rb"\s(?=\S*\Z)")


def whole_lines(data: bytes | bytearray, end: int) -> int:
    """Where to cut at or before ``end``: after a line, else after a word, else between two characters."""
    near = max(0, end - LINE_BYTES)
    line = data.rfind(b"\n", near, end)
    if line >= 0:
        return line + 1
    blank = _BLANK.search(bytes(data[near:end]))
    if blank:
        return near + blank.end()
    while end and end < len(data) and data[end] & 0xC0 == 0x80:  # inside a UTF-8 character
        end -= 1
    return end
