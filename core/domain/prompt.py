"""What a worker is sent for a task, rendered once when the task is assigned and logged as sent."""

from __future__ import annotations

from core.domain.model import Session, Task


def render(state: Session, task: Task) -> str:
    """The task's own words, then criteria, hand-offs of the tasks before it, and the feedback it came back with."""
    parts = [task.content or task.title]
    if task.criteria:
        parts.append("Done when:\n" + "\n".join(f"- {line}" for line in task.criteria))
    for from_id, document in task.handoffs.items():
        source = state.tasks[from_id]
        parts.append(f"Hand-off from {source.short} {source.title}:\n{document}")
    feedback = [v for v in task.verdicts if not v.accepted]
    if feedback:
        parts.append(f"It was sent back by {feedback[-1].by}:\n{feedback[-1].feedback}")
    waiting = [state.tasks[i] for i in state.dependents.get(task.id, ())]
    if waiting:
        names = ", ".join(f"{t.short} {t.title}" for t in waiting)
        parts.append(f"These tasks wait for yours; hand over with your report what they need to know: {names}")
    return "\n\n".join(parts)


def last_feedback(task: Task) -> str:
    """Why the task came back, or ""."""
    for verdict in reversed(task.verdicts):
        if not verdict.accepted:
            return verdict.feedback
    return ""
