"""All cards of a session, in the order they are posted. Pure: the same state gives the same cards."""

from __future__ import annotations

from bot.cards.approval import approval_card, uncertain_card
from bot.cards.bounds import bounded
from bot.cards.common import Page, page_of, title_of
from bot.cards.model import Button, Card
from bot.cards.plan import plan_card
from bot.cards.reply import reply_card
from bot.cards.report import report_cards, summary_card
from core.domain.model import Plan, Session, Task
from core.domain.tables import PlanStatus, TaskStatus

DONE = (PlanStatus.APPLIED, PlanStatus.APPLYING)


def cards(state: Session) -> list[Card]:
    """Every card there is now. One that was shown and is not among them keeps its text and loses its buttons."""
    page = page_of(state)
    found = [reply_card(page, m, m.reply) for m in state.messages.values() if m.reply is not None]
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
    return [bounded(card) for card in found]


def _current(state: Session) -> Plan | None:
    """The plan whose card shows the progress of the work: the one applied last."""
    applied = [p for p in state.plans.values() if p.status in DONE]
    return max(applied, key=lambda p: (p.decided_at, int(p.short[1:])), default=None)


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
