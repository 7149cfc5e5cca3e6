"""Cards that wait for one decision: an action an agent wants to take, and work whose end nobody knows."""

from __future__ import annotations

from bot.cards.common import Page, clip, title_of
from bot.cards.model import Button, Card, Line
from core.domain.model import Interaction, Task
from core.domain.tables import InteractionStatus, TaskStatus

SHOWN_COMMAND = 3_000  # characters; what a longer one holds beyond is counted


def approval_card(page: Page, x: Interaction) -> Card:
    task = page.task(x.task_id)
    if x.status is not InteractionStatus.PENDING:
        return _decided(page, x, task)
    where = page.say("its_folder") if x.folder in ("", ".") else x.folder
    lines = [
        *_command(page, x.summary),
        Line(page.say("folder", folder=where)),
        Line(page.say("why_asked", reasons="; ".join(x.reasons))),
        Line(page.say("risk", risk=page.say(x.risk))),
        Line(page.say("open_until"), style="quiet", ts=x.deadline),
    ]

    def button(label: str, action: str, style: str = "", ask: str = "") -> Button:
        return Button(page.say(label), action, x.short, 0, style, ask, False, x.digest)  # type: ignore[arg-type]

    return Card(
        key=f"approval:{x.short}",
        kind="approval",
        short=x.short,
        title=page.say("approval_title", short=x.short, task=task.short, command=clip(x.summary, 80)),
        lines=tuple(lines),
        buttons=(
            button("approve_once", "approve", "primary"),
            button("reject", "reject", "", page.say("why_reject")),
            button("reject_stop", "reject_stop", "danger", page.say("why_reject")),
        ),
        tone="bad" if x.risk == "high" else "warn",
        mentions=(task.initiator,),
        notify=_notify(page, x, task),
    )


def _command(page: Page, command: str) -> list[Line]:
    """Whole where it can be; nobody should approve the beginning of something without knowing that it is one."""
    more = len(command) - SHOWN_COMMAND
    if more <= 0:
        return [Line(command, style="code")]
    return [Line(command[:SHOWN_COMMAND] + "…", style="code"), Line(page.say("cut", n=more), mark="!")]


def _notify(page: Page, x: Interaction, task: Task) -> str:
    """Fits a lock screen whole: the command gives way, never the words that answer it."""
    room = 140 - len(page.say("notify_approval", short=x.short, task=task.short, command=""))
    return page.say("notify_approval", short=x.short, task=task.short, command=clip(x.summary, max(8, room)))


def _decided(page: Page, x: Interaction, task: Task) -> Card:
    code = {InteractionStatus.APPROVED: "approved", InteractionStatus.CANCELLED: "approval_gone"}.get(x.status)
    if code is None:
        code = "rejected_stop" if x.decision == "reject_stop" else "rejected"
        if code == "rejected" and task.status in (TaskStatus.FAILED, TaskStatus.CANCELLED):
            code = "rejected_ends"
    cause = page.say(f"cause_{x.decision}") if x.status is InteractionStatus.CANCELLED else ""
    title = page.say(code, short=x.short, by=x.decided_by, task=task.short, cause=cause)
    lines = [Line(clip(x.summary, 500), style="code")]
    if x.reason:
        lines.append(Line(x.reason, style="quote"))
    return Card(
        key=f"approval:{x.short}",
        kind="approval",
        short=x.short,
        title=title,
        lines=tuple(lines),
        tone="good" if x.status is InteractionStatus.APPROVED else "plain",
    )


def uncertain_card(page: Page, x: Interaction) -> Card:
    """What is known about work whose end is not, and the ways on. Nothing is sent again by itself."""
    task = page.task(x.task_id)
    name = f"{task.short} {title_of(task)}"
    if x.status is not InteractionStatus.PENDING:
        decision = "task" if (x.decision, x.decided_by) == ("cancel", "system") else x.decision
        title = page.say(f"resolved_{decision}", task=task.short, by=x.decided_by, reason=clip(x.reason, 200))
        return Card(key=f"uncertain:{x.short}", kind="uncertain", short=x.short, title=title)
    worker = page.state.attempts[x.attempt_id].worker
    lines = [Line(page.say(f"uncertain_{x.summary}", worker=worker))]
    if task.progress.current_step:
        step = Line(page.say("last_heard", step=clip(task.progress.current_step, 120)), ts=task.progress.ts)
        lines.append(step)
    if x.decision == "wait":
        lines.append(Line(page.say("waiting_by", worker=worker, by=x.decided_by), style="quiet"))

    def button(label: str, action: str, style: str = "", ask: str = "") -> Button:
        return Button(page.say(label), action, x.short, 0, style, page.say(ask) if ask else "", bool(ask))  # type: ignore[arg-type]

    return Card(
        key=f"uncertain:{x.short}",
        kind="uncertain",
        short=x.short,
        title=page.say("uncertain_title", task=name),
        lines=tuple(lines),
        buttons=(
            button("start_again", "again", "primary", "why_again"),
            *(() if x.decision == "wait" else (button("wait", "wait"),)),
            button("mark_done", "done", "", "why_done"),
            button("mark_failed", "failed"),
            button("cancel_task", "give_up", "danger"),
        ),
        tone="warn",
        mentions=(task.initiator,),
        notify=clip(page.say("uncertain_title", task=name), 140),
    )
