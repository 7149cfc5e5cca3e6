"""Which harness does the work of which target."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import Refused
from core.settings import Settings
from jobs.harness.registry import Harnesses, agent_targets, shell_policy
from jobs.harness.script import ScriptHarness
from jobs.harness.shell import ShellHarness


@pytest.fixture
def recording(tmp_path: Path) -> str:
    file = tmp_path / "agent.json"
    file.write_text(json.dumps({"tasks": [{"match": "page", "steps": [{"say": "hello"}]}]}))
    return str(file)


def settings(**agents: dict[str, Any]) -> Settings:
    return Settings(agents=agents)


def test_the_shell_is_always_there_and_agents_come_by_their_names(recording: str) -> None:
    said = settings(carol={"harness": "script", "recording": recording})
    harnesses = Harnesses.from_settings(said)
    assert isinstance(harnesses.get("shell"), ShellHarness)
    assert isinstance(harnesses.get("carol"), ScriptHarness)
    assert agent_targets(said) == ("carol",)
    assert not harnesses.get("shell").capabilities.changes_course
    assert harnesses.get("carol").capabilities.changes_course
    assert not harnesses.get("carol").capabilities.steer


def test_a_target_nobody_set_up_is_refused_by_name() -> None:
    with pytest.raises(Refused, match="unknown_target") as refused:
        Harnesses.from_settings(settings()).get("dave")
    assert refused.value.params["target"] == "dave"


@pytest.mark.parametrize(
    ("row", "word"),
    [
        ({"harness": "telepathy"}, "bad_agent"),
        ({}, "bad_agent"),
        ({"harness": "script"}, "bad_agent"),
        ({"harness": "script", "recording": "r", "speed": 2}, "bad_agent"),
        ({"harness": "script", "recording": "missing.json"}, "bad_recording"),
    ],
)
def test_an_agent_that_cannot_be_made_is_refused_when_the_worker_starts(row: dict[str, Any], word: str) -> None:
    with pytest.raises(Refused, match=word):
        Harnesses.from_settings(settings(carol=row))


def test_no_agent_may_take_the_name_of_the_shell(recording: str) -> None:
    with pytest.raises(Refused, match="bad_agent"):
        Harnesses.from_settings(settings(**{"shell": {"harness": "script", "recording": recording}}))


def test_a_wrong_shell_policy_is_refused_by_its_key() -> None:
    with pytest.raises(Refused, match="bad_shell_policy") as refused:
        shell_policy(Settings.model_validate({"shell": {"allow": ["x"]}}))
    assert "allow" in str(refused.value.params["why"])
