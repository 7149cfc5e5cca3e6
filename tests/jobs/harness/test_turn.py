"""One turn in our own process: what must hold whoever plays it."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from jobs.harness import contract as h
from jobs.harness.recording import load
from jobs.harness.script import ScriptHarness
from jobs.harness.shell import ShellHarness
from jobs.policy import ShellPolicy

from .real import alive, argv, eventually, numbers, python
from .turns import Heard, allow, assignment, listen, play

SHELL = ShellHarness(ShellPolicy())

STUBBORN = (
    "import os,signal;signal.signal(signal.SIGTERM,signal.SIG_IGN);os.fork();"
    "open('../ids','a').write(f'{os.getpid()}\\n');print('up',flush=True);signal.pause()"
)


def recorded(*steps: dict[str, Any]) -> ScriptHarness:
    return ScriptHarness(load({"tasks": [{"match": "page", "steps": list(steps)}]}))


async def test_chinese_and_broken_output_is_told(place: h.Workspace) -> None:
    code = r"import sys;sys.stdout.buffer.write('测试通过 3\n'.encode()+b'\xff\xfe bytes\x00\n')"
    heard = await play(SHELL, assignment(python(code)), place, allow)
    report = heard.one(h.Reported)
    assert report.summary.endswith("exit 0 · \ufffd\ufffd bytes")
    assert report.proofs[0].output.decode() == "测试通过 3\n\ufffd\ufffd bytes\n"
    assert heard.live == report.proofs[0].excerpt


async def test_a_program_missing_inside_a_longer_line_is_named_too(place: h.Workspace) -> None:
    heard = await play(SHELL, assignment("true && frobnicate --now"), place, allow)
    broke = heard.one(h.Broke)
    assert broke.failure == "command_not_found"
    assert broke.detail.startswith("frobnicate is not installed")


async def test_leave_covers_what_was_shown_and_a_new_reason_asks_again(place: h.Workspace) -> None:
    """While a person looks at the question, a folder of the worktree becomes a link that leads out of it."""
    (place.folder / "old").mkdir()
    outside = place.scratch / "precious"
    outside.mkdir()

    def answer(asked: h.PermissionAsked) -> h.Answer:
        if asked.request_id.endswith("-1"):
            (place.folder / "old").rmdir()
            (place.folder / "old").symlink_to(place.scratch)
            return h.Answer(True, "alice")
        return h.Answer(False, "alice", "not there")

    heard = await play(SHELL, assignment("rm -rf old/precious"), place, answer)
    first, second = heard.of(h.PermissionAsked)
    assert first.reasons != second.reasons
    assert second.risk == "high"
    assert heard.one(h.Broke).detail == "alice: not there"
    assert outside.exists()


async def test_a_secret_in_the_command_itself_is_hidden_everywhere(
    place: h.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_API_TOKEN", "correct-horse-battery")
    command = "rm -rf correct-horse-battery"
    heard = await play(SHELL, assignment(command), place, allow)
    assert heard.one(h.PermissionAsked).command == "rm -rf [secret: known]"
    assert heard.one(h.Reported)
    assert "horse" not in repr(heard.said)


async def test_a_cancelled_command_still_shows_what_it_did_and_none_of_it_runs(place: h.Workspace) -> None:
    session = await recorded({"run": argv(STUBBORN)}).open(assignment("x", title="page"), place)
    assert await session.send("go") == "new_turn"
    pids = await numbers(place.folder.parent / "ids", 2)
    await session.close()
    heard = await listen(session)
    assert heard.one(h.ToolFinished).exit_code == 128 + signal.SIGKILL
    assert b"up" in heard.one(h.ToolFinished).output
    assert heard.said[-1] == h.Idle("cancelled")
    assert not [pid for pid in pids if alive(pid)]


async def test_a_session_that_was_never_used_can_be_closed(place: h.Workspace) -> None:
    session = await SHELL.open(assignment("true"), place)
    await session.cancel()
    await session.close()


async def test_a_mistake_of_ours_ends_the_turn_with_a_word(place: h.Workspace) -> None:
    """The folder is gone: nothing can be started there."""
    place.folder.rmdir()
    heard = await play(recorded({"run": ["true"]}), assignment("x", title="page"), place)
    assert heard.one(h.Broke).failure == "harness_error"
    assert "folder_missing" in heard.one(h.Broke).detail
    assert heard.said[-1] == h.Idle("end_turn")


@pytest.mark.parametrize("path", [".git", ".git/hooks/pre-commit", "sub/.GIT/config", "."])
async def test_a_recording_never_writes_where_git_keeps_its_own(place: h.Workspace, path: str) -> None:
    heard = await play(recorded({"write": {"path": path, "text": "x"}}), assignment("x", title="page"), place)
    assert "path_outside" in heard.one(h.Broke).detail
    assert not list(place.folder.iterdir())


async def test_after_a_recorded_failure_nothing_more_is_played(place: h.Workspace) -> None:
    steps: list[dict[str, Any]] = [
        {"fail": {"failure": "command_failed", "detail": "no"}},
        {"report": {"summary": "done"}},
    ]
    heard = await play(recorded(*steps), assignment("x", title="page"), place)
    assert heard.said == [h.Broke("command_failed", "no"), h.Idle("end_turn")]


async def test_feedback_is_text_and_no_format(place: h.Workspace) -> None:
    steps: list[dict[str, Any]] = [
        {"say": "{feedback} {0}"},
        {"write": {"path": "a.txt", "text": "{feedback}"}},
    ]
    work = assignment("x", title="page", feedback="{x!r} {feedback}")
    heard = await play(recorded(*steps), work, place)
    assert heard.one(h.Message).text == "{x!r} {feedback} {0}"
    assert (place.folder / "a.txt").read_text() == "{x!r} {feedback}"


WORKER = """
import asyncio, sys
from pathlib import Path
from typing import Any
from jobs.harness.shell import ShellHarness
from jobs.policy import ShellPolicy
from tests.jobs.harness.turns import allow, assignment, play
from jobs.harness.contract import Workspace

folder = Path(sys.argv[1])
asyncio.run(play(ShellHarness(ShellPolicy()), assignment(sys.argv[2]), Workspace(folder, folder, "b"), allow))
"""


@pytest.mark.process
async def test_a_command_dies_with_the_worker_that_is_killed(place: h.Workspace) -> None:
    root = str(Path(__file__).parents[3])
    worker = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WORKER, str(place.folder), f"{shlex.join(argv(STUBBORN))} | cat",
        cwd=root, env={**os.environ, "PYTHONPATH": root},
    )  # fmt: skip
    pids = await numbers(place.folder.parent / "ids", 2)
    assert all(alive(pid) for pid in pids)
    worker.send_signal(signal.SIGKILL)
    await worker.wait()
    await eventually(lambda: not any(alive(pid) for pid in pids))


async def test_everything_a_turn_says_ends_with_one_idle(place: h.Workspace) -> None:
    for harness, work in ((SHELL, assignment("false")), (SHELL, assignment("")), (recorded(), assignment("other"))):
        heard: Heard = await play(harness, work, place)
        assert [isinstance(said, h.Idle) for said in heard.said].count(True) == 1
        assert isinstance(heard.said[-1], h.Idle)


async def test_a_cancel_right_after_an_answer_is_not_lost_to_the_next_question(place: h.Workspace) -> None:
    ask = {"command": "rm -rf x", "allowed": [{"ask": {"command": "rm -rf y"}}]}
    session = await recorded({"ask": ask}).open(assignment("x", title="page"), place)
    assert await session.send("go") == "new_turn"
    asked = await anext(aiter(session.events()))
    assert isinstance(asked, h.PermissionAsked)
    await session.answer(asked.request_id, h.Answer(True, "alice"))
    await session.cancel()
    async with asyncio.timeout(5):
        assert (await listen(session)).said == [h.Idle("cancelled")]
    await session.close()
