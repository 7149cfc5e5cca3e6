"""Run the check of a criterion in the worktree. A check is a command like any other: what would have to ask is not run."""

from __future__ import annotations

import asyncio

from core.errors import Refused
from jobs.harness.contract import Workspace
from jobs.harness.environment import child_environment
from jobs.harness.process import start
from jobs.policy.judge import judge
from jobs.policy.rules import ShellPolicy


async def run_check(command: str, workspace: Workspace, policy: ShellPolicy) -> tuple[int | None, bytes]:
    """(exit code, output); None when the policy wants a person's leave, which nobody is there to give."""
    ruling = judge(command, folder=workspace.folder, root=workspace.folder, policy=policy)
    if ruling.verdict != "run":
        return None, ("not run: " + ", ".join(reason.code for reason in ruling.reasons)).encode()
    env = child_environment(workspace.folder, workspace.env)
    try:
        running = await start(ruling.argv, folder=workspace.folder, env=env, heard=lambda _: None)
    except Refused as refused:
        return 127, str(refused).encode()
    try:
        ended = await running.wait()
    except asyncio.CancelledError:
        await running.stop(0)
        raise
    return ended.exit_code, ended.output
