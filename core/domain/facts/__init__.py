"""Every fact the log can hold, as a payload: past tense, frozen, closed, versioned.

Add a field only with a default; anything else is a new ``V`` with an upcaster, because old logs are read for ever.
"""

from __future__ import annotations

from core.domain.facts.attempt import AgentMessage, AttemptUpdated, ToolFinished, TurnEnded
from core.domain.facts.flow import (
    FlowCreated,
    FlowMerged,
    FlowReactivated,
    FlowSettled,
    MergePostponed,
    MergeRefused,
    MergeRequested,
)
from core.domain.facts.interaction import (
    ApprovalApproved,
    ApprovalRejected,
    ApprovalRequested,
    InteractionCancelled,
    ReconcileOpened,
    ReconcileResolved,
)
from core.domain.facts.plan import (
    OpValue,
    PlanApplied,
    PlanApproved,
    PlanEdited,
    PlanProposed,
    PlanReadAsQuestion,
    PlanRejected,
    PlanSuperseded,
)
from core.domain.facts.session import (
    MessageAdded,
    MessageClassified,
    ObjectiveUpdated,
    RepoChecked,
    RepoNamed,
    SessionCreated,
)
from core.domain.facts.task import (
    CheckValue,
    HandoffSubmitted,
    TaskAssigned,
    TaskBlocked,
    TaskCancelled,
    TaskCompleted,
    TaskCreated,
    TaskEdited,
    TaskFailed,
    TaskPaused,
    TaskProgressed,
    TaskRequeued,
    TaskReworked,
    TaskSettled,
    TaskStarted,
    TaskWished,
)
from core.domain.facts.value import Value

__all__ = [
    "AgentMessage",
    "ApprovalApproved",
    "ApprovalRejected",
    "ApprovalRequested",
    "AttemptUpdated",
    "CheckValue",
    "FlowCreated",
    "FlowMerged",
    "FlowReactivated",
    "FlowSettled",
    "HandoffSubmitted",
    "InteractionCancelled",
    "MergePostponed",
    "MergeRefused",
    "MergeRequested",
    "MessageAdded",
    "MessageClassified",
    "ObjectiveUpdated",
    "OpValue",
    "PlanApplied",
    "PlanApproved",
    "PlanEdited",
    "PlanProposed",
    "PlanReadAsQuestion",
    "PlanRejected",
    "PlanSuperseded",
    "ReconcileOpened",
    "ReconcileResolved",
    "RepoChecked",
    "RepoNamed",
    "SessionCreated",
    "TaskAssigned",
    "TaskBlocked",
    "TaskCancelled",
    "TaskCompleted",
    "TaskCreated",
    "TaskEdited",
    "TaskFailed",
    "TaskPaused",
    "TaskProgressed",
    "TaskRequeued",
    "TaskReworked",
    "TaskSettled",
    "TaskStarted",
    "TaskWished",
    "ToolFinished",
    "TurnEnded",
    "Value",
]
