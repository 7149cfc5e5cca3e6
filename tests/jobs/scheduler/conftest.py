"""A room with one slot, and one with two."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from redis import Redis

from tests.jobs.scheduler.room import Room


@pytest.fixture
def connection(redis_url: str) -> Iterator[Redis]:
    with Redis.from_url(redis_url) as opened:
        yield opened


@pytest.fixture
def room(connection: Redis, workspace: str) -> Room:
    return Room(connection, workspace)


@pytest.fixture
def wide_room(connection: Redis, workspace: str) -> Room:
    return Room(connection, workspace, slots=2)
