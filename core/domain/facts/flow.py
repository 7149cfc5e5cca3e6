"""Facts about flows: begun, ended, woken, merged."""

from __future__ import annotations

from core.domain.event import Payload, register


@register
class FlowCreated(Payload):
    TYPE = "flow.created"
    flow_id: str
    name: str
    slug: str
    by: str
    base_branch: str = ""
    base_commit: str = ""


@register
class FlowSettled(Payload):
    """Every task of the flow has ended; once per round."""

    TYPE = "flow.settled"
    flow_id: str
    round: int


@register
class FlowReactivated(Payload):
    TYPE = "flow.reactivated"
    flow_id: str


@register
class MergeRequested(Payload):
    TYPE = "flow.merge.requested"
    flow_id: str
    by: str
    tip: str


@register
class MergePostponed(Payload):
    TYPE = "flow.merge.postponed"
    flow_id: str
    by: str


@register
class FlowMerged(Payload):
    TYPE = "flow.merged"
    flow_id: str
    sha: str


@register
class MergeRefused(Payload):
    """Nothing was changed; the work stays accepted."""

    TYPE = "flow.merge.refused"
    flow_id: str
    code: str
    detail: str = ""
