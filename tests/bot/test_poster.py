"""From the outbox to a surface: each message once to the eye, the last state always, and nothing that hides another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
import structlog
from structlog.testing import capture_logs

from bot.cards.model import Card
from bot.cards.session import cards
from bot.poster import Poster, Records
from bot.posts import Post, read_posts
from core.domain import commands as c
from core.domain.facts import TaskProgressed
from core.domain.views import find_task
from core.errors import Unavailable
from core.ledger.memory import MemoryLedger
from core.ledger.port import Effects, Fence, Ledger
from core.service import Service
from tests.bot.conftest import ALICE, Thread, begun, spec


@dataclass
class Wall:
    """A chat that keeps one message a key, as a platform with our key in its message would, and counts what it was told."""

    name: str = "web"
    messages: dict[str, Card] = field(default_factory=dict)
    posts: list[str] = field(default_factory=list)
    edits: list[tuple[str, Card]] = field(default_factory=list)
    before_post: Callable[[str], None] = lambda session_id: None
    after_post: Callable[[str], None] = lambda session_id: None
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    held: asyncio.Event | None = None

    async def post(self, session_id: str, card: Card) -> str:
        self.before_post(session_id)
        self.posts.append(card.key)
        self.messages[f"{session_id}/{card.key}"] = card
        self.after_post(session_id)
        return f"{session_id}/{card.key}"

    async def edit(self, session_id: str, message: str, card: Card) -> None:
        self.arrived.set()
        if self.held is not None:
            await self.held.wait()
        self.edits.append((message, card))
        self.messages[message] = card


def once(error: Exception) -> Callable[[str], None]:
    """Raises ``error`` the first time it is called."""
    left = [error]

    def fail(session_id: str) -> None:
        if left:
            raise left.pop()

    return fail


def poster(thread: Thread, wall: Wall | Records) -> Poster:
    """As another process would make it."""
    return Poster(thread.service.ledger, Service(thread.service.ledger), wall)


async def posts(thread: Thread) -> dict[str, Post]:
    return {p.key: p for p in await read_posts(thread.service.ledger, "web", thread.id)}


async def in_step(thread: Thread, wall: Wall) -> bool:
    """Every card stands on the wall as it is now, and the record says so."""
    wanted = cards(await thread.state())
    shown = {m.key: m for m in wall.messages.values()}
    recorded = await posts(thread)
    return all(shown.get(card.key) == card and recorded[card.key].digest == card.digest() for card in wanted)


async def progress(thread: Thread, name: str, step: str) -> None:
    task = find_task(await thread.state(), name)
    fact = TaskProgressed(task_id=task.id, current_step=step)
    fence = Fence(task.id, task.attempt_number)
    await thread.service.record(thread.id, [fact], attempt_id=task.attempt_id, worker="w1", fence=fence)


# -- one pass --------------------------------------------------------------------------------------------------------


async def test_a_message_is_posted_once_and_edited_only_when_it_changes(thread: Thread) -> None:
    wall = Wall()
    await thread.planned(spec("a"))
    for _ in range(3):
        await poster(thread, wall).show(thread.id)
    assert (wall.posts, wall.edits) == (["plan:P1"], [])
    await thread.intake.said(ALICE, thread.id, "lunch at 12?")
    await poster(thread, wall).show(thread.id)
    assert wall.edits == [], "a note is nothing to show"
    await thread.intake.said(ALICE, thread.id, "apply P1")
    await poster(thread, wall).show(thread.id)
    assert (wall.posts, len(wall.edits)) == (["plan:P1"], 1)
    assert (await posts(thread))["plan:P1"].revision == 2
    assert await in_step(thread, wall)


async def test_readers_are_told_of_each_change_and_of_nothing_else(thread: Thread) -> None:
    await thread.planned(spec("a"))
    after = await thread.service.ledger.feed_end("session")
    for _ in range(2):
        await poster(thread, Wall()).show(thread.id)
    told = await thread.service.ledger.tail("session", after)
    assert [entry.data.get("post") for entry in told] == ["plan:P1"]


async def test_a_post_whose_record_was_lost_is_found_again_by_its_key(thread: Thread) -> None:
    wall = Wall(after_post=once(RuntimeError("killed")))
    await thread.planned(spec("a"))
    with pytest.raises(RuntimeError):
        await poster(thread, wall).show(thread.id)
    assert await posts(thread) == {}
    await poster(thread, wall).show(thread.id)
    assert wall.posts == ["plan:P1", "plan:P1"], "sent again under the same key"
    assert len(wall.messages) == 1
    assert await in_step(thread, wall)


async def test_the_console_shows_one_message_even_when_a_poster_died_while_posting(thread: Thread) -> None:
    await thread.planned(spec("a"))
    for _ in range(2):
        await poster(thread, Records("web")).show(thread.id)
    assert list(await posts(thread)) == ["plan:P1"]
    assert (await posts(thread))["plan:P1"].revision == 1


async def test_a_message_no_card_stands_behind_keeps_its_words_and_loses_its_buttons(thread: Thread) -> None:
    wall = Wall()
    await thread.applied(spec("a"))
    attempt = await thread.started("T1")
    await thread.do(c.EndAttempt(attempt_id=attempt, stop_reason="end_turn"))
    await poster(thread, wall).show(thread.id)
    (key,) = [k for k in await posts(thread) if k.startswith("blocked:")]
    shown = wall.messages[f"{thread.id}/{key}"]
    assert shown.buttons
    await thread.intake.said(ALICE, thread.id, "resume T1")
    for _ in range(2):
        await poster(thread, wall).show(thread.id)
    retired = wall.messages[f"{thread.id}/{key}"]
    assert (retired.title, retired.lines, retired.kind) == (shown.title, shown.lines, shown.kind)
    assert (retired.buttons, retired.mentions) == ((), ())
    assert [message for message, _ in wall.edits].count(f"{thread.id}/{key}") == 1, "retired once"
    assert (await posts(thread))[key].card["title"] == shown.title


# -- two at once -----------------------------------------------------------------------------------------------------


async def test_an_older_state_never_stays_over_a_newer_one(thread: Thread) -> None:
    wall, released = Wall(), asyncio.Event()
    slow = Wall(messages=wall.messages, held=released)  # one chat, two bots
    await thread.applied(spec("a"))
    await poster(thread, wall).show(thread.id)
    await thread.started("T1")
    await progress(thread, "T1", "step one")
    late = asyncio.create_task(poster(thread, slow).show(thread.id))
    await slow.arrived.wait()
    await progress(thread, "T1", "step two")
    await poster(thread, wall).show(thread.id)
    revision = (await posts(thread))["plan:P1"].revision
    released.set()
    await late
    assert await in_step(thread, wall)
    assert "step two" in wall.messages[f"{thread.id}/plan:P1"].text()
    assert (await posts(thread))["plan:P1"].revision > revision, "what was overtaken was sent once more, and says so"


async def test_many_posters_at_once_show_everything_once_to_the_eye(thread: Thread) -> None:
    wall = Wall()
    await thread.applied(spec("a"), spec("b"))
    await thread.started("T1")
    await asyncio.gather(*(poster(thread, wall).show(thread.id) for _ in range(5)))
    for step in range(5):
        await progress(thread, "T1", f"step {step}")
        await asyncio.gather(*(poster(thread, wall).show(thread.id) for _ in range(3)))
    assert await in_step(thread, wall)
    assert len(wall.messages) == len(await posts(thread)) == len(cards(await thread.state()))


# -- following the outbox --------------------------------------------------------------------------------------------


@pytest.fixture
def quiet() -> Iterator[list[structlog.typing.EventDict]]:
    with capture_logs() as logs:
        yield logs


@asynccontextmanager
async def running(thread: Thread, wall: Wall | Records) -> AsyncIterator[None]:
    task = asyncio.create_task(poster(thread, wall).run("bot-1"))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def all_done(ledger: Ledger) -> None:
    """Wait until every entry of the outbox was acknowledged, and so removed."""
    async with asyncio.timeout(5):
        while await ledger.tail("out:web", "0"):
            await asyncio.sleep(0.005)


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(5):
        while not true():
            await asyncio.sleep(0.005)


async def test_however_often_an_entry_comes_a_message_is_posted_once(thread: Thread) -> None:
    wall = Wall()
    await thread.planned(spec("a"))
    again = Effects(surfaces=["web"])
    for _ in range(5):
        await thread.service.ledger.append(thread.id, (), expected_seq=None, effects=again)
    async with running(thread, wall):
        await until(lambda: wall.posts)
        await thread.intake.said(ALICE, thread.id, "status")
        await until(lambda: len(wall.posts) == 2)
        await all_done(thread.service.ledger)
    assert wall.posts[0] == "plan:P1"
    assert wall.edits == []


async def test_a_session_that_cannot_be_shown_does_not_hide_the_others(
    ledger: Ledger, quiet: list[structlog.typing.EventDict]
) -> None:
    broken, sound = await begun(ledger, "web:1"), await begun(ledger, "web:2")
    await broken.planned(spec("a"))
    await sound.planned(spec("a"))

    def fail(session_id: str) -> None:
        if session_id == broken.id:
            raise ZeroDivisionError

    wall = Wall(before_post=fail)
    async with running(sound, wall):
        await until(lambda: wall.posts)
    assert list(wall.messages) == [f"{sound.id}/plan:P1"]
    assert [entry["session"] for entry in quiet if entry["event"] == "session_not_shown"] == [broken.id]


async def test_while_a_chat_is_away_the_entry_waits_and_the_others_go_on(
    quiet: list[structlog.typing.EventDict],
) -> None:
    clock = [1_700_000_000_000]
    ledger = MemoryLedger(clock=lambda: clock[0])
    first, second = await begun(ledger, "web:1"), await begun(ledger, "web:2")
    await first.planned(spec("a"))
    await second.planned(spec("a"))
    wall = Wall(before_post=once(Unavailable("chat_away")))
    async with running(first, wall):
        await until(lambda: len(wall.messages) == 1)
        assert list(wall.messages) == [f"{second.id}/plan:P1"]
        clock[0] += 60_000  # the entry has waited long enough to be somebody's again
        await until(lambda: len(wall.messages) == 2)
    assert [entry["code"] for entry in quiet if entry["event"] == "session_not_shown"] == ["chat_away"]


async def test_an_entry_that_names_no_session_is_done_with(thread: Thread) -> None:
    await thread.planned(spec("a"))
    await thread.service.ledger.publish("out:web", {"x": "y"})
    async with running(thread, wall := Wall()):
        await all_done(thread.service.ledger)
    assert wall.posts == ["plan:P1"]


async def test_a_poster_that_starts_late_shows_what_happened_before(thread: Thread) -> None:
    await thread.applied(spec("a"))
    await thread.asked(await thread.started("T1"))
    await thread.intake.said(ALICE, thread.id, "reject A1 no")
    async with running(thread, wall := Wall()):
        await until(lambda: "approval:A1" in wall.posts)
    assert wall.messages[f"{thread.id}/approval:A1"].buttons == ()
    assert sorted(wall.posts) == ["approval:A1", "plan:P1"]
