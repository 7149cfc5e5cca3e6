"""An attempt under way in a ledger in memory: a session with one running task, its teller, and what was recorded."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from core.domain import commands as c
from core.domain.event import Payload
from core.domain.model import Session, Task
from core.domain.reading import Proposal, Reading, TaskSpec
from core.ids import new_id
from core.ledger.memory import MemoryLedger
from core.ledger.port import Fence
from core.service import Service
from jobs.attempt.telling import Teller
from jobs.harness.redact import redactor

ALICE = c.Permitted("alice", "decide")
WORKER = "laptop"
KNOWN_SECRET = "hunter2hunter2"
P = TypeVar("P", bound=Payload)


@dataclass
class Desk:
    """``recorded`` reads the log, so it also sees what other processes would have written."""

    service: Service
    session_id: str
    task_id: str
    attempt_id: str
    teller: Teller

    @property
    def ledger(self) -> MemoryLedger:
        assert isinstance(self.service.ledger, MemoryLedger)
        return self.service.ledger

    async def state(self) -> Session:
        return await self.service.state(self.session_id)

    async def task(self) -> Task:
        return (await self.state()).tasks[self.task_id]

    async def do(self, command: c.Command) -> None:
        await self.service.handle(self.session_id, command)

    async def recorded(self, kind: type[P]) -> list[P]:
        events = await self.ledger.read(self.session_id)
        return [event.payload for event in events if isinstance(event.payload, kind)]

    async def chunks(self) -> list[str]:
        return [e.data["text"] for e in await self.ledger.tail("task", "0") if e.data.get("kind") == "output"]

    async def decide(self, decision: str, reason: str = "") -> None:
        """Answer the approval that is open."""
        (open_,) = (await self.state()).open_interactions
        await self.do(c.DecideApproval(by=ALICE, interaction=open_, decision=decision, reason=reason))  # type: ignore[arg-type]

    async def change(self, change: str) -> None:
        """What a person asks of the running task."""
        await self.do(c.ChangeTask(by=ALICE, change=change, task="T1"))  # type: ignore[arg-type]

    async def taken_over(self) -> None:
        """The attempt is lost and the task runs again: what the first attempt still says is refused."""
        await self.do(c.LoseAttempt(attempt_id=self.attempt_id, why="lease"))
        (open_,) = (await self.state()).open_interactions
        await self.do(c.DecideReconcile(by=ALICE, interaction=open_, decision="again", reason="I looked"))
        await self.do(c.Dispatch(task_id=self.task_id, worker=WORKER))


def plain_git(folder: Path, *args: str) -> str:
    """Git as a person calls it."""
    who = ("-c", "user.name=alice", "-c", "user.email=alice@example.org")
    return subprocess.run(["git", *who, *args], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def repository(folder: Path) -> Path:
    """A person's repository with one commit on main, in a folder with a space and Chinese in its name."""
    repo = folder / "my shop 商店"
    repo.mkdir()
    plain_git(repo, "init", "-q", "--initial-branch=main")
    (repo / "page.txt").write_text("one\ntwo\n")
    plain_git(repo, "add", "--all")
    plain_git(repo, "commit", "-q", "-m", "Begin")
    return repo


async def desk(*criteria: str, base_commit: str = "c0", root: str = "/repo", sent: bool = True) -> Desk:
    """With one task, T1, for the agent ``demo``, which has its prompt; or with ``sent`` False only waits for a worker."""
    service = Service(MemoryLedger())
    session = new_id("ps")

    async def do(command: c.Command) -> None:
        await service.handle(session, command)

    await do(c.StartSession(by=ALICE, place="web:1", surface="web", title="Shop"))
    await do(c.NameRepo(by=ALICE, path="shop"))
    await do(
        c.RecordRepo(path="shop", root=root, name="shop", base_branch="main", base_commit=base_commit, worker=WORKER)
    )
    await do(c.AddMessage(by=ALICE, text="fix it"))
    (message,) = (await service.state(session)).messages
    spec = TaskSpec(key="a", title="Fix the page", content="fix it", target="demo", criteria=criteria)
    proposal = Proposal(reason="fix it", create=(spec,))
    await do(c.RecordReading(message_id=message, reading=Reading(kind="new_task", proposal=proposal)))
    await do(c.DecidePlan(by=ALICE, plan="P1", revision=0, decision="apply"))
    (task,) = (await service.state(session)).tasks
    await do(c.Dispatch(task_id=task, worker=WORKER))
    attempt = (await service.state(session)).tasks[task].attempt_id
    if sent:
        await do(c.ClaimAttempt(attempt_id=attempt, worker=WORKER))
        await do(c.AcceptAttempt(attempt_id=attempt))
    number = (await service.state(session)).attempts[attempt].number
    teller = Teller(service, session, attempt, WORKER, Fence(task, number), redactor([KNOWN_SECRET]))
    return Desk(service, session, task, attempt, teller)
