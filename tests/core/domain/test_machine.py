"""Random commands of every kind, in any order: whatever is asked, the rules of ``invariants`` hold.

``World.do`` checks them after each decision, and that a refusal changed nothing; here only the asking is random.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from core import snapshot
from core.domain import commands as c
from core.domain import limits
from core.domain.apply import fold
from core.domain.facts import CheckValue
from core.domain.model import Session
from core.domain.reading import Proposal
from core.domain.tables import LIVE, UNFINISHED, AttemptPhase, TaskStatus
from core.domain.views import awaiting_review, open_interactions, open_proposals, ready_tasks
from core.errors import Refused
from tests.core.domain.world import ALICE, BOB, World, spec

PICK = st.integers(0, 29)
FEW = st.sets(PICK, max_size=2)
NEW = st.lists(st.lists(st.integers(-4, 3), max_size=3, unique=True), max_size=3)
IDLE = (TaskStatus.PAUSED, TaskStatus.BLOCKED, TaskStatus.FAILED)
REPORT = c.ReportValue(
    summary="done",
    commit="c1",
    handoffs={"*": "read this"},
    evidence=(CheckValue(criterion="tests", command="pytest", exit_code=0),),
)


def pick(likely: Iterable[str], others: Iterable[str], number: int) -> str:
    """One of those that suit, if there are any; every tenth number picks from all the others."""
    suiting, everything = sorted(likely), sorted(others)
    names = everything if number % 10 == 9 or not suiting else suiting
    return names[number % len(names)] if names else "none"


class Machine(RuleBasedStateMachine):
    """Each rule picks by a number, mostly from what suits it and sometimes from what does not."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()

    @property
    def state(self) -> Session:
        return self.world.state

    def ask(self, command: c.Command) -> None:
        self.world.now += 1
        with suppress(Refused):
            self.world.do(command)

    def a_task(self, number: int, *statuses: TaskStatus) -> str:
        return pick((t.id for t in self.state.tasks.values() if t.status in statuses), self.state.tasks, number)

    def an_attempt(self, number: int) -> str:
        open_ = (a.id for a in self.state.attempts.values() if a.phase is not AttemptPhase.FINALIZED)
        return pick(open_, self.state.attempts, number)

    def an_interaction(self, number: int, kind: str) -> str:
        likely = (x.id for x in open_interactions(self.state, kind=kind))
        return pick(likely, self.state.interactions, number)

    @initialize(settled=st.booleans())
    def begin(self, settled: bool) -> None:
        self.world.start()
        self.world.plan(spec("a"), spec("b", "a"), spec("c", "a", acceptance="auto"), spec("d", "b", "c"))
        if settled:
            self.world.finish("T1")

    @rule(cancel=FEW, pause=FEW, resume=FEW, release=FEW, follow=FEW, new=NEW, apply=st.booleans())
    def propose(self, cancel: Any, pause: Any, resume: Any, release: Any, follow: Any, new: Any, apply: bool) -> None:
        """New tasks wait for each other (positive numbers) and for existing tasks (negative ones)."""
        tasks = self.state.tasks
        waits = sorted((t.id, d) for t in tasks.values() for d in t.dependencies)
        ended = {self.a_task(n, *UNFINISHED) for n in cancel}
        create = tuple(
            spec(f"k{i}", *{f"k{a % i}" if a > 0 and i else pick((), tasks, -a) for a in after})
            for i, after in enumerate(new)
        )
        proposal = Proposal(
            reason="because",
            objective="another" if len(new) == 2 else None,
            cancel=tuple(sorted(ended)),
            pause=tuple(sorted({self.a_task(n, *LIVE) for n in pause} - ended)),
            resume=tuple(sorted({self.a_task(n, TaskStatus.PAUSED) for n in resume} - ended)),
            release=tuple({waits[n % len(waits)] for n in release if waits}),
            create=create,
            follow=tuple({(self.a_task(n, TaskStatus.QUEUED), create[n % len(create)].key) for n in follow if create}),
        )
        with suppress(Refused):
            self.world.read(proposal)
            if apply:
                self.world.apply(list(self.state.plans.values())[-1].short)

    @precondition(lambda self: bool(self.state.open_plans))
    @rule(plan=PICK, decision=st.sampled_from(["apply", "apply", "reject", "question"]))
    def decide_plan(self, plan: int, decision: Any) -> None:
        name = pick(self.state.open_plans, self.state.plans, plan)
        self.ask(c.DecidePlan(by=ALICE, plan=name, revision=0, decision=decision))
        if decision == "question":
            self.ask(c.DecidePlan(by=ALICE, plan=name, revision=0, decision="change"))

    @precondition(lambda self: bool(open_proposals(self.state)))
    @rule(drop=PICK, content=st.sampled_from(["", "other words"]))
    def edit_plan(self, drop: int, content: str) -> None:
        plan = open_proposals(self.state)[0]
        keys = [op.key for op in plan.ops]
        dropped = (keys[drop % len(keys)],)
        self.ask(c.EditPlan(by=ALICE, plan=plan.id, revision=0, drop=dropped, contents={keys[0]: content}))

    @precondition(lambda self: bool(self.state.live_tasks))
    @rule(number=PICK, change=st.sampled_from(["stop", "pause", "cancel"]))
    def end_work(self, number: int, change: Any) -> None:
        name = "" if number == 0 else self.a_task(number, *LIVE)
        self.ask(c.ChangeTask(by=BOB, change=change, task=name))

    @precondition(lambda self: any(t.status in IDLE for t in self.state.tasks.values()))
    @rule(number=PICK, change=st.sampled_from(["resume", "retry", "cancel", "pause"]))
    def go_on(self, number: int, change: Any) -> None:
        name = self.a_task(number, *IDLE)
        self.ask(c.ChangeTask(by=BOB, change=change, task=name, reason="why"))

    @rule(number=PICK, steps=st.sampled_from([3, 3, 2, 1]))
    def deliver(self, number: int, steps: int) -> None:
        """Dispatch, and perhaps claim, and perhaps accept."""
        task_id = pick((t.id for t in ready_tasks(self.state)), self.state.tasks, number)
        self.ask(c.Dispatch(task_id=task_id, worker="w1"))
        self.receive(self.state.tasks[task_id].attempt_id, steps)

    @precondition(lambda self: bool(self.state.attempts))
    @rule(number=PICK, steps=st.sampled_from([3, 2]))
    def catch_up(self, number: int, steps: int) -> None:
        self.receive(self.an_attempt(number), steps)

    def receive(self, attempt_id: str, steps: int) -> None:
        if steps > 1:
            self.ask(c.ClaimAttempt(attempt_id=attempt_id, worker="w1"))
        if steps > 2:
            self.ask(c.AcceptAttempt(attempt_id=attempt_id))

    @precondition(lambda self: bool(self.state.attempts))
    @rule(number=PICK, how=st.sampled_from(["report", "report", "report", "end_turn", "fail", "shutdown"]))
    def end(self, number: int, how: str) -> None:
        report = REPORT if how == "report" else None
        failure = "harness_error" if how == "fail" else ""
        self.ask(c.EndAttempt(attempt_id=self.an_attempt(number), stop_reason=how, report=report, failure=failure))

    @precondition(lambda self: bool(self.state.attempts))
    @rule(number=PICK)
    def lose(self, number: int) -> None:
        self.ask(c.LoseAttempt(attempt_id=self.an_attempt(number), why="lease"))

    @precondition(lambda self: bool(self.state.attempts))
    @rule(number=PICK, request=st.sampled_from("pqr"))
    def request(self, number: int, request: str) -> None:
        self.ask(
            c.RequestApproval(
                attempt_id=self.an_attempt(number),
                request_id=request,
                summary="rm -rf build",
                folder="/repo",
                reasons=("deletes",),
                risk="medium",
                digest="d",
            )
        )

    @precondition(lambda self: bool(self.state.interactions))
    @rule(number=PICK, decision=st.sampled_from(["approve", "reject", "reject_stop", "expire"]))
    def answer(self, number: int, decision: Any) -> None:
        name = self.an_interaction(number, "approval")
        if decision == "expire":
            self.world.now += limits.APPROVAL_MS
            self.ask(c.ExpireApproval(interaction_id=name))
        else:
            self.ask(c.DecideApproval(by=BOB, interaction=name, decision=decision))

    @precondition(lambda self: bool(open_interactions(self.state, kind="reconcile")))
    @rule(number=PICK, decision=st.sampled_from(["wait", "again", "done", "failed", "cancel"]))
    def reconcile(self, number: int, decision: Any) -> None:
        name = self.an_interaction(number, "reconcile")
        self.ask(c.DecideReconcile(by=BOB, interaction=name, decision=decision, reason="I looked"))

    @precondition(lambda self: any(awaiting_review(self.state, flow) for flow in self.state.flows.values()))
    @rule(number=PICK, whole_flow=st.booleans(), accept=st.sampled_from([True, True, False]))
    def settle(self, number: int, whole_flow: bool, accept: bool) -> None:
        waiting = [t.id for flow in self.state.flows.values() for t in awaiting_review(self.state, flow)]
        subject = pick((), self.state.flows, number) if whole_flow else pick(waiting, self.state.tasks, number)
        self.ask(c.Settle(by=BOB, subject=subject, accept=accept, feedback="again"))

    @precondition(lambda self: any(not flow.open_tasks for flow in self.state.flows.values()))
    @rule(number=PICK, answer=st.sampled_from(["merge", "merge", "later", "refused"]))
    def merge(self, number: int, answer: str) -> None:
        name = pick((), self.state.flows, number)
        self.ask(c.DecideMerge(by=ALICE, flow=name, merge=answer != "later"))
        merge = self.state.flows[name].merge
        if merge is not None and number % 3:
            sha = "c9" if answer == "merge" else ""
            self.ask(c.RecordMerge(flow_id=name, tip=merge.tip, sha=sha, code="" if sha else "conflict"))

    @precondition(lambda self: not self.state.live_tasks)
    @rule(moved=st.integers(0, 9))
    def repo(self, moved: int) -> None:
        self.ask(c.NameRepo(by=ALICE, path="shop"))
        problem = "" if moved else "missing"
        self.ask(c.RecordRepo(path="shop", base_branch="main", base_commit=f"c{moved}", worker="w1", problem=problem))

    def teardown(self) -> None:
        assert fold(self.state.id, self.world.events) == self.state
        assert snapshot.unpack(snapshot.pack(self.state)) == self.state


TestMachine = Machine.TestCase
TestMachine.settings = settings(
    max_examples=50, stateful_step_count=50, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
