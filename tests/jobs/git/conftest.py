"""A person's repository with real git, and a worker's data folder beside it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from jobs.git import Place, prepare

FLOW = "flow_0192a000-1111-7222-8333-44449f3c21aa"
FLOW_BRANCH = "threadlead/fix-the-retry-9f3c21aa"


@dataclass(frozen=True)
class Person:
    """A person's checkout and the data folder; plain git calls as the person makes them."""

    path: Path
    data: Path

    def git(self, *args: str, at: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *args], cwd=at or self.path, capture_output=True, text=True, check=True, errors="surrogateescape"
        )
        return done.stdout.strip()

    def write(self, name: str, text: str, at: Path | None = None) -> Path:
        file = (at or self.path) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def commit(self, name: str, text: str, at: Path | None = None) -> str:
        self.write(name, text, at)
        self.git("add", "--all", at=at)
        self.git("commit", "-q", "-m", f"Write {name!r}", at=at)
        return self.git("rev-parse", "HEAD", at=at)

    def tip(self, branch: str) -> str:
        return self.git("rev-parse", f"refs/heads/{branch}")

    def refs(self) -> str:
        return self.git("for-each-ref")

    async def place(self, short: str, settled: Sequence[str] = (), flow_id: str = FLOW) -> Place:
        base = self.git("rev-list", "--max-parents=0", "HEAD")
        return await prepare(
            self.path, self.data, flow_id=flow_id, slug="Fix the retry", short=short, base_commit=base, settled=settled
        )


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, so that no test depends on the machine's git configuration."""
    place = tmp_path / "home"
    place.mkdir()
    (place / ".gitconfig").write_text(
        "[user]\n\tname = alice\n\temail = alice@example.org\n[init]\n\tdefaultBranch = main\n"
        '[protocol "file"]\n\tallow = always\n'
    )
    for name in [name for name in os.environ if name.startswith(("GIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return place


@pytest.fixture
def person(tmp_path: Path, home: Path) -> Person:
    """A repository in a folder with a space and Chinese in its name, one commit on main."""
    path = tmp_path / "my code 代码"
    path.mkdir()
    someone = Person(path, tmp_path / "data folder")
    someone.git("init", "-q")
    someone.commit("app.py", "one\ntwo\nthree\n")
    return someone
