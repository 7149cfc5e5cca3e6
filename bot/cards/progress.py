"""How the work stands, one line a task, and what can be done about it now."""

from __future__ import annotations

from collections.abc import Callable

from bot.cards.common import Page, change_words, clip, results, state_word, title_of
from bot.cards.model import Button, Line
from bot.words import FAILURES, coded
from core.domain.model import Task
from core.domain.tables import LIVE, TaskStatus
from core.domain.views import blocked_by, open_interactions

SHOWN = 12  # lines; a longer flow shows what is not over first and says how many more there are
BUTTONS = 4
TOLD = (TaskStatus.QUEUED, TaskStatus.PAUSED)  # their details say the state: what it waits for, by whom it is paused

ICONS = {
    "queued": "○",
    "submitted": "◔",
    "working": "◑",
    "waiting_approval": "◎",
    "blocked": "■",
    "paused": "‖",
    "completed": "◕",
    "failed": "✗",
    "cancelled": "–",
}


def progress_lines(page: Page, plan_id: str) -> list[Line]:
    """The tasks of the flow the plan belongs to (of all flows without one), unfinished ones first when there are many."""
    tasks = _tasks(page, plan_id)
    if len(tasks) > SHOWN:
        tasks = sorted(tasks, key=lambda t: (_over(page, t), int(t.short[1:])))
    lines = [task_line(page, t) for t in tasks[:SHOWN]]
    if len(tasks) > SHOWN:
        lines.append(Line(page.say("n_more", n=len(tasks) - SHOWN), style="quiet"))
    return lines


def _tasks(page: Page, plan_id: str) -> list[Task]:
    plan = page.state.plans.get(plan_id)
    flow = page.state.flows.get(plan.flow_id) if plan else None
    return [page.task(i) for i in flow.tasks] if flow else list(page.state.tasks.values())


def _over(page: Page, task: Task) -> bool:
    return task.id not in page.state.flows[task.flow_id].open_tasks


def task_line(page: Page, task: Task) -> Line:
    icon = "✓" if task.settled_success else ICONS[task.status.value]
    words = DETAILS[task.status](page, task)
    if task.status not in TOLD:
        words = [state_word(page, task), *words]
    details = " · ".join(word for word in words if word)
    return Line(f"{task.short} {title_of(task)} · {details}", mark=icon)


def _waiting(page: Page, task: Task) -> list[str]:
    words = []
    obstacles = blocked_by(page.state, task)
    names = [o.ref for o in obstacles if o.kind == "dependency"]
    if names:
        words.append(page.say("waits_for", names=", ".join(names)))
    elif any(o.kind == "repo" for o in obstacles):
        words.append(page.say("waits_repo"))
    else:
        words.append(page.say("waits_worker"))
    return words + _round(page, task)


def _round(page: Page, task: Task) -> list[str]:
    back = [v for v in task.verdicts if not v.accepted]
    if task.retries == 0 or not back:
        return []
    return [
        page.say("round", round=task.round),
        page.say("because", by=back[-1].by, text=clip(back[-1].feedback, 120)),
    ]


def _working(page: Page, task: Task) -> list[str]:
    words = [page.say("on_worker", worker=task.worker)]
    p = task.progress
    if p.step and p.steps:
        words.append(page.say("step", step=p.step, steps=p.steps, current=clip(p.current_step, 80)))
    elif p.current_step or p.summary:
        words.append(clip(p.current_step or p.summary, 100))
    before = [page.task(d) for d in task.dependencies if page.task(d).report]
    if task.handoffs:
        words.append(page.say("handoffs", names=", ".join(page.task(i).short for i in task.handoffs)))
    elif before and not p.current_step:
        words.append(page.say("started_from", name=before[-1].short))
    asked = [x.short for x in open_interactions(page.state, task.id)]
    return words + asked + _round(page, task)


STANDSTILLS = ("interrupted", "no_report", "approval_timeout", "delivery_uncertain")


def block_words(page: Page, task: Task) -> str:
    """Why a blocked task stands still."""
    if task.block_reason not in STANDSTILLS:
        return task.block_reason.replace("_", " ")
    return page.say(task.block_reason, short=_unanswered(page, task))


def _blocked(page: Page, task: Task) -> list[str]:
    return [block_words(page, task), *(x.short for x in open_interactions(page.state, task.id))]


def _unanswered(page: Page, task: Task) -> str:
    """The approval of the task that nobody answered last."""
    late = [x for x in page.state.interactions.values() if x.task_id == task.id and x.decision == "timeout"]
    return max(late, key=lambda x: x.decided_at).short if late else ""


def _paused(page: Page, task: Task) -> list[str]:
    return [page.say("paused_by", by=task.changed_by)]


def _completed(page: Page, task: Task) -> list[str]:
    report = task.report
    if report is None:
        return []
    words = results(page, task, bare=True)[:2]
    if report.files or not words:
        words.append(change_words(page, report.files, report.added, report.removed))
    return words


INHERITED = {"dependency_failed": "because_failed", "dependency_cancelled": "because_cancelled"}
UNTOLD = ("harness_error", "workspace")  # their details mean little without what went wrong


def failure_words(page: Page, task: Task, limit: int = 200) -> str:
    """Why the task failed: its own words where they tell, else ours."""
    if task.failure in INHERITED:
        return page.say(INHERITED[task.failure], name=task.failure_detail)
    ours, detail = coded(FAILURES, task.failure, page.language, {}), task.failure_detail
    words = f"{ours}: {detail}" if detail and task.failure in UNTOLD else detail or ours
    return clip(words, limit)


def _failed(page: Page, task: Task) -> list[str]:
    return [failure_words(page, task)]


DETAILS: dict[TaskStatus, Callable[[Page, Task], list[str]]] = {
    TaskStatus.QUEUED: _waiting,
    TaskStatus.SUBMITTED: lambda page, task: [page.say("on_worker", worker=task.worker), *_round(page, task)],
    TaskStatus.WORKING: _working,
    TaskStatus.WAITING_APPROVAL: _working,
    TaskStatus.BLOCKED: _blocked,
    TaskStatus.PAUSED: _paused,
    TaskStatus.COMPLETED: _completed,
    TaskStatus.FAILED: _failed,
    TaskStatus.CANCELLED: lambda page, task: [],
}


def progress_of(page: Page) -> int | None:
    """Tasks that are over, of all, in percent; None before there are any."""
    tasks = list(page.state.tasks.values())
    over = sum(_over(page, t) or t.status is TaskStatus.COMPLETED for t in tasks)
    return round(100 * over / len(tasks)) if tasks else None


def task_buttons(page: Page) -> tuple[Button, ...]:
    """Stop while anything runs; resume and retry where a task waits for exactly that."""
    buttons = []
    if any(page.task(i).status in LIVE for i in page.state.live_tasks):
        buttons.append(Button(page.say("stop"), "stop", "", style="danger"))
    for task in page.state.tasks.values():
        waits = task.status in (TaskStatus.PAUSED, TaskStatus.BLOCKED)
        if waits and not open_interactions(page.state, task.id):
            buttons.append(Button(page.say("resume_x", name=task.short), "resume", task.short))
        elif task.status is TaskStatus.FAILED and not task.failure.startswith("dependency_"):
            label = page.say("retry_x", name=task.short)
            buttons.append(Button(label, "retry", task.short, ask=page.say("why_retry")))
            if task.report and task.report.output:
                buttons.append(Button(f"{page.say('show_output')} {task.short}", "show_output", task.report.output))
    return tuple(buttons[:BUTTONS])
