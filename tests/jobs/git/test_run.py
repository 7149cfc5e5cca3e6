"""One git call: bounded, guarded, with a deadline."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from core.errors import Refused, Unavailable
from jobs.git.lock import locked
from jobs.git.run import git

from .conftest import Person


async def test_a_failure_names_the_command_and_gits_own_words(person: Person) -> None:
    with pytest.raises(Unavailable) as caught:
        await git(person.path, "rev-parse", "--verify", "nowhere")
    assert caught.value.code == "git_failed"
    assert caught.value.params["command"] == "rev-parse"
    assert "single revision" in str(caught.value.params["why"])


async def test_a_missing_git_is_said(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Refused, match="git_missing"):
        await git(person.path, "version")


@pytest.mark.parametrize("manners", ["", "trap '' TERM;"])
async def test_a_git_that_does_not_end_is_ended_with_what_it_started(person: Person, manners: str) -> None:
    mark = person.path.parent / "pid"
    person.git("config", "alias.hang", f'!{manners} echo $$ > "{mark}"; cat "{_fifo(person)}"')
    with pytest.raises(Unavailable, match="git_timeout"):
        await git(person.path, "hang", seconds=1.0)
    for _ in range(200):
        if not _alive(int(mark.read_text())):
            return
        await asyncio.sleep(0.02)
    pytest.fail("the process git started is still alive")


def _fifo(person: Person) -> Path:
    pipe = person.path.parent / "pipe"
    os.mkfifo(pipe)
    return pipe


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return not Path("/proc/self").exists()
    return state != "Z"


async def test_too_much_output_is_refused_unless_the_caller_can_use_a_part(person: Person) -> None:
    person.commit("big.txt", "line\n" * 50_000)
    with pytest.raises(Unavailable, match="git_output_too_large"):
        await git(person.path, "cat-file", "blob", "HEAD:big.txt", limit=1000)
    part = await git(person.path, "cat-file", "blob", "HEAD:big.txt", limit=1000, may_cut=True)
    assert part.cut
    assert len(part.out) == 1000


async def test_variables_of_the_worker_do_not_reach_git(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    person.git("config", "alias.environment", "!env")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("SECRET_TOKEN", "hidden")
    seen = (await git(person.path, "environment")).line
    assert "hidden" not in seen
    assert "GIT_TERMINAL_PROMPT=0" in seen


async def test_a_lock_lets_one_in_and_says_when_it_stays_busy(tmp_path: Path) -> None:
    async with locked(tmp_path / "locks" / "flow"):
        with pytest.raises(Unavailable, match="lock_busy"):
            async with locked(tmp_path / "locks" / "flow", seconds=0.1):
                pytest.fail("two holders")
        async with locked(tmp_path / "locks" / "another"):
            pass
    async with locked(tmp_path / "locks" / "flow", seconds=0.1):
        pass


async def test_a_cancelled_waiter_does_not_take_the_lock_later(tmp_path: Path) -> None:
    async def wait() -> None:
        async with locked(tmp_path / "locks" / "flow"):
            pytest.fail("taken after the cancel")

    async with locked(tmp_path / "locks" / "flow"):
        waiter = asyncio.create_task(wait())
        await asyncio.sleep(0.05)
        waiter.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiter
    async with locked(tmp_path / "locks" / "flow", seconds=0.1):
        pass
