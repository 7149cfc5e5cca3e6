"""All cards of a session, in the order they are posted. Pure: the same state gives the same cards."""

from __future__ import annotations

from bot.cards.approval import approval_card, uncertain_card
from bot.cards.common import Page, clip, page_of, title_of
from bot.cards.model import Button, Card, Line
from bot.cards.plan import plan_card
from bot.cards.report import report_cards, summary_card
from bot.words import REFUSALS, REPLIES, coded
from core.domain.model import Message, Plan, Session, Task
from core.domain.tables import PlanStatus, TaskStatus

DONE = (PlanStatus.APPLIED, PlanStatus.APPLYING)


def cards(state: Session) -> list[Card]:
    """Every card there is now. One that was shown and is not among them keeps its text and loses its buttons."""
    page = page_of(state)
    found = [_reply(page, m) for m in state.messages.values() if m.reply is not None]
    current = _current(state)
    found += [plan_card(page, p, p is current) for p in state.plans.values()]
    for x in state.interactions.values():
        found.append(approval_card(page, x) if x.kind == "approval" else uncertain_card(page, x))
    found += [_no_report(page, t) for t in state.tasks.values() if _needs_word(t)]
    for flow in state.flows.values():
        found += report_cards(page, flow)
        ended = summary_card(page, flow)
        if ended is not None:
            found.append(ended)
    return found


def _current(state: Session) -> Plan | None:
    """The plan whose card shows the progress of the work: the one applied last."""
    applied = [p for p in state.plans.values() if p.status in DONE]
    return max(applied, key=lambda p: p.decided_at, default=None)


def _reply(page: Page, message: Message) -> Card:
    reply = message.reply
    assert reply is not None  # noqa: S101  the caller filtered
    params: dict[str, object] = dict(reply.params)
    if reply.code == "cannot_plan":
        params["code"] = coded(REFUSALS, str(params.get("code", "")), page.language, params)
    buttons: tuple[Button, ...] = ()
    if reply.code == "offer_rework":
        name = str(params.get("task", ""))
        buttons = (
            Button(page.say("rework_with"), "rework", name, ask=page.say("what_rework"), required=True),
            Button(page.say("accept_anyway"), "accept", name),
        )
    text = coded(REPLIES, reply.code, page.language, params)
    title, _, rest = text.partition("\n")
    lines = tuple(Line(row) for row in rest.splitlines() if row)
    if reply.code == "offer_rework":
        lines = (Line(clip(message.text, 500), style="quote"),)
    return Card(
        key=f"reply:{message.id}", kind="reply", title=title, lines=lines, buttons=buttons, mentions=(message.author,)
    )


def _needs_word(task: Task) -> bool:
    return task.status is TaskStatus.BLOCKED and task.block_reason == "no_report"


def _no_report(page: Page, task: Task) -> Card:
    return Card(
        key=f"blocked:{task.short}:{task.attempt_number}",
        kind="blocked",
        title=page.say("no_report_title", task=f"{task.short} {title_of(task)}"),
        buttons=(
            Button(page.say("start_again"), "resume", task.short, style="primary"),
            Button(page.say("cancel_task"), "cancel", task.short, style="danger"),
        ),
        tone="warn",
        mentions=(task.initiator,),
    )
