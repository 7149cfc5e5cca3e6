"""Settings as environment variables: how one process hands its settings to the processes it starts.

The rule: ``load_settings`` with these variables gives the same value again, whatever files lie around. Secrets are in
clear text, as in any environment: give it to our own children only, never to an agent.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, SecretStr

from core.settings.model import Settings
from core.settings.names import env_name, fields_of


def environ_of(settings: Settings) -> dict[str, str]:
    """Every setting that is set, by its environment name; a setting that is None is left out."""
    found: dict[str, str] = {}
    for name, value in _items(settings):
        if isinstance(value, BaseModel):
            found |= {env_name((name, inner)): _text(v) for inner, v in _items(value) if v is not None}
        elif value is not None and value != {}:
            found[env_name((name,))] = _text(value)
    return found


def _items(model: BaseModel) -> list[tuple[str, Any]]:
    attributes = type(model).model_fields
    return [
        (written, getattr(model, name)) for name, (written, _) in zip(attributes, fields_of(type(model)), strict=True)
    ]


def _text(value: Any) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, dict):
        return json.dumps(value, default=lambda repo: repo.model_dump(mode="json"))
    return str(value).lower() if isinstance(value, bool) else str(value)
