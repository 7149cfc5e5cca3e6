"""Reads the settings: environment over ``.env`` over ``threadlead.toml`` over the defaults.

The rule: everything wrong is said at once, one line each. A ``.env`` file and the environment belong to other programs
too, so there a foreign name passes unless it starts with ``THREADLEAD_`` or looks like a misspelling of that.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource

from core.errors import Refused
from core.settings.complaint import Layer, complaints, shown
from core.settings.model import ENV_DELIMITER, ENV_PREFIX, Settings, default_data
from core.settings.names import CONFIG_ENV, OPEN_TABLES, REDIS_ENV, fields_of, section_of

TOML_NAME = "threadlead.toml"
MISSPELT = 0.85  # THREADLAED_ and TREADLEAD_ are ours, THREADS and THREADPOOL_SIZE are somebody else's


def load_settings(environ: Mapping[str, str] | None = None, folder: Path | None = None) -> Settings:
    """The settings as the process finds them in ``environ`` (the real one) and ``folder`` (the current one).

    Raises Refused("bad_settings") whose ``problems`` is a text with one line a problem: where it was written, what is
    wrong, what to do. It never holds a value.
    """
    variables = dict(os.environ if environ is None else environ)
    place = Path.cwd() if folder is None else folder
    layers = [_env_layer("environment", variables), _env_layer(".env", _dotenv(place / ".env"))]
    config = _find_toml(variables, place, layers)
    layers += [_toml_layer(config)] if config else []
    merged: dict[str, Any] = {}
    for layer in reversed(layers):
        _refuse_private(layer)
        merged = _merge(merged, layer.values)
    problems = [problem for layer in layers for problem in layer.problems]
    try:
        settings = Settings(**merged)
    except ValidationError as error:
        raise _refusal([*problems, *complaints(error, layers)]) from error
    if problems:
        raise _refusal(problems)
    return settings


def _refuse_private(layer: Layer) -> None:
    """A name such as ``_env_file`` would steer the settings library itself instead of setting anything."""
    for name in [name for name in layer.values if name.startswith("_")]:
        del layer.values[name]
        layer.problems.append(f"{layer.where}: {shown(name)} is not a setting. Remove it.")


def _refusal(problems: Iterable[str]) -> Refused:
    return Refused("bad_settings", problems="\n".join(dict.fromkeys(problems)))


def _merge(under: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Tables are merged key by key; anything else of ``over`` takes the place of what was there."""
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = _merge(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


def _dotenv(file: Path) -> dict[str, str]:
    if not file.is_file():
        return {}
    found = DotEnvSettingsSource(Settings, env_file=file).env_vars
    return {name: value for name, value in found.items() if value is not None}


def _env_layer(where: str, variables: Mapping[str, str]) -> Layer:
    small = {name.lower(): value for name, value in variables.items() if value != ""}
    ours = {name: value for name, value in small.items() if _is_ours(name) and name != CONFIG_ENV.lower()}
    layer = Layer(where)
    broken = [name for name in ours if name in _table_names() and not _is_json_object(ours[name])]
    layer.problems = [f"{where}: {name.upper()} must be a JSON object." for name in broken]
    source = EnvSettingsSource(Settings)
    source.env_vars = {name: value for name, value in ours.items() if name not in broken}
    layer.values = source()
    top = {name for name, _ in fields_of(Settings)}
    for name in ours:
        path = tuple(name.removeprefix(ENV_PREFIX.lower()).split(ENV_DELIMITER))
        layer.written[path] = name.upper()
        if not name.startswith(ENV_PREFIX.lower()) or path[0] not in top:
            layer.written[(name,)] = name.upper()
            layer.values[name] = ""  # refused as unknown with all the others
    if REDIS_ENV.lower() in small and "redis_url" not in layer.values:
        layer.values["redis_url"] = small[REDIS_ENV.lower()]
        layer.written[("redis_url",)] = REDIS_ENV
    return layer


def _is_ours(name: str) -> bool:
    prefix = ENV_PREFIX.lower()
    likeness = SequenceMatcher(None, name[: len(prefix) - 1], prefix[:-1]).ratio()
    return name.startswith(prefix) or likeness >= MISSPELT


def _table_names() -> set[str]:
    """Variables that hold a whole table, and so must be JSON."""
    tables = (name for name, field in fields_of(Settings) if section_of(field) or name in OPEN_TABLES)
    return {(ENV_PREFIX + name).lower() for name in tables}


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _find_toml(variables: Mapping[str, str], place: Path, layers: list[Layer]) -> Path | None:
    """``$THREADLEAD_CONFIG``, else the one in ``place``, else the one in the data folder."""
    named = variables.get(CONFIG_ENV)
    if named:
        file = place / Path(named).expanduser()
        if not file.is_file():
            layers[0].problems.append(f"environment: {CONFIG_ENV} names no file; correct or unset it.")
            return None
        return file
    data = next((layer.values["data"] for layer in layers if layer.values.get("data")), None)
    folder = place / Path(data).expanduser() if data else default_data()
    return next((file for file in (place / TOML_NAME, folder / TOML_NAME) if file.is_file()), None)


def _toml_layer(file: Path) -> Layer:
    layer = Layer(str(file))
    try:
        layer.values = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        layer.problems.append(f"{file}: is not valid TOML: {error}.")
    except (OSError, UnicodeDecodeError):
        layer.problems.append(f"{file}: cannot be read as UTF-8 text.")
    layer.written = {path: ".".join(path) for path in _paths(layer.values)}
    return layer


def _paths(table: Mapping[str, Any], above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for key, value in table.items():
        found.append((*above, key))
        found += _paths(value, (*above, key)) if isinstance(value, dict) else []
    return found
