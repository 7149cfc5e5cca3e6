"""Facts about plan changes and flows: proposed, decided, applied; a flow that ends, wakes and is merged."""

from __future__ import annotations

from typing import Any

from core.domain import facts as f
from core.domain import model as m
from core.domain.event import Event
from core.domain.folds.table import Fold, count, on
from core.domain.tables import PlanStatus


def _ops(values: tuple[f.OpValue, ...]) -> list[m.Op]:
    return [m.Op(v.key, v.kind, v.task_id, v.other_id, v.spec) for v in values]


@on(f.PlanProposed)
def _plan_proposed(s: m.Session, e: Event, p: f.PlanProposed) -> None:
    s.plans[p.plan_id] = m.Plan(
        id=p.plan_id,
        short=p.short,
        message_id=p.message_id,
        base_version=p.base_version,
        ops=_ops(p.ops),
        reason=p.reason,
        objective=p.objective,
        opened_at=e.ts,
        first=p.first,
        collateral=list(p.collateral),
        proposal=p.proposal,
    )
    s.messages[p.message_id].plan_id = p.plan_id
    s.open_plans.add(p.plan_id)
    count(s, p.short, p.plan_id)


@on(f.PlanEdited)
def _plan_edited(s: m.Session, e: Event, p: f.PlanEdited) -> None:
    plan = s.plans[p.plan_id]
    plan.revision, plan.ops, plan.collateral, plan.edited_by = p.revision, _ops(p.ops), list(p.collateral), p.by


@on(f.PlanApproved)
def _plan_approved(s: m.Session, e: Event, p: f.PlanApproved) -> None:
    plan = s.plans[p.plan_id]
    plan.status, plan.decided_by, plan.decided_at = PlanStatus.APPLYING, p.by, e.ts
    plan.flow_id, plan.waiting, plan.created = p.flow_id, list(p.waiting), list(p.created)


@on(f.PlanApplied)
def _plan_applied(s: m.Session, e: Event, p: f.PlanApplied) -> None:
    plan = s.plans[p.plan_id]
    plan.status, plan.waiting, s.version = PlanStatus.APPLIED, [], p.version
    s.open_plans.discard(p.plan_id)


def _plan_closed(status: PlanStatus) -> Fold:
    def close(s: m.Session, e: Event, p: Any) -> None:
        plan = s.plans[p.plan_id]
        plan.status, plan.decided_at = status, e.ts
        plan.decided_by = getattr(p, "by", "")
        plan.decision_reason = getattr(p, "reason", "")
        s.open_plans.discard(p.plan_id)

    return close


on(f.PlanRejected)(_plan_closed(PlanStatus.REJECTED))
on(f.PlanSuperseded)(_plan_closed(PlanStatus.SUPERSEDED))
on(f.PlanReadAsQuestion)(_plan_closed(PlanStatus.READ_AS_QUESTION))


@on(f.FlowCreated)
def _flow_created(s: m.Session, e: Event, p: f.FlowCreated) -> None:
    s.flows[p.flow_id] = m.Flow(
        id=p.flow_id,
        name=p.name,
        slug=p.slug,
        created_by=p.by,
        created_at=e.ts,
        base_branch=p.base_branch,
        base_commit=p.base_commit,
    )


@on(f.FlowSettled)
def _flow_settled(s: m.Session, e: Event, p: f.FlowSettled) -> None:
    s.flows[p.flow_id].round, s.flows[p.flow_id].settled_at = p.round, e.ts


@on(f.FlowReactivated)
def _flow_reactivated(s: m.Session, e: Event, p: f.FlowReactivated) -> None:
    s.flows[p.flow_id].settled_at, s.flows[p.flow_id].merge = 0, None


@on(f.MergeRequested)
def _merge_requested(s: m.Session, e: Event, p: f.MergeRequested) -> None:
    s.flows[p.flow_id].merge = m.Merge("requested", p.by, e.ts, tip=p.tip)


@on(f.MergePostponed)
def _merge_postponed(s: m.Session, e: Event, p: f.MergePostponed) -> None:
    s.flows[p.flow_id].merge = m.Merge("later", p.by, e.ts)


@on(f.FlowMerged)
def _flow_merged(s: m.Session, e: Event, p: f.FlowMerged) -> None:
    merge = s.flows[p.flow_id].merge
    assert merge is not None  # noqa: S101  decide allows it only after a request
    merge.status, merge.sha, merge.ts = "merged", p.sha, e.ts
    if s.repo is not None:
        s.repo.base_commit = p.sha  # the next flow starts from what was merged


@on(f.MergeRefused)
def _merge_refused(s: m.Session, e: Event, p: f.MergeRefused) -> None:
    merge = s.flows[p.flow_id].merge
    assert merge is not None  # noqa: S101
    merge.status, merge.code, merge.detail, merge.ts = "refused", p.code, p.detail, e.ts
