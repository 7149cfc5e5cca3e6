"""Old logs are read for ever: every stored example still reads, still folds to what it did, and no shape changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.core.domain import golden_log


@pytest.mark.parametrize("path", golden_log.logs(), ids=lambda path: path.stem)
def test_a_stored_log_reads_and_folds_as_it_did(path: Path) -> None:
    events = golden_log.read(path)
    assert golden_log.folded(events) == json.loads(path.with_suffix(".state.json").read_text())


def test_every_payload_has_a_stored_example_that_is_written_the_same_today() -> None:
    newest = golden_log.logs()[-1]
    stored = [json.loads(line) for line in newest.read_text().splitlines()]
    assert [event.to_wire() for event in golden_log.read(newest)] == stored
    assert {(row["type"], row["v"]) for row in stored} == set(golden_log.our_payloads())


def test_no_payload_changed_its_shape_without_a_new_version() -> None:
    recorded = json.loads(golden_log.SHAPES.read_text())
    current = golden_log.shapes()
    assert golden_log.broken(recorded, current) == [], "needs a new V and an upcaster"
    assert recorded == current, "new shapes are recorded by: python -m tests.core.domain.golden_log"


@pytest.mark.parametrize(
    ("now", "broken"),
    [
        ({"a v1": {"A.x": "required int"}}, []),
        ({"a v1": {"A.x": "required int", "A.y": "str"}, "b v1": {"B.x": "required int"}}, []),
        ({"a v1": {"A.x": "int"}}, ["a v1: A.x"]),
        ({"a v1": {"A.x": "required int", "A.y": "required str"}}, ["a v1: A.y"]),
        ({"a v2": {"A.x": "required int"}}, ["a v1: A.x"]),
    ],
)
def test_what_breaks_an_old_log(now: golden_log.Shapes, broken: list[str]) -> None:
    assert golden_log.broken({"a v1": {"A.x": "required int"}}, now) == broken
