"""Where a path of a command line leads: inside the worktree, or to what the worktree must not touch.

Promise: symbolic links, ``..``, ``~`` and every folder the command may have changed to are taken into account.
Rule: a path counts as inside only when it is so from each possible folder. This is the tree as it stands now: what
a running command creates later is judged by the rules for the commands that create it.
"""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from pathlib import Path

from jobs.policy.listing import listed

# Reading or writing these touches no file of anybody.
DEVICES = listed("- /dev/null /dev/zero /dev/stdin /dev/stdout /dev/stderr /dev/fd/0 /dev/fd/1 /dev/fd/2 /dev/fd/63")
# A pattern that names more files than this is not followed further, and asks.
MAX_MATCHES = 2_000
# More possible folders than this is no ordinary command line.
MAX_FOLDERS = 16


class Spot(Enum):
    """``ROOT`` is the worktree's own folder, ``GUARDED`` a place inside it that steers git or this product."""

    INSIDE = "inside"
    ROOT = "root"
    GUARDED = "guarded"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Place:
    """The worktree and the folders, all resolved, in which the next command may find itself."""

    root: Path
    folders: tuple[Path, ...]

    def spot(self, text: str) -> Spot:
        """Where ``text`` leads, the worst case over all folders."""
        if text in DEVICES:
            return Spot.INSIDE
        if text.startswith("~") or text.startswith("/dev/"):
            return Spot.OUTSIDE
        spots = {_spot(resolved(folder / text), self.root) for folder in self.folders}
        return next((s for s in (Spot.OUTSIDE, Spot.GUARDED, Spot.ROOT) if s in spots), Spot.INSIDE)

    def matches(self, pattern: str) -> tuple[str, ...] | None:
        """What a glob names now, in all folders; the pattern itself stands in for no match. None: too many."""
        if pattern.startswith(("/", "~")) or ".." in pattern.split("/"):
            return (pattern,)
        found: list[str] = [pattern]
        for folder in self.folders:
            found += islice(glob.iglob(pattern, root_dir=folder), MAX_MATCHES - len(found) + 1)
        return tuple(found) if len(found) <= MAX_MATCHES else None

    def entered(self, text: str) -> Place | None:
        """The place after ``cd text``, which may also have failed; None when that could leave the worktree."""
        reached = dict.fromkeys(self.folders)
        for folder in self.folders:
            # The shell takes ``..`` off the path as text, the kernel follows links first: allow for both.
            for target in (Path(os.path.normpath(folder / text)), folder / text):
                reached[resolved(target)] = None
        inside = all(_spot(folder, self.root) in (Spot.INSIDE, Spot.ROOT) for folder in reached)
        if text.startswith("~") or not inside or len(reached) > MAX_FOLDERS:
            return None
        return Place(self.root, tuple(reached))


def resolved(path: Path) -> Path:
    """``path`` with links followed as far as it exists; one the system cannot follow stays as it is written."""
    try:
        return Path(os.path.realpath(path))
    except OSError:
        return Path(os.path.normpath(path))


def _spot(path: Path, root: Path) -> Spot:
    if path == root:
        return Spot.ROOT
    if not path.is_relative_to(root):
        return Spot.OUTSIDE
    parts = [part.casefold() for part in path.relative_to(root).parts]
    guarded = ".git" in parts or parts[-1] == "threadlead.toml"
    return Spot.GUARDED if guarded else Spot.INSIDE
