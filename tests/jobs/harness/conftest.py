"""A worktree and a scratch folder beside it, with a space and Chinese in their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.harness.contract import Workspace


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    folder, scratch = tmp_path / "work tree 工作", tmp_path / "scratch"
    folder.mkdir()
    scratch.mkdir()
    return Workspace(folder=folder, scratch=scratch, branch="threadlead/t1", env={})
