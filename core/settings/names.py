"""Every name a setting can be written by, made from the model.

A path is the setting's place as a tuple, ``("web", "port")``; it is ``web.port`` in TOML and ``THREADLEAD_WEB__PORT``
in the environment. ``{name}`` stands where the user chooses the word (a repository's short name).
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from core.settings.model import ENV_DELIMITER, ENV_PREFIX, Repo, Settings

Place = tuple[str, ...]
CONFIG_ENV = "THREADLEAD_CONFIG"
REDIS_ENV = "REDIS_URL"  # the name hosting platforms give it
CHOSEN = "{name}"
OPEN_TABLES = ("repos", "shell", "agents")  # the user chooses the keys


def section_of(field: FieldInfo) -> type[BaseModel] | None:
    """The nested model a field holds, if it holds one."""
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def fields_of(model: type[BaseModel]) -> Iterator[tuple[str, FieldInfo]]:
    """A model's fields under the names people write."""
    for name, field in model.model_fields.items():
        yield field.alias or name, field


def all_paths() -> list[Place]:
    """Every setting's path, in the model's order; tables themselves are included."""
    paths: list[Place] = []
    for name, field in fields_of(Settings):
        paths.append((name,))
        section = section_of(field)
        if section is not None:
            paths += [(name, inner) for inner, _ in fields_of(section)]
        elif name == "repos":
            paths += [(name, CHOSEN, inner) for inner, _ in fields_of(Repo)]
    return paths


def env_name(path: Place) -> str:
    return ENV_PREFIX + ENV_DELIMITER.join(path).upper()


def toml_name(path: Place) -> str:
    return ".".join(path)


def nearest(written: str, known: list[str]) -> str | None:
    """The known name most like the one written, or None when nothing is like it."""
    by_small = {name.lower(): name for name in known}
    found = get_close_matches(written.lower(), list(by_small), n=1, cutoff=0.6)
    return by_small[found[0]] if found else None


def known_env_names() -> list[str]:
    return [env_name(path) for path in all_paths()] + [CONFIG_ENV, REDIS_ENV]


def known_toml_names(near: Place) -> list[str]:
    """Names that may be meant by a wrong one at ``near``; under ``repos`` the user's own word is filled in."""
    chosen = near[1] if len(near) > 2 and near[0] == "repos" else "name"
    return [toml_name(path).replace(CHOSEN, chosen) for path in all_paths()]
