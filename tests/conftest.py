"""Fixtures every room's tests share: a private Redis server, and a workspace name nobody used before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tests.servers import PrivateServer

pytest_plugins = ("tests.browsers",)

_workspaces = count(1)


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A server for the whole run; tests stay apart by ``workspace``."""
    server = PrivateServer().start()
    yield server.url
    server.remove()


@pytest.fixture
def workspace() -> str:
    return f"test{next(_workspaces)}"


@pytest.fixture
def start_server() -> Iterator[Callable[..., PrivateServer]]:
    """Starts servers that belong to one test, which may kill them; arguments as for ``PrivateServer``."""
    started: list[PrivateServer] = []

    def start(*options: str, appendonly: bool = False) -> PrivateServer:
        server = PrivateServer(*options, appendonly=appendonly)
        started.append(server)
        return server.start()

    yield start
    for server in started:
        server.remove()
