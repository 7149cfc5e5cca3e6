"""One turn of an agent: what it says is carried out, what people decide reaches it, and it ends when the agent is idle."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from core.domain import facts as f
from core.domain.tables import TaskStatus
from core.ledger.port import Control, Effects, Fenced
from jobs.attempt.drive import Drive, Outcome
from jobs.attempt.leaving import LEAVING_S, Leaving
from jobs.harness import contract as h

from .agent import Agent
from .desk import Desk, desk

DEADLINE_S = 15.0
ASKED = h.PermissionAsked("r1", "rm -rf build", ".", ("deletes files",), "high", "digest-1")
PATIENCE_MS = 60_000


def drive(here: Desk, agent: Agent, leaving: Leaving | None = None) -> Drive:
    return Drive(here.teller, agent, PATIENCE_MS, leaving or Leaving())


async def run(here: Desk, agent: Agent) -> Outcome:
    async with asyncio.timeout(DEADLINE_S):
        return await drive(here, agent).run()


async def control(here: Desk, kind: str, body: str) -> None:
    """Sent past the domain, as only a fault could."""
    sent = Effects(controls=[Control(here.attempt_id, kind, body)])
    await here.ledger.append(here.session_id, (), expected_seq=None, effects=sent)


async def waits_for_an_answer(agent: Agent) -> AsyncIterator[h.Said]:
    yield ASKED
    await agent.told.wait()
    yield h.Idle("end_turn")


async def works_until_cancelled(agent: Agent) -> AsyncIterator[h.Said]:
    yield h.Message("I begin")
    await agent.cancelled.wait()
    yield h.Idle("cancelled")


async def asked(here: Desk) -> None:
    """Until the approval is open."""
    async with asyncio.timeout(DEADLINE_S):
        while not (await here.state()).open_interactions:
            await asyncio.sleep(0)


# -- what the agent says ---------------------------------------------------------------------------------------------


async def test_the_turn_brings_back_the_report_and_how_it_ended() -> None:
    report = h.Reported("done", (h.Proof("it works", "true", 0),))

    async def works(_: Agent) -> AsyncIterator[h.Said]:
        yield h.Message("I begin")
        yield report
        yield h.Idle("end_turn")

    here = await desk()
    assert await run(here, Agent(works)) == Outcome("end_turn", reported=report)
    assert [m.text for m in await here.recorded(f.AgentMessage)] == ["I begin"]


async def test_of_two_reports_the_last_counts() -> None:
    async def works(_: Agent) -> AsyncIterator[h.Said]:
        yield h.Reported("half of it")
        yield h.Reported("all of it")
        yield h.Idle("end_turn")

    outcome = await run(await desk(), Agent(works))
    assert outcome.reported == h.Reported("all of it")


async def test_the_turn_brings_back_what_broke() -> None:
    broke = h.Broke("command_failed", "exit 1", b"no")

    async def fails(_: Agent) -> AsyncIterator[h.Said]:
        yield broke
        yield h.Idle("end_turn")

    assert await run(await desk(), Agent(fails)) == Outcome("end_turn", broke=broke)


async def test_a_stream_that_stops_without_a_word_leaves_the_end_unknown() -> None:
    async def vanishes(_: Agent) -> AsyncIterator[h.Said]:
        yield h.Message("I begin")

    assert await run(await desk(), Agent(vanishes)) == Outcome("unknown")


async def test_an_agent_whose_task_was_taken_over_is_not_listened_to_any_more() -> None:
    here = await desk()

    async def goes_on(_: Agent) -> AsyncIterator[h.Said]:
        await here.taken_over()
        yield h.Message("still here")
        yield h.Idle("end_turn")

    with pytest.raises(Fenced):
        await run(here, Agent(goes_on))


async def test_an_agent_that_breaks_ends_the_turn_with_its_error() -> None:
    async def breaks(_: Agent) -> AsyncIterator[h.Said]:
        yield h.Message("I begin")
        raise ConnectionResetError("the agent's pipe is gone")

    with pytest.raises(ConnectionResetError):
        await run(await desk(), Agent(breaks))


# -- what people decide ----------------------------------------------------------------------------------------------


async def test_a_question_becomes_an_approval_with_everything_a_person_needs() -> None:
    here, agent = await desk(), Agent(waits_for_an_answer)
    running = asyncio.create_task(run(here, agent))
    await asked(here)
    (opened,) = await here.recorded(f.ApprovalRequested)
    assert (opened.request_id, opened.summary, opened.folder) == ("r1", "rm -rf build", ".")
    assert (opened.reasons, opened.risk, opened.digest) == (("deletes files",), "high", "digest-1")
    assert opened.deadline <= await here.ledger.now() + PATIENCE_MS
    assert (await here.task()).status is TaskStatus.WAITING_APPROVAL
    assert agent.answers == []
    await here.decide("approve")
    await running


@pytest.mark.parametrize(
    ("decision", "reason", "answer"),
    [
        ("approve", "", h.Answer(True, "alice", "")),
        ("reject", "keep the build", h.Answer(False, "alice", "keep the build")),
    ],
)
async def test_a_decision_reaches_the_agent_with_who_and_why(decision: str, reason: str, answer: h.Answer) -> None:
    here, agent = await desk(), Agent(waits_for_an_answer)
    running = asyncio.create_task(run(here, agent))
    await asked(here)
    await here.decide(decision, reason)
    assert (await running).stop_reason == "end_turn"
    assert agent.answers == [("r1", answer)]


async def test_an_answer_reaches_the_agent_once_and_only_for_what_it_asked() -> None:
    body = '{"request_id": "%s", "allow": true, "by": "alice", "reason": ""}'
    here = await desk()

    async def asks_twice(agent: Agent) -> AsyncIterator[h.Said]:
        yield ASKED
        await agent.told.wait()
        agent.told.clear()
        for request in ("r1", "r9"):  # the same again, and one nobody asked
            await control(here, "answer", body % request)
        yield h.PermissionAsked("r2", "rm b", ".", (), "low", "digest-2")
        await agent.told.wait()
        yield h.Idle("end_turn")

    agent = Agent(asks_twice)
    running = asyncio.create_task(run(here, agent))
    await asked(here)
    await here.decide("approve")
    async with asyncio.timeout(DEADLINE_S):
        while len(await here.recorded(f.ApprovalRequested)) < 2:
            await asyncio.sleep(0)
    await here.decide("reject")
    await running
    assert [(request, answer.allow) for request, answer in agent.answers] == [("r1", True), ("r2", False)]


async def test_a_question_that_cannot_be_opened_is_answered_with_no() -> None:
    here = await desk()
    await here.change("cancel")
    agent = Agent(waits_for_an_answer)
    assert (await run(here, agent)).stop_reason == "end_turn"
    assert agent.answers == [("r1", h.Answer(False, "", "already_stopping"))]
    assert await here.recorded(f.ApprovalRequested) == []


async def test_a_cancel_reaches_the_agent_once_however_often_it_is_sent() -> None:
    here, agent = await desk(), Agent(works_until_cancelled)
    running = asyncio.create_task(run(here, agent))
    await here.change("pause")
    await here.change("cancel")
    assert (await running).stop_reason == "cancelled"
    assert len(agent.cancels) == 1


async def test_what_was_sent_before_the_turn_began_is_not_missed() -> None:
    here, agent = await desk(), Agent(works_until_cancelled)
    await here.change("cancel")
    assert (await run(here, agent)).stop_reason == "cancelled"


async def test_a_control_of_a_kind_we_do_not_know_is_passed_over() -> None:
    here, agent = await desk(), Agent(works_until_cancelled)
    await control(here, "steer", '{"text": "left"}')
    await here.change("cancel")
    assert (await run(here, agent)).stop_reason == "cancelled"


async def test_deafness_to_people_ends_the_turn_with_its_error() -> None:
    here, agent = await desk(), Agent(works_until_cancelled)
    await control(here, "cancel", "no JSON at all")
    with pytest.raises(ValueError, match="Expecting value"):
        await run(here, agent)


# -- the worker goes away --------------------------------------------------------------------------------------------


async def test_when_the_worker_goes_the_agent_is_ended_soon_and_the_end_is_ours() -> None:
    here, agent, leaving = await desk(), Agent(works_until_cancelled), Leaving()
    running = asyncio.create_task(drive(here, agent, leaving).run())
    leaving.asked.set()
    async with asyncio.timeout(DEADLINE_S):
        assert (await running).stop_reason == "shutdown"
    assert agent.cancels == [LEAVING_S]


async def test_a_turn_that_a_person_cancelled_stays_cancelled_though_the_worker_goes() -> None:
    async def lingers(agent: Agent) -> AsyncIterator[h.Said]:
        while len(agent.cancels) < 2:
            await agent.cancelled.wait()
            agent.cancelled.clear()
            leaving.asked.set()
        yield h.Idle("cancelled")

    here, agent, leaving = await desk(), Agent(lingers), Leaving()
    running = asyncio.create_task(drive(here, agent, leaving).run())
    await here.change("cancel")
    async with asyncio.timeout(DEADLINE_S):
        assert (await running).stop_reason == "cancelled"
    assert agent.cancels[-1] == LEAVING_S


async def test_an_agent_that_was_done_before_it_heard_of_the_leaving_is_done() -> None:
    async def done(_: Agent) -> AsyncIterator[h.Said]:
        yield h.Reported("done")
        yield h.Idle("end_turn")

    leaving = Leaving()
    leaving.asked.set()
    outcome = await drive(await desk(), Agent(done), leaving).run()
    assert (outcome.stop_reason, outcome.reported) == ("end_turn", h.Reported("done"))


async def test_ending_the_drive_itself_leaves_no_task_running() -> None:
    here, agent = await desk(), Agent(works_until_cancelled)
    before = asyncio.all_tasks()
    running = asyncio.create_task(drive(here, agent).run())
    await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.wait([running], timeout=DEADLINE_S)
    assert running.cancelled()
    assert asyncio.all_tasks() == before
