"""A session to try rules on: a fake clock, counted ids, and ``do``, which decides, stamps and folds like the real door.

Every ``do`` also checks what must hold whatever was asked (``invariants``), so each transcript tests all of it.
"""

from __future__ import annotations

import json
from collections import Counter
from copy import deepcopy
from typing import Any

from core.domain import commands as c
from core.domain import facts as f
from core.domain.apply import apply
from core.domain.decide import decide
from core.domain.event import Event, Payload
from core.domain.model import Attempt, Flow, Interaction, Plan, Session, Task
from core.domain.reading import Proposal, Reading, TaskSpec
from core.domain.views import find_interaction, find_plan, find_task
from core.errors import Refused
from core.routing import effects
from tests.core.domain.invariants import check, check_move, check_routes, places

ALICE = c.Permitted("alice", "decide")
BOB = c.Permitted("bob", "decide")
START = 1_700_000_000_000


def spec(key: str, *after: str, **more: Any) -> TaskSpec:
    return TaskSpec(key=key, title=more.pop("title", f"Task {key}"), content=f"do {key}", after=after, **more)


class World:
    """``state`` is folded from the decided facts, ``shadow`` from the same facts after a trip through JSON."""

    def __init__(self, now: int = START) -> None:
        self.now = now
        self.state = Session(id="ps_1")
        self.shadow = Session(id="ps_1")
        self.events: list[Event] = []
        self.decided: dict[str, Interaction] = {}
        self._ids: Counter[str] = Counter()

    # -- the door ----------------------------------------------------------------------------------------------------

    def new_id(self, prefix: str) -> str:
        self._ids[prefix] += 1
        return f"{prefix}_{self._ids[prefix]:03}"

    def do(self, command: c.Command) -> list[Payload]:
        """Carry the command out and return its facts. A refusal is raised, and nothing has changed then."""
        before = deepcopy(self.state)
        try:
            drafts = decide(self.state, command, self.now, self.new_id)
        finally:
            assert self.state == before, "deciding changed the state"
        routed = effects(self.state, drafts, self.now, command)
        for draft in drafts:
            event = Event.stamp(self.state.id, self.state.seq + 1, self.now, draft)
            self.events.append(event)
            stood = places(self.state)
            apply(self.state, event)
            check_move(stood, places(self.state))
            stored = json.loads(json.dumps(event.to_wire()))
            apply(self.shadow, Event.from_wire(stored.pop("session_id"), stored.pop("seq"), stored.pop("ts"), stored))
        check(self.state, before, [d.payload for d in drafts])
        check_routes(routed, before, self.state)
        assert self.shadow == self.state, "facts lose something on their way through the log"
        self._never_redecided()
        return [d.payload for d in drafts]

    def refused(self, command: c.Command) -> str:
        """The code the command is refused with."""
        try:
            payloads = self.do(command)
        except Refused as refused:
            return refused.code
        raise AssertionError(f"not refused: {payloads}")

    def _never_redecided(self) -> None:
        for id_, kept in self.decided.items():
            assert self.state.interactions[id_] == kept, "a decided interaction changed"
        for id_, interaction in self.state.interactions.items():
            if id_ not in self.state.open_interactions:
                self.decided.setdefault(id_, deepcopy(interaction))

    # -- what people and workers do ----------------------------------------------------------------------------------

    def start(self, *, repo: bool = True) -> World:
        self.do(c.StartSession(by=ALICE, place="web:1", surface="web", title="Shop"))
        if repo:
            self.do(c.NameRepo(by=ALICE, path="shop"))
            self.do(c.RecordRepo(path="shop", name="shop", base_branch="main", base_commit="c0", worker="w1"))
        return self

    def say(self, text: str = "do it") -> str:
        (added,) = self.do(c.AddMessage(by=ALICE, text=text))
        assert isinstance(added, f.MessageAdded)
        return added.message_id

    def read(self, proposal: Proposal, text: str = "do it") -> list[Payload]:
        return self.do(c.RecordReading(message_id=self.say(text), reading=Reading(kind="new_task", proposal=proposal)))

    def propose(self, *create: TaskSpec, **more: Any) -> str:
        """A proposed plan change; names of tasks may be short ones. Returns its short name."""
        for name in ("cancel", "pause", "resume"):
            more[name] = tuple(self.id(t) for t in more.get(name, ()))
        more["release"] = tuple((self.id(t), self.id(o)) for t, o in more.get("release", ()))
        more.setdefault("reason", "because")
        proposed = self.read(Proposal(create=create, **more))[-1]
        assert isinstance(proposed, f.PlanProposed)
        return proposed.short

    def apply(self, plan: str) -> list[Payload]:
        return self.do(c.DecidePlan(by=ALICE, plan=plan, revision=0, decision="apply"))

    def plan(self, *create: TaskSpec, **more: Any) -> list[Payload]:
        return self.apply(self.propose(*create, **more))

    def change(self, what: Any, task: str = "", reason: str = "") -> list[Payload]:
        return self.do(c.ChangeTask(by=ALICE, change=what, task=task, reason=reason))

    def settle(self, subject: str, accept: bool = True, feedback: str = "", revision: int = 0) -> list[Payload]:
        return self.do(c.Settle(by=BOB, subject=subject, accept=accept, feedback=feedback, revision=revision))

    def dispatch(self, task: str) -> list[Payload]:
        return self.do(c.Dispatch(task_id=self.id(task), worker="w1"))

    def claim(self, task: str) -> list[Payload]:
        return self.do(c.ClaimAttempt(attempt_id=self.task(task).attempt_id, worker="w1"))

    def run(self, *tasks: str) -> None:
        """To where the agent has the prompt."""
        for task in tasks:
            self.dispatch(task)
            self.claim(task)
            self.do(c.AcceptAttempt(attempt_id=self.task(task).attempt_id))

    def end(self, task: str, stop_reason: str = "end_turn", **more: Any) -> list[Payload]:
        return self.do(c.EndAttempt(attempt_id=self.task(task).attempt_id, stop_reason=stop_reason, **more))

    def report(self, task: str, summary: str = "done", **more: Any) -> list[Payload]:
        return self.end(task, report=c.ReportValue(summary=summary, **more))

    def finish(self, *tasks: str) -> None:
        """Run, report with a commit and have it accepted."""
        for task in tasks:
            self.run(task)
            self.report(task, commit=f"commit-{task}")
            self.settle(task)

    def fail(self, task: str, failure: str = "harness_error") -> list[Payload]:
        return self.end(task, "error", failure=failure)

    def lose(self, task: str, why: str = "lease") -> list[Payload]:
        return self.do(c.LoseAttempt(attempt_id=self.task(task).attempt_id, why=why))

    def ask(self, task: str, request_id: str = "r1", digest: str = "d1") -> list[Payload]:
        return self.do(
            c.RequestApproval(
                attempt_id=self.task(task).attempt_id,
                request_id=request_id,
                summary="rm -rf build",
                folder="/repo",
                reasons=("deletes",),
                risk="high",
                digest=digest,
            )
        )

    def answer(self, interaction: str, decision: Any = "approve", **more: Any) -> list[Payload]:
        return self.do(c.DecideApproval(by=BOB, interaction=interaction, decision=decision, **more))

    def reconcile(self, interaction: str, decision: Any, reason: str = "I looked") -> list[Payload]:
        return self.do(c.DecideReconcile(by=BOB, interaction=interaction, decision=decision, reason=reason))

    # -- what is so --------------------------------------------------------------------------------------------------

    def task(self, name: str) -> Task:
        return find_task(self.state, name)

    def id(self, name: str) -> str:
        return self.state.shorts.get(name, name)

    def attempt(self, task: str) -> Attempt:
        return self.state.attempts[self.task(task).attempt_id]

    def interaction(self, name: str) -> Interaction:
        return find_interaction(self.state, name)

    def plan_of(self, name: str) -> Plan:
        return find_plan(self.state, name)

    @property
    def flow(self) -> Flow:
        return next(reversed(self.state.flows.values()))

    def statuses(self) -> dict[str, str]:
        return {t.short: str(t.status) for t in self.state.tasks.values()}


def kinds(payloads: list[Payload]) -> list[str]:
    return [p.TYPE for p in payloads]
