"""One delivery attempt on a worker, from claim to end.

The first act is to look at the log: an attempt that was claimed, recalled or superseded is left alone, so a job that RQ
delivers twice runs once. Whatever happens after the claim ends in exactly one ``EndAttempt``, or, when this process dies,
in none: then the attempt is uncertain and people are told so.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from core.assembly import Desk
from core.domain import commands as c
from core.domain.model import Attempt, Session, Task
from core.domain.prompt import last_feedback
from core.domain.views import settled_commits
from core.errors import Refused, Unavailable
from core.ledger.port import Fence, Fenced
from core.routing import holder
from jobs import git, roster
from jobs.attempt.drive import Drive, Outcome, Stopped
from jobs.attempt.evidence import make_report, scratch_folder
from jobs.attempt.lease import leased
from jobs.attempt.leaving import Leaving, Left
from jobs.attempt.sole import sole
from jobs.attempt.telling import Teller
from jobs.harness import contract as h
from jobs.harness.environment import secret_values
from jobs.harness.redact import redactor
from jobs.harness.registry import Harnesses, shell_policy
from jobs.policy.rules import ShellPolicy

END_TRIES = 8  # with a growing pause between: about a minute in which Redis may come back

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Running:
    """What the steps of one attempt share."""

    desk: Desk
    state: Session
    task: Task
    attempt: Attempt
    teller: Teller
    policy: ShellPolicy
    leaving: Leaving


async def run_attempt(desk: Desk, harnesses: Harnesses, session_id: str, attempt_id: str) -> None:
    """Run the attempt unless somebody else has it or nobody wants it any more."""
    state = await desk.service.state(session_id)
    attempt = state.attempts.get(attempt_id)
    if attempt is None:
        return
    name = holder(session_id, attempt.task_id, attempt_id)
    lease_s = desk.settings.worker.lease_s
    with Leaving().on_sigterm() as leaving:
        # Before the claim, so that a death between the two is noticed; not dropped by a copy of the job that is refused.
        await roster.renew(desk.ledger, name, int(lease_s * 1000))
        if await _claimed(desk, session_id, attempt_id):
            async with leased(desk.ledger, name, lease_s):
                await _to_its_end(_running(desk, state, attempt, leaving), harnesses)


async def _claimed(desk: Desk, session_id: str, attempt_id: str) -> bool:
    command = c.ClaimAttempt(attempt_id=attempt_id, worker=desk.settings.worker.id)
    try:
        await desk.service.handle(session_id, command)
    except Refused as refused:
        log.info("attempt_not_claimed", attempt=attempt_id, code=refused.code)
        return False
    return True


def _running(desk: Desk, state: Session, attempt: Attempt, leaving: Leaving) -> Running:
    fence = Fence(attempt.task_id, attempt.number)
    hide = redactor(secret_values())
    teller = Teller(desk.service, state.id, attempt.id, desk.settings.worker.id, fence, hide)
    return Running(desk, state, state.tasks[attempt.task_id], attempt, teller, shell_policy(desk.settings), leaving)


async def _to_its_end(running: Running, harnesses: Harnesses) -> None:
    attempt_id = running.attempt.id
    try:
        try:
            async with sole(running.desk.settings.data, running.task.id):
                ending = await _work(running, harnesses)
        except Left:
            ending = c.EndAttempt(attempt_id=attempt_id, stop_reason="shutdown")
        except Fenced:
            raise
        except Exception as error:  # the agent has been closed, so how it ended is known: by this fault
            log.exception("attempt_broke", attempt=attempt_id)
            detail = running.teller.redactor.text(f"{type(error).__name__}: {error}")[:1000]
            ending = c.EndAttempt(attempt_id=attempt_id, stop_reason="broken", failure="harness_error", detail=detail)
        await _end(running, ending)
    except Fenced:
        log.warning("attempt_fenced", attempt=attempt_id)


async def _work(running: Running, harnesses: Harnesses) -> c.EndAttempt:
    """Prepare the place, open the agent, drive it, and say how it ended. Raises Left when the worker is to go."""
    attempt_id = running.attempt.id
    try:
        place = await running.leaving.before(_place(running))
        harness = harnesses.get(running.task.target)
    except (Refused, Unavailable) as error:
        return c.EndAttempt(
            attempt_id=attempt_id, stop_reason="not_started", failure="workspace", detail=str(error)[:1000]
        )
    if running.leaving.asked.is_set():
        raise Left
    scratch = scratch_folder(running.desk.settings.data, attempt_id)
    scratch.mkdir(parents=True, exist_ok=True)
    workspace = h.Workspace(folder=place.worktree, scratch=scratch, branch=place.branch)
    session = await harness.open(_assignment(running), workspace)
    try:
        patience_ms = running.desk.settings.deadlines.approval_minutes * 60_000
        drive = Drive(running.teller, session, patience_ms, running.leaving)
        outcome = await _turn(running, session, drive)
        return await _ending(running, drive, outcome, place, workspace)
    finally:
        await session.close()


def _assignment(running: Running) -> h.Assignment:
    task = running.task
    return h.Assignment(
        session_id=running.state.id,
        task_id=task.id,
        short=task.short,
        title=task.title,
        content=task.content,
        attempt_id=running.attempt.id,
        number=running.attempt.number,
        round=task.round,
        feedback=last_feedback(task),
        language="zh" if running.state.language == "zh" else "en",
    )


async def _place(running: Running) -> git.Place:
    state, task = running.state, running.task
    flow = state.flows[task.flow_id]
    if state.repo is None:
        raise Refused("no_repository")
    return await git.prepare(
        Path(state.repo.root),
        running.desk.settings.data,
        flow_id=flow.id,
        slug=flow.slug,
        short=task.short.lower(),
        base_commit=flow.base_commit,
        settled=settled_commits(state, flow),
    )


async def _turn(running: Running, session: h.HarnessSession, drive: Drive) -> Outcome:
    """Send the prompt, say that it was received, and drive the turn."""
    admission = await session.send(running.attempt.prompt)
    if admission == "rejected":
        return Outcome("refused", broke=h.Broke("rejected", "the agent did not take the prompt"))
    await running.desk.service.handle(
        running.state.id, c.AcceptAttempt(attempt_id=running.attempt.id), fence=running.teller.fence
    )
    return await drive.run()


async def _ending(
    running: Running, drive: Drive, outcome: Outcome, place: git.Place, workspace: h.Workspace
) -> c.EndAttempt:
    attempt_id, stop = running.attempt.id, outcome.stop_reason
    if outcome.broke is not None and stop not in ("cancelled", "shutdown"):
        output = await running.teller.keep(outcome.broke.output)
        return c.EndAttempt(
            attempt_id=attempt_id,
            stop_reason=stop,
            failure=outcome.broke.failure,
            detail=outcome.broke.detail[:1000],
            output=output,
        )
    if outcome.reported is None:
        return c.EndAttempt(attempt_id=attempt_id, stop_reason=stop)
    try:
        making = make_report(
            running.teller, outcome.reported, running.state, running.task, place, workspace, running.policy
        )
        report = await drive.unless_stopped(running.leaving.before(making))
    except Stopped:
        return c.EndAttempt(attempt_id=attempt_id, stop_reason="cancelled")
    except Fenced:
        raise
    except (Refused, Unavailable) as error:
        return c.EndAttempt(attempt_id=attempt_id, stop_reason=stop, failure="workspace", detail=str(error)[:1000])
    return c.EndAttempt(attempt_id=attempt_id, stop_reason=stop, report=report)


async def _end(running: Running, ending: c.EndAttempt) -> None:
    """Write the end; Redis may be away for a while, and the end is the one thing worth waiting for."""
    for attempt in range(END_TRIES):
        try:
            await running.desk.service.handle(
                running.state.id, ending, fence=running.teller.fence, dedupe=f"end:{running.attempt.id}"
            )
            return
        except Fenced:
            raise
        except Refused as refused:
            log.warning("end_refused", attempt=running.attempt.id, code=refused.code)
            if refused.code != "unwritable_event" or ending.report is None:
                return
            # A report no log can hold must not leave the attempt open for ever: it failed, and this is why.
            ending = replace(ending, report=None, failure="harness_error", detail=str(refused)[:1000])
        except Unavailable:
            await asyncio.sleep(min(0.25 * 2**attempt, 15.0))
    log.error("end_not_written", attempt=running.attempt.id)
