"""Bring commits together: tasks into their flow's branch, an accepted flow into the person's base branch.

The rule: a merge is made in the object store first (``git merge-tree``), where a conflict changes nothing and a
crash leaves nothing behind; only then does one compare-and-swap move a branch. The person's files are touched by
one call, ``git merge --ff-only``, which checks everything before it writes anything.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from core.errors import Refused

from .names import flow_branch as flow_branch_of
from .registry import claimed
from .repo import SHOWN_FILES, changes, commit_of, common_dir, contains, holder, shown, signature, tip
from .run import git

CHECKOUT_SECONDS = 600.0  # a big repository on a slow disk
MESSAGE_LIMIT = 20_000  # characters of a commit message


async def integrate(
    repo: Path, data: Path, *, flow_id: str, slug: str, base_commit: str, commits: Sequence[str]
) -> str:
    """Make the flow's branch contain ``commits`` and return its head; the branch starts at ``base_commit``.

    Raises ``Refused``: ``merge_conflict`` (``files``, ``commit``), ``commit_missing``, ``branch_name_taken``,
    ``branch_in_use``; the branch is then as it was.
    """
    branch = flow_branch_of(slug, flow_id)
    async with claimed(repo, data):
        return await gather(repo, branch, base_commit, commits)


async def gather(repo: Path, flow_branch: str, base_commit: str, commits: Sequence[str]) -> str:
    """The same for a caller that holds the repository."""
    base = await commit_of(repo, base_commit)
    now = await tip(repo, flow_branch)
    if now and not await contains(repo, now, base):
        raise Refused("branch_name_taken", branch=flow_branch)
    new = now or base
    for commit in commits:
        wanted = await commit_of(repo, commit)
        new = await merged(repo, new, wanted, f"Gather {wanted[:12]} into {flow_branch}")
    if new != now:
        await _move(repo, flow_branch, new, now)
    return new


async def merged(repo: Path, ours: str, theirs: str, message: str) -> str:
    """A commit that contains both, one of the two where that is enough. No branch and no file moves."""
    if await contains(repo, ours, theirs):
        return ours
    if await contains(repo, theirs, ours):
        return theirs
    if (await git(repo, "merge-base", ours, theirs, ok=(0, 1))).code:
        raise Refused("unrelated_histories", commit=theirs)
    tree = await git(repo, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs, ok=(0, 1))
    if tree.code:
        files = sorted({shown(name) for name in tree.fields[1:]})
        raise Refused("merge_conflict", files=files[:SHOWN_FILES], count=len(files), commit=theirs)
    parents = ("-p", ours, "-p", theirs)
    made = await git(
        repo, "commit-tree", tree.fields[0], *parents, "-F", "-", text=message_bytes(message), env=await signature(repo)
    )
    return made.line


async def merge_to_base(
    repo: Path, data: Path, *, flow_branch: str, base_branch: str, message: str, expected_tip: str
) -> str:
    """Merge an accepted flow into ``base_branch`` and return the commit that brought it there.

    ``expected_tip`` is the commit the person was shown; a flow branch that has moved since is refused. Calling
    again after success returns the same commit, also when the flow's branch is gone by then.

    Raises ``Refused`` with nothing changed: ``branch_missing``, ``branch_moved`` (``expected``, ``actual``),
    ``base_moved``, ``merge_conflict`` (``files``), ``base_dirty`` (``path``, ``files`` in the way), ``base_busy``.
    """
    expected = await commit_of(repo, expected_tip)
    async with claimed(repo, data):
        base = await _tip_or_refuse(repo, base_branch)
        if await contains(repo, base, expected):
            return await _merged_as(repo, base, expected)
        actual = await _tip_or_refuse(repo, flow_branch)
        if actual != expected:
            raise Refused("branch_moved", branch=flow_branch, expected=expected, actual=actual)
        new = await merged(repo, base, expected, message)
        await _advance_base(repo, base_branch, base, new)
        return new


async def _advance_base(repo: Path, branch: str, old: str, new: str) -> None:
    await _refuse_rebase(repo, branch)
    checkout = await holder(repo, branch)
    if checkout is None:
        moved = await git(repo, "update-ref", "-m", "accepted merge", f"refs/heads/{branch}", new, old, ok=(0, 1, 128))
        if moved.code:
            raise Refused("base_moved", branch=branch, why=moved.err)
        return
    dirty = [name for _, name in await changes(checkout, untracked="no")]
    await _refuse_dirty(checkout, dirty or await _in_the_way(checkout, old, new))
    # --no-overwrite-ignore: by default git replaces an ignored file (an .env, say) without a word
    flags = ("--ff-only", "--quiet", "--no-stat", "--no-autostash", "--no-verify-signatures", "--no-overwrite-ignore")
    done = await git(checkout, "merge", *flags, new, ok=(0, 1, 2, 128), seconds=CHECKOUT_SECONDS)
    if done.code:
        await _explain(repo, checkout, branch, old, done.err)


async def _explain(repo: Path, checkout: Path, branch: str, old: str, why: str) -> None:
    """Git refused after our own look: somebody was quicker, or is in the middle of something."""
    if await tip(repo, branch) != old:
        raise Refused("base_moved", branch=branch, why=why)
    await _refuse_dirty(checkout, [name for _, name in await changes(checkout, untracked="no")])
    raise Refused("base_busy", path=str(checkout), why=why)


async def _refuse_dirty(checkout: Path, files: Sequence[str]) -> None:
    if files:
        names = sorted({shown(name) for name in files})
        raise Refused("base_dirty", path=str(checkout), files=names[:SHOWN_FILES], count=len(names))


async def _in_the_way(checkout: Path, old: str, new: str) -> list[str]:
    """Untracked or ignored files of the person where the merge would create its own."""
    added = await git(checkout, "diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=A", old, new)
    tracked = set((await git(checkout, "ls-tree", "-r", "-z", "--name-only", old)).fields) if added.fields else set()
    return _obstacles(checkout, added.fields, tracked)


def _obstacles(checkout: Path, added: Sequence[str], tracked: set[str]) -> list[str]:
    """Of each added path and the folders above it: what is there now, is not git's, and could not give way."""
    steps = {str(step) for name in added for step in (Path(name), *list(Path(name).parents)[:-1])} - tracked
    blocking = [step for step in steps if _is_leaf(checkout / step)]
    return blocking + [name for name in added if _holds_untracked(checkout, name, tracked)]


def _is_leaf(place: Path) -> bool:
    return os.path.lexists(place) and (place.is_symlink() or not place.is_dir())


def _holds_untracked(checkout: Path, name: str, tracked: set[str]) -> bool:
    """Whether a folder of the person with files of their own stands where a file must go."""
    folder = checkout / name
    if folder.is_symlink() or not folder.is_dir():
        return False
    inside = (Path(parent, file) for parent, _, files in os.walk(folder) for file in files)
    return any(str(file.relative_to(checkout)) not in tracked for file in inside)


async def _refuse_rebase(repo: Path, branch: str) -> None:
    """A rebase detaches its checkout and moves the branch at its end; moving it meanwhile would break that."""
    common = await common_dir(repo)
    path = _rebasing(common, f"refs/heads/{branch}")
    if path:
        raise Refused("base_busy", path=path, why="a rebase of this branch is in progress")


def _rebasing(common: Path, ref: str) -> str | None:
    for folder in (common, *common.glob("worktrees/*")):
        for kind in ("rebase-merge", "rebase-apply"):
            note = folder / kind / "head-name"
            if note.is_file() and note.read_text("utf-8", "replace").strip() == ref:
                return str(folder)
    return None


async def _merged_as(repo: Path, base: str, commit: str) -> str:
    """The merge with which ``commit`` came into ``base``, or, after a fast-forward, ``commit`` itself."""
    merges = await git(repo, "rev-list", "--first-parent", "--merges", "--parents", f"{commit}..{base}")
    for line in merges.line.splitlines():
        made, *parents = line.split()
        if commit in parents[1:]:
            return made
    return commit


async def _tip_or_refuse(repo: Path, branch: str) -> str:
    found = await tip(repo, branch)
    if found is None:
        raise Refused("branch_missing", branch=branch)
    return found


async def _move(repo: Path, branch: str, new: str, old: str | None) -> None:
    """Compare-and-swap a branch of ours; ``old`` None creates it."""
    in_use = await holder(repo, branch)
    if in_use:
        raise Refused("branch_in_use", branch=branch, path=str(in_use))
    before = old or "0" * len(new)
    moved = await git(repo, "update-ref", "-m", "gathered", f"refs/heads/{branch}", new, before, ok=(0, 1, 128))
    if moved.code:
        raise Refused("branch_moved" if old else "branch_name_taken", branch=branch, why=moved.err)


def message_bytes(message: str) -> bytes:
    """A commit message git accepts: bounded, without NUL, never empty."""
    return (message.replace("\0", "")[:MESSAGE_LIMIT].strip() or "Keep work").encode("utf-8", "replace") + b"\n"
