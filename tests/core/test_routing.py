"""What changes in the same write as the facts: feeds, timers, control messages, fences, places."""

from __future__ import annotations

import json

import pytest

from core.domain import commands as c
from core.domain import facts as f
from core.domain import limits
from core.domain.decide import decide
from core.domain.event import Draft
from core.ledger.port import Claim, Effects, Timer
from core.routing import GRACE_MARGIN_MS, effects, holder, timer_key, worker_place
from tests.core.domain.world import ALICE, BOB, World, spec

GRACE = limits.CANCEL_GRACE_MS + GRACE_MARGIN_MS


@pytest.fixture
def world() -> World:
    """T2 waits for T1."""
    world = World().start()
    world.plan(spec("a"), spec("b", "a"))
    return world


def route(world: World, command: c.Command) -> Effects:
    """The effects of a command; it is carried out as well."""
    routed = effects(world.state, decide(world.state, command, world.now, lambda p: f"{p}_x"), world.now, command)
    world.do(command)
    return routed


def moves(routed: Effects, task: str = "") -> list[str]:
    return [f"{x.from_}>{x.to}" for x in routed.changes if not task or x.task_id == task]


def said(routed: Effects) -> list[tuple[str, dict[str, object]]]:
    return [(x.kind, json.loads(x.body)) for x in routed.controls]


def change(what: str, task: str) -> c.ChangeTask:
    return c.ChangeTask(by=ALICE, change=what, task=task)  # type: ignore[arg-type]


def end(world: World, task: str = "T1", stop_reason: str = "end_turn", **more: object) -> c.EndAttempt:
    return c.EndAttempt(attempt_id=world.task(task).attempt_id, stop_reason=stop_reason, **more)  # type: ignore[arg-type]


def settle(task: str, accept: bool = True) -> c.Settle:
    return c.Settle(by=BOB, subject=task, accept=accept, feedback="again")


def place(world: World, task: str = "T1", limit: int = 0) -> Claim:
    return Claim("worker:w1", holder("ps_1", world.id(task), world.task(task).attempt_id), limit)


def test_every_surface_of_the_session_hears_of_every_write() -> None:
    world = World()
    begin = c.StartSession(by=ALICE, place="web:1", surface="web", title="Shop")
    assert route(world, begin).surfaces == ("web",)
    assert route(world, c.AddMessage(by=ALICE, text="hello")).surfaces == ("web",)


def test_new_tasks_and_released_ones_are_offered(world: World) -> None:
    plan = world.propose(spec("c"), release=[("T2", "T1")])
    routed = route(world, c.DecidePlan(by=ALICE, plan=plan, revision=0, decision="apply"))
    assert moves(routed) == ["->queued", "queued>queued"]


def test_a_released_task_that_is_paused_is_not_called_queued(world: World) -> None:
    plan = world.propose(pause=["T2"], release=[("T2", "T1")])
    routed = route(world, c.DecidePlan(by=ALICE, plan=plan, revision=0, decision="apply"))
    assert moves(routed) == ["queued>paused", "paused>paused"]


def test_a_dispatch_takes_a_place_and_moves_the_fence(world: World) -> None:
    routed = route(world, c.Dispatch(task_id=world.id("T1"), worker="w1", slots=2))
    assert moves(routed) == ["queued>submitted"]
    assert routed.fences == {world.id("T1"): 1}
    assert routed.claims == (Claim(worker_place("w1"), f"ps_1/{world.id('T1')}/att_x", 2),)


def test_a_recalled_attempt_gives_its_place_back(world: World) -> None:
    world.dispatch("T1")
    mine = place(world)
    routed = route(world, change("pause", "T1"))
    assert (routed.releases, moves(routed)) == ((mine,), ["submitted>paused"])


@pytest.mark.parametrize("wish", ["stop", "pause", "cancel"])
def test_a_wish_is_told_to_the_attempt_and_looked_after(world: World, wish: str) -> None:
    world.run("T1")
    attempt = world.task("T1").attempt_id
    routed = route(world, change(wish, "T1"))
    assert said(routed) == [("cancel", {"wish": wish, "by": "alice"})]
    assert routed.timers == (Timer(f"grace:{attempt}", world.now + GRACE, "ps_1", "grace", attempt),)
    assert moves(routed) == [f"live>wish-{wish}"]


def test_a_stronger_wish_moves_the_same_timer(world: World) -> None:
    world.run("T1")
    first = route(world, change("stop", "T1")).timers[0]
    world.now += 5_000
    second = route(world, change("cancel", "T1")).timers[0]
    assert (second.key, second.due - first.due) == (first.key, 5_000)


def test_an_end_gives_the_place_back_and_forgets_the_grace(world: World) -> None:
    world.run("T1")
    world.change("cancel", "T1")
    mine = place(world)
    routed = route(world, end(world, stop_reason="cancelled"))
    assert (routed.releases, routed.cancel_timers) == ((mine,), (f"grace:{world.task('T1').attempt_id}",))
    assert moves(routed, world.id("T1")) == ["working>cancelled"]
    assert moves(routed, world.id("T2")) == ["queued>failed"]


def test_a_lost_attempt_gives_its_place_back(world: World) -> None:
    world.run("T1")
    mine = place(world)
    routed = route(world, c.LoseAttempt(attempt_id=world.task("T1").attempt_id, why="lease"))
    assert (routed.releases, moves(routed)) == ((mine,), ["working>blocked"])


def test_a_report_and_its_verdict_are_two_moves(world: World) -> None:
    world.run("T1")
    proof = f.CheckValue(criterion="tests", exit_code=0)
    routed = route(world, end(world, report=c.ReportValue(summary="done", evidence=(proof,))))
    assert moves(routed) == ["working>completed", "completed>settled-success"]


def test_a_report_that_is_the_first_thing_heard_starts_the_task(world: World) -> None:
    world.dispatch("T1")
    world.claim("T1")
    routed = route(world, end(world, report=c.ReportValue(summary="done")))
    assert moves(routed) == ["submitted>working", "working>completed"]


def test_rework_goes_back_to_the_queue(world: World) -> None:
    world.run("T1")
    world.report("T1")
    assert moves(route(world, settle("T1", accept=False))) == ["completed>settled-failure", "completed>queued"]


def test_accepting_a_flow_says_so_of_every_task() -> None:
    world = World().start()
    world.plan(spec("a"), spec("b"), spec("c"))
    world.run("T1", "T2")
    world.report("T1")
    world.report("T2")
    world.change("cancel", "T3")
    assert moves(route(world, settle(world.flow.id))) == ["completed>settled-success"] * 2


def test_a_retry_offers_the_revived_too(world: World) -> None:
    world.run("T1")
    world.fail("T1")
    assert moves(route(world, change("retry", "T1"))) == ["failed>queued", "failed>queued"]


def test_a_failure_is_said_of_everything_it_takes_along(world: World) -> None:
    world.run("T1")
    routed = route(world, end(world, stop_reason="error", failure="harness_error"))
    assert moves(routed) == ["working>failed", "queued>failed"]


# -- approvals -------------------------------------------------------------------------------------------------------


def ask(world: World, request_id: str = "r1") -> c.RequestApproval:
    return c.RequestApproval(
        attempt_id=world.task("T1").attempt_id,
        request_id=request_id,
        summary="rm -rf build",
        folder="/repo",
        reasons=(),
        risk="low",
        digest="d1",
    )


def answer(decision: str, name: str = "A1") -> c.DecideApproval:
    return c.DecideApproval(by=BOB, interaction=name, decision=decision, reason="because")  # type: ignore[arg-type]


def test_an_approval_has_a_deadline(world: World) -> None:
    world.run("T1")
    routed = route(world, ask(world))
    assert moves(routed) == ["working>waiting_approval"]
    (timer,) = routed.timers
    assert (timer.kind, timer.due) == ("approval", world.now + limits.APPROVAL_MS)


@pytest.mark.parametrize(("decision", "allow", "reason"), [("approve", True, ""), ("reject", False, "because")])
def test_an_answer_reaches_the_agent(world: World, decision: str, allow: bool, reason: str) -> None:
    world.run("T1")
    world.do(ask(world))
    routed = route(world, answer(decision))
    assert said(routed) == [("answer", {"request_id": "r1", "allow": allow, "by": "bob", "reason": reason})]
    assert routed.cancel_timers == (timer_key("approval", world.interaction("A1").id),)
    assert moves(routed) == ["waiting_approval>working"]


def test_a_task_that_waits_for_two_answers_goes_on_after_the_second(world: World) -> None:
    world.run("T1")
    world.do(ask(world, "r1"))
    world.do(ask(world, "r2"))
    assert moves(route(world, answer("approve", "A2"))) == []
    assert moves(route(world, answer("approve", "A1"))) == ["waiting_approval>working"]


def test_reject_and_stop_tells_the_agent_both(world: World) -> None:
    world.run("T1")
    world.do(ask(world))
    assert [kind for kind, _ in said(route(world, answer("reject_stop")))] == ["answer", "cancel"]


def test_an_approval_that_timed_out_stops_the_agent_and_looks_after_it(world: World) -> None:
    world.run("T1")
    world.do(ask(world, "r1"))
    world.do(ask(world, "r2"))
    world.now += limits.APPROVAL_MS
    routed = route(world, c.ExpireApproval(interaction_id="A1"))
    assert [kind for kind, _ in said(routed)] == ["answer", "answer", "cancel"]
    assert [timer.kind for timer in routed.timers] == ["grace"]
    assert moves(routed) == ["waiting_approval>working", "working>blocked"]


def test_a_blocked_task_that_is_blocked_again_after_a_pause_stops_nobody(world: World) -> None:
    world.run("T1")
    world.do(ask(world))
    world.now += limits.APPROVAL_MS
    world.do(c.ExpireApproval(interaction_id="A1"))
    world.end("T1", "cancelled")
    world.change("pause", "T1")
    routed = route(world, change("resume", "T1"))
    assert (routed.controls, routed.timers, moves(routed)) == ((), (), ["paused>blocked"])


# -- records ---------------------------------------------------------------------------------------------------------


def test_progress_is_on_the_feed_and_talk_is_not(world: World) -> None:
    world.run("T1")
    facts = (f.TaskProgressed(task_id=world.id("T1"), percent=5), f.AgentMessage(text="hm"))
    routed = effects(world.state, [Draft(id="evt_x", payload=p) for p in facts], world.now)
    assert moves(routed) == ["progress>progress"]


def test_words_reach_the_agent_as_they_were_written(world: World) -> None:
    world.run("T1")
    world.do(ask(world))
    command = c.DecideApproval(by=BOB, interaction="A1", decision="reject", reason='不要 "这个"\x07')
    ((_, body),) = said(route(world, command))
    assert body["reason"] == '不要 "这个"\x07'
