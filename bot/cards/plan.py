"""The plan card: from a proposal people decide, to what came of it."""

from __future__ import annotations

from bot.cards.common import Page, clip, state_word, title_of
from bot.cards.model import Button, Card, Line
from bot.cards.progress import progress_lines, progress_of, task_buttons, task_line
from core.domain.model import Op, Plan, Task
from core.domain.reading import TaskSpec
from core.domain.tables import PlanStatus

COMMAND_CHARS = 400  # a plan shows what will be run, not only how it begins


def plan_card(page: Page, plan: Plan, current: bool) -> Card:
    """``current``: the latest applied plan, whose card goes on as the progress of the work."""
    if plan.status is PlanStatus.PROPOSED:
        return _proposed(page, plan)
    return _decided(page, plan, current)


def _proposed(page: Page, plan: Plan) -> Card:
    lines = [Line(plan.reason, style="quote"), *op_lines(page, plan)]
    if plan.collateral:
        lines.append(Line(page.say("collateral", names=", ".join(plan.collateral)), mark="!"))
    asks = [ask for op in plan.ops if op.spec for ask in op.spec.asks]
    if asks:
        lines.append(Line(page.say("will_ask", asks=", ".join(dict.fromkeys(asks))), style="quiet"))
    if plan.edited_by:
        lines.append(Line(page.say("edited_by", by=plan.edited_by), style="quiet"))
    lines.append(Line(page.say("nothing_yet"), style="quiet"))
    return Card(
        key=f"plan:{plan.short}",
        kind="plan",
        short=plan.short,
        title=_title(page, plan),
        lines=tuple(lines),
        buttons=_buttons(page, plan),
        tone="info",
        mentions=(page.state.messages[plan.message_id].author,),
        notify=clip(f"{plan.short}: {plan.reason}", 140),
    )


def _buttons(page: Page, plan: Plan) -> tuple[Button, ...]:
    def button(label: str, action: str, style: str = "", ask: str = "") -> Button:
        return Button(page.say(label), action, plan.short, plan.revision, style, ask)  # type: ignore[arg-type]

    return (
        button("apply", "apply", "primary"),
        button("edit", "edit"),
        button("reject", "reject", "danger"),
        button("only_question", "question"),
    )


def _title(page: Page, plan: Plan) -> str:
    repo = page.state.repo
    if repo is None or not repo.name:
        return plan.short
    return page.say("plan_title", short=plan.short, repo=repo.name, branch=repo.base_branch, sha=repo.base_commit[:8])


def op_lines(page: Page, plan: Plan) -> list[Line]:
    """Each operation in words, and how many tasks stay as they are."""
    names = _new_names(page, plan)
    lines = [_op_line(page, plan, op, names) for op in plan.ops]
    if plan.first or plan.status is not PlanStatus.PROPOSED:
        return lines
    touched = {op.task_id for op in plan.ops} | {page.state.shorts.get(short, "") for short in plan.collateral}
    stay = [t for t in page.state.tasks.values() if t.id not in touched and not _over(page, t.id)]
    if stay:
        named = ", ".join(t.short for t in stay[:8]) + (f" +{len(stay) - 8}" if len(stay) > 8 else "")
        lines.append(Line(page.say("op_stays" if len(stay) == 1 else "op_stay", names=named), style="quiet"))
    return lines


def _over(page: Page, task_id: str) -> bool:
    return task_id not in page.state.flows[page.task(task_id).flow_id].open_tasks


def _new_names(page: Page, plan: Plan) -> dict[str, str]:
    """The short name each new task has, or will have when this is applied next; none where it never came to be."""
    keys = [op.spec.key for op in plan.ops if op.spec is not None]
    if plan.created:
        return {key: page.task(task_id).short for key, task_id in zip(keys, plan.created, strict=True)}
    if plan.status is not PlanStatus.PROPOSED:
        return dict.fromkeys(keys, "")
    first = page.state.counters.get("T", 0) + 1
    return {key: f"T{first + i}" for i, key in enumerate(keys)}


def _starts_now(page: Page, plan: Plan, task: Task) -> bool:
    """Whether nothing else is left that the task waits for."""
    freed = {op.other_id for op in plan.ops if op.kind == "release" and op.task_id == task.id}
    waits = [d for d in task.dependencies if d not in freed and not page.task(d).settled_success]
    return not waits and not any(op.kind == "follow" and op.task_id == task.id for op in plan.ops)


def _op_line(page: Page, plan: Plan, op: Op, names: dict[str, str]) -> Line:
    if op.spec is not None:
        return Line(_create_words(page, op.spec, names), mark="+")
    task = page.task(op.task_id)
    title = title_of(task)
    open_ = plan.status is PlanStatus.PROPOSED  # once decided, a line says what was decided and changes no more
    if op.kind == "cancel":
        code = "op_cancel" if open_ else "op_cancelled"
        return Line(page.say(code, name=task.short, title=title, state=state_word(page, task)), mark="−")
    if op.kind == "release":
        other = page.task(op.other_id).short if op.other_id in page.state.tasks else op.other_id
        code = "op_release" if open_ and _starts_now(page, plan, task) else "op_waits_less"
        return Line(page.say(code, name=task.short, title=title, other=other), mark="↑")
    if op.kind == "follow":
        return Line(page.say("op_follow", name=task.short, title=title, other=names.get(op.other_id, "?")), mark="↓")
    mark = "‖" if op.kind == "pause" else "▶"
    return Line(page.say(f"op_{op.kind}", name=task.short, title=title), mark=mark)


def _create_words(page: Page, spec: TaskSpec, names: dict[str, str]) -> str:
    title = f"`{clip(spec.content or spec.title, COMMAND_CHARS)}`" if spec.target == "shell" else spec.title
    words = page.say("op_create", name=names[spec.key], title=title).strip()
    known = {**names, **{a: page.task(a).short for a in spec.after if a in page.state.tasks}}
    after = ", ".join(filter(None, (known.get(a) for a in spec.after)))
    return f"{words} ({page.say('after', names=after)})" if after else words


def _decided(page: Page, plan: Plan, current: bool) -> Card:
    title = _decided_title(page, plan)
    lines = [Line(plan.reason, style="quote")]
    buttons: tuple[Button, ...] = ()
    if plan.status is PlanStatus.READ_AS_QUESTION:
        if page.state.messages[plan.message_id].plan_id == plan.id:  # not proposed again since
            buttons = (Button(page.say("make_change"), "change", plan.short),)
        lines += _about(page, plan)
    elif current:
        lines += progress_lines(page, plan.id)
        buttons = task_buttons(page)
    else:
        lines += op_lines(page, plan)
    if plan.decision_reason:
        lines.append(Line(plan.decision_reason, style="quote"))
    return Card(
        key=f"plan:{plan.short}",
        kind="progress" if current else "plan",
        short=plan.short,
        title=title,
        lines=tuple(lines),
        buttons=buttons,
        progress=progress_of(page) if current else None,
    )


def _about(page: Page, plan: Plan) -> list[Line]:
    """The answer to what was only a question: how the tasks stand that the plan would have changed, and who needs them."""
    lines = []
    for task in (page.task(i) for i in dict.fromkeys(op.task_id for op in plan.ops if op.task_id)):
        lines.append(task_line(page, task))
        needed = [i for i in page.state.dependents.get(task.id, ()) if not _over(page, i)]
        if needed:
            lines.append(Line(page.say("needed_by", task=task.short, names=page.names(needed))))
    return lines


def _decided_title(page: Page, plan: Plan) -> str:
    waiting = page.names(plan.waiting) if plan.status is PlanStatus.APPLYING else ""
    code = {
        PlanStatus.APPLYING: "plan_applying" if waiting else "plan_applied",
        PlanStatus.APPLIED: "plan_applied",
        PlanStatus.REJECTED: "plan_rejected",
        PlanStatus.READ_AS_QUESTION: "plan_question",
    }.get(plan.status, "plan_superseded")
    return page.say(code, short=plan.short, by=plan.decided_by, names=waiting)
