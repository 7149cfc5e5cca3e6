"""Every sentence a person reads, in English and Chinese, as tables and small functions.

A code picks the row; parameters fill it. An unknown code is shown as itself rather than hidden. Words such as lane, turn,
attempt, harness, settle and ledger never appear here.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.words.cards import FAILURES, STATUS, TEXTS
from bot.words.filling import Language, Row, coded, fill, language_of
from bot.words.refusals import DECIDED, MERGE_REFUSALS, REFUSALS, REPO_PROBLEMS, RIGHTS
from bot.words.replies import CHECKS, HELP, OBSTACLES, REPLIES
from bot.words.visible import visible
from core.errors import Refused

__all__ = [
    "CHECKS",
    "DECIDED",
    "FAILURES",
    "HELP",
    "MERGE_REFUSALS",
    "OBSTACLES",
    "REFUSALS",
    "REPLIES",
    "REPO_PROBLEMS",
    "RIGHTS",
    "STATUS",
    "TEXTS",
    "Language",
    "Row",
    "coded",
    "fill",
    "language_of",
    "refusal_text",
    "say",
    "status_label",
    "visible",
    "why_refused",
]


def say(code: str, language: Language, /, **params: object) -> str:
    """A word or sentence of ``TEXTS``."""
    return fill(TEXTS[code], language, params)


def status_label(status: str, language: Language) -> str:
    return fill(STATUS.get(status, (status, status)), language, {})


def refusal_text(refused: Refused, language: Language) -> str:
    """What the person who asked reads."""
    return why_refused(refused.code, refused.params, language)


def why_refused(code: str, params: Mapping[str, object], language: Language) -> str:
    """The sentence for a refusal, with the words of the domain in it as words of ours."""
    shown = {**params, "name": params.get("name") or params.get("short", "")}
    if "state" in params:
        shown["state"] = status_label(str(params["state"]), language)
    if "right" in params:
        shown["right"] = coded(RIGHTS, str(params["right"]), language, {})
    if code == "already_decided":
        return _already_decided(shown, language)
    if code == "which_task" and not params.get("names"):
        code = "which_task_at_all"
    return coded(REFUSALS, code, language, shown)


def _already_decided(params: Mapping[str, object], language: Language) -> str:
    """Who was first, what it came to and why; or why there is nothing left to decide."""
    decision, by, reason = (str(params.get(key) or "") for key in ("decision", "by", "reason"))
    code = "proposed_again" if decision not in DECIDED and decision[:1] == "P" else decision
    what = coded(DECIDED, code, language, {"short": decision})
    quoted = fill(("“{reason}”", "“{reason}”"), language, {"reason": reason}) if reason else ""
    row = "already_decided" if by and by != "system" else "already_over"
    return coded(REFUSALS, row, language, {**params, "what": what, "reason": quoted})
