"""Reports people judge: one for a step others wait for, one for a whole flow, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.cards.common import Page, change_words, clip, duration, evidence_lines, results, title_of
from bot.cards.model import Button, Card, Line
from bot.cards.progress import failure_words
from bot.words import MERGE_REFUSALS, coded
from core.domain.decide.tasks import mergeable, review_revision
from core.domain.model import Flow, Task, Verdict
from core.domain.views import awaiting_review, flow_tasks, review_ready, terminal


@dataclass(frozen=True, slots=True)
class Judged:
    """Tasks one person judged with one click."""

    tasks: tuple[Task, ...]
    verdict: Verdict


def report_cards(page: Page, flow: Flow) -> list[Card]:
    """Every report of the flow so far, pending ones last."""
    cards = [_judged_card(page, flow, j) for j in _judged(page, flow)]
    waiting = awaiting_review(page.state, flow)
    if review_ready(page.state, flow):
        cards.append(_pending(page, flow, waiting))
    else:
        held = [t for t in waiting if any(not terminal(page.task(d)) for d in page.state.dependents.get(t.id, ()))]
        cards += [_pending(page, flow, [t]) for t in held]
    return cards


def _key(tasks: list[Task] | tuple[Task, ...], round_: int) -> str:
    """One message per set of tasks and round: when more work joins, the report is a new message people are told of."""
    names = [t.short for t in sorted(tasks, key=lambda t: int(t.short[1:]))]
    shown = "+".join(names) if len(names) <= 3 else f"{names[0]}-{names[-1]}x{len(names)}"
    return f"report:{shown}:{round_}"


def _judged(page: Page, flow: Flow) -> list[Judged]:
    """The persons' verdicts, those of one click together."""
    groups: dict[tuple[int, str, bool], list[tuple[Task, Verdict]]] = {}
    for task in flow_tasks(page.state, flow):
        for verdict in task.verdicts:
            if verdict.basis == "person":
                groups.setdefault((verdict.ts, verdict.by, verdict.accepted), []).append((task, verdict))
    return [Judged(tuple(t for t, _ in rows), rows[0][1]) for _, rows in sorted(groups.items())]


def _pending(page: Page, flow: Flow, tasks: list[Task]) -> Card:
    whole = review_ready(page.state, flow)
    subject = flow.id if whole and len(tasks) > 1 else tasks[0].short
    revision = review_revision(tasks)
    ask = page.say("what_rework")
    buttons = [
        Button(page.say("accept"), "accept", subject, revision, "primary"),
        Button(page.say("rework"), "rework", tasks[-1].short, review_revision([tasks[-1]]), ask=ask, required=True),
        *_show_buttons(page, tasks[-1]),
    ]
    title = _pending_title(page, flow, tasks, whole)
    return Card(
        key=_key(tasks, tasks[0].round),
        kind="report",
        title=title,
        lines=tuple(_report_lines(page, flow, tasks)),
        buttons=tuple(buttons),
        tone="info",
        mentions=(flow.created_by,),
        notify=clip(title, 140),
    )


def _show_buttons(page: Page, task: Task) -> list[Button]:
    report = task.report
    if report is None:
        return []
    shown = [("show_diff", report.diff), ("show_output", report.output)]
    return [Button(page.say(label), label, digest) for label, digest in shown if digest]


def _pending_title(page: Page, flow: Flow, tasks: list[Task], whole: bool) -> str:
    parts = []
    if not whole:
        parts.append(page.say("task_ready", task=f"{tasks[0].short} {title_of(tasks[0])}"))
    elif len(tasks) > 1:
        parts.append(_several_ready(page, flow, tasks))
    else:
        parts.append(page.say("ready"))
    if tasks[0].round > 1:
        parts.append(page.say("round", round=tasks[0].round))
    parts.append(_change(page, tasks, whole))
    parts += [words for t in tasks for words in results(page, t)][:2]
    return " · ".join(parts)


def _several_ready(page: Page, flow: Flow, tasks: list[Task]) -> str:
    if len(tasks) < len(flow.tasks):
        return page.say("named_ready", names=", ".join(t.short for t in tasks))
    return page.say("both_ready" if len(tasks) == 2 else "all_ready", count=len(tasks))


def _change(page: Page, tasks: list[Task], whole: bool) -> str:
    reports = [t.report for t in tasks if t.report]
    if whole and len(reports) == 1:
        only = reports[0]
        return change_words(page, only.flow_files, only.flow_added, only.flow_removed)
    return change_words(
        page, sum(r.files for r in reports), sum(r.added for r in reports), sum(r.removed for r in reports)
    )


def _report_lines(page: Page, flow: Flow, tasks: list[Task] | tuple[Task, ...]) -> list[Line]:
    lines = []
    for task in tasks:
        if task.report is None:
            continue
        name = f"{task.short} " if len(tasks) > 1 else ""
        lines += [Line(name + clip(task.report.summary, 600))] if task.target != "shell" else []
        lines += evidence_lines(page, task.report)
        if task.report.biggest and task.report.files:
            lines.append(Line(page.say("biggest", what=task.report.biggest[0]), style="quiet"))
    if flow.merge is None or flow.merge.status != "merged":
        lines.append(Line(page.say("branch", branch=branch_of(flow)), style="quiet"))
    return lines


def branch_of(flow: Flow) -> str:
    """The same name the worker gives it."""
    return f"threadlead/{flow.slug}-{flow.id[-8:]}"


def _judged_card(page: Page, flow: Flow, judged: Judged) -> Card:
    verdict, tasks = judged.verdict, judged.tasks
    if not verdict.accepted:
        title = page.say("sent_back", task=tasks[0].short, by=verdict.by)
        lines: tuple[Line, ...] = (Line(verdict.feedback, style="quote"),)
        return Card(key=_key(tasks, verdict.round), kind="report", title=title, lines=lines)
    last = verdict.ts == flow.settled_at and not flow.open_tasks
    code = "accepted" if last else "accepted_task"
    title = page.say(code, by=verdict.by, task=", ".join(t.short for t in tasks))
    if verdict.round > 1:
        title += " · " + page.say("round", round=verdict.round)
    body = _report_lines(page, flow, tasks)
    if last:
        body += summary_lines(page, flow)
    merge_lines, buttons = _merge_part(page, flow) if last else ([], [])
    if last and flow.merge and flow.merge.status == "merged":
        title = merge_lines.pop(0).text
    return Card(
        key=_key(tasks, verdict.round),
        kind="report",
        title=title,
        lines=tuple(body + merge_lines),
        buttons=tuple(buttons + _show_buttons(page, tasks[-1])),
        tone="good",
    )


def _merge_part(page: Page, flow: Flow) -> tuple[list[Line], list[Button]]:
    """What became of the branch, and the buttons that are left."""
    merge, lines = flow.merge, []
    if merge is not None and merge.status == "requested":
        lines.append(Line(page.say("merging", branch=flow.base_branch)))
    elif merge is not None and merge.status == "merged":
        lines.append(Line(page.say("merged", branch=flow.base_branch, sha=merge.sha[:8], by=merge.by)))
    elif merge is not None and merge.status == "refused":
        why = coded(MERGE_REFUSALS, merge.code, page.language, {"branch": flow.base_branch, "detail": merge.detail})
        lines.append(Line(page.say("merge_refused", why=why), mark="!"))
    elif merge is not None:
        lines.append(Line(page.say("merge_later", branch=branch_of(flow))))
    buttons = []
    if mergeable(page.state, flow) and _changed(page, flow):
        buttons.append(Button(page.say("merge_to", branch=flow.base_branch), "merge", flow.id, style="primary"))
        if merge is None or merge.status != "later":
            buttons.append(Button(page.say("later"), "later", flow.id))
        look = page.say("look_at", base=flow.base_branch, branch=branch_of(flow))
        lines.append(Line(look, style="quiet"))
    return lines, buttons


def _changed(page: Page, flow: Flow) -> bool:
    """A flow that changed no file has nothing to merge."""
    return any(t.report and t.report.files for t in flow_tasks(page.state, flow) if t.settled_success)


def summary_lines(page: Page, flow: Flow) -> list[Line]:
    """The end-of-flow summary: how its tasks ended, how many rounds, how long."""
    tasks = flow_tasks(page.state, flow)
    done = sum(t.settled_success for t in tasks)
    counts = {
        "n_done": done,
        "n_cancelled": sum(t.status.value == "cancelled" for t in tasks),
        "n_failed": sum(t.status.value == "failed" for t in tasks),
    }
    parts = [page.say(code, n=n) for code, n in counts.items() if n]
    reworks = sum(not v.accepted for t in tasks for v in t.verdicts)
    if reworks:
        parts.append(page.say("one_rework" if reworks == 1 else "n_reworks", n=reworks))
    parts.append(page.say("took", time=duration(page, flow.settled_at - flow.created_at)))
    return [Line(page.say("flow_summary", name=flow.name) + " · " + " · ".join(parts))]


def summary_card(page: Page, flow: Flow) -> Card | None:
    """For a flow that ended otherwise than by a person's Accept, which has the summary on its own card."""
    accepted_last = any(
        v.ts == flow.settled_at and v.accepted and v.basis == "person"
        for t in flow_tasks(page.state, flow)
        for v in t.verdicts
    )
    if not flow.settled_at or accepted_last:
        return None
    failed = [t for t in flow_tasks(page.state, flow) if t.status.value == "failed"]
    lines, buttons = _merge_part(page, flow)
    roots = [t for t in failed if not t.failure.startswith("dependency_")]
    lines = [Line(f"{t.short} {title_of(t)}: {failure_words(page, t, 300)}", mark="✗") for t in roots] + lines
    return Card(
        key=f"summary:{flow.id[-8:]}:{flow.round}",
        kind="summary",
        title=summary_lines(page, flow)[0].text,
        lines=tuple(lines),
        buttons=tuple(_retry_buttons(page, roots) + buttons),
        tone="bad" if failed else "plain",
        mentions=(flow.created_by,),
        notify=clip(flow.name, 140),
    )


def _retry_buttons(page: Page, roots: list[Task]) -> list[Button]:
    buttons = []
    for task in roots[:2]:
        label = page.say("retry_x", name=task.short)
        buttons.append(Button(label, "retry", task.short, ask=page.say("why_retry")))
        if task.report and task.report.output:
            buttons.append(Button(f"{page.say('show_output')} {task.short}", "show_output", task.report.output))
    return buttons
