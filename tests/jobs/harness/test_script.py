"""A recorded agent: every kind of step, rounds and repeats, and a recording that is wrong is refused by the step's name."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.errors import Refused
from jobs.harness import contract as h
from jobs.harness.recording import Step, load
from jobs.harness.script import STEPS, ScriptHarness
from tests.jobs.harness.turns import Heard, allow, assignment, listen, play, refuse, workspace


def harness(*steps: dict[str, Any], **more: Any) -> ScriptHarness:
    return ScriptHarness(load({"tasks": [{"match": "page", "steps": list(steps), **more}]}))


WORK = assignment("do it", title="Fix the Page")


def test_every_kind_of_step_that_may_be_recorded_can_be_played() -> None:
    assert set(STEPS) == set(Step.model_fields)


async def test_words_progress_files_and_commands_come_in_order(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    heard = await play(
        harness(
            {"say": "I begin"},
            {"progress": {"step": 1, "steps": 2, "current_step": "writing", "next_step": "checking"}},
            {"write": {"path": "src/page.txt", "text": "hello\n"}},
            {"run": ["cat", "src/page.txt"]},
            {"pace": 0.01},
            {"report": {"summary": "done", "handoffs": {"*": "read page.txt"}}},
        ),
        WORK,
        place,
    )
    kinds = [type(s) for s in heard.said if not isinstance(s, h.Chunk)]
    assert kinds == [h.Message, h.Progress, h.ToolFinished, h.Reported, h.Idle]
    assert heard.one(h.Progress) == h.Progress("", 1, 2, "writing", "checking")
    assert heard.one(h.ToolFinished).output == b"hello\n"
    assert heard.one(h.Reported).handoffs == {"*": "read page.txt"}


async def test_proofs_are_commands_really_run(tmp_path: Path) -> None:
    proofs = [{"criterion": "it is there", "run": ["test", "-e", "page"]}, {"criterion": "true", "run": ["true"]}]
    heard = await play(harness({"report": {"summary": "done", "proofs": proofs}}), WORK, workspace(tmp_path))
    found = [(p.criterion, p.command, p.exit_code) for p in heard.one(h.Reported).proofs]
    assert found == [("it is there", "test -e page", 1), ("true", "true", 0)]


ASKING = {
    "ask": {
        "command": "rm -rf x",
        "why": "it is old",
        "reasons": ["deletes"],
        "risk": "high",
        "allowed": [{"say": "thanks"}],
        "refused": [{"say": "another way then"}],
    }
}


@pytest.mark.parametrize(("reply", "words"), [(allow, "thanks"), (refuse, "another way then")])
async def test_it_goes_on_either_way_after_an_answer(tmp_path: Path, reply: Any, words: str) -> None:
    heard = await play(harness(ASKING, {"say": "and on"}), WORK, workspace(tmp_path), reply)
    asked = heard.one(h.PermissionAsked)
    assert (asked.command, asked.why, asked.reasons, asked.risk) == ("rm -rf x", "it is old", ("deletes",), "high")
    assert [m.text for m in heard.of(h.Message)] == [words, "and on"]


async def test_each_question_has_an_id_of_its_own(tmp_path: Path) -> None:
    heard = await play(harness(ASKING, ASKING), WORK, workspace(tmp_path))
    assert len({asked.request_id for asked in heard.of(h.PermissionAsked)}) == 2


async def test_it_waits_for_a_file_and_for_a_cancel(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    session = await harness({"wait_file": "go"}, {"say": "on"}, {"until": "cancelled"}).open(WORK, place)
    await session.send("go")
    heard = Heard()
    ended = asyncio.create_task(listen(session, heard=heard))
    (place.scratch / "go").touch()
    async with asyncio.timeout(5):
        while not heard.of(h.Message):
            await asyncio.sleep(0.01)
    await session.cancel()
    await ended
    assert heard.said[-1] == h.Idle("cancelled")
    await session.close()


@pytest.mark.parametrize(
    "step", [{"until": "cancelled"}, {"wait_file": "never"}, {"pace": 60}, {"run": ["sleep", "60"]}]
)
async def test_a_cancel_is_heard_in_every_step_that_takes_time(tmp_path: Path, step: dict[str, Any]) -> None:
    session = await harness({"say": "begun"}, step, {"say": "not reached"}).open(WORK, workspace(tmp_path))
    await session.send("go")
    await anext(aiter(session.events()))
    async with asyncio.timeout(4):
        await session.close()
        assert (await listen(session)).said[-1] == h.Idle("cancelled")


async def test_a_recorded_failure_has_its_class_and_the_feedback_it_answers(tmp_path: Path) -> None:
    work = assignment("x", title="page", feedback="be quick")
    heard = await play(
        harness({"fail": {"failure": "tests_failed", "detail": "tried: {feedback}"}}), work, workspace(tmp_path)
    )
    broke = heard.one(h.Broke)
    assert (broke.failure, broke.detail) == ("tests_failed", "tried: be quick")


async def test_rounds_and_repeats_have_steps_of_their_own(tmp_path: Path) -> None:
    recorded = harness({"say": "first"}, rounds={2: [{"say": "second"}]}, again=[{"say": "once more"}])
    said = []
    for number, round_ in ((1, 1), (2, 2), (2, 1)):
        heard = await play(recorded, assignment("x", title="page", number=number, round=round_), workspace(tmp_path))
        said.append(heard.one(h.Message).text)
    assert said == ["first", "second", "once more"]


async def test_a_task_nobody_recorded_fails_by_name(tmp_path: Path) -> None:
    heard = await play(harness({"say": "x"}), assignment("x", title="Something else"), workspace(tmp_path))
    broke = heard.one(h.Broke)
    assert broke.failure == "no_recording"
    assert "Something else" in broke.detail


@pytest.mark.parametrize("path", ["../outside", "/outside-of-it", "link/outside"])
async def test_it_writes_nothing_outside_the_worktree(tmp_path: Path, path: str) -> None:
    place = workspace(tmp_path)
    (place.folder / "link").symlink_to(tmp_path)
    session = await harness({"write": {"path": path, "text": "x"}}).open(WORK, place)
    await session.send("go")
    heard = await listen(session)
    assert heard.one(h.Broke).failure == "harness_error"
    assert "path_outside" in heard.one(h.Broke).detail
    assert not (tmp_path / "outside").exists()
    await session.close()


def test_a_recorded_crash_ends_the_process_without_a_word(tmp_path: Path) -> None:
    code = (
        "import asyncio, pathlib\n"
        "from tests.jobs.harness.turns import *\nfrom tests.jobs.harness.test_script import harness\n"
        "place = workspace(pathlib.Path('.'))\n"
        "asyncio.run(play(harness({'crash': True}), assignment('x', title='page'), place))\n"
    )
    root = str(Path(__file__).parents[3])
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": root}, check=False
    )
    assert done.returncode == 70


@pytest.mark.parametrize(
    ("tasks", "where"),
    [
        ([{"match": "a", "steps": [{"say": "x"}, {"sing": "x"}]}], "tasks.0.steps.1.sing"),
        ([{"match": "a", "steps": [{"say": "x", "pace": 1}]}], "tasks.0.steps.0"),
        ([{"match": "a", "steps": [{}]}], "tasks.0.steps.0"),
        ([{"match": "a", "steps": [{"pace": 61}]}], "tasks.0.steps.0.pace"),
        ([{"match": "a", "steps": [{"ask": {"command": "x", "refused": [{"pace": -1}]}}]}], "ask.refused.0.pace"),
        ([{"match": "", "steps": []}], "tasks.0.match"),
    ],
)
def test_a_wrong_recording_is_refused_with_the_step_named(tasks: list[Any], where: str) -> None:
    with pytest.raises(Refused, match="bad_recording") as refused:
        load({"tasks": tasks})
    assert where in str(refused.value.params["why"])


def test_a_recording_that_is_no_file_or_no_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="bad_recording"):
        load(tmp_path / "missing.json")
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    with pytest.raises(Refused, match="bad_recording") as refused:
        load(broken)
    assert "line 1" in str(refused.value.params["why"])
    broken.write_text(json.dumps({"tasks": []}))
    assert load(broken).steps_for("x", 1, False) is None
