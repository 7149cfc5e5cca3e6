"""Ids of the real world: a prefix and a UUIDv7, so that they sort by the time they were made."""

from __future__ import annotations

import uuid_utils


def new_id(prefix: str) -> str:
    """Such as ``task_0198b4c2d1f07c3e9a5b…`` (prefix, underscore, 32 hex digits)."""
    return f"{prefix}_{uuid_utils.uuid7().hex}"
