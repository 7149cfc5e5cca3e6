"""Names of branches and folders, made from what people typed and safe wherever git or a shell may see them.

The rule: a name holds only ``a-z 0-9 _ -`` in each part, so it is never an option, a path upwards or a revision
expression.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from core.errors import Refused

PREFIX = "threadlead/"
SLUG_LENGTH = 40  # characters; a branch name stays readable in one line of a card
ID_LENGTH = 8  # the random end of a UUIDv7: enough to tell the flows of one repository apart
SAFE_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")


def slug(title: str) -> str:
    """``title`` as an ASCII word list of at most 40 characters; a title with nothing ASCII in it becomes ``work``."""
    plain = unicodedata.normalize("NFKD", title[:400]).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:SLUG_LENGTH].strip("-") or "work"


def flow_branch(title: str, flow_id: str) -> str:
    """The one branch of a flow, e.g. ``threadlead/fix-the-retry-9f3c21aa``."""
    return f"{PREFIX}{slug(title)}-{_safe(flow_id)[-ID_LENGTH:].lower()}"


def task_branch(title: str, flow_id: str, short: str) -> str:
    """A task's own branch beside its flow's, e.g. ``threadlead/fix-the-retry-9f3c21aa--t3``."""
    return f"{flow_branch(title, flow_id)}--{_safe(short).lower()}"


def worktrees_folder(data: Path) -> Path:
    """Where all worktrees live. Real path, because that is what git records."""
    return data.resolve() / "worktrees"


def flow_folder(data: Path, flow_id: str) -> Path:
    """Where a flow's worktrees live."""
    return worktrees_folder(data) / _safe(flow_id)


@dataclass(frozen=True)
class TaskNames:
    """Everything about one task that is a name."""

    worktree: Path
    branch: str
    flow_branch: str


def task_names(data: Path, flow_id: str, title: str, short: str) -> TaskNames:
    """The names of one task. Raises ``Refused("unsafe_name")`` for ids that are not plain words."""
    return TaskNames(
        worktree=flow_folder(data, flow_id) / _safe(short).lower(),
        branch=task_branch(title, flow_id, short),
        flow_branch=flow_branch(title, flow_id),
    )


def _safe(part: str) -> str:
    if not SAFE_PART.fullmatch(part):
        raise Refused("unsafe_name", name=part[:80])
    return part
