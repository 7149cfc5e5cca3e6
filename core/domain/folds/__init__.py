"""One function per fact, by what the fact is about; ``FOLDS`` is the table of all of them, by type of fact."""

from core.domain.folds import interactions, plans, sessions, tasks
from core.domain.folds.table import FOLDS

__all__ = ["FOLDS", "interactions", "plans", "sessions", "tasks"]
