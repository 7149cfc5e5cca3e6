"""A command line as the task: its exit code is the report, policy asks first, and nothing of ours is in its environment."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from jobs.harness import contract as h
from jobs.harness.shell import ShellHarness
from jobs.policy import ShellPolicy
from tests.jobs.harness.turns import Heard, Reply, allow, assignment, listen, play, refuse, workspace

OPEN = ShellPolicy(allowed=("bash", "python3", sys.executable))
HARNESS = ShellHarness(OPEN)


async def run(tmp_path: Path, command: str, reply: Reply = refuse, **more: object) -> Heard:
    return await play(HARNESS, assignment(command, **more), workspace(tmp_path), reply)


async def test_a_command_that_ends_well_is_its_own_report_and_proof(tmp_path: Path) -> None:
    heard = await run(tmp_path, "echo hello")
    report = heard.one(h.Reported)
    assert report.summary == "`echo hello` exit 0 · hello"
    (proof,) = report.proofs
    assert (proof.criterion, proof.exit_code, proof.output) == ("echo hello", 0, b"hello\n")
    assert heard.live == "hello\n"
    assert heard.said[-1] == h.Idle("end_turn")


async def test_a_command_that_ends_badly_has_failed_with_its_last_words(tmp_path: Path) -> None:
    heard = await run(tmp_path, "bash -c 'echo before; echo no such table >&2; exit 3'", allow)
    broke = heard.one(h.Broke)
    assert (broke.failure, broke.detail) == ("command_failed", "exit 3 · no such table")
    assert b"before" in broke.output
    assert heard.one(h.ToolFinished).exit_code == 3
    assert not heard.of(h.Reported)


async def test_a_command_ended_by_a_signal_says_which(tmp_path: Path) -> None:
    heard = await run(tmp_path, "bash -c 'kill -SEGV $$'", allow)
    assert heard.one(h.Broke).detail == "ended by SIGSEGV"


async def test_a_missing_program_is_named_and_says_what_to_do(tmp_path: Path) -> None:
    policy = ShellPolicy(allowed=("frobnicate",))
    heard = await play(ShellHarness(policy), assignment("frobnicate --now"), workspace(tmp_path))
    broke = heard.one(h.Broke)
    assert broke.failure == "command_not_found"
    assert broke.detail == "frobnicate is not installed on this worker; install it or name another command"


async def test_a_file_that_cannot_be_run_says_why(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    (place.folder / "run.me").write_text("hello")
    policy = ShellPolicy(allowed=("./run.me",))
    heard = await play(ShellHarness(policy), assignment("./run.me"), place, allow)
    assert heard.one(h.Broke).detail == "./run.me cannot be run: Permission denied"


@pytest.mark.parametrize("command", ["", " \n", "a\0b", "echo " + "x" * 200_000])
async def test_what_can_never_run_fails_with_a_word_and_asks_nobody(tmp_path: Path, command: str) -> None:
    heard = await run(tmp_path, command)
    assert heard.one(h.Broke).failure == "command_failed"
    assert not heard.of(h.PermissionAsked)
    assert heard.said[-1] == h.Idle("end_turn")


async def test_a_risky_command_runs_only_once_a_person_allowed_it(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    (place.folder / "old").mkdir()
    there: list[bool] = []

    def look(_: h.PermissionAsked) -> h.Answer:
        there.append((place.folder / "old").exists())
        return h.Answer(True, "alice")

    heard = await play(HARNESS, assignment("rm -rf old"), place, look)
    asked = heard.one(h.PermissionAsked)
    assert there == [True], "nothing was deleted before the answer"
    assert not (place.folder / "old").exists()
    assert (asked.command, asked.folder, asked.risk) == ("rm -rf old", ".", "medium")
    assert asked.reasons
    assert heard.one(h.Reported)


async def test_a_refused_command_does_not_run_and_says_who_and_why(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    (place.folder / "old").mkdir()
    heard = await play(HARNESS, assignment("rm -rf old"), place, refuse)
    assert (place.folder / "old").exists()
    broke = heard.one(h.Broke)
    assert (broke.failure, broke.detail) == ("permission_denied", "alice: too risky")
    assert heard.said[-1] == h.Idle("refused")


async def test_the_reasons_are_in_the_language_of_the_session(tmp_path: Path) -> None:
    english = await run(tmp_path, "rm -rf old")
    chinese = await run(tmp_path, "rm -rf old", language="zh")
    assert english.one(h.PermissionAsked).reasons[0].isascii()
    assert not chinese.one(h.PermissionAsked).reasons[0].isascii()
    assert english.one(h.PermissionAsked).digest == chinese.one(h.PermissionAsked).digest


async def test_hidden_characters_of_a_command_are_shown(tmp_path: Path) -> None:
    heard = await run(tmp_path, "echo safe\u202egpj.exe")
    assert "<U+202E>" in heard.one(h.PermissionAsked).command


async def test_nothing_of_ours_is_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THREADLEAD_REDIS_URL", "redis://:hunter2hunter2@host")
    monkeypatch.setenv("REDIS_URL", "redis://host")
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-1-secret")
    monkeypatch.setenv("BASH_ENV", "/home/alice/evil")
    place = workspace(tmp_path, SHOP="open")
    heard = await play(ShellHarness(OPEN), assignment("bash -c env"), place, allow)
    output = heard.one(h.Reported).proofs[0].output.decode()
    names = {line.partition("=")[0] for line in output.splitlines()}
    assert not [n for n in names if n.startswith(("THREADLEAD", "REDIS", "SLACK", "BASH_ENV", "RQ_"))]
    assert "SHOP=open" in output
    assert "GIT_TERMINAL_PROMPT=0" in output


async def test_secrets_are_hidden_wherever_output_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_TOKEN", "correct-horse-battery")
    command = "echo correct-horse-battery ghp_" + "a1" * 18
    heard = await play(HARNESS, assignment(command), workspace(tmp_path))
    report = heard.one(h.Reported)
    for text in (
        heard.live,
        report.summary,
        report.proofs[0].output.decode(),
        report.proofs[0].excerpt,
        repr(heard.said),
    ):
        assert "horse" not in text
        assert "a1a1" not in text


async def test_a_flood_is_counted_and_bounded(tmp_path: Path) -> None:
    line = "x" * 99
    command = f"{sys.executable} -c \"for i in range(52000): print(i, '{line}')\""
    heard = await play(HARNESS, assignment(command), workspace(tmp_path), allow)
    output = heard.one(h.ToolFinished).output
    assert len(output) < 1_100_000
    assert output.startswith(b"0 ")
    assert output.rstrip().splitlines()[-1].startswith(b"51999 ")
    assert b"bytes left out here" in output
    assert len(heard.live) <= 300_000


async def test_a_cancel_ends_the_command_and_all_it_started(tmp_path: Path) -> None:
    session = await HARNESS.open(
        assignment("bash -c 'sleep 300 & echo $!; (sleep 300 & echo $!); echo $$; wait'"), workspace(tmp_path)
    )
    await session.send("go")
    heard = Heard()
    ended = asyncio.create_task(listen(session, allow, heard))
    async with asyncio.timeout(10):
        while len(heard.live.split()) < 3:
            await asyncio.sleep(0.02)
    await session.cancel()
    await ended
    assert heard.said[-1] == h.Idle("cancelled")
    assert not heard.of(h.Reported)
    assert not heard.of(h.Broke)
    for pid in map(int, heard.live.split()):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    await session.close()


async def test_a_cancel_while_it_waits_for_leave_ends_the_turn(tmp_path: Path) -> None:
    session = await HARNESS.open(assignment("rm -rf old"), workspace(tmp_path))
    await session.send("go")
    said = [await anext(aiter(session.events()))]
    await session.cancel()
    said += (await listen(session)).said
    assert [type(s) for s in said] == [h.PermissionAsked, h.Idle]
    assert said[-1] == h.Idle("cancelled")
    await session.close()


async def test_a_second_prompt_is_rejected_and_a_late_answer_ignored(tmp_path: Path) -> None:
    session = await HARNESS.open(assignment("echo hello"), workspace(tmp_path))
    assert await session.send("go") == "new_turn"
    assert await session.send("go") == "rejected"
    await session.answer("att_0-1", h.Answer(True))
    assert (await listen(session)).one(h.Reported)
    await session.close()
