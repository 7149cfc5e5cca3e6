"""A small worktree with what a hostile repository would hold: links out, a script, an odd name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from jobs.policy import Ruling, ShellPolicy, judge

Rule = Callable[[str], Ruling]


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The worktree: ``src/``, ``a.txt``, a script, ``out`` that links away and ``odd/`` with an option-like name."""
    root = tmp_path_factory.mktemp("work") / "tree"
    for folder in ("src/deep", "odd", "links"):
        (root / folder).mkdir(parents=True)
    (root / "a.txt").write_text("a\n")
    (root / "src" / "b.txt").write_text("b\n")
    (root / "src" / "deep" / "c.txt").write_text("c\n")
    (root / "odd" / "-rf").write_text("")
    (root / "out").symlink_to("/etc")
    (root / "links" / "passwd").symlink_to("/etc/passwd")
    (root / "links" / "near").symlink_to("../a.txt")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    return root


@pytest.fixture(scope="session")
def rule(root: Path) -> Rule:
    """``judge`` at the top of the worktree with the default policy."""
    policy = ShellPolicy()
    return lambda command: judge(command, folder=root, root=root, policy=policy)
