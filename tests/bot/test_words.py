"""All that people read: both languages say the same, no code is left without a sentence, no word of ours leaks."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer import Typer
from typer.main import get_command

from bot import words
from bot.cli import errors
from bot.cli.app import app
from bot.words import coded, fill, language_of, refusal_text, say, status_label, why_refused
from core.domain.decide import RULES
from core.domain.facts import InteractionCancelled, ReconcileResolved
from core.domain.reading import Risk
from core.domain.tables import InteractionStatus, PlanStatus, TaskStatus
from core.errors import Refused

ROOT = Path(__file__).parents[2]
TABLES = (
    "STATUS",
    "TEXTS",
    "FAILURES",
    "REPLIES",
    "CHECKS",
    "OBSTACLES",
    "REFUSALS",
    "RIGHTS",
    "DECIDED",
    "REPO_PROBLEMS",
    "MERGE_REFUSALS",
)
ROWS = [(f"{name}.{code}", row) for name in TABLES for code, row in getattr(words, name).items()] + [
    ("HELP", words.HELP)
]
FORBIDDEN = re.compile(r"\b(lanes?|turns?|attempts?|harness(es)?|settle[sd]?|settling|ledgers?)\b", re.IGNORECASE)
HAN = re.compile(r"[\u3400-\u9fff]")
SYMBOLS = {"REPLIES.said", "TEXTS.plan_title_bare", "TEXTS.op_create"}  # nothing to translate


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize(("code", "row"), ROWS)
def test_both_languages_say_it_with_the_same_fields(code: str, row: words.Row) -> None:
    english, chinese = row
    assert fields(english) == fields(chinese)
    assert english.strip() == english != ""
    assert chinese.strip() == chinese != ""
    assert not HAN.search(english)
    assert HAN.search(chinese) or code in SYMBOLS


@pytest.mark.parametrize(("code", "row"), ROWS)
def test_our_own_words_stay_inside(code: str, row: words.Row) -> None:
    assert not FORBIDDEN.search(row[0])
    assert "_" not in re.sub(r"\{[a-z_]+\}", "", row[0])


def helps(typer: Typer) -> Iterator[tuple[str, str]]:
    group = get_command(typer)
    yield "", str(group.help)
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        yield name, str(command.help)
        yield from ((name, option.help) for option in command.params if getattr(option, "help", None))


@pytest.mark.parametrize("text", [*(text for _, text in helps(app)), *errors.SENTENCES.values()])
def test_the_terminal_speaks_the_same_words(text: str) -> None:
    assert not FORBIDDEN.search(text)


# -- no code without a sentence --------------------------------------------------------------------------------------


def raised(*folders: str) -> set[str]:
    """The codes of every ``Refused("…")`` in the sources of some folders."""
    found = set()
    for path in (p for folder in folders for p in sorted((ROOT / folder).rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "Refused"
                and node.args
            ):
                code = node.args[0]
                found |= {n.value for n in ast.walk(code) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return found


def test_every_refusal_of_the_domain_has_a_sentence() -> None:
    codes = raised("core/domain")
    assert len(codes) > 40
    assert RULES  # the codes come from these rules
    assert codes - set(words.REFUSALS) == set()


def test_what_access_and_the_ledger_refuse_a_person_has_a_sentence() -> None:
    codes = raised("bot") - raised("bot/cli")
    assert {"not_allowed", "unwritable_event", "lost_race", "unreadable_event"} | codes <= set(words.REFUSALS)


def test_every_refusal_of_a_merge_has_a_sentence() -> None:
    source = (ROOT / "jobs/git/merge.py").read_text(encoding="utf-8")
    codes = set(re.findall(r'"((?:base|branch|merge|unrelated)_[a-z_]+)"', source)) & raised("jobs/git")
    assert "merge_conflict" in codes
    assert (codes | {"no_repository", "commit_missing"}) - set(words.MERGE_REFUSALS) == set()


def test_every_problem_of_a_repository_has_a_sentence() -> None:
    source = (ROOT / "jobs/git/repo.py").read_text(encoding="utf-8") + (ROOT / "jobs/repo_check.py").read_text("utf-8")
    codes = set(re.findall(r'(?:Refused\(|problem=|else )"([a-z_]+)"', source))
    assert {"path_missing", "not_a_repository", "only_local", "path_not_absolute"} <= codes
    assert codes - set(words.REPO_PROBLEMS) == set()


def test_every_reply_of_the_manager_has_a_sentence() -> None:
    sources = [p.read_text(encoding="utf-8") for p in sorted((ROOT / "jobs/manager").rglob("*.py"))]
    codes = {c for s in sources for c in re.findall(r'(?:Reply\(\s*code=|TooMuch\(|_reply\()"([a-z_]+)"', s)}
    assert {"no_agent", "which_repo", "cannot_plan", "hello", "too_many_tasks"} <= codes
    made_by_cards = {"about_task", "status"}
    assert codes - set(words.REPLIES) == made_by_cards


def test_every_check_a_repository_can_name_has_words() -> None:
    source = (ROOT / "jobs/manager/checks.py").read_text(encoding="utf-8")
    codes = set(re.findall(r'^    "([a-z]+)": \(', source, re.MULTILINE))
    assert {"test", "format"} <= codes <= set(words.CHECKS)


@pytest.mark.parametrize("status", [*TaskStatus, "done", "cancelling", "pausing", "stopping"])
def test_every_state_of_a_task_has_a_word(status: str) -> None:
    assert status_label(status, "en")
    assert HAN.search(status_label(status, "zh"))


@pytest.mark.parametrize("cause", InteractionCancelled.model_fields["cause"].annotation.__args__)  # type: ignore[union-attr]
def test_every_cause_an_approval_ends_by_has_a_word(cause: str) -> None:
    assert f"cause_{cause}" in words.TEXTS
    assert cause in words.DECIDED


@pytest.mark.parametrize("decision", ReconcileResolved.model_fields["decision"].annotation.__args__)  # type: ignore[union-attr]
def test_every_end_of_an_uncertain_delivery_has_a_word(decision: str) -> None:
    if decision != "wait":
        assert f"resolved_{decision}" in words.TEXTS
        assert decision in words.DECIDED


def test_every_risk_and_every_decided_plan_has_a_word() -> None:
    assert set(Risk.__args__) <= set(words.TEXTS)  # type: ignore[attr-defined]
    assert {status.value for status in PlanStatus} - {"proposed"} <= set(words.DECIDED)
    assert set(InteractionStatus) - {"pending", "approved", "rejected", "resolved", "cancelled"} == set()


# -- sentences as they come out --------------------------------------------------------------------------------------

SENTENCES = [
    (
        Refused("already_decided", short="A4", by="bob", decision="reject", reason="not on a Friday"),
        "A4 was already decided by bob: rejected. “not on a Friday”",
    ),
    (
        Refused("already_decided", short="A4", by="bob", decision="once"),
        "A4 was already decided by bob: approved once.",
    ),
    (Refused("already_decided", short="A4", by="", decision="timeout"), "A4 is over: nobody answered in time."),
    (Refused("already_decided", short="P1", by="", decision="superseded"), "P1 is over: another plan took its place."),
    (
        Refused("already_decided", short="P1", by="bob", decision="P3"),
        "P1 was already decided by bob: proposed again as P3.",
    ),
    (
        Refused("already_decided", short="Q1", by="system", decision="late_report"),
        "Q1 is over: its report arrived after all.",
    ),
    (Refused("illegal_move", name="T3", state="completed"), "T3 is in review, so that is not possible now."),
    (
        Refused("not_allowed", person="carol", right="decide"),
        "carol may not decide here. Nothing was changed.",
    ),
    (Refused("which_task"), "Say which task, for example T3."),
    (Refused("which_task", names="T1, T2"), "Which one: T1, T2?"),
    (Refused("message_too_long", limit=40_000), "That is too long: at most 40000 characters."),
    (Refused("never_heard_of", path="/x"), "never heard of (path: /x)"),
]


@pytest.mark.parametrize(("refused", "text"), SENTENCES)
def test_a_refusal_reads_as_a_sentence(refused: Refused, text: str) -> None:
    assert refusal_text(refused, "en") == text
    if refused.code in words.REFUSALS:
        assert HAN.search(refusal_text(refused, "zh"))


@pytest.mark.parametrize("code", sorted(words.REFUSALS))
def test_no_refusal_fails_for_want_of_a_parameter(code: str) -> None:
    for language in ("en", "zh"):
        assert "{" not in why_refused(code, {}, language)


def test_text_of_a_person_is_never_a_template() -> None:
    assert coded(words.REPLIES, "said", "en", {"text": "{short} {0} {text}"}) == "{short} {0} {text}"
    assert say("because", "en", by="bob", text="{by}") == "because bob: {by}"
    assert fill(("{a} {b}", "{a} {b}"), "zh", {"a": "x"}) == "x "


def test_a_message_with_any_chinese_in_it_is_chinese() -> None:
    assert language_of("run the tests") == "en"
    assert language_of("跑 tests 然后 ruff format") == "zh"
    assert language_of("") == "en"
