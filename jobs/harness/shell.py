"""The ``shell`` harness: the task is a command line; policy decides what asks first; the exit code is the report.

There is no model here and no other way on: a command that was refused did not run, and the task has failed for that reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.errors import Refused
from jobs.harness import contract as h
from jobs.harness.environment import child_environment, secret_values
from jobs.harness.plain import last_line
from jobs.harness.process import Ended
from jobs.harness.redact import redactor
from jobs.harness.turn import Turn
from jobs.policy import ShellPolicy, describe, digest, judge

EXCERPT_CHARS = 1_500

# The line of a tool's output that says how it went, where that is not simply its last one.
SUMMARIES = (
    re.compile(
        r"^=*\s*((?:\d+ (?:passed|failed|error|errors|skipped|deselected|xfailed|xpassed|warnings?)(?:, )?)+.*?)\s*=*$"
    ),
    re.compile(r"^(Ran \d+ tests? in .*)$"),
    re.compile(r"^(test result: .*)$"),
    re.compile(r"^(Tests: .*)$"),
    re.compile(r"^(\d+ files? (?:reformatted|would be reformatted|left unchanged).*)$"),
    re.compile(r"^(Found \d+ errors?.*|All checks passed!|Success: no issues found.*)$"),
)


@dataclass(frozen=True, slots=True)
class ShellHarness:
    policy: ShellPolicy
    capabilities = h.Capabilities()

    async def open(self, assignment: h.Assignment, workspace: h.Workspace) -> h.HarnessSession:
        return ShellTurn(assignment, workspace, self.policy)


class ShellTurn(Turn):
    def __init__(self, assignment: h.Assignment, workspace: h.Workspace, policy: ShellPolicy) -> None:
        super().__init__(redactor(secret_values(workspace.env)))
        self._assignment, self._workspace, self._policy = assignment, workspace, policy

    async def play(self, prompt: str) -> str:
        """The command is the task's content; the prompt around it is for agents that read."""
        command, folder = self._assignment.content, self._workspace.folder
        try:
            ruling = judge(command, folder=folder, root=folder, policy=self._policy)
            if ruling.verdict == "ask":
                answer = await self.ask(self._question(command, ruling.reasons, ruling.risk))
                if not answer.allow:
                    self.say(h.Broke("permission_denied", _refusal(answer)))
                    return "refused"
                ruling = judge(command, folder=folder, root=folder, policy=self._policy)
            ended = await self.run(ruling.argv, folder, child_environment(folder, self._workspace.env), steps=True)
        except Refused as refused:
            self.say(h.Broke(*_not_run(refused)))
            return "end_turn"
        self._report(command, ended)
        return "end_turn"

    def _question(self, command: str, reasons: tuple[object, ...], risk: str) -> h.PermissionAsked:
        words = tuple(describe(reason, self._assignment.language) for reason in reasons)  # type: ignore[arg-type]
        return h.PermissionAsked(
            request_id=f"{self._assignment.attempt_id}-1",
            command=self.redactor.shown(command),
            folder=".",
            reasons=words,
            risk=risk,  # type: ignore[arg-type]
            digest=digest(command, "."),
        )

    def _report(self, command: str, ended: Ended) -> None:
        output = self.redactor.data(ended.output)
        text = output.decode("utf-8", "replace")
        said = summary_line(text)
        how = f"ended by {ended.signal}" if ended.signal else f"exit {ended.exit_code}"
        self.say(h.ToolFinished("shell", command, ended.exit_code, output))
        if ended.left:
            self.say(h.Message(f"{ended.left} processes of `{command}` could not be ended"))
        words = f"{how} · {said}" if said else how
        if ended.exit_code:
            self.say(h.Broke("command_failed", words, output))
            return
        proof = h.Proof(command, command, ended.exit_code, text[-EXCERPT_CHARS:], output)
        self.say(h.Reported(f"`{command}` {words}", (proof,)))


def _refusal(answer: h.Answer) -> str:
    return f"{answer.by or 'nobody'}: {answer.reason or 'no'}"


def _not_run(refused: Refused) -> tuple[str, str]:
    if refused.code == "program_missing":
        program = refused.params["program"]
        return "command_not_found", f"{program} is not installed on this worker; install it or name another command"
    if refused.code == "program_not_runnable":
        return "command_not_found", f"{refused.params['program']} cannot be run: {refused.params['why']}"
    return "command_failed", str(refused)


def summary_line(text: str) -> str:
    """The line that says how it went: a known tool's own summary, else the last line with words in it."""
    for line in reversed(text.splitlines()[-40:]):
        for pattern in SUMMARIES:
            found = pattern.match(line.strip())
            if found:
                return re.sub(r" in [\d.]+s.*$", "", found[1])[:120]
    return last_line(text, 120)
