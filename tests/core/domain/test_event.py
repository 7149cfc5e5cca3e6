"""Facts travel as JSON and come back equal; what this program does not know stops its reader."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.domain import event as e
from core.domain import facts as f


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Payloads made up here are forgotten afterwards."""
    monkeypatch.setattr(e, "_PAYLOADS", e.payload_types())
    monkeypatch.setattr(e, "_UPCASTERS", {})


def draft(**more: Any) -> e.Draft:
    return e.Draft(id="evt_1", payload=f.TaskStarted(task_id="task_1"), source="worker", source_ref="w1", **more)


@pytest.mark.parametrize(
    "more", [{}, {"task_id": "task_1", "flow_id": "fl_1", "attempt_id": "att_1", "parent_event_id": "evt_0"}]
)
def test_an_event_comes_back_equal(more: dict[str, str]) -> None:
    event = e.Event.stamp("ps_1", 7, 1_700_000_000_000, draft(**more))
    wire = json.loads(json.dumps(event.to_wire()))
    assert (wire["session_id"], wire["seq"], wire["ts"]) == ("ps_1", 7, 1_700_000_000_000)
    assert e.Event.from_wire("ps_1", 7, 1_700_000_000_000, wire) == event
    assert e.Event.from_wire("ps_1", 7, 1_700_000_000_000, draft(**more).to_wire()) == event


def test_defaults_are_not_stored() -> None:
    assert set(draft().to_wire()) == {"id", "type", "v", "source", "source_ref", "payload"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"type": "task.dreamt"}, "task.dreamt v1 is not known"),
        ({"v": 99}, "task.started v99 is not known"),
        ({"payload": {}}, "does not have its shape"),
        ({"payload": {"task_id": "task_1", "mood": "good"}}, "does not have its shape"),
        ({"lane_id": "lane_1"}, "lane_id"),
        ({"source": "oracle"}, "oracle"),
    ],
)
def test_what_is_not_known_stops_the_reader(change: dict[str, Any], why: str) -> None:
    with pytest.raises(e.UnreadableEvent, match=why):
        e.Event.from_wire("ps_1", 1, 0, draft().to_wire() | change)


@pytest.mark.parametrize("missing", ["id", "type", "v", "source", "payload"])
def test_an_envelope_with_a_hole_stops_the_reader(missing: str) -> None:
    wire = {name: value for name, value in draft().to_wire().items() if name != missing}
    with pytest.raises(e.UnreadableEvent, match=missing):
        e.Event.from_wire("ps_1", 1, 0, wire)


def test_an_old_payload_is_brought_up_step_by_step() -> None:
    @e.register
    class Greeted(e.Payload):
        TYPE = "test.greeted"
        V = 3
        name: str
        loud: bool

    e.upcaster("test.greeted", 1)(lambda raw: {"name": raw["who"]})
    e.upcaster("test.greeted", 2)(lambda raw: raw | {"loud": False})
    assert e.read_payload("test.greeted", 1, {"who": "bob"}) == Greeted(name="bob", loud=False)
    assert e.read_payload("test.greeted", 3, {"name": "bob", "loud": True}) == Greeted(name="bob", loud=True)


def test_two_payloads_of_one_type_and_version_are_a_mistake() -> None:
    class Again(e.Payload):
        TYPE = "task.started"

    with pytest.raises(TypeError, match=r"task\.started"):
        e.register(Again)


def test_a_payload_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        draft().payload.task_id = "task_2"  # type: ignore[attr-defined]


def test_a_draft_knows_its_type() -> None:
    assert draft().type == "task.started"
