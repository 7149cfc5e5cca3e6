"""What every command teaches, and that asking for help costs nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from bot.cli.app import app
from tests.bot.cli.terminal import Terminal

COMMANDS = sorted(get_command(app).commands)  # type: ignore[attr-defined]
TALK = {"say", "watch", "sessions", "show", "log", "export", "import"}
NEEDED = TALK | {"up", "demo", "bot", "scheduler", "worker", "doctor", "version"}
HEAVY = ("redis", "rq", "uvicorn", "starlette", "tree_sitter", "pydantic", "structlog", "httpx", "zstandard", "honcho")


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)


def test_all_the_commands_are_there() -> None:
    assert set(COMMANDS) >= NEEDED


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_teaches(name: str, terminal: Terminal) -> None:
    said = terminal.run(name, "--help")
    assert said.code == 0
    assert f"Usage: threadlead {name}" in said.out or f"Usage: python -m bot.cli {name}" in said.out
    command = get_command(app).commands[name]  # type: ignore[attr-defined]
    assert len(str(command.help)) > 40
    assert str(command.help).split("\n")[0].strip().rstrip(".")[:60] in " ".join(said.out.split()).replace("│ ", "")
    options = [p for p in command.params if not getattr(p, "hidden", False)]
    assert [p.name for p in options if not getattr(p, "help", None)] == []


def test_without_a_command_the_help_is_shown_with_where_to_begin(terminal: Terminal) -> None:
    said = terminal.run()
    assert said.code in (0, 2)
    text = said.out + said.err
    assert "threadlead demo" in text
    assert "threadlead up" in text
    for name in NEEDED:
        assert f" {name} " in text


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from bot.cli.app import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit as end:\n    assert not end.code\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage:" in done.stdout
    assert done.stderr.strip() == "[]"


WRONG = ["fly", "say", "show", "log", "import", "log x --after -1", "up --port 99999", "say x --loud"]


@pytest.mark.parametrize("words", WRONG)
def test_a_command_asked_wrongly_says_so_and_exits_2(words: str, terminal: Terminal) -> None:
    said = terminal.run(*words.split())
    assert said.code == 2
    assert said.err.strip()


def test_the_version_is_told_to_people_and_to_programs(terminal: Terminal) -> None:
    people, program = terminal.run("version"), terminal.run("version", "--json")
    (row,) = program.rows
    assert set(row) == {"threadlead", "redis", "rq", "pydantic", "python"}
    assert people.out.splitlines() == [f"{name} {number}" for name, number in row.items()]
    assert (people.code, program.code) == (0, 0)


def test_agents_are_listed_with_how_to_add_one(terminal: Terminal) -> None:
    said = terminal.run("agents")
    assert (said.code, "No agent is set up: only commands can be run." in said.out) == (0, True)
    assert "[agents.replay]" in said.out
    (terminal.folder / "threadlead.toml").write_text('[agents.replay]\nharness = "script"\nrecording = "r.json"\n')
    assert terminal.run("agents").out.startswith("replay: script\n")
    assert terminal.run("agents", "--json").rows == [{"name": "replay", "harness": "script"}]
