"""What changed between two commits, in numbers and as text.

The rule: only git's own plumbing reads the objects; external diff drivers, text converters and the person's display
settings have no say, and the answer is bounded whatever the repository holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .repo import commit_of
from .run import git

BIGGEST = 10  # files named in a DiffStat
TEXT_LIMIT = 256 * 1024  # bytes of a diff as text
PLAIN = ("-r", "--no-commit-id", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--submodule=short")


@dataclass(frozen=True)
class DiffStat:
    """Counts of files and lines; ``biggest`` are the most changed files as (path, added, removed), binary ones as
    0, 0."""

    files: int
    added: int
    removed: int
    biggest: tuple[tuple[str, int, int], ...]


async def diffstat(repo: Path, base: str, tip: str) -> DiffStat:
    """Counts from ``base`` to ``tip``. Raises ``Refused("commit_missing")``."""
    numbers = await git(repo, "diff-tree", *PLAIN, "--numstat", "-z", *await _ends(repo, base, tip))
    rows = _rows(numbers.out)
    return DiffStat(
        files=len(rows),
        added=sum(added for _, added, _ in rows),
        removed=sum(removed for _, _, removed in rows),
        biggest=tuple(sorted(rows, key=lambda row: (-row[1] - row[2], row[0]))[:BIGGEST]),
    )


async def diff_text(repo: Path, base: str, tip: str, limit: int = TEXT_LIMIT) -> str:
    """The unified diff, cut at a whole line after at most ``limit`` bytes, with a last line that says so."""
    made = await git(repo, "diff-tree", *PLAIN, "-p", *await _ends(repo, base, tip), limit=limit, may_cut=True)
    if not made.cut:
        return made.out.decode("utf-8", "replace")
    whole_lines = made.out[: made.out.rfind(b"\n") + 1]
    return whole_lines.decode("utf-8", "replace") + f"[diff cut after {len(whole_lines)} bytes]\n"


async def _ends(repo: Path, base: str, tip: str) -> tuple[str, str, str]:
    return await commit_of(repo, base), await commit_of(repo, tip), "--"


def _rows(out: bytes) -> list[tuple[str, int, int]]:
    """``added TAB removed TAB path NUL``, or for a rename an empty path and then ``old NUL new NUL``."""
    parts = iter(out.split(b"\0")[:-1])
    rows = []
    for part in parts:
        added, removed, path = part.split(b"\t", 2)
        if not path:
            next(parts)
            path = next(parts)
        rows.append((path.decode("utf-8", "replace"), _count(added), _count(removed)))
    return rows


def _count(number: bytes) -> int:
    return 0 if number == b"-" else int(number)
