"""The variables a child gets, and the values that must never leave the worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobs.harness.contract import Workspace
from jobs.harness.environment import child_environment, secret_values
from jobs.harness.process import start

OURS = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/home/alice",
    "THREADLEAD_REDIS_URL": "redis://:opensesame@db:6379/0",
    "THREADLEAD_WEB__TOKEN": "console-token-value",
    "REDIS_URL": "redis://bob:knockknock@db:6379/0",
    "GITHUB_TOKEN": "a-token-of-the-worker",
    "AWS_SECRET_ACCESS_KEY": "a-key-of-the-worker",
    "BASH_ENV": "/home/alice/evil",
    "BASH_FUNC_ls%%": "() { rm -rf ~; }",
    "LD_PRELOAD": "/home/alice/evil.so",
    "PYTHONPATH": "/somewhere",
}


async def test_a_child_sees_nothing_of_ours(place: Workspace) -> None:
    heard: list[bytes] = []
    env = child_environment(place.folder, ours=OURS)
    running = await start(["env"], folder=place.folder, env=env, heard=heard.append)
    seen = dict(line.split("=", 1) for line in (await running.wait()).output.decode().splitlines())
    assert seen["HOME"] == "/home/alice"
    assert not {
        name for name in seen if name.startswith(("THREADLEAD", "REDIS", "GITHUB", "AWS", "BASH", "LD_", "PYTHONPATH"))
    }
    assert not [
        value for value in seen.values() if value in OURS.values() and value not in (OURS["PATH"], OURS["HOME"])
    ]


async def test_a_child_is_told_that_nobody_sits_at_a_terminal(place: Workspace) -> None:
    env = child_environment(place.folder, ours=OURS)
    assert env["TERM"] == "dumb"
    assert env["NO_COLOR"] == env["CI"] == "1"
    assert env["PAGER"] == env["GIT_PAGER"] == "cat"
    assert env["GIT_TERMINAL_PROMPT"] == "0"
    assert env["GIT_EDITOR"] == "true"
    assert env["LANG"] == "C.UTF-8"


def test_variables_named_for_the_repository_come_through_but_for_ours_and_those_that_change_bash(
    tmp_path: Path,
) -> None:
    named = {
        "DATABASE": "test", "CI": "", "THREADLEAD_WEB__TOKEN": "x", "REDIS_URL": "x", "BASH_ENV": "x", "CDPATH": "/",
        "BASH_FUNC_git%%": "() { :; }",
    }  # fmt: skip
    env = child_environment(tmp_path, named, OURS)
    assert env["DATABASE"] == "test"
    assert env["CI"] == ""
    assert not set(env) & (set(named) - {"DATABASE", "CI"})


def test_programs_are_never_looked_for_in_the_worktree(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path.parent / "link").symlink_to(tmp_path / "bin")
    path = f"{tmp_path}/bin:.::relative:{tmp_path.parent}/link:/usr/bin"
    assert child_environment(tmp_path, ours={"PATH": path})["PATH"] == "/usr/bin"
    assert child_environment(tmp_path, ours={"PATH": "."})["PATH"] == "/usr/local/bin:/usr/bin:/bin"


def test_secret_values_are_those_of_telling_names_and_passwords_of_addresses() -> None:
    values = secret_values({"STRIPE_API_KEY": "sk-of-the-repository", "MODE": "production"}, OURS)
    assert set(values) == {
        "opensesame", "knockknock", "console-token-value", "a-token-of-the-worker", "a-key-of-the-worker",
        "sk-of-the-repository",
    }  # fmt: skip


@pytest.mark.parametrize("value", ["", "short", "redis://[broken", "redis://host/0"])
def test_common_or_empty_values_are_not_secrets(value: str) -> None:
    assert secret_values({}, {"A_URL": value}) == ()
    assert secret_values({}, {"A_TOKEN": value[:5]}) == ()
