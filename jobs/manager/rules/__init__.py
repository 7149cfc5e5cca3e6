"""The engine that needs no key and no network: word tables and a few dozen patterns, in English and Chinese."""

from jobs.manager.rules.engine import RulesEngine

__all__ = ["RulesEngine"]
