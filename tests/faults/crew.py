"""A running product whose processes a test starts and kills one by one, and a person to talk to it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from pydantic import SecretStr

from bot.cards.session import cards
from bot.intake import Answer, Intake
from bot.posts import Post, read_posts
from core.access import Person
from core.assembly import Desk, open_desk
from core.domain.apply import fold
from core.domain.model import Session, Task
from core.domain.tables import TaskStatus
from core.settings import Settings, Web, Worker, environ_of

ALICE = Person("alice", frozenset({"owner"}))
SURFACE = "cli"
DEADLINE_S = 30.0
EVERY = ("bot", "scheduler", "worker")


def git(repo: Path, *args: str) -> str:
    who = ("-c", "user.name=alice", "-c", "user.email=alice@example.org")
    return subprocess.run(["git", *who, *args], cwd=repo, check=True, capture_output=True, text=True).stdout


def repository(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Begin")
    return folder


def task(state: Session, name: str = "T1") -> Task:
    return state.tasks[state.shorts[name]]


def is_(name: str, *statuses: TaskStatus) -> Callable[[Session], bool]:
    def true(state: Session) -> bool:
        return name in state.shorts and task(state, name).status in statuses

    return true


def alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children(pid: int) -> list[int]:
    """Its child processes, the oldest first."""
    try:
        return sorted(int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    except (FileNotFoundError, ProcessLookupError):
        return []


def cmdline(pid: int) -> bytes:
    """Its arguments, each ended by NUL; empty for one that is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def descendants(pid: int) -> list[int]:
    return [p for child in children(pid) for p in (child, *descendants(child))]


class Crew:
    """``session`` is the id of the session begun last."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.intake = Intake(desk.service)
        self.session = ""
        self.running: dict[str, list[subprocess.Popen[bytes]]] = {}

    # -- processes --

    def start(self, *names: str, **extra: str) -> None:
        """Start these processes, or one of each; ``extra`` are further environment variables."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("THREADLEAD_") and k != "REDIS_URL"}
        for name in names or EVERY:
            log = (self.desk.settings.data / f"{name}.log").open("ab")
            process = subprocess.Popen(
                [sys.executable, "-m", "bot.cli", name],
                env=kept | environ_of(self.desk.settings) | extra,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            log.close()
            self.running.setdefault(name, []).append(process)

    def kill(self, name: str, how: signal.Signals = signal.SIGKILL) -> int:
        """End the newest process of that name and wait for it; gives its exit code."""
        process = self.running[name].pop()
        process.send_signal(how)
        return process.wait(timeout=20)

    def stop(self) -> None:
        for process in [p for group in self.running.values() for p in group]:
            process.terminate()
        for process in [p for group in self.running.values() for p in group]:
            process.wait(timeout=20)

    def freeze_runs(self) -> list[int]:
        """Stop the RQ workers that run attempts: the ones a worker forks after its heartbeat. They take nothing up."""
        (worker,) = self.running["worker"]
        runs = children(worker.pid)[1 : 1 + self.desk.settings.worker.slots]
        for pid in runs:
            os.kill(pid, signal.SIGSTOP)
        return runs

    def logs(self) -> str:
        return "\n".join(path.read_text() for path in sorted(self.desk.settings.data.glob("*.log")))

    # -- a person --

    async def begin(self, repo: Path) -> None:
        opened = await self.intake.open(ALICE, place=f"cli:{uuid4().hex}", surface=SURFACE, title="")
        self.session = opened.session_id
        assert (await self.intake.name_repo(ALICE, self.session, str(repo))).ok
        await self.until(lambda s: s.repo is not None and not s.repo.problem)

    async def say(self, text: str, ref: str = "") -> None:
        answer = await self.intake.said(ALICE, self.session, text, ref=ref or uuid4().hex)
        assert answer.ok, answer

    async def tap(self, action: str, subject: str, text: str = "") -> Answer:
        return await self.intake.tapped(ALICE, self.session, action, subject, text=text)

    async def apply(self, text: str, plan: str = "P1") -> None:
        """Say what should be done, see the plan, apply it."""
        await self.say(text)
        await self.until(lambda s: plan in s.shorts)
        assert (await self.tap("apply", plan)).ok

    # -- what is --

    async def state(self) -> Session:
        return await self.desk.service.state(self.session)

    async def until(self, true: Callable[[Session], Any], seconds: float = DEADLINE_S) -> Session:
        """Wait on the session's feed; a deadline, because real processes may never do it."""
        after = await self.desk.ledger.feed_end("session")
        try:
            async with asyncio.timeout(seconds):
                while not true(state := await self.state()):
                    entries = await self.desk.ledger.tail("session", after, block_ms=250)
                    after = entries[-1].id if entries else after
        except TimeoutError:
            state = await self.state()
            tasks = {t.short: (t.status.value, t.block_reason, t.failure_detail) for t in state.tasks.values()}
            raise AssertionError(f"it did not happen: {tasks}\n{self.logs()}") from None
        return state

    async def posts(self) -> dict[str, Post]:
        """What is shown, once it equals what the cards say."""
        shown: dict[str, Post] = {}

        async def equal() -> bool:
            state = await self.state()
            shown.clear()
            shown.update({p.key: p for p in await read_posts(self.desk.ledger, SURFACE, self.session)})
            return all(c.key in shown and shown[c.key].digest == c.digest() for c in cards(state))

        async with asyncio.timeout(DEADLINE_S):
            while not await equal():
                await asyncio.sleep(0.05)
        return shown

    async def check(self) -> None:
        """What must hold after every fault: one contiguous log whose fold is the state, and the thread shows it."""
        events = await self.desk.ledger.read(self.session, 0, 100_000)
        assert [e.seq for e in events] == list(range(1, len(events) + 1))
        assert len({e.id for e in events}) == len(events)
        state = await self.state()
        assert fold(self.session, events) == state
        await self.posts()


@asynccontextmanager
async def crew(
    url: str, workspace: str, data: Path, recording: dict[str, Any] | None = None, *, lease_s: float = 3
) -> AsyncIterator[Crew]:
    """A crew with nothing started yet; with a ``recording``, an agent called ``demo`` plays it."""
    data.mkdir(parents=True, exist_ok=True)
    agents: dict[str, dict[str, Any]] = {}
    if recording is not None:
        path = data / "recording.json"
        path.write_text(json.dumps(recording))
        agents = {"demo": {"harness": "script", "recording": str(path)}}
    settings = Settings(
        workspace=workspace,
        data=data,
        redis_url=SecretStr(url),
        allow_volatile=True,  # the tests' server keeps nothing on disk unless a test asks for it
        web=Web(port=free_port(), person="alice"),
        worker=Worker(id="laptop", heartbeat_s=0.5, lease_s=lease_s),
        agents=agents,
    )
    async with open_desk(settings) as desk:
        made = Crew(desk)
        try:
            yield made
        finally:
            made.stop()


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
