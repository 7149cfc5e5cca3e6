"""How a worker understands a message: with its settings, its agents, and what the repository itself says of its checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.domain.model import Message, Repo, Session
from core.domain.reading import Reading
from core.errors import Refused
from core.settings import Settings
from jobs.understanding import Understanding


def understanding(settings: dict[str, Any] | None = None) -> Understanding:
    return Understanding.from_settings(Settings(**(settings or {})))


def session(root: Path | None, problem: str = "") -> Session:
    repo = Repo("shop", root=str(root) if root else "", name="shop", problem=problem)
    return Session(id="ps_1", seq=3, repo=repo)


async def read(text: str, state: Session, by: Understanding | None = None) -> Reading:
    return await (by or understanding()).read(Message("msg_1", "alice", text, ts=1), state)


def asks(reading: Reading) -> list[tuple[str, ...]]:
    assert reading.proposal is not None
    return [spec.asks for spec in reading.proposal.create]


async def test_a_plan_says_beforehand_what_its_commands_will_ask_for(tmp_path: Path) -> None:
    reading = await read("git push origin main", session(tmp_path))
    assert asks(reading) == [("`git push origin main`",)]


async def test_a_command_that_only_reads_will_ask_for_nothing(tmp_path: Path) -> None:
    assert asks(await read("git status", session(tmp_path))) == [()]


async def test_what_the_settings_allow_is_not_foreseen(tmp_path: Path) -> None:
    by = understanding({"shell": {"allowed": ["npm ci"]}})
    assert asks(await read("npm ci", session(tmp_path))) == [("`npm ci`",)]
    assert asks(await read("npm ci", session(tmp_path), by)) == [()]


async def test_a_long_command_is_foreseen_by_its_beginning(tmp_path: Path) -> None:
    command = "git push origin " + "a" * 500
    ((ask,),) = asks(await read(command, session(tmp_path)))
    assert ask == f"`{command[:60]}`"


@pytest.mark.parametrize("text", ["git push origin main", "run the tests"])
async def test_a_repository_that_is_not_there_does_not_break_the_reading(tmp_path: Path, text: str) -> None:
    """The message may be read on a worker that has no copy of it."""
    assert (await read(text, session(tmp_path / "gone"))).kind
    assert (await read(text, session(None))).kind
    assert (await read(text, Session(id="ps_1", seq=1))).kind


async def test_named_checks_come_from_the_repository(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("test:\n\tpytest -q\n")
    reading = await read("run the tests", session(tmp_path))
    assert reading.proposal is not None
    assert [(spec.target, spec.content) for spec in reading.proposal.create] == [("shell", "make test")]


async def test_a_repository_with_a_problem_is_not_looked_into(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("test:\n\tpytest -q\n")
    reading = await read("run the tests", session(tmp_path, problem="not_a_repository"))
    assert reading.proposal is None or all(spec.content != "make test" for spec in reading.proposal.create)


async def test_prose_goes_to_the_agents_of_the_settings_and_is_never_judged_as_a_command(tmp_path: Path) -> None:
    path = tmp_path / "recording.json"
    path.write_text('{"tasks": []}')
    by = understanding({"agents": {"coder": {"harness": "script", "recording": str(path)}}})
    reading = await read("Fix the retry of uploads", session(tmp_path), by)
    assert reading.proposal is not None
    assert [(spec.target, spec.asks) for spec in reading.proposal.create] == [("coder", ())]


def test_a_wrong_shell_table_is_refused_when_the_worker_starts() -> None:
    with pytest.raises(Refused, match="bad_shell_policy"):
        understanding({"shell": {"alowed": ["npm ci"]}})
