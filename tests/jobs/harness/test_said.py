"""Whatever a harness says, nothing secret leaves in it."""

from __future__ import annotations

import pytest

from jobs.harness import contract as h
from jobs.harness.redact import redactor
from jobs.harness.said import safe

SECRET = "correct-horse-battery"
R = redactor([SECRET])


@pytest.mark.parametrize(
    "said",
    [
        h.Message(SECRET),
        h.Progress(SECRET, 1, 2, SECRET, SECRET),
        h.Chunk(SECRET),
        h.ToolFinished(SECRET, SECRET, 0, SECRET.encode()),
        h.PermissionAsked("1", SECRET, SECRET, (SECRET, SECRET), "low", "abc", SECRET),
        h.Reported(SECRET, (h.Proof(SECRET, SECRET, 0, SECRET, SECRET.encode()),), {"*": SECRET}),
        h.Broke("command_failed", SECRET, SECRET.encode()),
        h.Idle("end_turn"),
    ],
    ids=lambda said: type(said).__name__,
)
def test_every_text_of_every_kind_is_redacted(said: h.Said) -> None:
    assert SECRET not in repr(safe(said, R))
    assert type(safe(said, R)) is type(said)


def test_what_is_compared_stays_and_what_is_decided_on_is_shown_in_full() -> None:
    asked = h.PermissionAsked("a-1", "rm \u202e x", ".", ("x\u202e",), "high", "0" * 64)
    clean = safe(asked, R)
    assert (clean.request_id, clean.digest, clean.risk) == ("a-1", "0" * 64, "high")
    assert clean.command == "rm <U+202E> x"
    assert clean.reasons == ("x",)


def test_numbers_and_nothing_stay() -> None:
    assert safe(h.Progress(step=1, percent=None), R) == h.Progress(step=1, percent=None)
    assert safe(h.ToolFinished("t", "s", 137, b"\xff"), R) == h.ToolFinished("t", "s", 137, "\ufffd".encode())
