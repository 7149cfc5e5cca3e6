"""Which harness does the work of which target: ``shell`` always, and the agents of the settings by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import Refused
from core.settings import Settings
from jobs.harness.contract import Harness
from jobs.harness.recording import load
from jobs.harness.script import ScriptHarness
from jobs.harness.shell import ShellHarness
from jobs.policy import ShellPolicy

SHELL = "shell"


def _script(row: Mapping[str, Any]) -> Harness:
    if set(row) != {"harness", "recording"}:
        raise Refused("bad_agent", why="an agent of harness script has exactly one more key, recording")
    return ScriptHarness(load(row["recording"]))


HARNESSES: dict[str, Callable[[Mapping[str, Any]], Harness]] = {"script": _script}


@dataclass(frozen=True, slots=True)
class Harnesses:
    by_target: Mapping[str, Harness]

    @classmethod
    def from_settings(cls, settings: Settings) -> Harnesses:
        """Raises Refused: ``bad_agent``, ``bad_recording``, ``bad_shell_policy``."""
        found: dict[str, Harness] = {SHELL: ShellHarness(shell_policy(settings))}
        for name, row in settings.agents.items():
            make = HARNESSES.get(str(row.get("harness", "")))
            if make is None or name == SHELL:
                raise Refused("bad_agent", name=name, why=f"harness is one of {', '.join(HARNESSES)}")
            found[name] = make(row)
        return cls(found)

    def get(self, target: str) -> Harness:
        harness = self.by_target.get(target)
        if harness is None:
            raise Refused("unknown_target", target=target)
        return harness


def agent_targets(settings: Settings) -> tuple[str, ...]:
    """The agents people can give prose to, in the order of the settings."""
    return tuple(settings.agents)


def shell_policy(settings: Settings) -> ShellPolicy:
    """Raises Refused("bad_shell_policy") naming what is wrong in the ``shell`` table."""
    try:
        return ShellPolicy.model_validate(settings.shell)
    except ValueError as error:
        raise Refused("bad_shell_policy", why=str(error)) from error
