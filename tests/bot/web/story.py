"""What tests of the console start from: a running console, and a session that is led on one fact at a time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from starlette.applications import Starlette

from bot.poster import Poster, Records
from bot.web.console import Console
from core.assembly import Desk
from core.domain import commands as c
from core.domain.facts import CheckValue, TaskProgressed
from core.domain.model import Session, Task
from core.domain.reading import Proposal, Reading, TaskSpec
from core.domain.views import find_task
from core.ledger.port import Fence

TOKEN = "a-long-random-text-of-the-test"
SHA = "4e2f9ab1c07d55aa4e2f9ab1c07d55aa4e2f9ab1"


@dataclass(frozen=True)
class Seat:
    """A console that answers at ``url``. ``client`` sends the Origin a browser would."""

    desk: Desk
    app: Starlette
    url: str
    client: httpx.AsyncClient
    stop: asyncio.Event
    serving: asyncio.Task[None]

    @property
    def console(self) -> Console:
        console: Console = self.app.state.console
        return console

    async def answers(self) -> None:
        async with asyncio.timeout(5):
            while True:
                try:
                    await self.client.get("/healthz")
                    return
                except httpx.ConnectError:
                    await asyncio.sleep(0.01)

    async def sign_in(self) -> None:
        assert (await self.client.get("/", params={"token": TOKEN})).status_code == 303

    async def post(self, path: str, body: object, **headers: str) -> httpx.Response:
        return await self.client.post(path, json=body, headers=headers)

    async def command(self, **body: object) -> httpx.Response:
        return await self.post("/api/commands", body)

    async def begin(self) -> str:
        answer = await self.post("/api/sessions", {})
        assert answer.status_code == 201
        session: str = answer.json()["session"]
        return session

    async def state(self, session: str, lang: str = "en") -> dict[str, Any]:
        answer = await self.client.get("/api/state", params={"session": session, "lang": lang})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    @asynccontextmanager
    async def stream(self, session: str, last: str = "") -> AsyncIterator[Stream]:
        headers = {"Last-Event-ID": last} if last else {}
        async with self.client.stream("GET", "/api/events", params={"session": session}, headers=headers) as answer:
            assert answer.status_code == 200
            yield Stream(answer.aiter_lines())


@dataclass
class Stream:
    """Server-Sent Events as they come: (event, data) pairs; ``id`` is the last one seen."""

    lines: AsyncIterator[str]
    id: str = ""

    async def next(self, *wanted: str) -> tuple[str, dict[str, str]]:
        """The next event, or the next of the names ``wanted``. Fails after 5 s."""
        async with asyncio.timeout(5):
            while True:
                event, data = await self._one()
                if not wanted or event in wanted:
                    return event, data

    async def _one(self) -> tuple[str, dict[str, str]]:
        fields: dict[str, str] = {}
        async for line in self.lines:
            name, _, value = line.partition(": ")
            if line and name:
                fields[name] = value
            elif "event" in fields:
                self.id = fields.get("id", self.id)
                return fields["event"], json.loads(fields["data"])
        raise EOFError


def command_task(key: str, line: str, *after: str) -> TaskSpec:
    return TaskSpec(key=key, title=line, content=line, after=after, criteria=(f"{line} exits 0",))


THREE = (
    command_task("a", "pytest -q"),
    command_task("b", "ruff format .", "a"),
    command_task("c", "pytest -q", "b"),
)


@dataclass
class Story:
    """One session; every step is a fact the product's own rules allow, and then what the poster shows of it."""

    seat: Seat
    id: str

    @classmethod
    async def begin(cls, seat: Seat) -> Story:
        return cls(seat, await seat.begin())

    async def do(self, command: c.Command) -> None:
        await self.seat.desk.service.handle(self.id, command)
        await self.show()

    async def show(self) -> None:
        await Poster(self.seat.desk.ledger, self.seat.desk.service, Records("web")).show(self.id)

    async def state(self) -> Session:
        return await self.seat.desk.service.state(self.id)

    async def task(self, name: str) -> Task:
        return find_task(await self.state(), name)

    async def repository(self, path: str = "/home/alice/shop") -> None:
        await self.seat.command(kind="repo", session=self.id, path=path)
        await self.do(
            c.RecordRepo(path=path, root=path, name="shop", base_branch="main", base_commit=SHA, worker="laptop")
        )

    async def said(self, text: str) -> str:
        assert (await self.seat.command(kind="say", session=self.id, text=text)).is_success
        return next(reversed((await self.state()).messages))

    async def planned(self, text: str = "run the tests, then format", specs: tuple[TaskSpec, ...] = THREE) -> None:
        message = await self.said(text)
        reading = Reading(kind="new_task", proposal=Proposal(reason=text, create=specs))
        await self.do(c.RecordReading(message_id=message, reading=reading))

    async def applied(self) -> None:
        await self.planned()
        answer = await self.seat.command(kind="tap", session=self.id, action="apply", subject="P1", revision=1)
        assert answer.is_success, answer.text
        await self.show()

    async def started(self, name: str) -> str:
        """The task works on laptop; gives its attempt."""
        await self.do(c.Dispatch(task_id=(await self.task(name)).id, worker="laptop"))
        attempt = (await self.task(name)).attempt_id
        await self.do(c.ClaimAttempt(attempt_id=attempt, worker="laptop"))
        await self.do(c.AcceptAttempt(attempt_id=attempt))
        return attempt

    async def progress(self, name: str, **said: Any) -> None:
        task = await self.task(name)
        fact = TaskProgressed(task_id=task.id, **said)
        fence = Fence(task.id, task.attempt_number)
        await self.seat.desk.service.record(self.id, [fact], attempt_id=task.attempt_id, worker="laptop", fence=fence)
        await self.show()

    async def asked(self, attempt: str, line: str = "rm -rf build-cache") -> None:
        reasons = ("deletes a folder and all in it",)
        await self.do(
            c.RequestApproval(
                attempt_id=attempt, request_id="r1", summary=line, folder="", reasons=reasons, risk="high", digest="d1"
            )
        )

    async def reported(self, attempt: str, *, output: str = "214 passed\n", diff: str = "", files: int = 0) -> None:
        ledger = self.seat.desk.ledger
        digest = await ledger.put_blob(output.encode())
        command = (await self.state()).tasks[(await self.state()).attempts[attempt].task_id].title
        check = CheckValue(criterion=f"{command} exits 0", command=command, exit_code=0, output=digest, commit=SHA)
        report = c.ReportValue(
            summary=f"{command} ran",
            evidence=(check,),
            commit=SHA,
            base=SHA,
            files=files,
            flow_files=files,
            added=9 if files else 0,
            removed=9 if files else 0,
            diff=await ledger.put_blob(diff.encode()) if diff else "",
            output=digest,
        )
        await self.do(c.EndAttempt(attempt_id=attempt, stop_reason="end_turn", report=report))

    async def output(self, name: str, text: str) -> None:
        task = await self.task(name)
        await self.seat.desk.ledger.publish(
            "task", {"kind": "output", "session": self.id, "task": task.id, "text": text}
        )

    async def worker(self) -> None:
        ledger = self.seat.desk.ledger
        await ledger.set_hash("worker:laptop", {"worker_id": "laptop", "hostname": "laptop", "slots": "2"})
        await ledger.index_put("workers", "laptop", await ledger.now() + 60_000)
