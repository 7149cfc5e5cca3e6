"""How this worker understands messages: the engine of the settings, and what it may know about the surroundings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.domain.model import Message, Session
from core.domain.reading import Reading, TaskSpec
from core.errors import Refused
from core.settings import Settings
from jobs.harness.registry import SHELL, agent_targets, shell_policy
from jobs.manager.checks import named_checks
from jobs.manager.contract import Engine, Surroundings
from jobs.manager.rules import RulesEngine
from jobs.policy import ShellPolicy, judge, looks_like_command


@dataclass(frozen=True, slots=True)
class Understanding:
    engine: Engine
    agents: tuple[str, ...]
    policy: ShellPolicy

    @classmethod
    def from_settings(cls, settings: Settings) -> Understanding:
        """Raises what ``ShellPolicy`` refuses of the ``shell`` table."""
        policy = shell_policy(settings)
        engine = RulesEngine(lambda text: looks_like_command(text, policy=policy))
        return cls(engine, agent_targets(settings), policy)

    async def read(self, message: Message, state: Session) -> Reading:
        repo = state.repo
        checks = await named_checks(Path(repo.root)) if repo is not None and repo.root and not repo.problem else {}
        reading = await self.engine.read(message, state, Surroundings(self.agents, checks))
        return self._foreseeing(reading, Path(repo.root) if repo is not None and repo.root else None)

    def _foreseeing(self, reading: Reading, root: Path | None) -> Reading:
        """The plan says beforehand what its commands will probably ask for."""
        if reading.proposal is None or root is None:
            return reading
        specs = tuple(self._asking(spec, root) for spec in reading.proposal.create)
        return reading.model_copy(update={"proposal": reading.proposal.model_copy(update={"create": specs})})

    def _asking(self, spec: TaskSpec, root: Path) -> TaskSpec:
        if spec.target != SHELL:
            return spec
        try:
            ruling = judge(spec.content, folder=root, root=root, policy=self.policy)
        except Refused:
            return spec
        asks = (f"`{spec.content[:60]}`",) if ruling.verdict == "ask" else ()
        return spec.model_copy(update={"asks": asks})
