"""A mistake of the person asking ends in a sentence that says what to do, in the right exit code, never in a traceback."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest

from bot.cli.errors import SENTENCES, exit_code, sentence
from bot.words import REFUSALS
from core.errors import Bug, Refused, ThreadleadError, Unavailable
from core.ledger import outage
from tests.bot.cli.terminal import Terminal

ROOT = Path(__file__).parents[3]
INSIDE = {  # what a command never meets: it is caught where it is raised, or is a worker's own
    "lost_race",
    "fenced",
    "no_capacity",
    "no_group",
    "group_exists",
}
RAISERS = ("core/settings", "core/redis_server.py", "core/assembly.py", "core/ledger", "core/service.py", "bot/cli")


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)


def codes() -> set[str]:
    """The code of every ``Refused("…")`` and ``Unavailable("…")`` a command can end with."""
    found = {code for _, code, _ in outage._CLASSES} | {code for code, _ in outage._WORDS.values()} | {"redis_error"}
    paths = [
        p for name in RAISERS for p in ([ROOT / name] if name.endswith(".py") else sorted((ROOT / name).rglob("*.py")))
    ]
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Refused", "Unavailable") and node.args:
                first = ast.walk(node.args[0])
                found |= {n.value for n in first if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return found - INSIDE


def test_every_error_a_command_can_end_with_has_a_sentence() -> None:
    assert codes() - set(SENTENCES) - set(REFUSALS) == set()


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_no_sentence_fails_for_want_of_a_parameter(code: str) -> None:
    assert "{" not in sentence(Refused(code))
    assert all(not spec for _, _, spec, _ in string.Formatter().parse(SENTENCES[code]))


def test_an_error_nobody_wrote_a_sentence_for_is_shown_as_it_is() -> None:
    assert sentence(Refused("never_heard_of", path="/x\x1b[2J")) == "never_heard_of: path=/x␛[2J"


EXITS: list[tuple[ThreadleadError, int]] = [(Refused("x"), 2), (Unavailable("x"), 1), (Bug("x"), 1)]


@pytest.mark.parametrize(("error", "code"), EXITS)
def test_asked_wrongly_is_2_and_not_now_is_1(error: ThreadleadError, code: int) -> None:
    assert exit_code(error) == code


NEEDING_REDIS: list[tuple[str, ...]] = [
    ("sessions",),
    ("show", "x"),
    ("log", "x"),
    ("export", "x"),
    ("say", "hello"),
    ("watch",),
    ("bot",),
    ("scheduler",),
    ("worker",),
]


@pytest.mark.parametrize("words", NEEDING_REDIS)
def test_without_any_redis_the_way_to_one_is_said(words: tuple[str, ...], terminal: Terminal) -> None:
    said = terminal.run(*words, THREADLEAD_DATA=str(terminal.folder / "data"))
    assert said.code == 2
    assert "Start one with `threadlead up`, or set REDIS_URL." in said.err
    assert said.out == ""


@pytest.mark.parametrize("words", [("sessions",), ("show", "x"), ("say", "hello")])
def test_a_redis_that_does_not_answer_is_said_soon(words: tuple[str, ...], terminal: Terminal) -> None:
    said = terminal.run(*words, timeout=12, REDIS_URL="redis://127.0.0.1:1")
    assert said.code == 1
    assert said.err.startswith("threadlead: Redis does not answer (")
    assert "127.0.0.1" in said.err


def test_wrong_settings_are_named_and_their_values_are_not_shown(terminal: Terminal) -> None:
    said = terminal.run("sessions", THREADLEAD_WEB__PORT="s3cret", REDIS_URL="redis://127.0.0.1:1")
    assert said.code == 2
    assert said.err.startswith("threadlead: The settings cannot be used:\n")
    assert "THREADLEAD_WEB__PORT" in said.err
    assert "s3cret" not in said.err


def test_an_unknown_key_of_the_file_is_named(terminal: Terminal) -> None:
    (terminal.folder / "threadlead.toml").write_text("[web]\nprot = 1\n")
    said = terminal.run("sessions")
    assert (said.code, "prot" in said.err) == (2, True)


def test_an_unreadable_file_of_settings_is_named(terminal: Terminal) -> None:
    (terminal.folder / "threadlead.toml").write_text("[web\n")
    said = terminal.run("sessions")
    assert (said.code, "threadlead.toml" in said.err) == (2, True)
