"""A running ``threadlead up`` that the tests of the terminal share; each uses sessions of its own."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bot.cli.terminal import Terminal, bare_environment, until


@pytest.fixture(scope="session")
def house() -> Iterator[Terminal]:
    """A terminal beside everything that ``up`` runs."""
    folder = Path(tempfile.mkdtemp(prefix="tl-up-"))  # short: a socket path has about 100 characters
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    environment = bare_environment(
        THREADLEAD_DATA=str(folder / "data"),
        THREADLEAD_WEB__PORT=port,
        THREADLEAD_WEB__PERSON="alice",
        THREADLEAD_WORKER__ID="laptop",
    )
    terminal = Terminal(folder, environment)
    with terminal.started("up") as running:
        until(running, "Stop with Ctrl-C.")
        assert running.stdout is not None
        os.set_blocking(running.stdout.fileno(), False)
        yield terminal
    shutil.rmtree(folder, ignore_errors=True)
