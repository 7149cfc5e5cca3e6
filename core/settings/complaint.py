"""What is wrong with the settings, in sentences: where it was written, what is wrong, what to do.

The rule: names and rules are said, values never are, for a mistyped line is as likely as any to hold a token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from core.settings.model import Repo, Settings
from core.settings.names import (
    Place,
    env_name,
    fields_of,
    known_env_names,
    known_toml_names,
    nearest,
    section_of,
    toml_name,
)

SHOWN = 120  # characters of a name somebody else wrote that are repeated to them


@dataclass
class Layer:
    """One place settings come from: its values, and under which name each path was written there."""

    where: str
    values: dict[str, Any] = field(default_factory=dict)
    written: dict[Place, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def is_toml(self) -> bool:
        return self.where not in ("environment", ".env")


def complaints(error: ValidationError, layers: Sequence[Layer]) -> list[str]:
    """One line for each thing pydantic found, said about the name the person wrote. ``layers``: strongest first."""
    return [_complaint(dict(found), layers) for found in error.errors(include_input=False, include_url=False)]


def _complaint(found: dict[str, Any], layers: Sequence[Layer]) -> str:
    place = tuple(str(part) for part in found["loc"] if part != "[key]")
    layer, name = _written(place, layers)
    if found["type"] == "extra_forbidden":
        known = known_toml_names(place) if layer.is_toml else known_env_names()
        guess = nearest(name, known)
        advice = f"Did you mean {guess}?" if guess else "Remove it, or see threadlead.toml.example for every name."
        return f"{layer.where}: {shown(name)} is not a setting. {advice}"
    if found["type"] == "missing":
        return f"{layer.where}: {shown(name)} is missing. {_about(place)}"
    what = found["msg"].removeprefix("Value error, ").replace("Input should be", "must be").replace("should", "must")
    return f"{layer.where}: {shown(name)}: {what}. {_about(place)}".rstrip()


def _written(place: Place, layers: Sequence[Layer]) -> tuple[Layer, str]:
    """The strongest layer that wrote this path (or the nearest table above it) and the path's name there."""
    for length in range(len(place), 0, -1):
        for layer in layers:
            if any(path[:length] == place[:length] for path in layer.written):
                own = layer.written.get(place)
                return layer, own or (toml_name(place) if layer.is_toml else env_name(place))
    return Layer("settings"), toml_name(place)


def _about(place: Place) -> str:
    described = _field(place)
    return (described.description or "") if described else ""


def _field(place: Place) -> FieldInfo | None:
    top = dict(fields_of(Settings)).get(place[0]) if place else None
    if top is None or len(place) == 1:
        return top
    section = Repo if place[0] == "repos" else section_of(top)
    return dict(fields_of(section)).get(place[-1]) if section else None


def shown(name: str) -> str:
    """The name on one line, without control characters, bounded."""
    plain = "".join(c if c.isprintable() else "?" for c in name)
    return plain if len(plain) <= SHOWN else plain[:SHOWN] + "…"
