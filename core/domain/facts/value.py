"""The base of parts of a payload."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen part of a payload."""

    model_config = ConfigDict(frozen=True, extra="forbid")
