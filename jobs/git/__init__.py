"""Git workspaces: each task works in its own worktree on its own branch, the flow's branch gathers the tasks'
commits, and the person's own checkout is touched by nothing but an accepted merge.

Read ``worktree`` first (a task's life), then ``merge`` (how work comes together); ``run`` is the only module that
starts git.
"""

from .commit import commit_all
from .diff import DiffStat, diff_text, diffstat
from .merge import integrate, merge_to_base
from .names import flow_branch, slug, task_branch
from .repo import RepoFacts, head, inspect
from .worktree import Place, clean, prepare

__all__ = [
    "DiffStat",
    "Place",
    "RepoFacts",
    "clean",
    "commit_all",
    "diff_text",
    "diffstat",
    "flow_branch",
    "head",
    "inspect",
    "integrate",
    "merge_to_base",
    "prepare",
    "slug",
    "task_branch",
]
