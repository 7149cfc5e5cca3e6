"""Our answers to messages. What they say about the work is as it was when they were asked."""

from __future__ import annotations

from collections.abc import Callable

from bot.cards.common import Page, clip, title_of
from bot.cards.model import Button, Card, Line
from bot.cards.progress import STANDSTILLS
from bot.words import CHECKS, OBSTACLES, REPLIES, coded, fill, status_label, why_refused
from core.domain.model import Message
from core.domain.reading import Reply

Params = dict[str, object]


def reply_card(page: Page, message: Message, reply: Reply) -> Card:
    rows = SAID.get(reply.code, _said)(page, reply)
    lines = [Line(row) for row in rows[1:] if row]
    buttons: tuple[Button, ...] = ()
    if reply.code == "offer_rework":
        lines, buttons = [Line(clip(message.text, 500), style="quote")], _rework_buttons(page, reply)
    return Card(
        key=f"reply:{message.id}",
        kind="reply",
        title=rows[0],
        lines=tuple(lines),
        buttons=buttons,
        mentions=(message.author,),
    )


def _said(page: Page, reply: Reply) -> list[str]:
    return coded(REPLIES, reply.code, page.language, reply.params).split("\n")


def _cannot_plan(page: Page, reply: Reply) -> list[str]:
    why = why_refused(reply.params.get("code", ""), reply.params, page.language)
    return [fill(REPLIES["cannot_plan"], page.language, {"code": why})]


def _no_check(page: Page, reply: Reply) -> list[str]:
    check = coded(CHECKS, reply.params.get("check", ""), page.language, {})
    return [fill(REPLIES["no_check"], page.language, {"check": check})]


def _unsure(page: Page, reply: Reply) -> list[str]:
    """The words that would do it, one task each, as they can be sent."""
    change = reply.params.get("change", "")
    acts = [change] if change in ("cancel", "pause") else ["cancel", "pause"]
    named = [name for name in reply.params.get("tasks", "").split(", ") if name]
    words = ", ".join(f"`{act} {name}`" for name in named for act in acts)
    return [fill(REPLIES["unsure_change"], page.language, {"words": words})]


def _nothing(page: Page, reply: Reply) -> list[str]:
    status = status_label(reply.params.get("status", ""), page.language)
    return [fill(REPLIES["nothing_to_change"], page.language, {**reply.params, "status": status})]


def _named(page: Page, short: str) -> str:
    task = page.state.tasks.get(page.state.shorts.get(short, ""))
    return f"{short} {title_of(task)}" if task else short


def _about(page: Page, reply: Reply) -> list[str]:
    p = reply.params
    rows = [f"{_named(page, p['task'])} · {status_label(p['status'], page.language)}"]
    if p["step"]:
        rows.append(page.say("last_heard", step=clip(p["step"], 120)))
    if p["needed_by"]:
        rows.append(page.say("needed_by", task=p["task"], names=p["needed_by"]))
    for row in filter(None, p["obstacles"].split("\n")):
        kind, ref, detail = row.split(":", 2)
        words = page.say("no_answer" if detail == "approval_timeout" else detail) if detail in STANDSTILLS else detail
        words = status_label(words, page.language).replace("_", " ")
        rows.append(fill(OBSTACLES[kind], page.language, {"ref": ref, "detail": words, "name": p["task"]}))
    return rows


def _status(page: Page, reply: Reply) -> list[str]:
    pairs = [row.split("=", 1) for row in reply.params["tasks"].split("\n") if row]
    rows = [page.state.objective or page.say("nothing_so_far")]
    rows += [f"{_named(page, short)} · {status_label(status, page.language)}" for short, status in pairs]
    if reply.params["waiting"]:
        rows.append(page.say("waiting_for_you", names=reply.params["waiting"]))
    return rows


def _rework_buttons(page: Page, reply: Reply) -> tuple[Button, ...]:
    name = reply.params.get("task", "")
    ask = page.say("what_rework")
    return (
        Button(page.say("rework_with"), "rework", name, ask=ask, required=True, text=reply.params.get("text", "")),
        Button(page.say("accept_anyway"), "accept", name),
    )


SAID: dict[str, Callable[[Page, Reply], list[str]]] = {
    "cannot_plan": _cannot_plan,
    "no_check": _no_check,
    "unsure_change": _unsure,
    "nothing_to_change": _nothing,
    "about_task": _about,
    "status": _status,
}
