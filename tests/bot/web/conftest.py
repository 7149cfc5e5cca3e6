"""A console on a real socket over a real server, and the work of scheduler and worker done by hand, step by step."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from bot.intake import Intake
from bot.web.app import make_app
from bot.web.server import listen, serve
from core.assembly import open_desk
from core.settings import Settings
from tests.bot.web.story import TOKEN, Seat, Story

OpenSeat = Callable[..., AbstractAsyncContextManager[Seat]]


@pytest.fixture
def open_seat(redis_url: str, workspace: str, tmp_path: Path) -> OpenSeat:
    """Opens consoles; ``settings`` are further settings, ``agents`` the agents there are."""

    @asynccontextmanager
    async def opened(*, agents: tuple[str, ...] = (), **settings: object) -> AsyncIterator[Seat]:
        known = {"redis_url": SecretStr(redis_url), "workspace": workspace, "data": tmp_path, **settings}
        async with open_desk(Settings.model_validate(known)) as desk:
            app = make_app(desk, Intake(desk.service), TOKEN, "alice", agents)
            place, stop = listen("127.0.0.1", 0), asyncio.Event()
            url = f"http://127.0.0.1:{place.getsockname()[1]}"
            serving = asyncio.create_task(serve(app, "", 0, stop=stop, place=place))
            async with httpx.AsyncClient(base_url=url, headers={"Origin": url}, trust_env=False) as client:
                seat = Seat(desk, app, url, client, stop, serving)
                try:
                    await seat.answers()
                    yield seat
                finally:
                    stop.set()
                    await asyncio.wait({serving}, timeout=5)

    return opened


@pytest.fixture
async def seat(open_seat: OpenSeat) -> AsyncIterator[Seat]:
    """A console with alice signed in."""
    async with open_seat() as found:
        await found.sign_in()
        yield found


@pytest.fixture
async def story(seat: Seat) -> Story:
    return await Story.begin(seat)


@pytest.fixture
async def asked(story: Story) -> Story:
    """T1 works and wants to run rm -rf build-cache."""
    await story.repository()
    await story.applied()
    await story.asked(await story.started("T1"))
    return story
