"""The folded state of one session: plain data that ``apply`` fills and nothing else changes.

Everything here can be rebuilt from the log. Indexes (``dependents``, ``open_*``) are kept by ``apply`` so that no rule
scans all tasks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from core.domain.reading import Acceptance, Proposal, Reply, Risk, TaskSpec
from core.domain.tables import AttemptPhase, InteractionStatus, PlanStatus, TaskStatus


@dataclass(slots=True)
class Repo:
    """The repository a session works on; ``problem`` is a code when it cannot be used."""

    path: str
    root: str = ""
    name: str = ""
    base_branch: str = ""
    base_commit: str = ""
    worker: str = ""
    problem: str = ""
    detail: str = ""


@dataclass(slots=True)
class Message:
    """What a person wrote. ``kind`` is "" until it was understood; ``reply`` is our answer, if any."""

    id: str
    author: str
    text: str
    ts: int
    kind: str = ""
    waits_for: str = ""
    reply: Reply | None = None
    plan_id: str = ""


@dataclass(slots=True)
class Check:
    """One piece of evidence: a command and how it ended, at a commit. ``output`` is an artifact digest."""

    criterion: str
    command: str = ""
    exit_code: int | None = None
    excerpt: str = ""
    output: str = ""
    commit: str = ""

    @property
    def proven(self) -> bool:
        return self.exit_code == 0


@dataclass(slots=True)
class Report:
    """What an attempt brought back. ``commit`` is the tip of the task's branch, ``base`` where it started.

    ``files``, ``added`` and ``removed`` count the task's own change, the ``flow_`` ones all since the flow's base.
    """

    summary: str
    evidence: list[Check] = field(default_factory=list)
    commit: str = ""
    base: str = ""
    files: int = 0
    added: int = 0
    removed: int = 0
    flow_files: int = 0
    flow_added: int = 0
    flow_removed: int = 0
    biggest: list[str] = field(default_factory=list)
    diff: str = ""
    output: str = ""
    by: str = ""


@dataclass(slots=True)
class Verdict:
    """One judgement of a report. ``by`` is a person or ``system`` (settled by evidence)."""

    round: int
    accepted: bool
    by: str
    ts: int
    feedback: str = ""
    basis: str = ""


@dataclass(slots=True)
class Progress:
    """The latest structured summary of a task; replaced, never appended."""

    summary: str = ""
    percent: int | None = None
    step: int | None = None
    steps: int | None = None
    current_step: str = ""
    next_step: str = ""
    risk: str = ""
    ts: int = 0


@dataclass(slots=True)
class Task:
    """A node of the plan. ``wish`` is what a person asked of running work and has not happened yet: cancel, pause, stop."""

    id: str
    short: str
    title: str
    content: str
    target: str
    plan_id: str
    flow_id: str
    initiator: str
    created_at: int
    dependencies: list[str] = field(default_factory=list)
    criteria: list[str] = field(default_factory=list)
    priority: str = "normal"
    risk: Risk = "low"
    acceptance: Acceptance | None = None
    handoff_expected: bool = False
    status: TaskStatus = TaskStatus.QUEUED
    outcome: str = ""
    wish: str = ""
    wish_by: str = ""
    worker: str = ""
    attempt_id: str = ""
    attempt_number: int = 0
    attempts: list[str] = field(default_factory=list)
    block_reason: str = ""
    resume_to: str = ""
    failure: str = ""
    failure_detail: str = ""
    retries: int = 0
    retry_count: int = 0
    report: Report | None = None
    verdicts: list[Verdict] = field(default_factory=list)
    handoffs: dict[str, str] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)
    updated_at: int = 0
    started_at: int = 0
    settled_at: int = 0
    changed_by: str = ""

    @property
    def round(self) -> int:
        """Counted from 1: how many times the work was asked for, reworks included."""
        return self.retries + 1

    @property
    def settled_success(self) -> bool:
        return self.outcome == "success"


@dataclass(slots=True)
class Attempt:
    """One delivery of a task to a worker; ``number`` is the fencing token. ``prompt`` is exactly what is sent."""

    id: str
    task_id: str
    number: int
    worker: str
    prompt: str
    phase: AttemptPhase = AttemptPhase.PREPARED
    outcome: str = ""
    stop_reason: str = ""
    accepted: bool = False
    prepared_at: int = 0
    last_heard: int = 0
    supersedes: str = ""
    detail: str = ""
    requests: dict[str, str] = field(default_factory=dict)
    """What the agent asked leave for, by its own request id: the interaction's id."""


@dataclass(slots=True)
class Interaction:
    """One wait for a person: ``approval`` of an action (short ``A1``) or ``reconcile`` of an uncertain attempt (``Q1``)."""

    id: str
    short: str
    kind: str
    task_id: str
    attempt_id: str
    summary: str
    opened_at: int
    request_id: str = ""
    folder: str = ""
    reasons: list[str] = field(default_factory=list)
    risk: Risk = "medium"
    digest: str = ""
    deadline: int = 0
    status: InteractionStatus = InteractionStatus.PENDING
    decided_by: str = ""
    decided_at: int = 0
    decision: str = ""
    reason: str = ""


@dataclass(slots=True)
class Op:
    """One operation of a plan change. ``task_id`` is empty for a create until it is applied."""

    key: str
    kind: str
    task_id: str = ""
    other_id: str = ""
    spec: TaskSpec | None = None


@dataclass(slots=True)
class Plan:
    """A proposed or applied change of the plan. ``revision`` counts its edits: a click carries the one it was shown."""

    id: str
    short: str
    message_id: str
    base_version: int
    ops: list[Op]
    reason: str
    objective: str
    opened_at: int
    first: bool = False
    revision: int = 1
    status: PlanStatus = PlanStatus.PROPOSED
    flow_id: str = ""
    collateral: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    created: list[str] = field(default_factory=list)
    edited_by: str = ""
    decided_by: str = ""
    decided_at: int = 0
    decision_reason: str = ""
    proposal: Proposal | None = None


@dataclass(slots=True)
class Merge:
    """What happened to an accepted flow's branch: requested, merged, refused, later."""

    status: str
    by: str
    ts: int
    tip: str = ""
    sha: str = ""
    code: str = ""
    detail: str = ""


@dataclass(slots=True)
class Flow:
    """A container of tasks with one branch. ``round`` counts how often all of it ended."""

    id: str
    name: str
    slug: str
    created_by: str
    created_at: int
    base_branch: str = ""
    base_commit: str = ""
    tasks: list[str] = field(default_factory=list)
    open_tasks: set[str] = field(default_factory=set)
    round: int = 0
    settled_at: int = 0
    merge: Merge | None = None


@dataclass(slots=True)
class Session:
    """All of one session. ``seq`` is the last event folded in; ``version`` the plan's version."""

    id: str
    seq: int = 0
    created_at: int = 0
    updated_at: int = 0
    title: str = ""
    created_by: str = ""
    objective: str = ""
    status: str = "active"
    language: str = "en"
    place: str = ""
    surfaces: list[str] = field(default_factory=list)
    repo: Repo | None = None
    version: int = 0
    counters: dict[str, int] = field(default_factory=dict)
    messages: dict[str, Message] = field(default_factory=dict)
    plans: dict[str, Plan] = field(default_factory=dict)
    flows: dict[str, Flow] = field(default_factory=dict)
    tasks: dict[str, Task] = field(default_factory=dict)
    attempts: dict[str, Attempt] = field(default_factory=dict)
    interactions: dict[str, Interaction] = field(default_factory=dict)
    shorts: dict[str, str] = field(default_factory=dict)
    dependents: dict[str, list[str]] = field(default_factory=dict)
    open_plans: set[str] = field(default_factory=set)
    open_interactions: set[str] = field(default_factory=set)
    live_tasks: set[str] = field(default_factory=set)
