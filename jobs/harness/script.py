"""The ``script`` harness: plays a recorded agent, for the demo and for tests. Its commands and files are real."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import Refused
from jobs.harness import contract as h
from jobs.harness import recording as r
from jobs.harness.environment import child_environment, secret_values
from jobs.harness.redact import redactor
from jobs.harness.turn import Turn
from jobs.policy import digest

POLL_S = 0.05  # how often a file that the recording waits for is looked for


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
        await self._steps(steps)
        return "end_turn"

    async def _steps(self, steps: Sequence[r.Step]) -> None:
        for step in steps:
            self.go_on()
            (name,) = step.model_fields_set
            await STEPS[name](self, getattr(step, name))

    def _words(self, text: str) -> str:
        return self.redactor.text(text.replace("{feedback}", self._assignment.feedback))

    async def _say(self, text: str) -> None:
        self.say(h.Message(self._words(text)))

    async def _progress(self, stride: r.Stride) -> None:
        self.say(
            h.Progress(stride.summary, stride.step, stride.steps, self._words(stride.current_step), stride.next_step)
        )

    async def _write(self, write: r.Write) -> None:
        await asyncio.to_thread(self._write_file, write)

    def _write_file(self, write: r.Write) -> None:
        path = (self._workspace.folder / write.path).resolve()
        if not path.is_relative_to(self._workspace.folder.resolve()):
            raise Refused("path_outside", path=write.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._words(write.text), encoding="utf-8")

    async def _run(self, argv: tuple[str, ...]) -> None:
        ended = await self.run(argv, self._workspace.folder, self._env)
        self.say(h.ToolFinished("run", " ".join(argv), ended.exit_code, self.redactor.data(ended.output)))

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
                why=ask.why,
            )
        )
        await self._steps(ask.allowed if answer.allow else ask.refused)

    async def _until(self, _: str) -> None:
        await self.until_cancelled()

    async def _wait_file(self, name: str) -> None:
        while not await asyncio.to_thread((self._workspace.scratch / name).exists):
            await self.until_cancelled(POLL_S)

    async def _pace(self, seconds: float) -> None:
        await self.until_cancelled(seconds)

    async def _report(self, tale: r.Tale) -> None:
        proofs = []
        for check in tale.proofs:
            ended = await self.run(check.run, self._workspace.folder, self._env)
            output = self.redactor.data(ended.output)
            text = output.decode("utf-8", "replace")
            proofs.append(h.Proof(check.criterion, " ".join(check.run), ended.exit_code, text[-1500:], output))
        self.say(h.Reported(self._words(tale.summary), tuple(proofs), dict(tale.handoffs)))

    async def _fail(self, failure: r.Failure) -> None:
        self.say(h.Broke(failure.failure, self._words(failure.detail)))

    async def _crash(self, _: bool) -> None:
        os._exit(70)  # as a worker's process that dies without a word


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
