"""A change of mind becomes a plan change; a guess becomes a question; a quotation becomes nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.domain.model import Op, Plan, Session
from core.domain.reading import TaskSpec
from tests.jobs.manager.thread import BARE, STAFFED, add, brief, fresh, halfway, hear, paused

CHANGES = [
    ("hmm, fix the retry first, leave the cache for now, and we don't need the docs", "cancel T4 | pause T2 | free T3<T2"),
    ("fix the retry first, leave the cache", "pause T2 | free T3<T2"),
    ("嗯，先修重试，缓存先别做，文档不需要了", "cancel T4 | pause T2 | free T3<T2"),
    ("重试优先，缓存先放着，文档不要了", "cancel T4 | pause T2 | free T3<T2"),
    ("park T2, start T3, cancel T4", "cancel T4 | pause T2 | free T3<T2"),
    ("let's skip T4 and go with T3 first", "cancel T4 | free T3<T2"),
    ("do the docs instead of the cache", "cancel T2 | free T4<T3"),
    # cancel
    ("drop T4", "cancel T4"),
    ("Cancel t4!", "cancel T4"),
    ("can you cancel T4?", "cancel T4"),
    ("we don't need the docs", "cancel T4"),
    ("we don't need to write the docs", "cancel T4"),
    ("forget the cache", "cancel T2"),
    ("never mind the docs", "cancel T4"),
    ("skip the docs", "cancel T4"),
    ("no need for the docs anymore", "cancel T4"),
    ("T4 is no longer needed, thanks", "cancel T4"),
    ("docs aren't needed", "cancel T4"),
    ("don't write the docs", "cancel T4"),
    ("remove the docs task", "cancel T4"),
    ("get rid of T4", "cancel T4"),
    ("we can drop the docs", "cancel T4"),
    ("T2 is useless, drop it", "cancel T2"),
    ("drop the docs but keep the cache", "cancel T4"),
    ("yes, and drop T4", "cancel T4"),
    ("取消缓存", "cancel T2"),
    ("不要文档了", "cancel T4"),
    ("文档不用写了", "cancel T4"),
    ("把文档取消掉", "cancel T4"),
    ("T4 取消", "cancel T4"),
    ("这个缓存任务不需要了", "cancel T2"),
    ("缓存算了", "cancel T2"),
    ("别写文档了", "cancel T4"),
    ("cancel everything", "cancel T2 | cancel T3 | cancel T4"),
    ("全部取消", "cancel T2 | cancel T3 | cancel T4"),
    # pause
    ("leave the cache for now", "pause T2"),
    ("leave the cache and the docs for now", "pause T2 | pause T4"),
    ("pause T2", "pause T2"),
    ("pause T2, T4", "pause T2 | pause T4"),
    ("put the cache on hold", "pause T2"),
    ("docs can wait", "pause T4"),
    ("not the docs yet", "pause T4"),
    ("hold off on the docs", "pause T4"),
    ("don't drop the docs, pause the cache", "pause T2"),
    ("先别做缓存", "pause T2"),
    ("暂停 T2", "pause T2"),
    ("T2 先停一下", "pause T2"),
    ("缓存先放一放", "pause T2"),
    # first
    ("fix the retry first", "free T3<T2"),
    ("t3 first", "free T3<T2"),
    ("prioritize the retry", "free T3<T2"),
    ("the retry is more important than the cache", "free T3<T2"),
    ("fix the retry before the cache", "free T3<T2"),
    ("先修重试", "free T3<T2"),
    ("优先处理重试", "free T3<T2"),
    ("把重试提前", "free T3<T2"),
    # with new work
    ("drop the docs and run the tests", "cancel T4 | + `pytest -q`"),
]  # fmt: skip

ASKED = [
    ("maybe we don't need the docs", "? unsure_change cancel T4"),
    ("I think we should drop the docs", "? unsure_change cancel T4"),
    ("也许不需要文档了", "? unsure_change cancel T4"),
    ("remove the docs", "? unsure_change cancel T4"),
    ("kill the cache", "? unsure_change cancel T2"),
    ("stop the cache", "? unsure_change pause T2"),
    ("if the tests pass, drop the docs", "? unsure_change cancel T4"),
    ("cancel T2 if T3 fails", "? unsure_change cancel T2, T3"),
    ("drop it", "? unsure_change cancel T2"),
    ("pause T3 and do T3 first", "? unsure_change conflict T3"),
    ("drop T9", "? unknown_task"),
    ("cancel the frobnicator", "? unknown_task"),
    ("cancel T1", "? nothing_to_change cancel T1"),
    ("resume T2", "? nothing_to_change resume T2"),
]

NO_CHANGE = [
    ("don't cancel the cache", "note"),
    ("do not drop T4", "note"),
    ("keep T2", "note"),
    ("don't forget the docs", "note"),
    ("wait, I still want the docs", "note"),
    ("别取消缓存", "note"),
    ("不要取消文档", "note"),
    ("文档还是要的", "note"),
    ("别动缓存", "note"),
    ("> stop", "note"),
    ("> drop T4\nok", "note"),
    ("```\ncancel T2\n```", "note"),
    ("`drop T4`", "note"),
    ('she said "drop T4" yesterday', "note"),
    ("stop", "note"),
    ("the weather is nice", "note"),
    ("lunch at 12?", "note"),
    ("thanks", "note"),
    ("好的", "note"),
    ("谢谢，辛苦了", "note"),
    ("don't break the cache", "note"),
    ("is the cache task still needed?", "? about_task T2"),
    ("should we drop the docs?", "? about_task T4"),
    ("do we still need T4", "? about_task T4"),
    ("what is T2 doing", "? about_task T2"),
    ("why is T3 waiting?", "? about_task T3"),
    ("还需要缓存吗？", "? about_task T2"),
    ("缓存做完了吗", "? about_task T2"),
    ("取消缓存吗？", "? about_task T2"),
    ("how is it going?", "? status"),
    ("现在进度如何？", "? status"),
]


@pytest.mark.parametrize(("text", "expected"), CHANGES)
async def test_a_change_of_mind_becomes_a_plan_change(text: str, expected: str) -> None:
    assert brief(await hear(text, halfway())) == expected


@pytest.mark.parametrize(("text", "expected"), ASKED)
async def test_what_was_not_plainly_meant_is_asked(text: str, expected: str) -> None:
    reading = await hear(text, halfway())
    assert brief(reading) == expected
    assert reading.proposal is None


@pytest.mark.parametrize(("text", "expected"), NO_CHANGE)
@pytest.mark.parametrize("around", [BARE, STAFFED], ids=["bare", "staffed"])
async def test_talk_quotations_and_questions_change_nothing(text: str, expected: str, around: object) -> None:
    reading = await hear(text, halfway(), STAFFED if around is STAFFED else BARE)
    assert brief(reading) == expected
    assert reading.proposal is None


@pytest.mark.parametrize(
    "text", ["go on with T2", "resume the cache", "carry on with the cache", "继续 T2", "恢复缓存", "缓存继续"]
)
async def test_paused_work_goes_on(text: str) -> None:
    assert brief(await hear(text, paused())) == "resume T2"


async def test_the_reason_is_what_the_person_wrote() -> None:
    reading = await hear("hmm, fix the retry first, leave the cache for now, and we don't need the docs", halfway())
    assert reading.kind == "objective_change"
    assert reading.proposal is not None
    assert reading.proposal.reason == "fix the retry first, leave the cache for now, and we don't need the docs"
    assert reading.proposal.objective is None


async def test_words_that_fit_two_tasks_are_asked_about() -> None:
    state = halfway()
    add(state, "T5", "Cache the search results", "queued")
    reading = await hear("drop the cache", state)
    assert reading.reply is not None
    assert (reading.reply.code, reading.reply.params) == ("which_task", {"name": "the cache", "tasks": "T2, T5"})
    assert brief(await hear("drop the search cache", state)) == "cancel T5"


async def test_the_tests_are_the_task_that_runs_them() -> None:
    state = halfway()
    task = add(state, "T5", "pytest -q", "queued", target="shell")
    task.content = "pytest -q"
    assert brief(await hear("skip the tests", state)) == "cancel T5"


async def test_do_first_makes_a_new_task_when_there_is_none() -> None:
    assert (
        brief(await hear("fix the login first, leave the cache for now", halfway(), STAFFED))
        == "pause T2 | + Fix the login"
    )


async def test_one_part_that_cannot_be_done_holds_back_the_rest() -> None:
    reading = await hear("drop the docs and make the login page prettier", halfway())
    assert brief(reading).startswith("? no_agent")
    assert reading.proposal is None


@pytest.mark.parametrize("build", [halfway, fresh])
async def test_a_bare_answer_to_nothing_is_a_note(build: Callable[[], Session]) -> None:
    assert brief(await hear("yes", build())) == "note"


async def test_a_plan_that_is_not_applied_yet_is_edited_instead() -> None:
    state = fresh()
    spec = TaskSpec(key="new1", title="Write the docs")
    state.plans["pd_1"] = Plan(
        id="pd_1", short="P1", message_id="m", base_version=0, ops=[Op(key="create:new1", kind="create", spec=spec)],
        reason="", objective="", opened_at=1, first=True,
    )  # fmt: skip
    state.open_plans.add("pd_1")
    add(state, "T1", "Cache the reads", "working")
    reading = await hear("never mind the docs", state)
    assert reading.reply is not None
    assert (reading.reply.code, reading.reply.params) == ("edit_plan", {"plan": "P1", "name": "the docs"})


async def test_it_is_asked_about_when_two_tasks_are_at_work() -> None:
    state = halfway()
    add(state, "T5", "Search by name", "working")
    assert brief(await hear("drop it", state)) == "? which_task T2, T5"
    assert brief(await hear("pause T5, then drop it", state)) == "? unsure_change conflict T5"
