"""The console's API: what it takes, what it answers, and how it refuses."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from core.domain import commands as c
from core.domain.tables import TaskStatus
from tests.bot.web.story import Seat, Story


async def test_a_session_begins_once_however_often_the_page_asks(seat: Seat) -> None:
    place = "0198b4c2-d1f0-7c3e-9a5b-000000000001"
    first = await seat.post("/api/sessions", {"place": place})
    again = await seat.post("/api/sessions", {"place": place})
    assert first.json() == again.json()
    listed = (await seat.client.get("/api/sessions")).json()["sessions"]
    assert [row["id"] for row in listed] == [first.json()["session"]]


async def test_what_is_said_is_in_the_state_and_the_same_message_twice_is_one(story: Story) -> None:
    for _ in range(2):
        answer = await story.seat.command(kind="say", session=story.id, text="run the tests", ref="r-1")
        assert answer.json() == {"ok": True, "session_id": story.id, "code": "", "text": ""}
    state = await story.seat.state(story.id)
    items = state["conversation"]["items"]
    assert [(i["type"], i["author"], i["text"], i["state"]) for i in items] == [
        ("message", "alice", "run the tests", "received")
    ]
    assert state["seq"] == (await story.state()).seq


async def test_messages_and_cards_stand_in_the_order_of_time(story: Story) -> None:
    await story.repository()
    await story.planned()
    state = await story.seat.state(story.id)
    message, card = state["conversation"]["items"]
    assert (message["state"], card["key"], card["card"]["short"]) == ("working", "plan:P1", "P1")
    assert state["session"]["repo"]["name"] == "shop"
    assert state["session"]["waiting"] == ["P1"]
    listed = (await story.seat.client.get("/api/sessions")).json()["sessions"]
    assert (listed[0]["repo"], listed[0]["waiting"], listed[0]["title"]) == ("shop", ["P1"], message["text"])


async def test_a_tap_decides_and_the_second_one_is_told_who_was_first(story: Story) -> None:
    await story.repository()
    await story.applied()
    again = await story.seat.command(kind="tap", session=story.id, action="reject", subject="P1", revision=1)
    assert again.status_code == 409
    assert again.json()["code"] == "already_decided"
    assert "alice" in again.json()["text"]


async def test_a_tap_on_a_card_that_has_changed_is_refused(story: Story) -> None:
    await story.repository()
    await story.planned()
    plan = (await story.seat.client.get("/api/plan", params={"session": story.id, "plan": "p1"})).json()
    assert [(op["kind"], op["content"], op["command"]) for op in plan["ops"]] == [
        ("create", "pytest -q", True),
        ("create", "ruff format .", True),
        ("create", "pytest -q", True),
    ]
    last, first = plan["ops"][2]["key"], plan["ops"][0]["key"]
    edit = {"kind": "tap", "session": story.id, "action": "edit", "subject": "P1", "revision": plan["revision"]}
    edited = await story.seat.post("/api/commands", {**edit, "drop": [last], "contents": {first: "pytest -x"}})
    assert edited.is_success
    stale = await story.seat.command(kind="tap", session=story.id, action="apply", subject="P1", revision=1)
    assert (stale.status_code, stale.json()["code"]) == (409, "card_stale")
    plan = (await story.seat.client.get("/api/plan", params={"session": story.id, "plan": "P1"})).json()
    assert [op["content"] for op in plan["ops"]] == ["pytest -x", "ruff format ."]


async def test_the_board_says_in_words_what_a_task_waits_for(story: Story) -> None:
    await story.repository()
    await story.applied()
    attempt = await story.started("T1")
    await story.progress("T1", step=2, steps=4, current_step="collecting")
    state = await story.seat.state(story.id)
    columns = {column["status"]: column for column in state["board"]}
    [working] = columns["working"]["tasks"]
    assert (working["worker"], working["progress"]["step"], working["code"]) == ("laptop", 2, True)
    assert columns["queued"]["tasks"][0]["blocked_by"] == ["waits for T1 (working)"]
    await story.asked(attempt)
    chinese = await story.seat.state(story.id, "zh")
    assert {column["label"] for column in chinese["board"]} >= {"待审批", "待投递"}
    assert chinese["session"]["waiting"] == ["A1"]


async def test_the_graph_is_placed_layer_by_layer(story: Story) -> None:
    await story.repository()
    await story.applied()
    [flow] = (await story.seat.state(story.id))["graph"]
    short = {node["id"]: node["short"] for node in flow["nodes"]}
    assert [[short[i] for i in row] for row in flow["rows"]] == [["T1"], ["T2"], ["T3"]]
    assert [node["after"] for node in flow["nodes"]] == [[], ["T1"], ["T2"]]
    assert (flow["status"], len(flow["edges"])) == ("active", 2)


async def test_workers_are_shown_with_what_keeps_them_busy(story: Story) -> None:
    await story.worker()
    await story.repository()
    await story.applied()
    await story.started("T1")
    [worker] = (await story.seat.state(story.id))["workers"]
    assert (worker["id"], worker["alive"], worker["busy"], worker["slots"]) == ("laptop", True, 1, 2)


async def test_dispatch_wakes_only_what_is_ready_and_asking_twice_changes_nothing(story: Story) -> None:
    await story.repository()
    await story.applied()
    end = await story.seat.desk.ledger.feed_end("task")
    seq = (await story.state()).seq
    answers = [
        await story.seat.post("/api/dispatch", {"session": story.id, "task": name}) for name in ("T1", "T1", "T2")
    ]
    assert [answer.json()["dispatched"] for answer in answers] == [True, True, False]
    told = await story.seat.desk.ledger.tail("task", end)
    assert [(entry.data["task"], entry.data["to"]) for entry in told] == [((await story.task("T1")).id, "queued")] * 2
    assert (await story.state()).seq == seq
    assert (await story.task("T1")).status is TaskStatus.QUEUED


async def test_an_artifact_is_read_only_through_the_session_that_speaks_of_it(story: Story) -> None:
    await story.repository()
    await story.applied()
    await story.reported(await story.started("T1"), output="<script>alert(1)</script>\n")
    digest = (await story.task("T1")).report.output  # type: ignore[union-attr]
    get = story.seat.client.get
    found = await get(f"/api/artifacts/{digest}", params={"session": story.id})
    assert found.text == "<script>alert(1)</script>\n"
    assert found.headers["content-type"] == "text/plain; charset=utf-8"
    assert found.headers["x-content-type-options"] == "nosniff"
    kept = await get(f"/api/artifacts/{digest}", params={"session": story.id, "download": "1"})
    assert kept.headers["content-disposition"].startswith("attachment")
    other, hidden = await story.seat.begin(), await story.seat.desk.ledger.put_blob(b"of nobody")
    for session, wanted in ((other, digest), (story.id, hidden), (story.id, "..%2f..%2fetc"), (story.id, "0" * 64)):
        assert (await get(f"/api/artifacts/{wanted}", params={"session": session})).status_code == 404


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("kind", {}),
        ("kind", {"kind": "sing", "session": "ps_1"}),
        ("text", {"kind": "say", "session": "ps_1"}),
        ("text", {"kind": "say", "session": "ps_1", "text": 7}),
        ("session", {"kind": "say", "session": "../etc", "text": "x"}),
        ("path", {"kind": "repo", "session": "ps_1", "path": ""}),
        ("revision", {"kind": "tap", "session": "ps_1", "action": "apply", "revision": -1}),
        ("secret", {"kind": "say", "session": "ps_1", "text": "x", "secret": 1}),
        ("drop.0", {"kind": "tap", "session": "ps_1", "action": "edit", "drop": [1]}),
        ("body", []),
    ],
)
async def test_a_wrong_shape_is_refused_by_the_name_of_its_field(seat: Seat, field: str, body: object) -> None:
    answer = await seat.post("/api/commands", body)
    assert (answer.status_code, answer.json()["field"]) == (422, field)


@pytest.mark.parametrize("text", ["{", '"', '{"kind":"say","session":"ps_1","text":"\\ud800"}', "\x00"])
async def test_what_is_no_json_is_refused(seat: Seat, text: str) -> None:
    answer = await seat.client.post("/api/commands", content=text, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422


async def test_a_body_that_is_too_large_is_refused_before_it_is_parsed(seat: Seat) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(300):
            yield b" " * 1024

    headers = {"Content-Type": "application/json"}
    known = await seat.client.post("/api/commands", content=b"{" * (256 * 1024 + 1), headers=headers)
    unknown = await seat.client.post("/api/commands", content=endless(), headers=headers)
    assert (known.status_code, unknown.status_code) == (413, 413)


async def test_a_session_that_is_not_there_is_not_begun_by_asking(seat: Seat) -> None:
    nobody = "ps_0198b4c2d1f07c3e9a5b000000000000"
    said = await seat.command(kind="say", session=nobody, text="hello")
    assert (said.status_code, said.json()["code"]) == (404, "unknown_session")
    for path in ("/api/state", "/api/events", "/api/plan"):
        assert (await seat.client.get(path, params={"session": nobody})).status_code == 404
    assert (await seat.client.get("/api/sessions")).json()["sessions"] == []


async def test_a_repository_that_cannot_be_used_is_said_in_the_page_language(story: Story) -> None:
    await story.seat.command(kind="repo", session=story.id, path="/srv/none")
    checking = await story.seat.state(story.id)
    assert checking["session"]["repo"]["problem"] == "checking"
    await story.do(c.RecordRepo(path="/srv/none", problem="not_a_repository"))
    english, chinese = await story.seat.state(story.id), await story.seat.state(story.id, "zh")
    assert english["session"]["repo"]["text"].startswith("/srv/none is not a git repository")
    assert "不是 git 代码库" in chinese["session"]["repo"]["text"]


async def test_the_probes_and_the_numbers_answer(story: Story) -> None:
    get = story.seat.client.get
    assert (await get("/healthz", headers={"Host": "10.0.0.7:7373"})).json() == {"ok": True}
    assert (await get("/readyz")).json() == {"ok": True}
    await story.said("hello")
    text = (await get("/metrics")).text
    assert "threadlead_sessions 1\n" in text
    assert "threadlead_console_commands_total 1\n" in text
