"""What is, for people and for programs: the sessions, one session, and one that cannot be read."""

from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest
from redis import Redis

from core.assembly import open_desk
from tests.bot.cli.terminal import Terminal, bare_environment
from tests.bot.cli.test_logs import lead, settings
from tests.bot.conftest import begun, spec


@pytest.fixture
def terminal(tmp_path: Path, redis_url: str, workspace: str) -> Terminal:
    return Terminal(tmp_path, bare_environment(REDIS_URL=redis_url, THREADLEAD_WORKSPACE=workspace))


def hostile(terminal: Terminal) -> str:
    """A session whose words would paint a terminal red."""

    async def led() -> str:
        async with open_desk(settings(terminal)) as desk:
            thread = await begun(desk.ledger, f"web:{uuid4()}")
            await thread.planned(spec("a"), text="[red]make[/red] it \x1b[31mred")
            return thread.id

    return asyncio.run(led())


def test_before_the_first_session_the_way_to_one_is_said(terminal: Terminal) -> None:
    said = terminal.run("sessions")
    assert (said.code, said.out) == (0, 'No session yet. Begin one: threadlead say --repo PATH "run the tests"\n')
    assert terminal.run("sessions", "--json").out == ""
    assert terminal.run("watch").err == "threadlead: There is no session yet. `threadlead sessions` lists them.\n"


def test_sessions_are_listed_with_what_waits_for_a_person(terminal: Terminal) -> None:
    session = lead(terminal)
    waiting = hostile(terminal)
    first, second = terminal.run("sessions", "--json").rows
    assert set(first) == {"session", "repo", "title", "objective", "waiting", "tasks", "seq", "problem"}
    assert (first["session"], first["waiting"], first["tasks"]) == (waiting, ["P1"], 0)
    assert (second["session"], second["repo"], second["objective"], second["tasks"]) == (session, "shop", "do it", 2)
    people = terminal.run("sessions").out
    assert session[-12:] in people
    assert "waits for you" in people


def test_words_of_strangers_are_words_in_the_list_and_in_the_session(terminal: Terminal) -> None:
    session = hostile(terminal)
    shown = terminal.run("show", session).out
    assert "[red]make[/red] it ␛[31mred" in shown
    assert "\x1b" not in shown + terminal.run("sessions").out


def test_a_session_is_shown_with_its_tasks_what_waits_and_its_cards(terminal: Terminal) -> None:
    session = lead(terminal)
    people = terminal.run("show", session).out
    assert people.startswith(f"{session}\ndo it\n")
    assert "○ T2 Task b · waits for T1" in people
    assert "A1 rejected by alice · nothing ran · T1 goes on without it" in people
    (row,) = terminal.run("show", session, "--json").rows
    assert set(row) == {"session", "seq", "objective", "tasks", "waiting", "cards"}
    assert [(t["short"], t["status"]) for t in row["tasks"]] == [("T1", "working"), ("T2", "queued")]
    assert row["waiting"] == []
    assert [card["key"] for card in row["cards"]] == ["plan:P1", "approval:A1"]


def test_a_session_that_cannot_be_read_is_listed_with_its_trouble_and_hides_no_other(
    terminal: Terminal, redis_url: str, workspace: str
) -> None:
    broken, sound = lead(terminal), lead(terminal)
    with Redis.from_url(redis_url) as admin:
        admin.xadd(f"tl:{{{workspace}}}:log:{broken}", {"e": '{"type":"x"}', "t": "1"}, id="1000-0")
        admin.delete(f"tl:{{{workspace}}}:snap:{broken}")
    rows = {row["session"]: row for row in terminal.run("sessions", "--json").rows}
    assert rows[broken]["problem"].startswith(f"Session {broken} cannot be read at event ")
    assert rows[sound]["problem"] == ""
    said = terminal.run("show", broken)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"threadlead: Session {broken} cannot be read at event ")
    assert terminal.run("show", sound).code == 0
