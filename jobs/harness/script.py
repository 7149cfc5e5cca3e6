"""The ``script`` harness: plays a recorded agent, for the demo and for tests. Its commands and files are real.

A recording is part of the settings: whoever writes one may run programs, so its ``run`` steps are not judged by the
shell policy. It writes only inside the worktree, and never where git keeps its own.
"""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import Refused, Unavailable
from jobs.harness import contract as h
from jobs.harness import recording as r
from jobs.harness.environment import child_environment, secret_values
from jobs.harness.redact import redactor
from jobs.harness.turn import Turn
from jobs.policy import digest

POLL_S = 0.05  # how often a file that the recording waits for is looked for
WAIT_S = 120.0  # after which a file that nobody made fails the task
EXCERPT_CHARS = 1_500


class Failed(Exception):
    """The recording said that the agent failed; what stands after that is not played."""


@dataclass(frozen=True, slots=True)
class ScriptHarness:
    recording: r.Recording
    capabilities = h.Capabilities(changes_course=True)

    async def open(self, assignment: h.Assignment, workspace: h.Workspace) -> h.HarnessSession:
        return ScriptTurn(assignment, workspace, self.recording)


class ScriptTurn(Turn):
    def __init__(self, assignment: h.Assignment, workspace: h.Workspace, recording: r.Recording) -> None:
        super().__init__(redactor(secret_values(workspace.env)))
        self._assignment, self._workspace, self._recording = assignment, workspace, recording
        self._asked = 0
        self._env = child_environment(workspace.folder, workspace.env)

    async def play(self, prompt: str) -> str:
        task = self._assignment
        steps = self._recording.steps_for(task.title, task.round, task.number > task.round)
        if steps is None:
            self.say(h.Broke("no_recording", f"nothing is recorded for a task called {task.title!r}"))
            return "end_turn"
        with suppress(Failed):
            await self._steps(steps)
        return "end_turn"

    async def _steps(self, steps: Sequence[r.Step]) -> None:
        for step in steps:
            self.go_on()
            (name,) = step.model_fields_set
            await STEPS[name](self, getattr(step, name))

    def _words(self, text: str) -> str:
        return text.replace("{feedback}", self._assignment.feedback)  # plain: no format string of a stranger's text

    async def _say(self, text: str) -> None:
        self.say(h.Message(self._words(text)))

    async def _progress(self, stride: r.Stride) -> None:
        doing, then = self._words(stride.current_step), self._words(stride.next_step)
        self.say(h.Progress(stride.summary, stride.step, stride.steps, doing, then))

    async def _write(self, write: r.Write) -> None:
        await asyncio.to_thread(_write_file, self._workspace.folder, write.path, self._words(write.text))

    async def _run(self, argv: tuple[str, ...]) -> None:
        await self.run(argv, self._workspace.folder, self._env, told=("run", shlex.join(argv)))

    async def _ask(self, ask: r.Ask) -> None:
        self._asked += 1
        answer = await self.ask(
            h.PermissionAsked(
                request_id=f"{self._assignment.attempt_id}-{self._asked}",
                command=ask.command,
                folder=".",
                reasons=ask.reasons,
                risk=ask.risk,
                digest=digest(ask.command, "."),
                why=self._words(ask.why),
            )
        )
        await self._steps(ask.allowed if answer.allow else ask.refused)

    async def _until(self, _: str) -> None:
        await self.until_cancelled()

    async def _wait_file(self, name: str) -> None:
        deadline = asyncio.get_running_loop().time() + WAIT_S
        while not await asyncio.to_thread((self._workspace.scratch / name).exists):
            if asyncio.get_running_loop().time() > deadline:
                raise Unavailable("no_such_file", name=name, seconds=WAIT_S)
            await self.until_cancelled(POLL_S)

    async def _pace(self, seconds: float) -> None:
        await self.until_cancelled(seconds)

    async def _report(self, tale: r.Tale) -> None:
        proofs = tuple([await self._proof(check) for check in tale.proofs])
        handoffs = {name: self._words(text) for name, text in tale.handoffs.items()}
        self.say(h.Reported(self._words(tale.summary), proofs, handoffs))

    async def _proof(self, check: r.Check) -> h.Proof:
        ended = await self.run(check.run, self._workspace.folder, self._env)
        excerpt = ended.output.decode("utf-8", "replace")[-EXCERPT_CHARS:]
        return h.Proof(check.criterion, shlex.join(check.run), ended.exit_code, excerpt, ended.output)

    async def _fail(self, failure: r.Failure) -> None:
        self.say(h.Broke(failure.failure, self._words(failure.detail)))
        raise Failed

    async def _crash(self, _: bool) -> None:
        os._exit(70)  # as a worker's process that dies without a word


def _write_file(folder: Path, name: str, text: str) -> None:
    root = folder.resolve()
    path = (root / name).resolve()
    inside = path.relative_to(root).parts if path.is_relative_to(root) else ()
    if not inside or any(part.lower() == ".git" for part in inside):
        raise Refused("path_outside", path=name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


STEPS: dict[str, Callable[[ScriptTurn, Any], Awaitable[None]]] = {
    "say": ScriptTurn._say,
    "progress": ScriptTurn._progress,
    "write": ScriptTurn._write,
    "run": ScriptTurn._run,
    "ask": ScriptTurn._ask,
    "until": ScriptTurn._until,
    "wait_file": ScriptTurn._wait_file,
    "pace": ScriptTurn._pace,
    "report": ScriptTurn._report,
    "fail": ScriptTurn._fail,
    "crash": ScriptTurn._crash,
}
