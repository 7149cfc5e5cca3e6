"""The shape of a recorded agent: for each task, by words of its title, the steps it plays; checked when it is loaded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import Refused


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Stride(_Part):
    """Where it is: counted steps and words."""

    summary: str = ""
    step: int | None = None
    steps: int | None = None
    current_step: str = ""
    next_step: str = ""


class Write(_Part):
    """A file of the worktree, replaced whole. ``path`` is relative and stays inside."""

    path: str = Field(min_length=1)
    text: str


class Ask(_Part):
    """Something it wants leave for, and how it goes on either way."""

    command: str
    why: str = ""
    reasons: tuple[str, ...] = ()
    risk: Literal["low", "medium", "high"] = "medium"
    allowed: tuple[Step, ...] = ()
    refused: tuple[Step, ...] = ()


class Check(_Part):
    """A command run for the report; its exit code is the proof."""

    criterion: str
    run: tuple[str, ...] = Field(min_length=1)


class Tale(_Part):
    """The report. ``handoffs`` by a dependent's short name, or ``*`` for all of them."""

    summary: str
    proofs: tuple[Check, ...] = ()
    handoffs: dict[str, str] = {}


class Failure(_Part):
    failure: str
    detail: str = ""


class Step(_Part):
    """Exactly one of these."""

    say: str | None = None
    progress: Stride | None = None
    write: Write | None = None
    run: tuple[str, ...] | None = None
    ask: Ask | None = None
    until: Literal["cancelled"] | None = None
    wait_file: str | None = None
    pace: float | None = Field(default=None, ge=0, le=60)
    report: Tale | None = None
    fail: Failure | None = None
    crash: bool | None = None

    def model_post_init(self, _: Any) -> None:
        if len(self.model_fields_set) != 1:
            raise ValueError("a step does exactly one thing")


class Part(_Part):
    """What is played for tasks whose title holds ``match`` (any case). ``rounds`` by rework round, ``again`` when the same
    round is delivered a second time."""

    match: str = Field(min_length=1)
    steps: tuple[Step, ...] = ()
    rounds: dict[int, tuple[Step, ...]] = {}
    again: tuple[Step, ...] | None = None


class Recording(_Part):
    tasks: tuple[Part, ...]

    def steps_for(self, title: str, round_: int, repeated: bool) -> tuple[Step, ...] | None:
        """What to play, or None when nothing was recorded for such a task."""
        for part in self.tasks:
            if part.match.lower() in title.lower():
                if repeated and part.again is not None:
                    return part.again
                return part.rounds.get(round_, part.steps)
        return None


Ask.model_rebuild()


def load(source: Path | str | dict[str, Any]) -> Recording:
    """Raises Refused("bad_recording") naming the step."""
    try:
        data = source if isinstance(source, dict) else json.loads(Path(source).read_text(encoding="utf-8"))
        return Recording.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise Refused("bad_recording", why=f"{where}: {first['msg']}") from error
    except (OSError, ValueError) as error:
        raise Refused("bad_recording", why=str(error)) from error
