"""Output as it happens: a few pieces a second, bounded, and never half a secret."""

from __future__ import annotations

import asyncio

from jobs.harness import contract as h
from jobs.harness.live import KEPT_BYTES, LINE_BYTES, PIECE_CHARS, Live, whole_lines
from jobs.harness.redact import redactor

from .test_redact import KEY, KEY_END, SHAPES

TOKEN = SHAPES["github"]


class Feed:
    """What was said live, and when."""

    def __init__(self, *, steps: bool = False) -> None:
        self.said: list[h.Said] = []
        self.grown = asyncio.Event()
        self.live = Live(self._say, redactor(["correct-horse"]), steps=steps)

    def _say(self, said: h.Said) -> None:
        self.said.append(said)
        self.grown.set()

    async def piece(self) -> str:
        async with asyncio.timeout(5):
            await self.grown.wait()
        self.grown.clear()
        return self.text

    @property
    def chunks(self) -> list[str]:
        return [said.text for said in self.said if isinstance(said, h.Chunk)]

    @property
    def text(self) -> str:
        return "".join(self.chunks)


async def test_lines_that_come_together_are_one_piece() -> None:
    feed = Feed()
    for number in range(50):
        feed.live.hear(f"line {number}\n".encode())
    assert feed.chunks == []
    await feed.piece()
    assert len(feed.chunks) == 1
    assert feed.text.endswith("line 49\n")


async def test_a_line_waits_for_its_end_and_is_shown_when_the_program_ends() -> None:
    feed = Feed()
    feed.live.hear(f"whole\n{TOKEN[:10]}".encode())
    assert await feed.piece() == "whole\n"
    feed.live.hear(f"{TOKEN[10:]} and half".encode())
    feed.live.flush()
    assert feed.text == "whole\n[secret: github] and half"


async def test_a_private_key_that_comes_line_by_line_is_hidden() -> None:
    feed = Feed()
    for line in [*KEY.splitlines(), KEY_END, "after it"]:
        feed.live.hear(line.encode() + b"\n")
        await feed.piece()
    shown = feed.text.replace("[secret: private key]", "").split()
    assert shown == ["after", "it"]


async def test_a_character_in_two_halves_is_put_together() -> None:
    feed = Feed()
    word = "工作\n".encode()
    feed.live.hear(word[:2])
    feed.live.hear(word[2:])
    feed.live.flush()
    assert feed.text == "工作\n"


async def test_of_a_flood_only_the_end_is_kept_and_shown() -> None:
    feed = Feed()
    for number in range(60_000):
        feed.live.hear(b"x" * 90 + b" %6d\n" % number)
    assert len(feed.live._buffer) <= KEPT_BYTES
    feed.live.flush()
    assert len(feed.chunks) == 1
    assert feed.text.startswith("[…]\n")
    assert feed.text.endswith(" 59999\n")
    assert len(feed.text) <= PIECE_CHARS + 4


async def test_a_line_that_never_ends_is_shown_in_parts_between_words() -> None:
    feed = Feed()
    feed.live.hear(b"word " * LINE_BYTES + TOKEN[:10].encode())
    await feed.piece()
    assert feed.text.endswith("word ")
    feed.live.hear(TOKEN[10:].encode())
    feed.live.flush()
    assert feed.text.endswith("[secret: github]")


async def test_the_last_line_is_the_current_step_at_most_once_a_second() -> None:
    feed = Feed(steps=True)
    feed.live.hear(b"collecting\n\n-----\n")
    await feed.piece()
    feed.live.hear(b"soon after\n")
    await feed.piece()
    assert [said for said in feed.said if isinstance(said, h.Progress)] == [h.Progress(current_step="collecting")]


async def test_secrets_are_no_step_either() -> None:
    feed = Feed(steps=True)
    feed.live.hear(b"using correct-horse\n")
    await feed.piece()
    assert h.Progress(current_step="using [secret: known]") in feed.said


def test_a_cut_falls_after_a_line_else_a_word_else_a_character() -> None:
    assert whole_lines(b"one\ntwo", 7) == 4
    assert whole_lines(b"one two", 7) == 4
    assert whole_lines("工作".encode(), 4) == 3
    assert whole_lines(b"onetwo", 6) == 6
