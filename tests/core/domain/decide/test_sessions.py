"""A session is begun once, works on one repository, keeps what people write, and reads each message once."""

from __future__ import annotations

import pytest

from core.domain import commands as c
from core.domain import facts as f
from core.domain import limits
from core.domain.reading import Proposal, Reading, Reply
from tests.core.domain.world import ALICE, World, kinds, spec


@pytest.fixture
def world() -> World:
    return World()


def test_a_session_is_begun_once(world: World) -> None:
    command = c.StartSession(by=ALICE, place="web:1", surface="web", title="Shop")
    assert kinds(world.do(command)) == ["session.created"]
    assert (world.state.title, world.state.created_by, world.state.surfaces) == ("Shop", "alice", ["web"])
    assert world.refused(command) == "session_exists"


def test_nothing_is_said_to_a_session_that_does_not_exist(world: World) -> None:
    assert world.refused(c.AddMessage(by=ALICE, text="hello")) == "unknown_session"
    assert world.refused(c.NameRepo(by=ALICE, path="shop")) == "unknown_session"


def test_a_named_repository_waits_for_who_has_it(world: World) -> None:
    world.start(repo=False)
    world.do(c.NameRepo(by=ALICE, path=" shop "))
    assert world.state.repo is not None
    assert (world.state.repo.path, world.state.repo.problem) == ("shop", "checking")
    world.do(c.RecordRepo(path="shop", root="/srv/shop", base_branch="main", base_commit="c0", worker="w1"))
    assert world.state.repo is not None
    assert (world.state.repo.root, world.state.repo.problem) == ("/srv/shop", "")


@pytest.mark.parametrize("path", ["", "  ", "a\0b", "x" * 4097])
def test_a_path_that_can_be_none_is_refused(world: World, path: str) -> None:
    assert world.start(repo=False).refused(c.NameRepo(by=ALICE, path=path)) == "bad_path"


def test_news_of_a_repository_nobody_named_or_without_news_is_refused(world: World) -> None:
    world.start(repo=False)
    assert world.refused(c.RecordRepo(path="shop")) == "not_asked"
    world.do(c.NameRepo(by=ALICE, path="shop"))
    assert world.refused(c.RecordRepo(path="other")) == "not_asked"
    found = c.RecordRepo(path="shop", base_branch="main", base_commit="c0", worker="w1")
    world.do(found)
    assert world.refused(found) == "nothing_new"


def test_the_repository_is_fixed_once_work_is_planned_on_it(world: World) -> None:
    world.start().plan(spec("a"))
    assert world.refused(c.NameRepo(by=ALICE, path="other")) == "repo_fixed"


def test_work_planned_without_a_repository_starts_from_the_one_named_later(world: World) -> None:
    world.start(repo=False).plan(spec("a"))
    assert world.flow.base_commit == ""
    assert world.refused(c.Dispatch(task_id=world.id("T1"), worker="w1")) == "gate_closed"
    world.do(c.NameRepo(by=ALICE, path="shop"))
    world.do(c.RecordRepo(path="shop", base_branch="main", base_commit="c7", worker="w1"))
    assert (world.flow.base_branch, world.flow.base_commit) == ("main", "c7")
    world.run("T1")


def test_news_of_the_base_branch_leaves_work_under_way_where_it_started(world: World) -> None:
    world.start().plan(spec("a"))
    world.do(c.RecordRepo(path="shop", base_branch="main", base_commit="c8", worker="w1"))
    assert world.flow.base_commit == "c0"


@pytest.mark.parametrize(
    ("text", "code"), [(" \n", "empty_message"), ("x" * (limits.MESSAGE_CHARS + 1), "message_too_long")]
)
def test_a_message_has_words_and_a_bound(world: World, text: str, code: str) -> None:
    assert world.start().refused(c.AddMessage(by=ALICE, text=text)) == code


def test_the_first_message_sets_the_language(world: World) -> None:
    world.start()
    world.do(c.AddMessage(by=ALICE, text="修复", language="zh"))
    world.do(c.AddMessage(by=ALICE, text="thanks", language="en"))
    assert world.state.language == "zh"


def test_words_that_say_what_they_are_are_read_at_once(world: World) -> None:
    world.start()
    facts = world.do(c.AddMessage(by=ALICE, text="stop", reading=Reading(kind="control")))
    assert kinds(facts) == ["session.message.added", "session.message.classified"]


def test_a_message_is_read_once(world: World) -> None:
    message = world.start().say("hello")
    reading = Reading(kind="question", reply=Reply(code="hello"))
    world.do(c.RecordReading(message_id=message, reading=reading))
    assert world.state.messages[message].reply == Reply(code="hello")
    assert world.refused(c.RecordReading(message_id=message, reading=reading)) == "already_read"
    assert world.refused(c.RecordReading(message_id="msg_9", reading=reading)) == "unknown_message"


def test_a_message_that_waits_is_read_again(world: World) -> None:
    message = world.start().say("run the tests")
    world.do(c.RecordReading(message_id=message, reading=Reading(kind="new_task"), waits_for="repo"))
    proposal = Proposal(reason="run the tests", create=(spec("a"),))
    facts = world.do(c.RecordReading(message_id=message, reading=Reading(kind="new_task", proposal=proposal)))
    assert kinds(facts) == ["session.message.classified", "plan.diff.generated"]
    assert world.state.messages[message].waits_for == ""


def test_a_reading_with_an_impossible_proposal_records_nothing(world: World) -> None:
    message = world.start().say("run it")
    reading = Reading(kind="new_task", proposal=Proposal(reason="run it"))
    assert world.refused(c.RecordReading(message_id=message, reading=reading)) == "empty_plan"
    assert world.state.messages[message].kind == ""


def test_every_fact_of_a_person_says_who(world: World) -> None:
    world.start().say()
    assert {(e.source, e.source_ref) for e in world.events if isinstance(e.payload, f.MessageAdded)} == {
        ("user", "alice")
    }
