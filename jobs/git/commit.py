"""Keep what an attempt left in its worktree as a commit on the task's branch.

The rule: git is told which repository to use, so a ``.git`` an agent planted is never read; and what cannot be kept
well (huge files, repositories inside the worktree, open conflicts) is refused by name instead of committed or
dropped in silence.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.errors import Refused

from .merge import message_bytes
from .registry import admin_dir
from .repo import SHOWN_FILES, changes, shown, signature
from .run import git
from .worktree import Place

FILE_LIMIT = 50 * 1024 * 1024  # bytes; the size from which the big forges warn
STAGE_SECONDS = 300.0
UNMERGED = frozenset({"DD", "AU", "UD", "UA", "DU", "AA", "UU"})


async def commit_all(
    place: Place, message: str, *, file_limit: int = FILE_LIMIT, leave_out: Sequence[str] = ()
) -> str | None:
    """Commit every change in the worktree that the repository does not ignore; None when there is none.

    Submodules stay at the commit the branch names. After ``files_too_large`` or ``nested_repository`` the caller
    may call again with those paths in ``leave_out`` (and say so to the person).

    Raises ``Refused``: ``worktree_missing``, ``wrong_branch``, ``unmerged_files``, ``files_too_large``,
    ``nested_repository`` (each with ``files``); nothing is committed then.
    """
    admin = await admin_dir(place.repo, place.worktree)
    await _refuse_wrong_branch(place, admin)
    changed = await changes(place.worktree, untracked="all", git_dir=admin)
    excluded = {name.rstrip("/") for _, name in changed if shown(name.rstrip("/")) in leave_out}
    _refuse_unfit(place.worktree, [c for c in changed if c[1].rstrip("/") not in excluded], file_limit)
    await _stage(place.worktree, admin, sorted(excluded))
    staged = await git(place.worktree, "diff-index", "--cached", "--quiet", "HEAD", "--", ok=(0, 1), git_dir=admin)
    if staged.code == 0:
        return None
    flags = ("--quiet", "--no-verify", "--no-gpg-sign", "--no-status", "--cleanup=whitespace", "-F", "-")
    who = await signature(place.repo)
    await git(place.worktree, "commit", *flags, text=message_bytes(message), env=who, git_dir=admin)
    return (await git(place.worktree, "rev-parse", "HEAD", git_dir=admin)).line


async def _refuse_wrong_branch(place: Place, admin: Path) -> None:
    on = await git(place.worktree, "symbolic-ref", "--quiet", "HEAD", ok=(0, 1), git_dir=admin)
    if on.line != f"refs/heads/{place.branch}":
        raise Refused("wrong_branch", expected=place.branch, actual=on.line.removeprefix("refs/heads/") or "detached")


def _refuse_unfit(worktree: Path, changed: Sequence[tuple[str, str]], file_limit: int) -> None:
    _refuse("unmerged_files", [name for state, name in changed if state in UNMERGED])
    _refuse("nested_repository", [name.rstrip("/") for _, name in changed if name.endswith("/")])
    _refuse("files_too_large", [name for _, name in changed if _size(worktree / name) > file_limit], limit=file_limit)


def _refuse(code: str, files: Sequence[str], **params: object) -> None:
    if files:
        raise Refused(code, files=sorted(map(shown, files))[:SHOWN_FILES], count=len(files), **params)


def _size(path: Path) -> int:
    try:
        return os.lstat(path).st_size  # a link counts as the link, whatever it points at
    except (FileNotFoundError, NotADirectoryError):
        return 0


async def _stage(worktree: Path, admin: Path, excluded: Sequence[str]) -> None:
    from_stdin = ("--pathspec-from-file=-", "--pathspec-file-nul")
    if excluded:  # an agent may have staged them itself
        names = _joined(f":(top,literal){name}" for name in excluded)
        await git(worktree, "reset", "--quiet", *from_stdin, git_dir=admin, text=names)
    skipped = {*excluded, *await _filled_submodules(worktree, admin)}
    paths = _joined([":(top)", *(f":(top,exclude,literal){name}" for name in sorted(skipped))])
    await git(worktree, "add", "--all", *from_stdin, git_dir=admin, text=paths, seconds=STAGE_SECONDS)


async def _filled_submodules(worktree: Path, admin: Path) -> list[str]:
    """Submodules with files: staging one would run git inside it, with a configuration an agent can write."""
    indexed = await git(worktree, "ls-files", "--stage", "-z", git_dir=admin)
    links = [line.split("\t", 1)[1] for line in indexed.fields if line.startswith("160000 ")]
    return [name for name in links if _exists(worktree / name / ".git")]


def _exists(path: Path) -> bool:
    return os.path.lexists(path)


def _joined(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)
