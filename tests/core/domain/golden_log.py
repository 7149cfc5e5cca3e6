"""The golden logs: what earlier versions stored, what it folds to, and the shape of every payload.

``python -m tests.core.domain.golden_log`` adds what is new: a log with one example of every payload, and the shapes of
new payloads and of new fields with a default. It never rewrites a log, and refuses a changed shape: that is a new ``V``
with an upcaster, because old logs are read for ever.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from core.domain import commands as c
from core.domain import facts as f
from core.domain import limits
from core.domain.apply import apply, fold
from core.domain.event import Draft, Event, Payload, payload_types
from core.domain.model import Session
from core.domain.reading import Proposal, Reading, Reply
from tests.core.domain.world import ALICE, World, spec

FOLDER = Path(__file__).parent / "golden"
SHAPES = FOLDER / "shapes.json"

Shapes = dict[str, dict[str, str]]


# -- shapes ----------------------------------------------------------------------------------------------------------


def our_payloads() -> dict[tuple[str, int], type[Payload]]:
    """Every payload of the product; tests of other rooms register some of their own, called ``test.…``."""
    return {key: cls for key, cls in payload_types().items() if not key[0].startswith("test.")}


def shapes() -> Shapes:
    """By ``type vN``, every field of the payload and of its parts, with its JSON schema."""
    return {f"{type_} v{v}": dict(sorted(_fields(cls))) for (type_, v), cls in sorted(our_payloads().items())}


def _fields(cls: type[Payload]) -> Iterator[tuple[str, str]]:
    schema = cls.model_json_schema()
    for name, part in {cls.__name__: schema, **schema.get("$defs", {})}.items():
        for field, value in part.get("properties", {}).items():
            need = "required " if field in part.get("required", ()) else ""
            yield f"{name}.{field}", need + json.dumps(_bare(value), sort_keys=True)


def _bare(schema: Any) -> Any:
    """Without the words that are only for people."""
    if isinstance(schema, dict):
        return {k: _bare(v) for k, v in schema.items() if k not in ("title", "description")}
    return [_bare(v) for v in schema] if isinstance(schema, list) else schema


def broken(recorded: Shapes, current: Shapes) -> list[str]:
    """What an old log could no longer be read with: a field changed or gone, or a new one without a default."""
    found = []
    for name, fields in recorded.items():
        now = current.get(name, {})
        found += [f"{name}: {field}" for field, schema in fields.items() if now.get(field) != schema]
        found += [f"{name}: {field}" for field in now.keys() - fields.keys() if now[field].startswith("required")]
    return found


# -- logs ------------------------------------------------------------------------------------------------------------


def logs() -> list[Path]:
    return sorted(FOLDER.glob("*.jsonl"))


def read(path: Path) -> list[Event]:
    rows = map(json.loads, path.read_text().splitlines())
    return [Event.from_wire(row["session_id"], row["seq"], row["ts"], row) for row in rows]


def folded(events: list[Event]) -> Any:
    """The state as JSON without what is at its default, so that a new field of the state changes nothing."""
    state = fold(events[0].session_id, events)
    data = TypeAdapter(Session).dump_python(state, mode="json", exclude_defaults=True)
    return json.loads(json.dumps(_ordered(data), sort_keys=True))


def _ordered(data: Any) -> Any:
    """Sets have no order of their own."""
    if isinstance(data, dict):
        sets = ("open_tasks", "open_plans", "open_interactions", "live_tasks")
        return {k: sorted(v) if k in sets else _ordered(v) for k, v in data.items()}
    return [_ordered(v) for v in data] if isinstance(data, list) else data


# -- the story -------------------------------------------------------------------------------------------------------


def story() -> World:
    """A session in which everything happens at least once."""
    world = World()
    world.start()
    world.do(c.RecordReading(message_id=world.say("hello"), reading=Reading(kind="note", reply=Reply(code="hello"))))
    _plans(world)
    _work(world)
    _trouble(world)
    _merge(world)
    return world


def _plans(world: World) -> None:
    world.propose(spec("z"))
    world.do(c.DecidePlan(by=ALICE, plan="P1", revision=1, decision="question"))
    world.propose(spec("y"))
    world.do(c.DecidePlan(by=ALICE, plan="P2", revision=1, decision="reject", reason="not now"))
    world.propose(spec("x"))
    _observe(world, f.PlanSuperseded(plan_id=world.plan_of("P3").id, by_plan="P4"))
    created = (
        spec("a", criteria=("tests",), asks=("network",)),
        spec("b", "a"),
        spec("c", "a", risk="high"),
        spec("d"),
    )
    world.read(Proposal(reason="ship it", objective="Ship the shop", create=created))
    world.do(c.EditPlan(by=ALICE, plan="P4", revision=1, contents={"create:d": "pytest -q"}))
    world.apply("P4")
    world.plan(spec("e"), pause=["T4"], release=[("T3", "T1")])
    world.plan(resume=["T4"], cancel=["T5"])


def _work(world: World) -> None:
    world.run("T1")
    progress = f.TaskProgressed(task_id=world.id("T1"), summary="half", percent=50, step=1, steps=2, current_step="a")
    _observe(world, progress, f.AgentMessage(text="thinking"), f.ToolFinished(tool="sh", summary="ls", exit_code=0))
    world.ask("T1", "r1")
    world.answer("A1", "approve")
    world.ask("T1", "r2")
    world.answer("A2", "reject", reason="keep it")
    world.now += 1_000
    evidence = f.CheckValue(criterion="lint", command="ruff check", exit_code=1, excerpt="E501")
    world.report("T1", evidence=(evidence,), commit="c1", base="c0", files=2, added=9, removed=3, biggest=("a.py",))
    world.settle("T1", accept=False, feedback="tests please")
    world.run("T1")
    proof = f.CheckValue(criterion="tests", command="pytest -q", exit_code=0)
    world.report("T1", evidence=(proof,), commit="c2", base="c0", handoffs={"*": "mind the cache"})


def _trouble(world: World) -> None:
    world.run("T2")
    world.ask("T2")
    world.now += limits.APPROVAL_MS
    world.do(c.ExpireApproval(interaction_id="A3"))
    world.end("T2", "cancelled")
    world.change("retry", "T2")
    world.finish("T2")
    world.run("T3")
    world.change("stop", "T3")
    world.lose("T3", "grace")
    world.reconcile("Q1", "again")
    world.run("T3")
    world.end("T3", "error", failure="harness_error", detail="exit 2", output="digest")
    world.change("cancel", "T4")
    world.change("retry", "T3", reason="flaky network")
    world.finish("T3")


def _merge(world: World) -> None:
    for yes, code in ((False, ""), (True, "conflict"), (True, "")):
        world.do(c.DecideMerge(by=ALICE, flow=world.flow.id, merge=yes))
        if yes and world.flow.merge is not None:
            sha = "" if code else "c9"
            world.do(c.RecordMerge(flow_id=world.flow.id, tip=world.flow.merge.tip, sha=sha, code=code))


def _observe(world: World, *payloads: Payload) -> None:
    """Facts that no command makes."""
    for payload in payloads:
        draft = Draft(id=world.new_id("evt"), payload=payload, source="worker", source_ref="w1")
        event = Event.stamp(world.state.id, world.state.seq + 1, world.now, draft)
        world.events.append(event)
        apply(world.state, event)
        apply(world.shadow, event)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    recorded: Shapes = json.loads(SHAPES.read_text()) if SHAPES.exists() else {}
    current = shapes()
    if wrong := broken(recorded, current):
        raise SystemExit("needs a new V and an upcaster:\n" + "\n".join(wrong))
    if recorded == current:
        return
    SHAPES.write_text(json.dumps(recorded | current, indent=1, sort_keys=True) + "\n")
    events = story().events
    path = FOLDER / f"{len(logs()) + 1:03}.jsonl"
    path.write_text("".join(json.dumps(event.to_wire(), ensure_ascii=False) + "\n" for event in events))
    path.with_suffix(".state.json").write_text(json.dumps(folded(events), indent=1) + "\n")


if __name__ == "__main__":
    main()
