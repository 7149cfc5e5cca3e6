"""A session led from the terminal, through real processes: say, be answered, decide, watch."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from bot.cli.talk import card_text
from bot.posts import Post
from tests.bot.cli.terminal import Terminal, make_shop, until

pytestmark = pytest.mark.process


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    return process.returncode, err


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


def begin(house: Terminal, shop: Path, text: str = "git status --short") -> str:
    """A session on the shop; its id."""
    said = house.run("say", "--json", "--repo", str(shop), text)
    assert said.code == 0, said
    session: str = said.rows[0]["session"]
    return session


def test_a_plan_is_asked_for_applied_and_accepted_from_the_terminal(house: Terminal, shop: Path) -> None:
    asked = house.run("say", "--repo", str(shop), "git status --short")
    assert asked.code == 0, asked
    assert asked.out.startswith("+ P1 · shop, from main @ ")
    assert "\n    + T1 `git status --short`\n" in asked.out
    assert asked.out.rstrip().endswith("    [Apply] [Edit] [Reject] [Only a question]")
    session = json.loads(house.run("sessions", "--json").out.splitlines()[0])["session"]
    with house.started("watch", session) as watching:
        until(watching, "P1 · shop")
        assert house.run("say", "-s", session, "apply P1").code == 0
        until(watching, "+ Ready for review")
        assert house.run("say", "-s", session, "accept T1").code == 0
        until(watching, "~ Accepted by alice")
        assert end(watching) == (0, "")


def test_what_programs_read_is_one_object_a_line(house: Terminal, shop: Path) -> None:
    said = house.run("say", "--json", "--repo", str(shop), "git status --short")
    told, *changes = said.rows
    assert set(told) == {"ok", "session", "code", "text"}
    assert (told["ok"], told["code"], told["text"]) == (True, "", "")
    assert {frozenset(row) for row in changes} == {frozenset({"key", "revision", "new", "card"})}
    plan = changes[-1]
    assert (plan["key"], plan["revision"], plan["new"]) == ("plan:P1", 1, True)
    assert plan["card"]["title"].startswith("P1 · shop, from main @ ")


def test_only_what_was_asked_is_waited_for(house: Terminal, shop: Path) -> None:
    session = begin(house, shop)
    quick = house.run("say", "-s", session, "--no-wait", "lunch at 12?")
    assert (quick.code, quick.out, quick.err) == (0, "", "")
    note = house.run("say", "-s", session, "thanks!")
    assert (note.code, note.out, note.err) == (0, "", "")
    answer = house.run("say", "-s", session, "status")
    assert "Waiting for you: P1" in answer.out


def test_prose_without_an_agent_is_answered_and_starts_nothing(house: Terminal, shop: Path) -> None:
    session = begin(house, shop)
    said = house.run("say", "-s", session, "make the login page prettier")
    assert said.code == 0
    assert said.out.startswith("+ I have no agent to do that here, and it is not a command.")
    assert house.run("show", session, "--json").rows[0]["tasks"] == []


def test_what_cannot_be_is_said_and_exits_2(house: Terminal, shop: Path) -> None:
    session = begin(house, shop)
    said = house.run("say", "-s", session, "approve A9")
    assert (said.code, said.out, said.err) == (2, "", "There is no A9 here to decide.\n")
    (row,) = house.run("say", "--json", "-s", session, "approve A9").rows
    assert (row["ok"], row["code"], row["text"]) == (False, "unknown_interaction", "There is no A9 here to decide.")
    empty = house.run("say", "-s", session, " ")
    assert (empty.code, empty.err) == (2, "There is nothing in that message.\n")


def test_a_repository_that_cannot_be_used_is_said_and_nothing_is_asked_of_it(house: Terminal, tmp_path: Path) -> None:
    missing = house.run("say", "--repo", str(tmp_path / "nowhere"), "git status")
    assert (missing.code, missing.out) == (2, "")
    assert missing.err == f"There is no folder {tmp_path / 'nowhere'}.\n"
    bare = house.run("say", "--repo", str(tmp_path), "git status")
    assert (bare.code, bare.err) == (
        2,
        f"{tmp_path} is not a git repository. Run `git init` there, or name another folder.\n",
    )
    (row,) = house.run("say", "--json", "--repo", str(tmp_path), "git status").rows
    assert (row["ok"], row["code"]) == (False, "not_a_repository")
    chinese = house.run("say", "--repo", str(tmp_path), "跑一遍测试")
    assert "不是 git 代码库" in chinese.err


def test_an_unknown_session_is_said_and_exits_2(house: Terminal) -> None:
    for words in (
        ("say", "-s", "nope", "hello"),
        ("watch", "nope"),
        ("show", "nope"),
        ("log", "nope"),
        ("export", "nope"),
    ):
        said = house.run(*words)
        assert (said.code, said.out) == (2, "")
        assert said.err == "threadlead: There is no session nope. `threadlead sessions` lists them.\n"


def test_watch_shows_what_people_said_and_what_was_shown_and_ends_with_ctrl_c(house: Terminal, shop: Path) -> None:
    session = begin(house, shop)
    with house.started("watch", session, "--json") as watching:
        rows = [json.loads(line) for line in until(watching, '"plan:P1"').splitlines()]
        assert set(rows[0]) == {"message", "author", "text", "ts"}
        assert (rows[0]["author"], rows[0]["text"]) == ("alice", "git status --short")
        assert rows[-1]["card"]["kind"] == "plan"
        house.run("say", "-s", session, "--no-wait", "two\nlines \x1b[31m")
        said = json.loads(until(watching, '"two').splitlines()[-1])
        assert said["text"] == "two\nlines \x1b[31m"
        assert end(watching)[0] == 0


def test_a_terminal_is_told_no_control_characters(house: Terminal, shop: Path) -> None:
    session = begin(house, shop)
    house.run("say", "-s", session, "--no-wait", "red \x1b[31m alert \x07")
    with house.started("watch", session) as watching:
        assert "alice: red ␛[31m alert ␇" in until(watching, "alert")
        end(watching)
    for words in (("show", session), ("log", session)):
        assert "\x1b" not in house.run(*words).out


def test_a_card_is_indented_under_its_title() -> None:
    line = {"mark": "+", "text": "one\ntwo", "style": "", "ts": 0}
    card = {"title": "P1", "lines": [line], "buttons": [{"label": "Apply"}]}
    assert card_text(Post("plan:P1", "", 1, "", 0, 0, card)) == "P1\n    + one\n    two\n    [Apply]"
