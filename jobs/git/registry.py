"""What a repository knows about our worktrees, kept whole.

The rule: everything that changes or lists the repository's worktrees and our branches happens in ``claimed``, one at a
time per repository. It first removes what a killed ``git worktree add`` of ours left: a half-written registration makes
git fail in the whole repository, also for the person.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from core.errors import Refused

from .lock import locked
from .names import worktrees_folder
from .repo import common_dir
from .run import git


@asynccontextmanager
async def claimed(repo: Path, data: Path) -> AsyncIterator[None]:
    """Hold the repository; the lock lies in it, so that workers with other data folders wait too."""
    common = await common_dir(repo)
    async with locked(common / "threadlead.lock"):
        await asyncio.to_thread(_sweep, common, worktrees_folder(data))
        yield


async def admin_dir(repo: Path, worktree: Path) -> Path:
    """The folder in the repository that belongs to ``worktree``, found from the repository's side.

    The ``.git`` file in the worktree would say it too, but an agent can write that one.

    Raises ``Refused("worktree_missing")``.
    """
    found = registered(await common_dir(repo), worktree)
    if found is None or not _is_folder(worktree):
        raise Refused("worktree_missing", path=str(worktree))
    return found


def registered(common: Path, worktree: Path) -> Path | None:
    """The same, or None where git knows no such worktree."""
    return next((admin for admin in sorted(common.glob("worktrees/*")) if _place(admin) == worktree), None)


async def drop(repo: Path, worktree: Path) -> None:
    """Remove one worktree and its registration.

    Not ``git worktree prune``: that forgets the person's own worktrees too, when their disk is not mounted just now.
    """
    await asyncio.to_thread(erase, worktree)
    await git(repo, "worktree", "remove", "--force", "--force", "--", str(worktree))


def restore_pointer(worktree: Path, admin: Path) -> None:
    """Make ``.git`` of the worktree lead to its registration again, whatever an agent put there."""
    pointer, content = worktree / ".git", b"gitdir: " + os.fsencode(admin) + b"\n"
    if pointer.is_file() and not pointer.is_symlink() and pointer.read_bytes() == content:
        return
    erase(pointer)
    pointer.write_bytes(content)


def erase(path: Path) -> None:
    """Delete a file or a whole folder, never through a link; read-only folders (module caches have them) go too."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        path.chmod(stat.S_IRWXU)
        for parent, folders, _ in os.walk(path):
            for folder in (Path(parent, name) for name in folders):
                if not folder.is_symlink():
                    folder.chmod(stat.S_IRWXU)
        shutil.rmtree(path)


def _sweep(common: Path, ours: Path) -> None:
    for admin in common.glob("worktrees/*"):
        place = _place(admin)
        if place and ours in place.parents and _unfinished(admin):
            erase(place)
            erase(admin)


def _unfinished(admin: Path) -> bool:
    """git's own mark of a creation under way, which stays when git is killed; ``commondir`` is what it writes last."""
    return _read(admin / "locked") == b"initializing" or not _read(admin / "commondir")


def _place(admin: Path) -> Path | None:
    """The worktree a registration is for; its path is written relative to the registration on request."""
    pointer = admin / os.fsdecode(_read(admin / "gitdir"))
    return Path(os.path.realpath(pointer.parent)) if pointer.name == ".git" else None


def _read(note: Path) -> bytes:
    try:
        return note.read_bytes().removesuffix(b"\n")
    except (FileNotFoundError, NotADirectoryError):
        return b""


def _is_folder(path: Path) -> bool:
    return path.is_dir()
