"""Answers to questions, as facts at the moment of asking: the surface puts them in words, and they do not change later."""

from __future__ import annotations

from core.domain.model import Session, Task
from core.domain.reading import Reading, Reply
from core.domain.views import find_task, open_interactions, open_proposals, terminal, why


def with_facts(reading: Reading, state: Session) -> Reading:
    """The reading with what its reply is about, where it asks about the state of the work."""
    reply = reading.reply
    if reply is None or reply.code not in ("about_task", "status"):
        return reading
    params = about(state, find_task(state, reply.params["task"])) if reply.code == "about_task" else overview(state)
    return reading.model_copy(update={"reply": Reply(code=reply.code, params=params)})


def about(state: Session, task: Task) -> dict[str, str]:
    """``obstacles`` is ``kind:ref:detail`` a line; ``needed_by`` the short names of what waits for it."""
    needed = [state.tasks[i].short for i in state.dependents.get(task.id, ()) if not terminal(state.tasks[i])]
    return {
        "task": task.short,
        "status": "done" if task.settled_success else task.status.value,
        "step": task.progress.current_step,
        "needed_by": ", ".join(needed),
        "obstacles": "\n".join(f"{o.kind}:{o.ref}:{o.detail}" for o in why(state, task)),
    }


def overview(state: Session) -> dict[str, str]:
    """``tasks`` is ``T3=working`` a line; ``waiting`` the short names that wait for a person."""
    tasks = [f"{t.short}={'done' if t.settled_success else t.status.value}" for t in list(state.tasks.values())[-20:]]
    waiting = [x.short for x in open_interactions(state)] + [p.short for p in open_proposals(state)]
    return {"tasks": "\n".join(tasks), "waiting": ", ".join(waiting)}
