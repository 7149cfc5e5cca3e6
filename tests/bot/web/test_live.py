"""The stream of a page: what it is told, what a reconnect replays, and how many pages one process carries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx
import pytest

from bot.web import console, live
from bot.web.events import read_position
from bot.web.live import Full, Live
from core.ledger.keys import Bounds
from core.ledger.memory import MemoryLedger
from tests.bot.web.conftest import OpenSeat
from tests.bot.web.story import Seat, Story
from tests.servers import PrivateServer


async def test_a_page_hears_of_its_own_session_and_only_that_there_is_news_of_others(story: Story) -> None:
    async with story.seat.stream(story.id) as stream:
        assert (await stream.next())[0] == "ready"
        other = await story.seat.begin()
        assert (await stream.next())[0] == "sessions"
        await story.seat.command(kind="say", session=other, text="elsewhere")
        await story.said("hello")
        event, data = await stream.next("change")
        assert (event, data["feed"]) == ("change", "session")
        assert data["seq"] == str((await story.state()).seq)


async def test_output_comes_as_it_is_printed(story: Story) -> None:
    await story.repository()
    await story.applied()
    await story.started("T1")
    async with story.seat.stream(story.id) as stream:
        await stream.next("ready")
        await story.output("T1", "line one\nline two\r\n\ndata: fake\n")
        _, data = await stream.next("output")
        assert data == {"task": (await story.task("T1")).id, "text": "line one\nline two\r\n\ndata: fake\n"}


async def test_a_page_that_comes_back_hears_what_it_missed_once_and_then_goes_on(story: Story) -> None:
    async with story.seat.stream(story.id) as stream:
        await stream.next("ready")
        await story.said("one")
        await stream.next("change")
        last = stream.id
    await story.said("two")
    async with story.seat.stream(story.id, last) as stream:
        await stream.next("ready")
        _, missed = await stream.next("change")
        await story.said("three")
        _, fresh = await stream.next("change")
        assert int(fresh["seq"]) == int(missed["seq"]) + 1 == (await story.state()).seq


@pytest.mark.parametrize("last", ["nonsense", "1-0", "1-0.2-0", "9" * 99, "1-0.2-0.3-0.4-0", "-1.0.0"])
def test_a_position_that_is_not_ours_is_none(last: str) -> None:
    assert read_position(last) is None


def test_a_position_names_all_three_feeds() -> None:
    assert read_position("1700000000000-3.0.1700000000001-0") == {
        "session": "1700000000000-3",
        "task": "0",
        "worker": "1700000000001-0",
    }


@pytest.fixture
async def trimmed() -> MemoryLedger:
    """A ledger whose feeds keep two entries."""
    return MemoryLedger("live", bounds=Bounds(feed_length=2))


async def test_a_page_that_missed_what_was_trimmed_is_told_to_read_again(trimmed: MemoryLedger) -> None:
    await trimmed.publish("session", {"session": "ps_1"})
    since = dict.fromkeys(live.FEEDS, "0") | {"session": await trimmed.feed_end("session")}
    for number in range(5):
        await trimmed.publish("session", {"session": "ps_1", "seq": str(number)})
    hub = Live(trimmed)
    notes = [note async for note in hub.replay(live.Listener("ps_1"), since)]
    assert [(note.event, note.id) for note in notes] == [("reload", await trimmed.feed_end("session"))]


async def test_a_page_that_does_not_keep_up_is_let_go_and_the_others_hear_everything(trimmed: MemoryLedger) -> None:
    hub = Live(trimmed)
    running = asyncio.create_task(hub.run())
    slow, _ = await hub.join("ps_1")
    quick, _ = await hub.join("ps_2")
    for number in range(live.QUEUE + 1):
        await trimmed.publish("task", {"session": "ps_1", "kind": "output", "text": str(number)})
        await asyncio.sleep(0)
    await trimmed.publish("session", {"session": "ps_2", "seq": "7"})
    async with asyncio.timeout(5):
        while (note := await quick.queue.get()) and note.event != "change":
            pass
        while (last := await slow.queue.get()) is not None:
            assert last.event in ("output", "sessions", "reload")
    assert (len(hub), hub.dropped) == (1, 1)
    running.cancel()


async def test_a_heartbeat_that_says_nothing_new_is_not_passed_on(trimmed: MemoryLedger) -> None:
    hub = Live(trimmed)
    running = asyncio.create_task(hub.run())
    listener, _ = await hub.join("ps_1")
    for load in ("0/2", "0/2", "1/2"):
        await trimmed.publish("worker", {"worker": "laptop", "status": "idle", "load": load})
        await asyncio.sleep(0.01)
    async with asyncio.timeout(5):
        assert [(await listener.queue.get()).feed for _ in range(2)] == ["worker", "worker"]  # type: ignore[union-attr]
    assert listener.queue.empty()
    running.cancel()


async def test_pages_beyond_the_bound_are_refused_and_the_rest_is_unaffected(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "CLIENTS", 20)
    seat = story.seat
    unbounded = httpx.Limits(max_connections=None)
    cookies = seat.client.cookies
    async with httpx.AsyncClient(base_url=seat.url, cookies=cookies, limits=unbounded, trust_env=False) as many:
        requests = [many.build_request("GET", "/api/events", params={"session": story.id}) for _ in range(60)]
        answers = await asyncio.gather(*(many.send(request, stream=True) for request in requests))
        codes = [answer.status_code for answer in answers]
        assert (codes.count(200), codes.count(503)) == (20, 40)
        assert len(seat.console.live) == 20
        await story.said("still here")
        assert (await seat.client.get("/healthz")).status_code == 200
        for answer in answers:
            await answer.aclose()
    assert await emptied(seat) == 0
    async with seat.stream(story.id) as stream:
        assert (await stream.next())[0] == "ready"


async def emptied(seat: Seat) -> int:
    """How many pages are left when the server has noticed that they went, 5 s at most."""
    for _ in range(500):
        if not len(seat.console.live):
            break
        await asyncio.sleep(0.01)
    return len(seat.console.live)


async def test_nobody_is_let_in_once_it_closes(trimmed: MemoryLedger) -> None:
    hub = Live(trimmed)
    running = asyncio.create_task(hub.run())
    listener, _ = await hub.join("ps_1")
    hub.close()
    assert await listener.queue.get() is None
    with pytest.raises(Full):
        await hub.join("ps_1")
    running.cancel()


async def test_the_console_ends_within_two_seconds_with_streams_open(open_seat: OpenSeat) -> None:
    async with open_seat() as seat:
        await seat.sign_in()
        session = await seat.begin()
        async with seat.stream(session) as stream:
            await stream.next("ready")
            seat.stop.set()
            async with asyncio.timeout(2):
                await seat.serving
            with pytest.raises(EOFError):
                await stream.next("never")


async def test_a_caller_that_is_cancelled_ends_the_console_too(open_seat: OpenSeat) -> None:
    async with open_seat() as seat:
        await seat.sign_in()
        async with seat.stream(await seat.begin()) as stream:
            await stream.next("ready")
            seat.serving.cancel()
            await asyncio.wait({seat.serving}, timeout=2)
            assert seat.serving.cancelled()


async def test_while_the_log_is_away_the_console_says_so_and_goes_on_afterwards(
    open_seat: OpenSeat, start_server: Callable[..., PrivateServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "READ_S", 0.5)
    server = start_server(appendonly=True)
    async with open_seat(redis_url=server.url) as seat:
        await seat.sign_in()
        story = await Story.begin(seat)
        async with seat.stream(story.id) as stream:
            await stream.next("ready")
            server.kill()
            ready = await seat.client.get("/readyz", timeout=10)
            assert (ready.status_code, ready.json()["ok"]) == (503, False)
            state = await seat.client.get("/api/state", params={"session": story.id})
            assert (state.status_code, state.headers["retry-after"]) == (503, "1")
            server.start()
            assert (await seat.client.get("/readyz", timeout=10)).status_code == 200
            await story.said("back again")
            assert (await stream.next("change"))[1]["feed"] == "session"
