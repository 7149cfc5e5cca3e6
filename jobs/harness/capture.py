"""Keeps the beginning and the end of an output and counts all of it.

Promise: memory is bounded whatever a command prints, and what was left out is said in the middle, with its size. The
beginning shows what ran, the end shows how it went; the middle of a flood is the part nobody reads.
"""

from __future__ import annotations

HEAD_BYTES = 256 * 1024
TAIL_BYTES = 768 * 1024
EDGE_BYTES = 4 * 1024  # how far a cut moves to fall between two lines, so that it rarely halves a line or a secret


class Capture:
    """``total`` counts every byte heard; ``data()`` is at most ``head + tail`` bytes and one line that says so."""

    def __init__(self, head: int = HEAD_BYTES, tail: int = TAIL_BYTES) -> None:
        self.total = 0
        self._room, self._tail_size = head, tail
        self._head, self._tail = bytearray(), bytearray()

    def add(self, data: bytes) -> None:
        self.total += len(data)
        taken = data[: max(0, self._room - len(self._head))]
        self._head += taken
        self._tail += data[len(taken) :]
        if len(self._tail) > 2 * self._tail_size:  # moved seldom, so that the cost stays even
            del self._tail[: -self._tail_size]

    def data(self) -> bytes:
        if len(self._head) + len(self._tail) == self.total and len(self._tail) <= self._tail_size:
            return bytes(self._head + self._tail)
        head, tail = bytes(self._head), bytes(self._tail[-self._tail_size :])
        line_end = head.rfind(b"\n", max(0, len(head) - EDGE_BYTES))
        head = head[: line_end + 1] if line_end >= 0 else head
        line_start = tail.find(b"\n", 0, EDGE_BYTES)
        tail = tail[line_start + 1 :]
        left_out = self.total - len(head) - len(tail)
        return head + f"\n[… {left_out:,} bytes left out here …]\n".encode() + tail
