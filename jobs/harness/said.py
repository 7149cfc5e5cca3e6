"""What a harness says, made safe to leave the worker: every text plain and without secrets, whatever said it.

Rule: it is applied in one place, where things are said, so no adapter can forget it. A command that a person decides
on keeps its invisible characters, written out; everything else loses them.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

from jobs.harness.contract import Proof, Said
from jobs.harness.redact import Redactor

S = TypeVar("S", bound="Said | Proof")

# Ours, never an agent's: they are compared, so they stay as they are.
_OURS = frozenset({"request_id", "digest", "risk", "stop_reason", "failure"})
_DECIDED_ON = frozenset({"command", "folder"})


def safe(said: S, redactor: Redactor) -> S:
    """``said`` with every text, output, proof and hand-off redacted."""
    changed = {f.name: _safe(f.name, getattr(said, f.name), redactor) for f in fields(said) if f.name not in _OURS}
    return replace(said, **changed)


def _safe(name: str, value: Any, redactor: Redactor) -> Any:
    match value:
        case str():
            return redactor.shown(value) if name in _DECIDED_ON else redactor.text(value)
        case bytes():
            return redactor.data(value)
        case Proof():
            return safe(value, redactor)
        case tuple():
            return tuple(_safe(name, part, redactor) for part in value)
        case dict():
            return {key: _safe(name, part, redactor) for key, part in value.items()}
        case _:
            return value
