"""Rules about plan changes: what is proposed, edited, decided. What an application does is in ``applying``."""

from __future__ import annotations

from core.domain import commands as c
from core.domain import facts as f
from core.domain import limits
from core.domain.decide import operations
from core.domain.decide.applying import apply_plan
from core.domain.decide.scribe import Scribe
from core.domain.model import Op, Plan
from core.domain.reading import Proposal, TaskSpec
from core.domain.tables import PlanStatus, allowed
from core.domain.views import find_plan
from core.errors import Refused


def propose(s: Scribe, message_id: str, proposal: Proposal) -> None:
    """A plan change for people to see; nothing of it has happened."""
    ops = operations.from_proposal(proposal)
    if not ops:
        raise Refused("empty_plan")
    operations.validate(s.state, ops)
    operations.validate_releases(s.state, ops)
    s.emit(
        f.PlanProposed(
            plan_id=s.new_id("pd"),
            short=s.short("P"),
            message_id=message_id,
            base_version=s.state.version,
            ops=tuple(ops),
            reason=proposal.reason,
            objective=proposal.objective or s.state.objective or proposal.reason[: limits.OBJECTIVE_CHARS],
            first=not s.state.version,
            collateral=operations.collateral(s.state, ops),
            proposal=proposal,
        ),
        "manager",
    )


def decide_plan(s: Scribe, cmd: c.DecidePlan) -> None:
    plan = find_plan(s.state, cmd.plan)
    if cmd.decision == "change":
        _change(s, plan)
        return
    _open(plan, {"apply": "apply", "reject": "reject", "question": "read_as_question"}[cmd.decision], cmd.revision)
    if cmd.decision == "apply":
        apply_plan(s, plan, cmd.by)
    elif cmd.decision == "reject":
        s.say(cmd.by, f.PlanRejected(plan_id=plan.id, by=cmd.by.person, reason=cmd.reason[: limits.REASON_CHARS]))
    else:
        s.say(cmd.by, f.PlanReadAsQuestion(plan_id=plan.id, by=cmd.by.person))


def _open(plan: Plan, trigger: str, revision: int) -> None:
    """The plan can still be decided, and a click counts for what its card showed and for nothing newer."""
    if not allowed("plan", plan.status.value, trigger):
        raise Refused("already_decided", short=plan.short, by=plan.decided_by, decision=plan.status.value)
    if revision and revision != plan.revision:
        raise Refused("card_stale", short=plan.short)


def _change(s: Scribe, plan: Plan) -> None:
    """What was read as a question was a change after all: it is proposed again, once."""
    if plan.status is not PlanStatus.READ_AS_QUESTION or plan.proposal is None:
        raise Refused("not_a_question", short=plan.short)
    newest = s.state.plans[s.state.messages[plan.message_id].plan_id]
    if newest is not plan:
        raise Refused("already_decided", short=plan.short, by=plan.decided_by, decision=newest.short)
    propose(s, plan.message_id, plan.proposal)


def edit_plan(s: Scribe, cmd: c.EditPlan) -> None:
    """Another revision of what is proposed; without any change it only looks again at what would be dragged along."""
    plan = find_plan(s.state, cmd.plan)
    _open(plan, "apply", cmd.revision)
    unknown = sorted({*cmd.drop, *cmd.contents} - {op.key for op in plan.ops})
    if unknown:
        raise Refused("unknown_operation", short=plan.short, key=unknown[0][:80])
    ops = _without(plan.ops, set(cmd.drop), cmd.contents)
    if not ops:
        raise Refused("empty_plan", short=plan.short)
    operations.validate(s.state, ops)
    s.say(
        cmd.by,
        f.PlanEdited(
            plan_id=plan.id,
            revision=plan.revision + 1,
            ops=tuple(ops),
            collateral=operations.collateral(s.state, ops),
            by=cmd.by.person,
        ),
    )


def _without(ops: list[Op], drop: set[str], contents: dict[str, str]) -> list[f.OpValue]:
    """The operations left after an edit; what waited for a dropped new task waits for what that one waited for."""
    gone = {op.spec.key: op.spec.after for op in ops if op.key in drop and op.spec is not None}

    def after(names: tuple[str, ...]) -> tuple[str, ...]:
        flat: list[str] = []
        for name in names:
            flat += after(gone[name]) if name in gone else [name]
        return tuple(dict.fromkeys(flat))

    def respecified(op: Op) -> TaskSpec | None:
        return op.spec and _respecified(op.spec, after(op.spec.after), contents.get(op.key, "").strip())

    kept = [op for op in ops if op.key not in drop and not (op.kind == "follow" and op.other_id in gone)]
    return [operations.value_of(op, respecified(op)) for op in kept]


def _respecified(spec: TaskSpec, after: tuple[str, ...], content: str) -> TaskSpec:
    update: dict[str, object] = {"after": after}
    if content and content != spec.content:
        if len(content) > limits.CONTENT_CHARS:
            raise Refused("content_too_long", limit=limits.CONTENT_CHARS)
        first_line = content.splitlines()[0]
        title = first_line if len(first_line) <= limits.TITLE_CHARS else first_line[: limits.TITLE_CHARS - 1] + "…"
        update |= {"content": content, "title": title}
    return spec.model_copy(update=update)
