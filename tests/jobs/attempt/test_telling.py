"""What an agent says becomes bounded facts and artifacts; nothing gets through once another attempt holds the task."""

from __future__ import annotations

import pytest

from core.domain import facts as f
from core.domain import limits
from core.ledger.port import Fenced
from jobs.attempt.telling import BLOB_LIMIT
from jobs.harness import contract as h

from .desk import KNOWN_SECRET, desk


async def test_messages_progress_and_tools_are_recorded_as_facts() -> None:
    here = await desk()
    await here.teller.tell(h.Message("I begin"))
    await here.teller.tell(h.Progress("half", 1, 2, "writing", "checking", 50))
    await here.teller.tell(h.ToolFinished("shell", "pytest -q", 1, b"1 failed\n"))
    assert [m.text for m in await here.recorded(f.AgentMessage)] == ["I begin"]
    (progress,) = await here.recorded(f.TaskProgressed)
    assert (progress.task_id, progress.step, progress.steps, progress.percent) == (here.task_id, 1, 2, 50)
    assert (progress.summary, progress.current_step, progress.next_step) == ("half", "writing", "checking")
    (tool,) = await here.recorded(f.ToolFinished)
    assert (tool.tool, tool.summary, tool.exit_code, tool.size) == ("shell", "pytest -q", 1, 9)
    assert await here.ledger.get_blob(tool.output) == b"1 failed\n"


async def test_what_was_recorded_names_its_worker_and_attempt() -> None:
    here = await desk()
    await here.teller.tell(h.Message("I begin"))
    last = (await here.ledger.read(here.session_id))[-1]
    assert (last.source, last.source_ref, last.attempt_id) == ("worker", "laptop", here.attempt_id)
    assert last.task_id == here.task_id


async def test_long_texts_are_cut_where_a_fact_ends() -> None:
    here = await desk()
    long = "長" * 100_000
    await here.teller.tell(h.Message(long))
    await here.teller.tell(h.Progress(long, 1, 2, long, long))
    await here.teller.tell(h.ToolFinished("shell", long, 0, b""))
    assert [len(m.text) for m in await here.recorded(f.AgentMessage)] == [limits.SUMMARY_CHARS]
    (progress,) = await here.recorded(f.TaskProgressed)
    assert {len(progress.summary), len(progress.current_step), len(progress.next_step)} == {400}
    assert [len(t.summary) for t in await here.recorded(f.ToolFinished)] == [limits.SUMMARY_CHARS]


async def test_a_tool_that_printed_nothing_has_no_artifact() -> None:
    here = await desk()
    await here.teller.tell(h.ToolFinished("shell", "true", 0, b""))
    assert [(t.output, t.size) for t in await here.recorded(f.ToolFinished)] == [("", 0)]


async def test_live_output_is_on_the_feed_only() -> None:
    here = await desk()
    before = await here.ledger.last_seq(here.session_id)
    await here.teller.tell(h.Chunk("compiling…\n"))
    await here.teller.tell(h.Chunk("x" * 10_000))
    assert await here.chunks() == ["compiling…\n", "x" * 4096]
    assert await here.ledger.last_seq(here.session_id) == before


@pytest.mark.parametrize(
    "said",
    [h.PermissionAsked("r1", "rm x", ".", (), "low", "d"), h.Reported("done"), h.Broke("x", "y"), h.Idle("end_turn")],
    ids=lambda said: type(said).__name__,
)
async def test_what_the_driver_acts_on_is_not_told(said: h.Said) -> None:
    here = await desk()
    before = await here.ledger.last_seq(here.session_id)
    await here.teller.tell(said)
    assert await here.ledger.last_seq(here.session_id) == before


async def test_an_artifact_is_stored_without_its_secrets() -> None:
    here = await desk()
    digest = await here.teller.keep(f"password is {KNOWN_SECRET}\n".encode())
    kept = await here.ledger.get_blob(digest)
    assert kept is not None
    assert KNOWN_SECRET.encode() not in kept
    assert kept.startswith(b"password is [secret")


async def test_of_too_much_output_the_end_is_kept_where_results_stand() -> None:
    here = await desk()
    digest = await here.teller.keep(b"." * BLOB_LIMIT + b"\n3 failed")
    kept = await here.ledger.get_blob(digest)
    assert kept is not None
    assert len(kept) == BLOB_LIMIT
    assert kept.endswith(b"3 failed")


async def test_an_attempt_that_was_taken_over_cannot_record_any_more() -> None:
    here = await desk()
    await here.taken_over()
    before = await here.ledger.last_seq(here.session_id)
    for said in (h.Message("still here"), h.Progress("more"), h.ToolFinished("shell", "true", 0, b"")):
        with pytest.raises(Fenced):
            await here.teller.tell(said)
    assert await here.ledger.last_seq(here.session_id) == before
