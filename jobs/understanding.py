"""How this worker understands messages: the engine of the settings, and what it may know about the surroundings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.domain.model import Message, Session
from core.domain.reading import Reading
from core.settings import Settings
from jobs.harness.registry import agent_targets, shell_policy
from jobs.manager.checks import named_checks
from jobs.manager.contract import Engine, Surroundings
from jobs.manager.rules import RulesEngine
from jobs.policy import looks_like_command


@dataclass(frozen=True, slots=True)
class Understanding:
    engine: Engine
    agents: tuple[str, ...]

    @classmethod
    def from_settings(cls, settings: Settings) -> Understanding:
        """Raises what ``ShellPolicy`` refuses of the ``shell`` table."""
        policy = shell_policy(settings)
        engine = RulesEngine(lambda text: looks_like_command(text, policy=policy))
        return cls(engine, agent_targets(settings))

    async def read(self, message: Message, state: Session) -> Reading:
        repo = state.repo
        checks = await named_checks(Path(repo.root)) if repo is not None and repo.root and not repo.problem else {}
        return await self.engine.read(message, state, Surroundings(self.agents, checks))
