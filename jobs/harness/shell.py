"""The ``shell`` harness: the task is a command line; policy decides what asks first; the exit code is the report.

There is no model here and no other way on: a command that was refused did not run, and the task has failed for that
reason. What runs is judged right before it runs, so a leave given for what was shown covers nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.errors import Refused
from jobs.harness import contract as h
from jobs.harness.environment import child_environment, secret_values
from jobs.harness.plain import cut
from jobs.harness.process import Ended
from jobs.harness.redact import redactor
from jobs.harness.summary import summary_line
from jobs.harness.turn import Turn
from jobs.policy import Reason, Ruling, ShellPolicy, describe, digest, judge

EXCERPT_CHARS = 1_500
COMMAND_CHARS = 200  # of a command named in a sentence
HERE = "."  # commands run at the top of the worktree; that is the folder people see and approve

# What bash says, with exit code 127, of a program that it did not find.
_BASH_MISSING = re.compile(r"^bash: (?:line \d+: )?(.+?): (?:command not found|No such file or directory)$", re.M)


class NotAllowed(Exception):
    """A person said no."""


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
        self._asked = 0

    async def play(self, prompt: str) -> str:
        """The command is the task's content; the prompt around it is for agents that read."""
        command, folder = self._assignment.content, self._workspace.folder
        env = child_environment(folder, self._workspace.env)
        try:
            argv = await self._permitted(command)
            ended = await self.run(argv, folder, env, told=("shell", command), steps=True)
        except NotAllowed as no:
            self.say(h.Broke("permission_denied", str(no)))
            return "refused"
        except Refused as refused:
            self.say(h.Broke(*_not_run(refused)))
            return "end_turn"
        self.say(self._outcome(command, ended))
        return "end_turn"

    async def _permitted(self, command: str) -> tuple[str, ...]:
        """The argv that may run now. While a person thinks, a link may move: a reason they did not see asks again."""
        allowed: tuple[str, frozenset[str]] = ("", frozenset())
        while True:
            ruling = self._judge(command)
            question = self._question(command, ruling)
            if ruling.verdict == "run" or (question.digest == allowed[0] and allowed[1].issuperset(question.reasons)):
                return ruling.argv
            answer = await self.ask(question)
            if not answer.allow:
                raise NotAllowed(f"{answer.by or 'nobody'}: {answer.reason or 'no'}")
            allowed = (question.digest, frozenset(question.reasons))

    def _judge(self, command: str) -> Ruling:
        folder = self._workspace.folder
        return judge(command, folder=folder, root=folder, policy=self._policy)

    def _question(self, command: str, ruling: Ruling) -> h.PermissionAsked:
        self._asked += 1
        return h.PermissionAsked(
            request_id=f"{self._assignment.attempt_id}-{self._asked}",
            command=command,
            folder=HERE,
            reasons=tuple(self._words(reason) for reason in ruling.reasons),
            risk=ruling.risk,
            digest=digest(command, HERE),
        )

    def _words(self, reason: Reason) -> str:
        return describe(reason, self._assignment.language)

    def _outcome(self, command: str, ended: Ended) -> h.Reported | h.Broke:
        text = ended.output.decode("utf-8", "replace")
        if ended.exit_code == 127 and (missing := _BASH_MISSING.search(text)):
            return h.Broke("command_not_found", _missing(missing[1]), ended.output)
        how = f"ended by {ended.signal}" if ended.signal else f"exit {ended.exit_code}"
        line = summary_line(text)
        words = f"{how} · {line}" if line else how
        if ended.exit_code:
            return h.Broke("command_failed", words, ended.output)
        proof = h.Proof(command, command, ended.exit_code, text[-EXCERPT_CHARS:], ended.output)
        return h.Reported(f"`{cut(command, COMMAND_CHARS)}` {words}", (proof,))


def _missing(program: str) -> str:
    return f"{program} is not installed on this worker; install it or name another command"


def _not_run(refused: Refused) -> tuple[str, str]:
    match refused.code:
        case "program_missing":
            return "command_not_found", _missing(str(refused.params["program"]))
        case "program_not_runnable":
            return "command_not_found", f"{refused.params['program']} cannot be run: {refused.params['why']}"
        case _:
            return "command_failed", str(refused)
