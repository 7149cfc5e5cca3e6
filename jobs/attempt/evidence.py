"""Turn a claim into a report: commit the work, run the checks of the criteria, measure the change.

A criterion may end in ``:: command``; the command runs in the worktree and its exit code is the proof. A criterion without
one stays a claim that a person judges.
"""

from __future__ import annotations

from pathlib import Path

from core.domain import limits
from core.domain.commands import ReportValue
from core.domain.facts import CheckValue
from core.domain.model import Session, Task
from jobs import git
from jobs.attempt.checks import run_check
from jobs.attempt.telling import Teller
from jobs.harness import contract as h
from jobs.policy.rules import ShellPolicy

EXCERPT_CHARS = 1_500


def split_criterion(line: str) -> tuple[str, str]:
    """The words and the check command, "" when there is none."""
    words, _, command = line.partition("::")
    return words.strip(), command.strip()


async def make_report(
    teller: Teller,
    said: h.Reported,
    state: Session,
    task: Task,
    place: git.Place,
    workspace: h.Workspace,
    policy: ShellPolicy,
) -> ReportValue:
    """Everything a person needs to judge the work. Raises Refused when the work cannot be committed as it is."""
    await git.commit_all(place, f"{task.short} {task.title}\n\nRound {task.round}")
    tip = await git.head(place.worktree)
    checks = [await _proof(teller, proof, tip) for proof in said.proofs]
    checks += [await _criterion(teller, line, workspace, tip, policy) for line in task.criteria]
    base = state.flows[task.flow_id].base_commit
    stat = await git.diffstat(place.repo, place.start, tip)
    total = await git.diffstat(place.repo, base, tip)
    diff = await git.diff_text(place.repo, base, tip) if tip != base else ""
    return ReportValue(
        summary=said.summary[:4000],
        evidence=tuple(checks),
        commit=tip,
        base=place.start,
        files=stat.files,
        added=stat.added,
        removed=stat.removed,
        flow_files=total.files,
        flow_added=total.added,
        flow_removed=total.removed,
        biggest=tuple(f"{path} +{plus} −{minus}" for path, plus, minus in stat.biggest[:5]),
        diff=await teller.keep(diff.encode()),
        output=checks[0].output if checks else "",
        handoffs={name: text[: limits.CONTENT_CHARS] for name, text in said.handoffs.items()},
    )


async def _proof(teller: Teller, proof: h.Proof, tip: str) -> CheckValue:
    return CheckValue(
        criterion=proof.criterion,
        command=proof.command,
        exit_code=proof.exit_code,
        excerpt=proof.excerpt[-EXCERPT_CHARS:],
        output=await teller.keep(proof.output),
        commit=tip,
    )


async def _criterion(teller: Teller, line: str, workspace: h.Workspace, tip: str, policy: ShellPolicy) -> CheckValue:
    _, command = split_criterion(line)
    if not command:
        return CheckValue(criterion=line)
    exit_code, output = await run_check(command, workspace, policy)
    return CheckValue(
        criterion=line,
        command=command,
        exit_code=exit_code,
        excerpt=teller.redactor.text(output)[-EXCERPT_CHARS:],
        output=await teller.keep(output),
        commit=tip,
    )


def scratch_folder(data: Path, attempt_id: str) -> Path:
    """A folder of the attempt's own, outside the worktree."""
    return data / "scratch" / attempt_id
