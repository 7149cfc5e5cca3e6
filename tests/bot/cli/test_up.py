"""``threadlead up`` with small stand-ins for the three processes: what starts, what is said, and that nothing is left."""

from __future__ import annotations

import asyncio
import io
import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.cli import crew
from bot.cli.crew import Ended, Program, Stop, run_crew
from bot.cli.embedded import EmbeddedServer, redis_folder, serving, socket_path, start
from bot.cli.folder_lock import FolderLock
from bot.cli.up import console_link, obituary, procfile_programs, procfile_text, run_up, up
from core.errors import Refused, Unavailable
from core.settings import Settings, console_token

pytestmark = pytest.mark.process

CONSOLE = """
import os, signal, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
HTTPServer((os.environ["THREADLEAD_WEB__HOST"], int(os.environ["THREADLEAD_WEB__PORT"])), Page).serve_forever()
"""
PATIENT = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
print('ready')
signal.sigwait([signal.SIGTERM])
print('bye')
"""
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready'); time.sleep(60)"
UP = """
import sys
from pathlib import Path
from bot.cli.crew import Program
from bot.cli.up import run_up
from core.settings import Settings

programs = [Program(f"p{i}", [sys.executable, "-u", "-c", code]) for i, code in enumerate(sys.argv[3:])]
sys.exit(run_up(Settings(data=Path(sys.argv[1])), web_port=int(sys.argv[2]), programs=programs))
"""


def python(name: str, code: str) -> Program:
    return Program(name, [sys.executable, "-u", "-c", textwrap.dedent(code)])


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def settings(tmp_path: Path, port: int) -> Settings:
    return Settings(data=tmp_path, web={"port": port})


class Started:
    """``up`` in a process of its own, in a session of its own: what a terminal would hold."""

    def __init__(self, data: Path, port: int, *codes: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", UP, str(data), str(port), *codes],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.said = ""

    def until(self, words: str, times: int = 1) -> None:
        assert self.process.stdout is not None
        while self.said.count(words) < times:
            line = self.process.stdout.readline()
            assert line, f"ended before {words!r}:\n{self.said}"
            self.said += line

    def signal(self, number: signal.Signals) -> None:
        os.killpg(self.process.pid, number)

    def ended(self) -> tuple[int, float]:
        """Exit code, and seconds from now to the end."""
        before = time.monotonic()
        rest, _ = self.process.communicate(timeout=20)
        self.said += rest
        return self.process.returncode, time.monotonic() - before


@pytest.fixture
def launch(tmp_path: Path, port: int) -> Iterator[Callable[..., Started]]:
    started: list[Started] = []

    def _launch(*codes: str) -> Started:
        started.append(Started(tmp_path, port, *codes))
        return started[-1]

    yield _launch
    for one in started:
        if one.process.poll() is None:
            one.signal(signal.SIGTERM)
            one.process.communicate(timeout=20)
        if one.process.stdout is not None:
            one.process.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_signal_ends_everything_in_4_seconds_with_exit_0(
    number: signal.Signals, launch: Callable[..., Started], tmp_path: Path
) -> None:
    running = launch(CONSOLE, PATIENT, PATIENT)
    running.until("Console: http://127.0.0.1:")
    running.until("ready", 2)
    running.signal(number)
    code, seconds = running.ended()
    assert (code, seconds < 4) == (0, True)
    assert running.said.count("bye") == 2
    assert not socket_path(tmp_path).exists()
    assert FolderLock(redis_folder(tmp_path) / "server.lock").take()


def test_the_link_lets_a_browser_in_and_is_said_once(launch: Callable[..., Started], tmp_path: Path) -> None:
    running = launch(CONSOLE)
    running.until("Stop with Ctrl-C.")
    token = (tmp_path / "console-token").read_text().strip()
    assert running.said.count(f"/?token={token}") == 1
    ours = [line for line in running.said.splitlines() if not re.match(r"\d\d:\d\d:\d\d ", line)]
    assert len(ours) <= 4


def test_a_process_deaf_to_sigterm_is_killed_within_the_4_seconds(launch: Callable[..., Started]) -> None:
    running = launch(DEAF, PATIENT)
    running.until("ready", 2)
    running.signal(signal.SIGINT)
    code, seconds = running.ended()
    assert (code, seconds < 4) == (0, True)


def test_a_second_ctrl_c_waits_for_nobody(launch: Callable[..., Started]) -> None:
    running = launch(DEAF, PATIENT)
    running.until("ready", 2)
    running.signal(signal.SIGINT)
    running.until("bye")
    running.signal(signal.SIGINT)
    code, seconds = running.ended()
    assert (code, seconds < 1.5) == (0, True)


def test_after_a_sigkill_of_up_the_next_one_starts(launch: Callable[..., Started], tmp_path: Path) -> None:
    killed = launch("import os, time; print('pid', os.getpid()); time.sleep(60)")
    killed.until("pid ")
    left_over = int(killed.said.split("pid ")[1].split()[0])
    killed.process.kill()
    killed.process.wait()
    os.kill(left_over, signal.SIGKILL)
    again = launch(CONSOLE)
    again.until("Console: ")
    again.signal(signal.SIGINT)
    assert again.ended()[0] == 0


async def test_children_find_the_redis_and_the_settings_in_their_environment(settings: Settings) -> None:
    """Given no Redis in the settings, then a child reaches the embedded one by REDIS_URL and by its own settings."""
    out = io.StringIO()
    code = """
        import os
        from redis import Redis
        from core.settings import load_settings
        found = load_settings()
        assert found.redis_url.get_secret_value() == os.environ["REDIS_URL"]
        print("answers", Redis.from_url(os.environ["REDIS_URL"]).ping(), found.web.port, found.data)
    """
    assert await up(settings, [python("child", code)], Stop(), out=out) == 1
    assert f"answers True {settings.web.port} {settings.data}" in out.getvalue()


async def test_a_process_that_ends_stops_all_and_its_name_and_last_words_are_said(settings: Settings) -> None:
    out = io.StringIO()
    failing = python("scheduler", "import sys; print('cannot go on', file=sys.stderr); sys.exit(3)")
    assert await up(settings, [python("bot", PATIENT), failing], Stop(), out=out) == 1
    ending = out.getvalue().splitlines()[-2:]
    assert ending == [
        "scheduler ended by itself, exit code 3, so everything was stopped. It last said:",
        "  cannot go on",
    ]
    assert not socket_path(settings.data).exists()


async def test_a_program_that_is_not_there_is_said_by_name(settings: Settings) -> None:
    out = io.StringIO()
    programs = [python("bot", PATIENT), Program("worker", ["threadlead-no-such-program"])]
    assert await up(settings, programs, Stop(), out=out) == 1
    assert "worker could not be started" in out.getvalue()
    assert "threadlead-no-such-program: No such file or directory" in out.getvalue()


async def test_an_embedded_server_that_dies_stops_all(settings: Settings) -> None:
    out = io.StringIO()
    kill = """
        import os, redis, signal
        client = redis.Redis.from_url(os.environ["REDIS_URL"])
        os.kill(client.info("server")["process_id"], signal.SIGKILL)
        signal.pause()
    """
    assert await up(settings, [python("bot", kill)], Stop(), out=out) == 1
    assert "redis was killed by signal 9, so everything was stopped." in out.getvalue()
    assert "eady to accept connections" in out.getvalue()


async def test_a_taken_port_is_said_before_anything_starts(settings: Settings) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", settings.web.port))
        other.listen()
        with pytest.raises(Refused) as refusal:
            await up(settings, [], Stop(), out=io.StringIO())
    assert refusal.value.code == "port_taken"
    assert refusal.value.params["port"] == settings.web.port
    assert not redis_folder(settings.data).exists()


async def test_an_address_of_another_machine_is_said(tmp_path: Path) -> None:
    elsewhere = Settings(data=tmp_path, web={"host": "192.0.2.1", "token": "a-token-of-some-length"})
    with pytest.raises(Refused) as refusal:
        await up(elsewhere, [], Stop(), out=io.StringIO())
    assert refusal.value.code == "port_unusable"


async def test_a_missing_git_is_said(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Refused) as refusal:
        await up(settings, [], Stop(), out=io.StringIO())
    assert refusal.value.code == "git_missing"
    assert "Install git" in str(refusal.value.params["fix"])


async def test_a_second_up_on_the_same_folder_hears_who_runs_there_even_though_its_port_is_taken(
    settings: Settings,
) -> None:
    with socket.socket() as ours:
        ours.bind(("127.0.0.1", settings.web.port))
        ours.listen()
        async with serving(settings.data):
            with pytest.raises(Refused) as refusal:
                await up(settings, [], Stop(), out=io.StringIO())
    assert refusal.value.code == "already_running"
    assert refusal.value.params["pid"] == os.getpid()


@pytest.fixture
async def forgetful(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedServer:
    """A server somebody else runs, with its append-only file off."""
    server = await start(tmp_path_factory.mktemp("theirs"))
    configure = await asyncio.create_subprocess_exec(
        sys.executable, "-c", f"import redis; redis.Redis.from_url({server.url!r}).config_set('appendonly', 'no')"
    )
    await configure.wait()
    return server


async def test_a_redis_that_forgets_is_refused_unless_that_is_wanted(
    forgetful: EmbeddedServer, tmp_path: Path, port: int
) -> None:
    wanted = Settings(data=tmp_path, web={"port": port}, redis_url=forgetful.url)
    try:
        with pytest.raises(Refused) as refusal:
            await up(wanted, [], Stop(), out=io.StringIO())
        assert refusal.value.code == "redis_unfit"
        assert "append-only file" in str(refusal.value.params["problems"])
        out = io.StringIO()
        anyway = wanted.model_copy(update={"allow_volatile": True})
        assert await up(anyway, [python("bot", "print('went on')")], Stop(), out=out) == 1
        assert "went on" in out.getvalue()
    finally:
        await forgetful.stop()


async def test_a_redis_that_does_not_answer_is_said(tmp_path: Path, port: int) -> None:
    nowhere = Settings(data=tmp_path, web={"port": port}, redis_url=f"unix://{tmp_path}/none.sock")
    with pytest.raises(Unavailable) as failure:
        await up(nowhere, [], Stop(), out=io.StringIO())
    assert failure.value.code == "redis_unreachable"


async def test_a_grandchild_that_keeps_the_pipe_open_does_not_hold_up_the_end() -> None:
    """Given a child that left something in another session with its output, then the end does not wait for it."""
    code = """
        import subprocess, sys
        far = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(8)"], start_new_session=True)
        print("far", far.pid)
    """
    out, before = io.StringIO(), time.monotonic()
    ended = await run_crew([python("bot", code)], os.environ, Stop(), out=out)
    assert time.monotonic() - before < 3
    assert ended is not None
    assert ended.code == 0
    os.kill(int(ended.last_lines[-1].split()[1]), signal.SIGKILL)


def is_running(pid: int) -> bool:
    """Alive and not merely waiting to be reaped by whoever adopted it."""
    said = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(said.strip()) and not said.startswith("Z")


async def test_children_of_a_process_that_died_are_ended_too() -> None:
    code = """
        import os, signal, subprocess, sys
        near = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        print("near", near.pid)
        os.kill(os.getpid(), signal.SIGKILL)
    """
    ended = await run_crew([python("worker", code)], os.environ, Stop(), out=io.StringIO())
    assert ended is not None
    assert ended.code == -signal.SIGKILL
    near = ended.last_lines[-1].split()[1]
    assert not is_running(int(near))


async def test_output_is_named_bounded_and_without_control_characters() -> None:
    out = io.StringIO()
    code = "import sys; print('\\033]0;title\\007red'); print('x' * 100_000); sys.stdout.write('no newline')"
    await run_crew([python("bot", code)], os.environ, Stop(), out=out)
    lines = out.getvalue().splitlines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d bot \| \ufffd\]0;title\ufffdred", lines[0])
    assert max(map(len, lines)) <= 2 * crew.LINE_LIMIT + 40
    assert sum(line.count("x") for line in lines) == 100_000
    assert lines[-1].endswith("| no newline")


def test_the_packed_procfile_is_the_repositorys() -> None:
    assert procfile_text() == (Path(__file__).parents[3] / "Procfile").read_text(encoding="utf-8")


def test_the_procfile_starts_bot_scheduler_and_worker_of_this_python() -> None:
    programs = procfile_programs()
    assert [(p.name, p.argv[-1]) for p in programs] == [(n, n) for n in ("bot", "scheduler", "worker")]
    assert {str(Path(p.argv[0]).parent) for p in programs} == {str(Path(sys.executable).parent)}


def test_a_procfile_line_may_quote_and_comment() -> None:
    assert procfile_programs("# all\nmail: send --to 'a b'  # soon\n") == [Program("mail", ["send", "--to", "a b"])]


def test_links_name_a_host_a_browser_can_open(tmp_path: Path) -> None:
    token = "a+token/of some=length"
    for host, open_host, start_of_link in (
        ("0.0.0.0", None, "http://127.0.0.1:7373/"),  # noqa: S104  nothing listens in this test
        ("::1", None, "http://[::1]:7373/"),
        ("::", "lead.example.org", "http://lead.example.org:7373/"),
    ):
        link = console_link(Settings(data=tmp_path, web={"host": host, "open_host": open_host, "token": token}))
        assert link == f"{start_of_link}?token=a%2Btoken%2Fof%20some%3Dlength"


def test_a_made_token_stays_the_same_and_is_this_users_alone(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    assert console_token(settings) == console_token(settings)
    assert (tmp_path / "console-token").stat().st_mode & 0o077 == 0


def test_a_process_with_nothing_to_say_is_still_named() -> None:
    said = obituary(Ended("bot", -9, []), None)
    assert said == "bot was killed by signal 9, so everything was stopped. It last said: nothing."


def test_a_port_given_on_the_command_line_wins(settings: Settings) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = int(other.getsockname()[1])
        with pytest.raises(Refused) as refusal:
            run_up(settings, web_port=taken, programs=[], out=io.StringIO())
    assert refusal.value.params["port"] == taken
