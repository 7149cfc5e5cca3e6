"""Small sessions to say things in, and the short way to see how they were read."""

from __future__ import annotations

from core.domain.model import Interaction, Message, Session, Task
from core.domain.reading import Reading
from core.domain.tables import TaskStatus
from jobs.manager.contract import Surroundings
from jobs.manager.rules import RulesEngine
from jobs.policy.judge import looks_like_command
from jobs.policy.rules import ShellPolicy

CHECKS = {"test": "pytest -q", "format": "ruff format .", "lint": "ruff check ."}
BARE = Surroundings(agents=(), commands=CHECKS)
STAFFED = Surroundings(agents=("coder",), commands=CHECKS)
POLICY = ShellPolicy()


def engine() -> RulesEngine:
    return RulesEngine(lambda text: looks_like_command(text, policy=POLICY))


def add(
    state: Session,
    short: str,
    title: str,
    status: str,
    after: tuple[str, ...] = (),
    *,
    target: str = "coder",
    done: bool = False,
) -> Task:
    """Put a task into ``state``; ``after`` are short names."""
    task = Task(
        id=f"task_{short}", short=short, title=title, content=title, target=target, plan_id="pd_1", flow_id="fl_1",
        initiator="alice", created_at=len(state.tasks), status=TaskStatus(status), outcome="success" if done else "",
        dependencies=[f"task_{other}" for other in after],
    )  # fmt: skip
    state.tasks[task.id] = task
    state.shorts[short] = task.id
    state.version = 1
    return task


def halfway() -> Session:
    """T1 done, T2 (cache) working, T3 (retry) waits for T2, T4 (docs) waits for T3."""
    state = Session(id="ps_1", seq=9)
    add(state, "T1", "Plan the storage layout", "completed", done=True)
    add(state, "T2", "Cache the profile reads", "working", ("T1",))
    add(state, "T3", "Fix the retry of uploads", "queued", ("T1", "T2"))
    add(state, "T4", "Write the docs", "queued", ("T3",))
    return state


def approving() -> Session:
    """``halfway`` with an open approval A1 of T2."""
    state = halfway()
    state.interactions["apr_1"] = Interaction(
        id="apr_1", short="A1", kind="approval", task_id="task_T2", attempt_id="att_1", summary="npm ci", opened_at=1
    )
    state.open_interactions.add("apr_1")
    return state


def paused() -> Session:
    """``halfway`` with T2 paused."""
    state = halfway()
    state.tasks["task_T2"].status = TaskStatus.PAUSED
    return state


def reviewing() -> Session:
    """T1 was reported and waits to be judged."""
    state = Session(id="ps_1", seq=9)
    add(state, "T1", "Rename timeout to timeout_s", "completed")
    return state


def fresh() -> Session:
    return Session(id="ps_1", seq=1)


async def hear(text: str, state: Session | None = None, around: Surroundings = BARE) -> Reading:
    """How ``text`` by alice is read."""
    message = Message(id="msg_1", author="alice", text=text, ts=1)
    return await engine().read(message, state or fresh(), around)


def brief(reading: Reading) -> str:
    """A reading on one line: changes by short name, then new tasks with what they wait for, or the reply.

    ``pause T2 | free T3<T2 | cancel T4`` · ``+ `pytest -q` | + Fix the login <1`` · ``? about_task T2`` · ``note``
    """
    if reading.reply:
        return " ".join(["?", reading.reply.code, *_shown(reading)])
    if reading.proposal is None:
        return reading.kind
    proposal = reading.proposal
    place = {spec.key: str(n) for n, spec in enumerate(proposal.create, 1)}
    parts = [f"{kind} {_short(t)}" for kind in ("cancel", "pause", "resume") for t in getattr(proposal, kind)]
    parts += [f"free {_short(task)}<{_short(other)}" for task, other in proposal.release]
    for spec in proposal.create:
        what = f"`{spec.content}`" if spec.target == "shell" else spec.title
        waits = "".join(f" <{place.get(key) or _short(key)}" for key in spec.after)
        parts.append(f"+ {what}{waits}")
    return " | ".join(parts)


def _shown(reading: Reading) -> list[str]:
    assert reading.reply is not None
    return [v for k, v in reading.reply.params.items() if k not in ("text", "status", "name")]


def _short(task_id: str) -> str:
    return task_id.removeprefix("task_")
