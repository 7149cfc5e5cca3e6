"""The demo as a newcomer runs it: the whole story, in time, and nothing left behind."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.cli.demo import free_port
from bot.cli.demo.scenery import paint, recorded_agent
from tests.bot.cli.terminal import Said, Terminal, bare_environment, git, until

pytestmark = pytest.mark.process

KEY_LINES = [
    r"^alice: look into the slow checkout, then build the price cache",
    r"^lead \+ P1 · shop, from main @ [0-9a-f]{8}$",
    r"^alice taps \[Apply\]$",
    r"T(2 Build the price cache|3 Write the docs) · working · on laptop",  # side by side: either may be first
    r"^alice: fix the retry first, leave the cache for now, and we don't need the docs$",
    r"− Cancel T3 Write the docs \(working\)",
    r"‖ Pause T2 Build the price cache \(its work so far is kept\)",
    r"\+ T5 Fix the retry$",
    r"^lead \+ A1 needs you · T5 wants to run `rm -rf build-cache`$",
    r"^alice taps \[Reject\]: the cache is slow to build, keep it$",
    r"A1 rejected by alice · nothing ran · T5 goes on without it",
    r"T5 Fix the retry is ready for review · 1 file, \+\d+ −\d+ · `[^`]+` exit 0",
    r"^alice taps \[Rework\]: say in the error how often it was tried$",
    r"ready for review · round 2 ·",
    r"^alice taps \[Accept\]$",
    r"with what (T5, T2|T2, T5) handed over",
    r": finished · 4 done · 1 cancelled · 1 rework · took ",
    r"^That was [\d.]+ s, \d+ events in one log, and no account\. Now: threadlead up$",
]


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """A shell whose temporary files are its own; the path is short because a socket's has about 100 characters."""
    folder = Path("/tmp") / f"tl-demo-{os.getpid()}-{os.urandom(3).hex()}"  # noqa: S108
    folder.mkdir()
    yield Terminal(folder, bare_environment(TMPDIR=str(folder)))
    shutil.rmtree(folder, ignore_errors=True)


def left_over(folder: Path) -> list[str]:
    """Files in the folder, and processes that were started for it."""
    found = [str(path) for path in folder.iterdir()]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            told = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
        except OSError:
            continue
        if int(process.name) != os.getpid() and os.fsencode(folder) in told:
            found.append((process / "cmdline").read_bytes().decode().replace("\0", " "))
    return found


def check_facts(said: Said) -> None:
    facts = said.rows[-1]
    assert set(facts) == {"ok", "seconds", "session", "events", "tasks", "approvals", "posts", "edits"}
    assert facts["ok"] is True
    assert facts["seconds"] < 30
    assert facts["events"] > 60
    assert facts["tasks"] == {"done": 4, "cancelled": 1}
    assert facts["approvals"] == {"rejected": 1}
    assert facts["posts"] >= 8
    assert facts["edits"] >= 8


def test_a_program_gets_one_object_and_the_settings_of_another_threadlead_do_not_matter(terminal: Terminal) -> None:
    (terminal.folder / "threadlead.toml").write_text("[web]\nport = 1\n")
    said = terminal.run(
        "demo", "--json", REDIS_URL="redis://127.0.0.1:1", THREADLEAD_WORKSPACE="other", THREADLEAD_DATA="/nope"
    )
    assert (said.code, said.err) == (0, "")
    assert len(said.out.splitlines()) == 1
    check_facts(said)
    assert left_over(terminal.folder) == [str(terminal.folder / "threadlead.toml")]


def test_a_newcomer_reads_the_story_in_order(terminal: Terminal) -> None:
    said = terminal.run("demo")
    assert (said.code, said.err) == (0, "")
    lines, at = said.out.splitlines(), 0
    for pattern in KEY_LINES:
        following = [n for n in range(at, len(lines)) if re.search(pattern, lines[n])]
        assert following, f"{pattern} is not after line {at}:\n{said.out}"
        at = following[0]
    assert not re.search(r"\b(task|att|evt|msg|pd|fl|ix|apr)_[0-9a-f]{8}", said.out), "ids are not for people"
    assert max(map(len, lines)) < 240
    assert left_over(terminal.folder) == []


def test_ctrl_c_ends_it_and_leaves_nothing_behind(terminal: Terminal) -> None:
    with terminal.started("demo") as running:
        until(running, "P1 applied by alice")
        os.killpg(running.pid, signal.SIGINT)
        running.communicate(timeout=15)
        assert running.returncode == 130
    assert left_over(terminal.folder) == []


def test_a_folder_that_is_kept_is_named(terminal: Terminal) -> None:
    said = terminal.run("demo", "--json", "--keep")
    kept = Path(said.err.removeprefix("Kept: ").strip())
    assert (kept / "shop" / "checkout.py").is_file()
    assert "Traceback" not in (kept / "processes.log").read_text()


def test_without_git_it_says_so(terminal: Terminal, tmp_path: Path) -> None:
    said = terminal.run("demo", PATH=str(tmp_path))
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("threadlead: git is not on PATH. Install git ")
    assert left_over(terminal.folder) == []


# -- the scenery -----------------------------------------------------------------------------------------------------


async def test_the_shop_is_a_real_repository_with_a_real_bug(tmp_path: Path) -> None:
    scenery = await paint(tmp_path)
    assert git(scenery.repo, "status", "--porcelain") == ""
    assert git(scenery.repo, "log", "--format=%an %s").strip() == "alice A shop with a checkout"
    assert "while True" in (scenery.repo / "checkout.py").read_text()
    assert (scenery.repo / "build-cache" / "prices.bin").is_file()
    assert json.loads(scenery.recording.read_text()) == json.loads(recorded_agent())


def test_a_port_nobody_uses_is_found() -> None:
    assert 1024 < free_port() < 65_536
