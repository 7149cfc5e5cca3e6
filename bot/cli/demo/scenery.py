"""What the demo stands on: a small repository with a real bug, and the recording of an agent that mends it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from jobs.git.run import git

CHECKOUT = '''"""A shop's checkout, with a bug: it asks a failing payment service for ever."""


def pay(call, attempts=0):
    while True:
        if call():
            return True
'''

TEST = """import unittest

import checkout


class Pay(unittest.TestCase):
    def test_a_payment_goes_through(self):
        self.assertTrue(checkout.pay(lambda: True))


if __name__ == "__main__":
    unittest.main()
"""


@dataclass(frozen=True, slots=True)
class Scenery:
    repo: Path
    recording: Path


async def paint(folder: Path) -> Scenery:
    """Make the repository (``shop``) and write the recording beside it."""
    repo = folder / "shop"
    repo.mkdir(parents=True)
    (repo / "checkout.py").write_text(CHECKOUT, encoding="utf-8")
    (repo / "test_checkout.py").write_text(TEST, encoding="utf-8")
    (repo / ".gitignore").write_text("build-cache/\n__pycache__/\n", encoding="utf-8")
    (repo / "build-cache").mkdir()
    (repo / "build-cache" / "prices.bin").write_text("warm\n", encoding="utf-8")
    await git(repo, "init", "--quiet", "--initial-branch=main")
    await git(repo, "add", "--all")
    who = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in WHO.items()}
    await git(repo, "commit", "--quiet", "--message", "A shop with a checkout", env=who)
    recording = folder / "recording.json"
    recording.write_text(recorded_agent(), encoding="utf-8")
    return Scenery(repo, recording)


WHO = {"NAME": "alice", "EMAIL": "alice@example.org"}


def recorded_agent() -> str:
    """The recording as it is packed with the code."""
    text = resources.files("bot.cli.demo").joinpath("recording.json").read_text(encoding="utf-8")
    json.loads(text)
    return text
