"""The values a judgement is made of: reasons, how grave they are, and the ruling itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from jobs.policy.listing import listed

Verdict = Literal["run", "ask"]
Risk = Literal["low", "medium", "high"]

_HIGH = listed(
    "controls_machine elevates force_push hidden_characters too_long unparsable writes_guarded writes_outside"
)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a command asks: a code word, and what fills its text (``command``, ``path``, ``option``, ``where``)."""

    code: str
    params: dict[str, str] = field(default_factory=dict)

    @property
    def risk(self) -> Risk:
        """Deleting is as grave as the place it happens in; the rest is fixed by its code."""
        if self.code == "deletes_recursively":
            return "medium" if self.params.get("where") == "inside" else "high"
        return "high" if self.code in _HIGH else "medium"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What may happen with one command line.

    ``argv`` is the exact list to execute in the folder that was judged. ``steps`` are the simple commands found, with
    wrappers such as ``timeout`` taken off; a word known only at run time stands as it is written.
    """

    verdict: Verdict
    reasons: tuple[Reason, ...]
    risk: Risk
    argv: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]


def ruled(reasons: Iterable[Reason], argv: tuple[str, ...], steps: tuple[tuple[str, ...], ...]) -> Ruling:
    """Any reason asks; the gravest one sets the risk; each reason is given once, in the order it was found."""
    distinct: list[Reason] = []
    for reason in reasons:
        if reason not in distinct:
            distinct.append(reason)
    risks = {reason.risk for reason in distinct}
    risk: Risk = "high" if "high" in risks else "medium" if risks else "low"
    return Ruling("ask" if distinct else "run", tuple(distinct), risk, argv, steps)
