"""Plays one turn of a harness in a folder and keeps everything it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from jobs.harness import contract as h

S = TypeVar("S")

Reply = Callable[[h.PermissionAsked], h.Answer]


@dataclass
class Heard:
    said: list[h.Said] = field(default_factory=list)

    def of(self, kind: type[S]) -> list[S]:
        return [s for s in self.said if isinstance(s, kind)]

    def one(self, kind: type[S]) -> S:
        (found,) = self.of(kind)
        return found

    @property
    def live(self) -> str:
        return "".join(chunk.text for chunk in self.of(h.Chunk))


def assignment(content: str = "", **more: object) -> h.Assignment:
    usual: dict[str, object] = {
        "session_id": "ps_1", "task_id": "task_1", "short": "T1", "title": content, "content": content,
        "attempt_id": "att_1", "number": 1,
    }  # fmt: skip
    return h.Assignment(**(usual | more))  # type: ignore[arg-type]


def workspace(tmp_path: Path, **env: str) -> h.Workspace:
    folder, scratch = tmp_path / "tree", tmp_path / "scratch"
    folder.mkdir(exist_ok=True)
    scratch.mkdir(exist_ok=True)
    return h.Workspace(folder, scratch, "threadlead/x", env)


def refuse(_: h.PermissionAsked) -> h.Answer:
    return h.Answer(False, "alice", "too risky")


def allow(_: h.PermissionAsked) -> h.Answer:
    return h.Answer(True, "alice")


async def listen(session: h.HarnessSession, reply: Reply = refuse, heard: Heard | None = None) -> Heard:
    """Everything until idle; what is asked is answered with ``reply``."""
    heard = heard or Heard()
    async for said in session.events():
        heard.said.append(said)
        if isinstance(said, h.PermissionAsked):
            await session.answer(said.request_id, reply(said))
    return heard


async def play(harness: h.Harness, work: h.Assignment, place: h.Workspace, reply: Reply = refuse) -> Heard:
    session = await harness.open(work, place)
    try:
        assert await session.send("go") == "new_turn"
        return await listen(session, reply)
    finally:
        await session.close()
