"""What an engine that understands messages must offer; rules, a model and an agent are all behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from core.domain.model import Message, Session
from core.domain.reading import Reading


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an engine may know beside the session: which harness targets can take work, and whether a text is a command."""

    agents: tuple[str, ...]
    """Harness targets besides ``shell``, best first; empty when only commands can be run."""
    commands: Mapping[str, str]
    """Named checks of the repository: ``test`` -> ``pytest -q``, ``format`` -> ``ruff format .`` …"""


class Engine(Protocol):
    async def read(self, message: Message, state: Session, around: Surroundings) -> Reading:
        """Understand one message. Never raises for what a person wrote; never acts."""
        ...
