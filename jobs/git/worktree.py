"""A worktree and a branch of its own for each task, however often it is asked for and wherever the last try died.

The rule: ``prepare`` looks at what is there and adds only what is missing; an attempt's
files are never thrown away here, they stay in place (``leftover``) or are moved aside. The caller holds the task's
lease: of two attempts of one task only one may prepare.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.errors import Refused

from .lock import locked
from .merge import CHECKOUT_SECONDS, gather, merged
from .names import PREFIX, TaskNames, flow_folder, task_names
from .registry import admin_dir, claimed, drop, erase, registered, restore_pointer
from .repo import changes, commit_of, common_dir, contains, holder, tip, worktrees
from .run import git


@dataclass(frozen=True)
class Place:
    """Where one task works.

    ``start`` is the commit of the flow's branch that the task's own work is measured from, ``head`` the commit the
    worktree stands on now, ``leftover`` whether an interrupted attempt left uncommitted changes in it.
    """

    repo: Path
    worktree: Path
    branch: str
    flow_branch: str
    start: str
    head: str
    leftover: bool


async def prepare(
    repo: Path, data: Path, *, flow_id: str, slug: str, short: str, base_commit: str, settled: Sequence[str]
) -> Place:
    """Give a task its place: flow branch with the ``settled`` commits in it, task branch, worktree.

    A new task starts at the flow branch's head. An existing one keeps its commits and takes in the settled ones it
    lacks, unless ``leftover`` changes would be in the way.

    Raises ``Refused``: ``merge_conflict`` (``files``, ``commit``), ``commit_missing``, ``branch_name_taken``,
    ``branch_in_use`` (the person has it checked out), ``unsafe_name``.
    """
    names = task_names(data, flow_id, slug, short)
    async with locked(data / "locks" / f"{flow_id}--{short.lower()}.lock"):
        async with claimed(repo, data):
            await _drop_branch_locks(repo, names)
            flow_head = await gather(repo, names.flow_branch, base_commit, settled)
            await _stand(repo, names, flow_head)
        leftover = await _furnish(repo, names, flow_head, settled)
        head = await commit_of(repo, f"refs/heads/{names.branch}")
        start = await git(repo, "merge-base", head, flow_head)
        return Place(
            repo=repo,
            worktree=names.worktree,
            branch=names.branch,
            flow_branch=names.flow_branch,
            start=start.line.splitlines()[0],
            head=head,
            leftover=leftover,
        )


async def clean(repo: Path, data: Path, *, flow_id: str, branches: Sequence[str], delete_branches: bool) -> None:
    """Remove the flow's worktrees with everything in them and, on request, ``branches``.

    A branch that the person has checked out stays. Raises ``Refused("not_our_branch")`` before anything is removed.
    """
    for branch in branches:
        if not branch.startswith(PREFIX):
            raise Refused("not_our_branch", branch=branch)
    folder = flow_folder(data, flow_id)
    async with claimed(repo, data):
        for each in await worktrees(repo):
            if folder in each.path.parents:
                await drop(repo, each.path)
        await asyncio.to_thread(erase, folder)
        for branch in branches if delete_branches else ():
            if await holder(repo, branch) is None:
                await git(repo, "update-ref", "-d", f"refs/heads/{branch}")


async def _stand(repo: Path, names: TaskNames, start: str) -> None:
    """Make the worktree known to git and on the task's branch; its files come later, when nobody waits for that."""
    known = registered(await common_dir(repo), names.worktree)
    if known and _holds_files(names.worktree):
        await _reclaim(repo, names, known, start)
        return
    if known:
        await drop(repo, names.worktree)
    _set_aside(names.worktree)
    await _refuse_in_use(repo, names)
    exists = await tip(repo, names.branch)
    target = (names.branch,) if exists else (start,)
    new_branch = () if exists else ("--no-track", "-b", names.branch)
    flags = ("--quiet", "--no-checkout", *new_branch)
    await git(repo, "worktree", "add", *flags, "--", str(names.worktree), *target)


async def _reclaim(repo: Path, names: TaskNames, admin: Path, start: str) -> None:
    """Take over a worktree that a dead attempt left in whatever state; its files stay as they are."""
    for lock in ("index.lock", "HEAD.lock"):
        (admin / lock).unlink(missing_ok=True)
    await asyncio.to_thread(restore_pointer, names.worktree, admin)
    await _refuse_in_use(repo, names)
    if await tip(repo, names.branch) is None:
        await git(repo, "update-ref", f"refs/heads/{names.branch}", start)
    # an agent may have switched to another branch, or died in a rebase
    await git(names.worktree, "symbolic-ref", "HEAD", f"refs/heads/{names.branch}", git_dir=admin)


async def _refuse_in_use(repo: Path, names: TaskNames) -> None:
    in_use = await holder(repo, names.branch)
    if in_use and in_use != names.worktree:
        raise Refused("branch_in_use", branch=names.branch, path=str(in_use))


async def _furnish(repo: Path, names: TaskNames, flow_head: str, settled: Sequence[str]) -> bool:
    """Fill a new worktree, bring an old one up to date; whether it has leftovers of an interrupted attempt."""
    admin = await admin_dir(repo, names.worktree)
    if not _exists(admin / "index"):  # git writes it when every file is there
        await git(names.worktree, "reset", "--hard", "--quiet", git_dir=admin, seconds=CHECKOUT_SECONDS)
    if await changes(names.worktree, git_dir=admin):
        return True
    await _catch_up(repo, names, admin, flow_head, settled)
    return False


async def _catch_up(repo: Path, names: TaskNames, admin: Path, flow_head: str, settled: Sequence[str]) -> None:
    own = await commit_of(repo, f"refs/heads/{names.branch}")
    if all([await contains(repo, own, commit) for commit in settled]):
        return
    new = await merged(repo, own, flow_head, f"Take in {names.flow_branch}")
    flags = ("--ff-only", "--quiet", "--no-stat", "--no-autostash", "--no-verify-signatures")
    await git(names.worktree, "merge", *flags, new, git_dir=admin, seconds=CHECKOUT_SECONDS)


async def _drop_branch_locks(repo: Path, names: TaskNames) -> None:
    """A git that was killed while it moved a branch leaves a lock that nobody would ever remove."""
    heads = await common_dir(repo) / "refs" / "heads"
    for branch in (names.branch, names.flow_branch):
        with suppress(FileNotFoundError, NotADirectoryError):
            (heads / f"{branch}.lock").unlink()


def _exists(path: Path) -> bool:
    return path.exists()


def _holds_files(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _set_aside(worktree: Path) -> None:
    """Files at the place of a worktree that git does not know may be an attempt's work: keep them beside it."""
    if not _holds_files(worktree) and not worktree.is_symlink():
        return
    taken = sum(1 for each in worktree.parent.iterdir() if each.name.startswith(f"{worktree.name}.kept-"))
    worktree.rename(worktree.with_name(f"{worktree.name}.kept-{taken + 1}"))
