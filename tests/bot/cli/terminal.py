"""The command line as a terminal runs it: a process, its exit code and what it printed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAM = (sys.executable, "-m", "bot.cli")


def bare_environment(**more: str) -> dict[str, str]:
    """Ours without what a Threadlead on this machine is told; no colours, a wide terminal."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("THREADLEAD_") and k != "REDIS_URL"}
    return {**kept, "COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb", **more}


@dataclass(frozen=True)
class Said:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What a program reads: one JSON object a line."""
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(frozen=True)
class Terminal:
    """A shell in ``folder``; ``environment`` is all that the commands see."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=bare_environment)

    def run(self, *words: str, timeout: float = 60, **more: str) -> Said:
        done = subprocess.run(
            [*PROGRAM, *words],
            cwd=self.folder,
            env={**self.environment, "PYTHONPATH": os.getcwd(), **more},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert "Traceback" not in done.stderr + done.stdout, done.stderr
        return Said(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def started(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        """A command that runs until it is told to end; whatever comes of the test, it ends."""
        with subprocess.Popen(
            [*PROGRAM, *words],
            cwd=self.folder,
            env={**self.environment, "PYTHONPATH": os.getcwd()},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                yield process
            finally:
                process.terminate()
                process.communicate(timeout=20)


def until(process: subprocess.Popen[str], words: str) -> str:
    """What was printed up to and with the line that holds ``words``."""
    assert process.stdout is not None
    assert process.stderr is not None
    said = ""
    while words not in said:
        line = process.stdout.readline()
        assert line, f"ended before {words!r}:\n{said}\n{process.stderr.read()}"
        said += line
    return said


def git(repo: Path, *args: str) -> str:
    who = ["-c", "user.name=alice", "-c", "user.email=alice@example.org"]
    return subprocess.run(["git", *who, *args], cwd=repo, check=True, capture_output=True, text=True).stdout


def make_shop(folder: Path) -> Path:
    """A git repository named shop with one commit."""
    repo = folder / "shop"
    repo.mkdir(parents=True)
    (repo / "README.md").write_text("# Shop\n")
    git(repo, "init", "--quiet", "--initial-branch=main")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "A shop")
    return repo
