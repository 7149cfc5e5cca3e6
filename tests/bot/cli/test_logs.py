"""The log as people and programs read it; out of one Redis and into another, whole or not at all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from pydantic import SecretStr

from bot.cli.logs import as_line, read_export
from core.assembly import open_desk
from core.domain.model import Session
from core.errors import Refused
from core.ledger.memory import MemoryLedger
from core.settings import Settings
from tests.bot.cli.terminal import Terminal, bare_environment
from tests.bot.conftest import ALICE, begun, spec

Change = Callable[[list[dict[str, object]]], object]


@pytest.fixture
def terminal(tmp_path: Path, redis_url: str, workspace: str) -> Terminal:
    return Terminal(tmp_path, bare_environment(REDIS_URL=redis_url, THREADLEAD_WORKSPACE=workspace))


def settings(terminal: Terminal, workspace: str = "") -> Settings:
    environment = terminal.environment
    return Settings(
        redis_url=SecretStr(environment["REDIS_URL"]), workspace=workspace or environment["THREADLEAD_WORKSPACE"]
    )


def lead(terminal: Terminal) -> str:
    """A session in which an agent asked and was told no; its id."""

    async def led() -> str:
        async with open_desk(settings(terminal)) as desk:
            thread = await begun(desk.ledger, f"web:{uuid4()}")
            await thread.applied(spec("a"), spec("b", "a"))
            await thread.asked(await thread.started("T1"), "rm -rf build\x1b[31m")
            await thread.intake.said(ALICE, thread.id, "reject A1 太危险")
            return thread.id

    return asyncio.run(led())


def state(terminal: Terminal, session: str, workspace: str = "") -> Session:
    async def read() -> Session:
        async with open_desk(settings(terminal, workspace)) as desk:
            return await desk.service.state(session)

    return asyncio.run(read())


def test_every_event_is_there_in_order_from_1_on(terminal: Terminal) -> None:
    session = lead(terminal)
    rows = terminal.run("log", session, "--json").rows
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    assert {row["session_id"] for row in rows} == {session}
    assert rows[0]["type"] == "session.created"
    assert {"id", "type", "v", "source", "source_ref", "ts", "payload"} <= set(rows[-1])
    people = terminal.run("log", session).out.splitlines()
    assert [int(line.split()[0]) for line in people] == [row["seq"] for row in rows]
    assert "session.created" in people[0]
    assert "user:alice" in people[0]


def test_the_log_can_be_read_from_a_number_on(terminal: Terminal) -> None:
    session = lead(terminal)
    count = len(terminal.run("log", session, "--json").rows)
    assert [row["seq"] for row in terminal.run("log", session, "--json", "--after", str(count - 2)).rows] == [
        count - 1,
        count,
    ]
    assert terminal.run("log", session, "--after", "9999").out == ""


def test_the_beginning_or_the_end_of_an_id_names_a_session(terminal: Terminal) -> None:
    session = lead(terminal)
    for name in (session, session[:20], session.removeprefix("ps_")[:20], session[-12:]):
        assert terminal.run("log", name).code == 0
    other = lead(terminal)
    assert terminal.run("log", "ps_").code == 2, "two begin so"
    assert terminal.run("log", other).code == 0


def test_ids_and_control_characters_are_not_shown_to_people(terminal: Terminal) -> None:
    out = terminal.run("log", lead(terminal)).out
    assert "␛[31m" in out
    assert "\x1b" not in out
    assert "task_id" not in out
    assert "太危险" in out


def test_an_exported_session_is_the_same_in_an_empty_workspace_and_comes_in_once(terminal: Terminal) -> None:
    session = lead(terminal)
    file = terminal.folder / "session.jsonl"
    said = terminal.run("export", session, "--to", str(file))
    count = len(file.read_text(encoding="utf-8").splitlines())
    assert (said.code, said.out, said.err) == (0, "", f"{count} events written to {file}\n")
    assert file.read_text(encoding="utf-8") == terminal.run("export", session).out
    elsewhere = terminal.environment["THREADLEAD_WORKSPACE"] + "-other"
    brought = terminal.run("import", str(file), THREADLEAD_WORKSPACE=elsewhere)
    assert (brought.code, brought.out) == (0, f"{count} events of {session} imported\n")
    assert state(terminal, session, elsewhere) == state(terminal, session)
    again = terminal.run("import", str(file), THREADLEAD_WORKSPACE=elsewhere)
    assert (again.code, again.out) == (2, "")
    assert again.err == f"threadlead: Session {session} is already here; an import never overwrites one.\n"
    assert terminal.run("log", session, "--json", THREADLEAD_WORKSPACE=elsewhere).rows == [
        json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()
    ]


def test_a_file_that_cannot_be_written_or_read_is_named(terminal: Terminal) -> None:
    session = lead(terminal)
    nowhere = terminal.folder / "no" / "such.jsonl"
    said = terminal.run("export", session, "--to", str(nowhere))
    assert (said.code, said.err) == (2, f"threadlead: {nowhere} cannot be written: No such file or directory\n")
    said = terminal.run("import", str(nowhere))
    assert (said.code, said.err) == (2, f"threadlead: {nowhere} cannot be read: No such file or directory\n")
    said = terminal.run("import", str(terminal.folder))
    assert (said.code, said.err) == (2, f"threadlead: {terminal.folder} cannot be read: Is a directory\n")
    picture = terminal.folder / "picture.png"
    picture.write_bytes(b"\x89PNG\xff\xfe")
    assert terminal.run("import", str(picture)).err == f"threadlead: {picture} cannot be read: it is not text\n"


# -- what is no export -----------------------------------------------------------------------------------------------


def drop_second(rows: list[dict[str, object]]) -> None:
    del rows[1]


def swap(rows: list[dict[str, object]]) -> None:
    rows[1], rows[2] = rows[2], rows[1]


def of(index: int, **change: object) -> Change:
    return lambda rows: rows[index].update(change)


BAD: dict[str, tuple[Change, int]] = {
    "a gap": (drop_second, 2),
    "another order": (swap, 2),
    "another session": (of(2, session_id="ps_other"), 3),
    "a type nobody knows": (of(2, type="session.exploded"), 3),
    "a newer version": (of(0, v=99), 1),
    "a field too many": (of(0, payload={"title": "", "place": "", "surface": "", "by": "", "extra": 1}), 1),
    "a number that is text": (of(1, seq="2"), 2),
    "a number that is true": (of(0, seq=True), 1),
    "a time that is text": (of(1, ts="now"), 2),
    "no id": (of(1, id=""), 2),
    "a version that is a list": (of(1, v=[]), 2),
    "a payload that is text": (of(1, payload="x"), 2),
    "a missing payload": (lambda rows: rows[1].pop("payload"), 2),
    "facts about a task that is not there": (
        lambda rows: rows.insert(1, {**rows[1], "seq": 2, "type": "task.started", "payload": {"task_id": "task_x"}}),
        2,
    ),
}


async def exported() -> list[dict[str, object]]:
    """A good log, line by line."""
    thread = await begun(MemoryLedger())
    await thread.applied(spec("a"))
    return [json.loads(as_line(event)) for event in await thread.service.ledger.read(thread.id)]


def written(folder: Path, rows: list[dict[str, object]]) -> Path:
    file = folder / "session.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


@pytest.mark.parametrize("name", BAD)
async def test_a_line_that_is_no_event_of_this_log_is_named(tmp_path: Path, name: str) -> None:
    rows = await exported()
    assert len(read_export(written(tmp_path, rows))) == len(rows)
    change, line = BAD[name]
    change(rows)
    with pytest.raises(Refused) as refused:
        read_export(written(tmp_path, rows))
    assert (refused.value.code, refused.value.params["line"]) == ("bad_export", line)
    assert refused.value.params["why"]


async def test_nothing_of_a_bad_export_comes_in(terminal: Terminal) -> None:
    rows = await exported()
    drop_second(rows)
    file = written(terminal.folder, rows)
    said = await asyncio.to_thread(terminal.run, "import", str(file))
    assert (said.code, said.out) == (2, "")
    assert said.err == f"threadlead: Line 2 of {file} is not an exported event: it does not follow the line before\n"
    assert (await asyncio.to_thread(terminal.run, "sessions", "--json")).out == ""


@pytest.mark.parametrize(
    ("text", "line"), [("", 1), ("hello\n", 1), ("[]\n", 1), ("42\n", 1), ("null\n", 1), ("{}\n", 1), ("\n\n", 1)]
)
def test_what_is_no_json_lines_at_all(tmp_path: Path, text: str, line: int) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(text)
    with pytest.raises(Refused) as refused:
        read_export(file)
    assert (refused.value.code, refused.value.params["line"]) == ("bad_export", line)
    assert refused.value.params["why"]
