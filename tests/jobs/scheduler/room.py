"""A scheduler's tools on a ledger in memory, whose clock only the test moves, with jobs on real RQ queues."""

from __future__ import annotations

from dataclasses import dataclass, field

from redis import Redis
from rq import Queue

from core.assembly import Desk
from core.domain import commands as c
from core.domain.model import Attempt, Session, Task
from core.domain.reading import Proposal, Reading, TaskSpec
from core.ledger.connect import connect
from core.ledger.memory import MemoryLedger
from core.service import Service
from core.settings import Settings, Worker
from jobs import queues, roster
from jobs.scheduler.dispatch import Dispatcher
from jobs.scheduler.react import Reactor
from jobs.scheduler.watch import Watch

ALICE = c.Permitted("alice", "decide")
LEASE_S = 10
ID = "ps_1"


@dataclass
class Clock:
    """Milliseconds that only a test moves."""

    now: int = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now

    def pass_s(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


def spec(key: str, *after: str) -> TaskSpec:
    return TaskSpec(key=key, title=f"Task {key}", content=f"do {key}", after=after)


@dataclass
class Room:
    """One session, ``ps_1``, on a repository that the worker ``laptop`` has."""

    redis: Redis
    workspace: str
    slots: int = 1
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.ledger = MemoryLedger(self.workspace, clock=self.clock)
        self.service = Service(self.ledger)
        settings = Settings(worker=Worker(id="laptop", slots=self.slots, heartbeat_s=2, lease_s=LEASE_S))
        self.desk = Desk(settings, connect("unix:///nowhere"), self.ledger, self.service)
        self.enqueuer = queues.Enqueuer(self.redis, self.workspace)
        self.dispatcher = Dispatcher(self.desk, self.enqueuer)
        self.reactor = Reactor(self.desk, self.dispatcher, self.enqueuer)
        self.watch = Watch(self.desk, self.dispatcher, self.reactor)

    async def begin(self, *create: TaskSpec, worker: bool = True) -> Room:
        """A session with these tasks applied, and the worker registered."""
        do = self.service.handle
        await do(ID, c.StartSession(by=ALICE, place="web:1", surface="web", title="Shop"))
        await do(ID, c.NameRepo(by=ALICE, path="shop"))
        await do(ID, c.RecordRepo(path="shop", root="/shop", base_branch="main", base_commit="c0", worker="laptop"))
        if create:
            await self.plan(*create)
        if worker:
            await self.register()
        return self

    async def plan(self, *create: TaskSpec) -> None:
        message = await self.say("do it")
        reading = Reading(kind="new_task", proposal=Proposal(reason="do it", create=create))
        await self.service.handle(ID, c.RecordReading(message_id=message, reading=reading))
        plan = list((await self.state()).plans.values())[-1]
        await self.service.handle(ID, c.DecidePlan(by=ALICE, plan=plan.short, revision=0, decision="apply"))

    async def say(self, text: str) -> str:
        await self.service.handle(ID, c.AddMessage(by=ALICE, text=text))
        return list((await self.state()).messages)[-1]

    async def register(self) -> None:
        await roster.register(self.ledger, self.desk.settings, pid=1)

    async def state(self) -> Session:
        return await self.service.state(ID)

    async def task(self, short: str) -> Task:
        state = await self.state()
        return state.tasks[state.shorts[short]]

    async def attempt(self, short: str) -> Attempt:
        return (await self.state()).attempts[(await self.task(short)).attempt_id]

    async def offer(self, short: str) -> bool:
        return await self.dispatcher.offer(ID, (await self.task(short)).id)

    async def run(self, short: str, *, lease: bool = True) -> Attempt:
        """To where the agent has the prompt, with its lease."""
        assert await self.offer(short)
        attempt = await self.attempt(short)
        await self.service.handle(ID, c.ClaimAttempt(attempt_id=attempt.id, worker="laptop"))
        await self.service.handle(ID, c.AcceptAttempt(attempt_id=attempt.id))
        if lease:
            await roster.renew(self.ledger, f"{ID}/{attempt.task_id}/{attempt.id}", LEASE_S * 1000)
        return await self.attempt(short)

    async def end(self, short: str, **more: object) -> None:
        ending = {"stop_reason": "end_turn", "report": c.ReportValue(summary="done")} | more
        attempt = await self.attempt(short)
        await self.service.handle(ID, c.EndAttempt(attempt_id=attempt.id, **ending))  # type: ignore[arg-type]

    async def finish(self, short: str) -> None:
        await self.run(short)
        await self.end(short)
        if not (await self.task(short)).settled_success:
            await self.service.handle(ID, c.Settle(by=ALICE, subject=short, accept=True))

    async def wish(self, change: str, short: str) -> None:
        await self.service.handle(ID, c.ChangeTask(by=ALICE, change=change, task=short))  # type: ignore[arg-type]

    def queued(self, queue: str) -> list[str]:
        """Ids of the jobs on a queue of this workspace."""
        name = queues.queue_name(self.workspace, queue)
        return Queue(name, connection=self.redis, serializer="json").job_ids

    @property
    def runs(self) -> list[str]:
        return self.queued(queues.run_queue("laptop"))

    async def statuses(self) -> dict[str, str]:
        return {t.short: t.status.value for t in (await self.state()).tasks.values()}
