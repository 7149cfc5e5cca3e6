"""What a team writes in ``[shell]`` of ``threadlead.toml`` is checked, frozen and ordered by precedence."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from pydantic import ValidationError

from jobs.policy import ShellPolicy, judge
from jobs.policy.rules import match


def codes(command: str, root: Path, **rules: object) -> set[str]:
    policy = ShellPolicy.model_validate(rules)
    return {reason.code for reason in judge(command, folder=root, root=root, policy=policy).reasons}


def test_it_is_read_from_the_file_as_it_stands() -> None:
    """A list in the file replaces the default one, the others stay."""
    policy = ShellPolicy.model_validate(tomllib.loads('allowed = ["tidy"]\nmax_length = 100'))
    assert policy.allowed == ("tidy",)
    assert "curl" in policy.network


@pytest.mark.parametrize("entry", ["", "  ", "*", "**", "? x", "ls\n", "ls\x1b"])
def test_an_entry_that_would_match_everything_or_nothing_is_refused(entry: str) -> None:
    """When the settings are read, not when a command runs."""
    with pytest.raises(ValidationError):
        ShellPolicy(allowed=(entry,))


def test_unknown_keys_and_later_changes_are_refused() -> None:
    """A misspelt key is named, and nobody widens the policy at run time."""
    with pytest.raises(ValidationError, match="alowed"):
        ShellPolicy.model_validate({"alowed": ["ls"]})
    with pytest.raises(ValidationError, match="frozen"):
        ShellPolicy().allowed = ("rm",)  # type: ignore[misc]


def test_every_field_is_documented() -> None:
    """The settings file is written from these texts."""
    assert all(field.description for field in ShellPolicy.model_fields.values())


def test_entries_match_whole_words_from_the_start() -> None:
    """The longest entry counts; a star stands for the rest of one word."""
    assert match(["npm", "test"], ["npm", "npm test"]) == 2
    assert match(["npm", "run", "lint:fix"], ["npm run lint*"]) == 3
    assert match(["npmx"], ["npm"]) == 0
    assert match(["npm"], ["npm test"]) == 0
    assert match(["npm", "-x", "test"], ["npm test"]) == 0


def test_allowed_waves_through_what_stays_in_the_worktree(root: Path) -> None:
    """Unknown programs, scripts and a named network command, in any length that names it."""
    assert codes("tidy x", root, allowed=["tidy"]) == set()
    assert codes("./run.sh --all", root, allowed=["./run.sh"]) == set()
    assert codes("npm ci", root, allowed=["npm ci"]) == set()
    assert codes("npm ci", root, allowed=["npm"]) == {"uses_network"}
    assert codes("git push", root, allowed=["git push"]) == set()
    assert codes("make test deploy", root, allowed=["make test"]) == {"runs_project_script"}


def test_allowed_cannot_wave_through_what_reaches_beyond(root: Path) -> None:
    """Elevation, recursive deletion, writes outside and forced pushes still ask."""
    assert codes("sudo ls", root, allowed=["sudo", "ls"]) == {"elevates"}
    assert codes("rm -r x", root, allowed=["rm"]) == {"deletes_recursively"}
    assert codes("tidy /etc/x", root, allowed=["tidy"]) == {"writes_outside"}
    assert codes("git push -f", root, allowed=["git push"]) == {"force_push"}


def test_ask_beats_every_other_list(root: Path) -> None:
    """Also for a program that only reads, and behind a wrapper."""
    for command in ("ls", "timeout 5 ls", "bash -c ls"):
        assert "always_asked" in codes(command, root, ask=["ls"], allowed=["ls"])


def test_a_variable_on_the_list_may_be_set(root: Path) -> None:
    """Others ask, since many change what a program runs."""
    assert codes("APP_MODE=x pytest", root, variables=["APP_*"]) == set()
    assert codes("APP_MODE=x pytest", root) == {"changes_variable"}


def test_the_length_that_is_analysed_is_a_setting(root: Path) -> None:
    """A longer command asks."""
    assert codes("ls a.txt", root, max_length=5) == {"too_long"}
