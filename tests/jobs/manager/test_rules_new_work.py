"""New work from plain words: commands run in the shell, prose goes to an agent, and prose is never a command."""

from __future__ import annotations

import pytest

from core.domain import limits
from jobs.manager.contract import Surroundings
from tests.jobs.manager.thread import BARE, STAFFED, brief, fresh, halfway, hear, reviewing

COMMANDS = [
    ("run the tests, then format with ruff and run them again", "+ `pytest -q` | + `ruff format .` <1 | + `pytest -q` <2"),
    ("Run the tests. Then format with ruff. Then run it again.", "+ `pytest -q` | + `ruff format .` <1 | + `pytest -q` <2"),
    ("先跑测试，然后用 ruff 格式化，再跑一遍测试", "+ `pytest -q` | + `ruff format .` <1 | + `pytest -q` <2"),
    ("先跑测试，再用 ruff 格式化，然后再跑一遍", "+ `pytest -q` | + `ruff format .` <1 | + `pytest -q` <2"),
    ("`pytest -q` then `git status`", "+ `pytest -q` | + `git status` <1"),
    ("pytest -q then git status", "+ `pytest -q` | + `git status` <1"),
    ("pytest -q && ruff check .", "+ `pytest -q && ruff check .`"),
    ("pytest -q\nruff check .", "+ `pytest -q` | + `ruff check .` <1"),
    ("Run pytest -q and ruff check .", "+ `pytest -q` | + `ruff check .` <1"),
    ("1. run the tests\n2. lint\n3. format with ruff", "+ `pytest -q` | + `ruff check .` <1 | + `ruff format .` <2"),
    ("* run the tests\n* format", "+ `pytest -q` | + `ruff format .` <1"),
    ("1、跑测试\n2、用 ruff 格式化", "+ `pytest -q` | + `ruff format .` <1"),
    ("run the tests and at the same time lint", "+ `pytest -q` | + `ruff check .`"),
    ("run the tests and, at the same time, lint", "+ `pytest -q` | + `ruff check .`"),
    ("in parallel, run the tests and the linter", "+ `pytest -q` | + `ruff check .`"),
    ("run the tests, then format and lint in parallel", "+ `pytest -q` | + `ruff format .` <1 | + `ruff check .` <1"),
    ("run the tests and lint side by side, then format", "+ `pytest -q` | + `ruff check .` | + `ruff format .` <1 <2"),
    ("Run the tests. Meanwhile format with ruff.", "+ `pytest -q` | + `ruff format .`"),
    ("run these in parallel:\n- pytest -q\n- ruff check .", "+ `pytest -q` | + `ruff check .`"),
    ("跑测试，同时用 ruff 格式化", "+ `pytest -q` | + `ruff format .`"),
    ("用 black 格式化代码，同时用 mypy 检查", "+ `black .` | + `mypy .`"),
    ("格式化代码并运行测试", "+ `ruff format .` | + `pytest -q` <1"),
    ("运行测试和 lint", "+ `pytest -q` | + `ruff check .` <1"),
    ("请运行 `npm run build`，然后 `git status`", "+ `npm run build` | + `git status` <1"),
    ("first run the tests, then format", "+ `pytest -q` | + `ruff format .` <1"),
    ("run tests, lint and format with ruff", "+ `pytest -q` | + `ruff check .` <1 | + `ruff format .` <2"),
    ("run the tests, and if they pass, format", "+ `pytest -q` | + `ruff format .` <1"),
    ("format with prettier and lint with eslint", "+ `prettier --write .` | + `eslint .` <1"),
    ("type check with mypy", "+ `mypy .`"),
    ("run ruff", "+ `ruff check .`"),
    ("please run `make docs`", "+ `make docs`"),
    ("Can you run the tests please?", "+ `pytest -q`"),
    ("make sure the tests pass", "+ `pytest -q`"),
    ("@lead run the tests", "+ `pytest -q`"),
    ("echo \"fix, then run\" > a.txt", "+ `echo \"fix, then run\" > a.txt`"),
    ("git commit -m 'fix the thing and then run'", "+ `git commit -m 'fix the thing and then run'`"),
    ("for f in *.py; do echo $f; done", "+ `for f in *.py; do echo $f; done`"),
    ("run this:\n```\n$ pytest -q\ngit status\n```", "+ `pytest -q` | + `git status` <1"),
]  # fmt: skip

NO_COMMAND = [
    ("make the login page prettier", "? no_agent"),
    ("make the login page prettier, then run the tests", "? no_agent"),
    ("run the tests, then make the login page prettier", "? no_agent"),
    ("把登录页做漂亮一点，然后跑测试", "? no_agent"),
    ("the tests are failing, fix them", "? no_agent"),
    ("test the login page", "? no_agent"),
    ("find out why login fails", "? no_agent"),
    ("write docs and tests", "? no_agent"),
    ("format with foo", "? no_agent"),
    ("run `the tests`", "? no_agent"),
    ("build it", "? no_check build"),
    ("构建项目", "? no_check build"),
    ("run the tests, then build", "? no_check build"),
    ("`cancel T2`", "note"),
    ("```\npytest -q\n```", "note"),
    ("> run the tests", "note"),
]

PROSE = [
    ("make the login page prettier", "+ Make the login page prettier"),
    ("drop Python 3.9 everywhere", "+ Drop Python 3.9 everywhere"),
    ("dark mode for the settings page", "+ Dark mode for the settings page"),
    ("could you add a dark mode?", "+ Add a dark mode"),
    ("login returns 500 when the email has a plus sign. Fix it and add a test",
     "+ Login returns 500 when the email has a plus sign"),
    ("Fix the login, then update the changelog", "+ Fix the login | + Update the changelog <1"),
    ("fix the retry and write the docs at the same time, then run the tests",
     "+ Fix the retry | + Write the docs | + `pytest -q` <1 <2"),
    ("1. Fix the login\n2. Write the docs", "+ Fix the login | + Write the docs <1"),
    ("修复登录，同时优化首页", "+ 修复登录 | + 优化首页"),
    ("先修复登录，再写测试，最后更新文档", "+ 修复登录 | + 写测试 <1 | + 更新文档 <2"),
    ("登录时报 500 错误，修一下", "+ 登录时报 500 错误"),
    ("stop the deploy from failing when the cache is cold", "+ Stop the deploy from failing when the cache is cold"),
    ("cancel the cache", "+ Cancel the cache"),
    ("build it", "+ Build it"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), COMMANDS)
async def test_commands_become_shell_tasks_in_the_order_said(text: str, expected: str) -> None:
    reading = await hear(text)
    assert brief(reading) == expected
    assert reading.kind == "objective_change"
    assert reading.changes_objective


@pytest.mark.parametrize(("text", "expected"), NO_COMMAND)
async def test_what_is_no_command_starts_nothing_without_an_agent(text: str, expected: str) -> None:
    reading = await hear(text)
    assert brief(reading).startswith(expected)
    assert reading.proposal is None


@pytest.mark.parametrize(("text", "expected"), PROSE)
async def test_prose_becomes_tasks_of_the_first_agent(text: str, expected: str) -> None:
    assert brief(await hear(text, around=STAFFED)) == expected


async def test_the_refusal_names_what_cannot_be_done() -> None:
    reading = await hear("make the login page prettier, then run the tests")
    assert reading.reply is not None
    assert reading.reply.params == {"text": "make the login page prettier"}


async def test_a_single_wish_is_passed_on_as_it_was_written() -> None:
    text = "please fix this:\n```\nKeyError: 'cart'\n```\n> said bob"
    reading = await hear(text, around=STAFFED)
    assert reading.proposal is not None
    assert [spec.content for spec in reading.proposal.create] == [text]
    assert reading.proposal.create[0].target == "coder"


async def test_pasted_text_goes_to_the_first_wish() -> None:
    reading = await hear("fix the crash, then update the changelog\n```\nKeyError\n```", around=STAFFED)
    assert reading.proposal is not None
    assert [("KeyError" in spec.content) for spec in reading.proposal.create] == [True, False]


@pytest.mark.parametrize(
    ("text", "criteria"),
    [
        ("Fix the login, done when `pytest -q` passes", ("`pytest -q` :: pytest -q",)),
        ("Fix the login until `pytest a.py::test_b` passes", ("the check passes :: pytest a.py::test_b",)),
        ("Fix the login until the tests pass", ("`pytest -q` :: pytest -q",)),
        ("Fix it. Done when `pytest -q` and `ruff check .` pass", ("`pytest -q` :: pytest -q", "`ruff check .` :: ruff check .")),
        ("Add caching. Done when it feels fast.", ("it feels fast",)),
        ("修复登录，直到 `pytest -q` 通过", ("`pytest -q` :: pytest -q",)),
        ("1. Fix the login\n2. Write the docs\n- [ ] tests pass :: `pytest -q`", ("tests pass :: pytest -q",)),
        ("fix the login until users stop complaining", ()),
    ],
)  # fmt: skip
async def test_conditions_become_criteria_of_the_last_task(text: str, criteria: tuple[str, ...]) -> None:
    reading = await hear(text, around=STAFFED)
    assert reading.proposal is not None
    assert reading.proposal.create[-1].criteria == criteria
    assert all(not spec.criteria for spec in reading.proposal.create[:-1])


async def test_the_first_message_is_the_objective_and_later_ones_are_not() -> None:
    first, later = await hear("run the tests"), await hear("run the tests", halfway())
    assert first.proposal is not None
    assert later.proposal is not None
    assert (first.kind, first.proposal.objective) == ("objective_change", "run the tests")
    assert (later.kind, later.proposal.objective) == ("new_task", None)


LATER = [
    ("also run the tests", BARE, "+ `pytest -q`"),
    ("then run the tests", BARE, "+ `pytest -q` <T4"),
    ("after T3, update the changelog", STAFFED, "+ Update the changelog <T3"),
    ("once the cache is done, run the tests", BARE, "+ `pytest -q` <T2"),
    ("and also write a migration guide", STAFFED, "+ Write a migration guide"),
    ("再加一个登录测试", STAFFED, "+ 再加一个登录测试"),
    ("stop the deploy from failing when the cache is cold", STAFFED, "+ Stop the deploy from failing when the cache is cold <T2"),
    ("stop the deploy from failing when the cache is cold", BARE, "? no_agent"),
    ("make the login page prettier", BARE, "? no_agent"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "around", "expected"), LATER)
async def test_work_is_added_to_a_plan_under_way(text: str, around: Surroundings, expected: str) -> None:
    assert brief(await hear(text, halfway(), around)).startswith(expected)


REVIEW = [
    ("keep the old name as an alias and warn when it is used", "? offer_rework T1"),
    ("T1 still uses the old name", "? offer_rework T1"),
    ("this is wrong, the name should be seconds", "? offer_rework T1"),
    ("把旧名字保留为别名", "? offer_rework T1"),
    ("T1 looks good", "note"),
    ("looks good to me", "note"),
    ("run the tests", "+ `pytest -q`"),
    ("cancel T1", "cancel T1"),
    ("also add a changelog", "+ Add a changelog"),
    ("T1 done?", "? about_task T1"),
]


@pytest.mark.parametrize(("text", "expected"), REVIEW)
async def test_words_about_reported_work_are_offered_as_rework(text: str, expected: str) -> None:
    assert brief(await hear(text, reviewing(), STAFFED)) == expected


async def test_the_rework_offer_carries_the_words() -> None:
    reading = await hear("T1 still uses the old name", reviewing(), STAFFED)
    assert reading.kind == "follow_up"
    assert reading.reply is not None
    assert reading.reply.params == {"task": "T1", "text": "T1 still uses the old name"}


async def test_a_long_title_is_cut_after_a_word() -> None:
    reading = await hear("fix " + "the login page " * 20, around=STAFFED)
    assert reading.proposal is not None
    title = reading.proposal.create[0].title
    assert len(title) <= limits.TITLE_CHARS
    assert title.endswith(("page…", "login…", "the…"))


@pytest.mark.parametrize(
    ("text", "around", "code"),
    [
        ("\n".join(["pytest -q"] * (limits.TASKS_PER_PLAN + 1)), BARE, "too_many_tasks"),
        ("in parallel:\n" + "- pytest -q\n" * (limits.DEPENDENCIES + 1) + "then lint", BARE, "too_many_beside"),
        ("fix " + "x" * limits.CONTENT_CHARS, STAFFED, "too_long"),
        ("fix it. done when " + "it is fast " * 250, STAFFED, "too_long"),
    ],
)
async def test_a_plan_beyond_the_limits_is_refused_whole(text: str, around: Surroundings, code: str) -> None:
    reading = await hear(text, fresh(), around)
    assert reading.reply is not None
    assert reading.reply.code == code
    assert reading.proposal is None


async def test_a_document_is_one_task_and_its_lines_are_not_read_as_wishes() -> None:
    text = "The specification.\n" + "run the tests\n" * 600
    reading = await hear(text, halfway(), STAFFED)
    assert reading.proposal is not None
    assert [spec.content for spec in reading.proposal.create] == [text.strip()]
