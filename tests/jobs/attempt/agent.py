"""A stand-in for an agent program: a session that plays what a test wrote, and the harness that opens it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from jobs.harness import contract as h


@dataclass
class Agent:
    """It plays ``plot`` and remembers what it was told."""

    plot: Callable[[Agent], AsyncIterator[h.Said]]
    answers: list[tuple[str, h.Answer]] = field(default_factory=list)
    cancels: list[float] = field(default_factory=list)
    told: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    admission: h.Admission = "new_turn"
    prompts: list[str] = field(default_factory=list)
    closed: bool = False

    async def send(self, prompt: str) -> h.Admission:
        self.prompts.append(prompt)
        return self.admission

    async def events(self) -> AsyncIterator[h.Said]:
        async for said in self.plot(self):
            yield said

    async def answer(self, request_id: str, answer: h.Answer) -> None:
        self.answers.append((request_id, answer))
        self.told.set()

    async def cancel(self, grace_s: float = 5.0) -> None:
        self.cancels.append(grace_s)
        self.cancelled.set()

    async def close(self) -> None:
        self.closed = True


@dataclass
class Opens:
    """A harness whose every session is ``agent``; it remembers what it was opened for."""

    agent: Agent
    opened: list[tuple[h.Assignment, h.Workspace]] = field(default_factory=list)
    capabilities: h.Capabilities = field(default_factory=h.Capabilities)

    async def open(self, assignment: h.Assignment, workspace: h.Workspace) -> h.HarnessSession:
        self.opened.append((assignment, workspace))
        return self.agent
