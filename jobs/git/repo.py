"""Facts about a repository, read without changing anything in it.

The rule: what cannot be worked on is refused here, once, with a word that says why, before any task starts.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from core.errors import Refused

from .run import git

NEEDED_GIT = (2, 38)  # the first with ``merge-tree --write-tree``, which merges without any checkout
SHOWN_FILES = 50  # names in one refusal; a card shows fewer


@dataclass(frozen=True)
class RepoFacts:
    """A repository a person may give work in. ``dirty`` counts untracked files too: agents will not see them."""

    path: str
    base_branch: str
    base_commit: str
    dirty: bool
    name: str


@dataclass(frozen=True)
class Worktree:
    """One checkout; ``branch`` is None when detached."""

    path: Path
    branch: str | None


async def inspect(path: Path, base: str = "") -> RepoFacts:
    """What is at ``path``, a folder in a checkout. Work starts from branch ``base``, "" for the one checked out.

    Raises ``Refused``: ``path_missing``, ``git_missing``, ``git_too_old``, ``not_a_repository``,
    ``repository_not_trusted`` (another user owns it), ``bare_repository``, ``no_commits``, ``detached_head``,
    ``no_base_branch``.
    """
    await _check_path(path)
    top = Path((await git(path, "rev-parse", "--show-toplevel")).line)
    commit = await git(top, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", ok=(0, 1))
    if commit.code:
        raise Refused("no_commits", path=str(top))
    branch, stands = (base, await tip(top, base)) if base else (await _checked_out(top, commit.line), commit.line)
    if stands is None:
        raise Refused("no_base_branch", path=str(top), branch=base)
    return RepoFacts(
        path=str(top),
        base_branch=branch,
        base_commit=stands,
        dirty=bool(await changes(top)),
        name=top.name,
    )


async def _checked_out(top: Path, commit: str) -> str:
    branch = await git(top, "symbolic-ref", "--quiet", "HEAD", ok=(0, 1))
    if branch.code:
        raise Refused("detached_head", path=str(top), commit=commit)
    return branch.line.removeprefix("refs/heads/")


async def _check_path(path: Path) -> None:
    _check_folder(path)
    await check_version(path)
    probe = await git(path, "rev-parse", "--is-bare-repository", "--is-inside-work-tree", ok=(0, 128))
    if probe.code:
        foreign = "dubious ownership" in probe.err
        raise Refused("repository_not_trusted" if foreign else "not_a_repository", path=str(path))
    bare, inside = probe.line.split()
    if bare == "true":
        raise Refused("bare_repository", path=str(path))
    if inside != "true":
        raise Refused("not_a_repository", path=str(path))


def _check_folder(path: Path) -> None:
    if not path.exists():
        raise Refused("path_missing", path=str(path))
    if not path.is_dir():
        raise Refused("not_a_repository", path=str(path))


async def check_version(where: Path) -> None:
    """Raises ``Refused("git_too_old")`` below the version our merges need."""
    found = re.search(r"(\d+)\.(\d+)", (await git(where, "version")).line)
    if found and (int(found[1]), int(found[2])) < NEEDED_GIT:
        raise Refused("git_too_old", found=found[0], needed=".".join(map(str, NEEDED_GIT)))


async def changes(where: Path, *, untracked: str = "normal", git_dir: Path | None = None) -> list[tuple[str, str]]:
    """Uncommitted changes as (two-letter state, path). Submodules are not entered: they may be hostile repositories."""
    args = ("--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=all", f"--untracked-files={untracked}")
    status = await git(where, "status", *args, git_dir=git_dir)
    return [(entry[:2], entry[3:]) for entry in status.fields]


async def head(worktree: Path) -> str:
    """The commit a checkout stands on. Raises ``Refused("not_a_repository")`` where there is none."""
    above = {"GIT_CEILING_DIRECTORIES": os.fspath(worktree.parent)}  # never answer for a repository around it
    found = await git(worktree, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", ok=(0, 1, 128), env=above)
    if found.code:
        raise Refused("not_a_repository", path=str(worktree))
    return found.line


async def tip(repo: Path, branch: str) -> str | None:
    """The commit a local branch points at, or None."""
    found = await git(repo, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}^{{commit}}", ok=(0, 1, 128))
    return found.line if found.code == 0 else None


async def commit_of(repo: Path, revision: str) -> str:
    """The full name of a commit. Raises ``Refused("commit_missing")``."""
    if not revision.startswith("-"):
        found = await git(repo, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", ok=(0, 1, 128))
        if found.code == 0:
            return found.line
    raise Refused("commit_missing", commit=revision[:80])


async def contains(repo: Path, container: str, commit: str) -> bool:
    """Whether ``commit`` is ``container`` or one of its ancestors."""
    return (await git(repo, "merge-base", "--is-ancestor", commit, container, ok=(0, 1))).code == 0


async def common_dir(repo: Path) -> Path:
    """The folder all checkouts of a repository share (usually ``.git``)."""
    return Path((await git(repo, "rev-parse", "--path-format=absolute", "--git-common-dir")).line)


async def worktrees(repo: Path) -> list[Worktree]:
    """Every checkout of the repository, the person's own first."""
    listed = (await git(repo, "worktree", "list", "--porcelain", "-z")).line
    return [_worktree(record.split("\0")) for record in listed.split("\0\0") if record.strip("\0")]


def _worktree(lines: list[str]) -> Worktree:
    facts = dict(line.partition(" ")[::2] for line in lines if line)
    branch = facts.get("branch")
    return Worktree(Path(facts["worktree"]), branch.removeprefix("refs/heads/") if branch else None)


async def holder(repo: Path, branch: str) -> Path | None:
    """The checkout that has ``branch`` checked out, if one does."""
    return next((each.path for each in await worktrees(repo) if each.branch == branch), None)


async def signature(repo: Path) -> dict[str, str]:
    """Who commits: nothing to add when git knows the person, else our own name."""
    known = await git(repo, "-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT", ok=(0, 1, 128))
    if known.code == 0:
        return {}
    name, email = "Threadlead", "threadlead@localhost"
    return {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", name), ("EMAIL", email))
    }


def shown(name: str) -> str:
    """A file name as text for people: bytes that are no UTF-8 become a replacement mark."""
    return os.fsencode(name).decode("utf-8", "replace")
