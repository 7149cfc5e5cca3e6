"""The two example files, made from the model, so that they can neither lag behind nor lie.

Every line is a comment: a copied example changes nothing until somebody uncomments something. The repository keeps both
as ``threadlead.toml.example`` and ``.env.example``; a test compares them with what these functions return.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from core.settings.model import Repo, Settings
from core.settings.names import CONFIG_ENV, OPEN_TABLES, REDIS_ENV, env_name, fields_of, section_of

WIDTH = 100

TOML_HEAD = f"""\
# Threadlead's settings. Copy to threadlead.toml (in the folder you start it from, or in its data folder; ${CONFIG_ENV}
# names any other place) and uncomment what you change. Values shown are the defaults, or an example if there is none.
"""
ENV_HEAD = f"""\
# Threadlead's settings as environment variables. Copy to .env and uncomment what you change; the real environment wins
# over .env, and .env over threadlead.toml. Values shown are the defaults, or an example where there is none.

# Another place for threadlead.toml (only from the real environment).
# {CONFIG_ENV}=/etc/threadlead.toml

# Means the same as {env_name(("redis_url",))}, which wins over it.
# {REDIS_ENV}=redis://localhost:6379/0
"""


def example_toml(shapes: Mapping[str, type[BaseModel]] | None = None) -> str:
    """A complete ``threadlead.toml`` in comments; uncommented (each ``# key =`` and ``# [table]``), it is valid.

    ``shapes`` are the models of tables this module may not know, such as ``shell``, whose keys belong to another room.
    """
    known: dict[str, type[BaseModel]] = {"repos": Repo, **(shapes or {})}
    plain, tables = _split()
    parts = [TOML_HEAD, *(_toml_field(name, field) for name, field in plain)]
    for name, field in tables:
        section = known.get(name) or section_of(field)
        head = f"[{name}.shop]" if name == "repos" else f"[{name}]"
        parts.append(f"{_comment(field)}# {head}\n")
        parts += [_toml_field(inner, inner_field) for inner, inner_field in (fields_of(section) if section else ())]
    return "\n".join(parts)


def example_env() -> str:
    """A complete ``.env`` in comments."""
    parts = [ENV_HEAD]
    for path, field in _env_fields():
        parts.append(f"{_comment(field)}# {env_name(path)}={_env_value(_sample(field))}\n")
    return "\n".join(parts)


def _split() -> tuple[list[tuple[str, FieldInfo]], list[tuple[str, FieldInfo]]]:
    """Plain keys first: in TOML a key after a table's head belongs to that table."""
    fields = list(fields_of(Settings))
    tables = [item for item in fields if item[0] in OPEN_TABLES or section_of(item[1])]
    return [item for item in fields if item not in tables], tables


def _env_fields() -> Iterator[tuple[tuple[str, ...], FieldInfo]]:
    plain, tables = _split()
    yield from (((name,), field) for name, field in plain)
    for name, field in tables:
        section: type[BaseModel] | None = Repo if name == "repos" else section_of(field)
        above = (name, "shop") if name == "repos" else (name,)
        if section is None:
            yield (name,), field
        else:
            yield from (((*above, inner), inner_field) for inner, inner_field in fields_of(section))


def _toml_field(name: str, field: FieldInfo) -> str:
    return f"{_comment(field)}# {name} = {json.dumps(_sample(field), ensure_ascii=False)}\n"


def _sample(field: FieldInfo) -> Any:
    """The default where the code has one that is the same everywhere, else the field's example, else an empty table."""
    if field.examples:
        return field.examples[0]
    return {} if field.default is PydanticUndefined else field.default


def _env_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value) if isinstance(value, dict) else str(value)


def _comment(field: FieldInfo) -> str:
    lines = textwrap.wrap(field.description or "", WIDTH, break_on_hyphens=False)
    return "".join(f"# {line}\n" for line in lines)
