"""A session as the page shows it: its head, its conversation, and what waits for a person. Pure.

The rule: a message or card appears once, in the order of time; what is older than the page holds is counted, not hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.posts import Post
from bot.words import REPO_PROBLEMS, Language, coded
from core.domain.model import Message, Session
from core.domain.tables import PlanStatus
from core.domain.views import awaiting_review, open_interactions, open_proposals

ITEMS = 300  # newest of a conversation that the page gets
TITLE_CHARS = 120
WORKING = frozenset({PlanStatus.APPLYING, PlanStatus.APPLIED})


def title_of(state: Session) -> str:
    """What the conversation is about: its title, its objective, or how it began; "" before anything was said."""
    first = next(iter(state.messages.values()), None)
    return " ".join((state.title or state.objective or (first.text if first else "")).split())[:TITLE_CHARS]


def waiting(state: Session) -> list[str]:
    """Short names of what a person must decide, oldest kind of decision first."""
    reviews = [t.short for flow in state.flows.values() for t in awaiting_review(state, flow)]
    return [x.short for x in open_interactions(state)] + [p.short for p in open_proposals(state)] + reviews


def head(state: Session, language: Language) -> dict[str, Any]:
    return {
        "id": state.id,
        "title": title_of(state),
        "objective": state.objective,
        "language": state.language,
        "repo": _repo(state, language),
        "repo_fixed": bool(state.flows),
        "waiting": waiting(state),
        "running": len(state.live_tasks),
    }


def _repo(state: Session, language: Language) -> dict[str, str] | None:
    repo = state.repo
    if repo is None:
        return None
    params = {"path": repo.path, "detail": repo.detail}
    return {
        "path": repo.path,
        "name": repo.name,
        "base_branch": repo.base_branch,
        "base_commit": repo.base_commit,
        "problem": repo.problem,
        "text": coded(REPO_PROBLEMS, repo.problem, language, params) if repo.problem else "",
    }


def surface_of(state: Session) -> str:
    """Whose messages are shown: the console's own, or for a session of another place that one's."""
    return "web" if "web" in state.surfaces or not state.surfaces else state.surfaces[0]


def conversation(state: Session, posts: Sequence[Post]) -> dict[str, Any]:
    """``items`` oldest first, each a ``message`` or a ``card``; ``earlier`` counts those before them."""
    items = [_message(state, m) for m in state.messages.values()] + [_card(p) for p in posts]
    items.sort(key=lambda item: item["ts"])  # stable: what a person said stands before our answer of the same ms
    return {"items": items[-ITEMS:], "earlier": max(0, len(items) - ITEMS)}


def _message(state: Session, message: Message) -> dict[str, Any]:
    return {
        "type": "message",
        "key": message.id,
        "author": message.author,
        "text": message.text,
        "ts": message.ts,
        "state": message_state(state, message),
    }


def message_state(state: Session, message: Message) -> str:
    """received, waiting (for the repository), working (something is to be decided or done because of it), or done."""
    if not message.kind:
        return "received"
    if message.waits_for:
        return "waiting"
    plan = state.plans.get(message.plan_id)
    if plan is None:
        return "done"
    if plan.status is PlanStatus.PROPOSED:
        return "working"
    flow = state.flows.get(plan.flow_id)
    busy = plan.status in WORKING and flow is not None and any(t in flow.open_tasks for t in plan.created)
    return "working" if busy else "done"


def _card(post: Post) -> dict[str, Any]:
    return {
        "type": "card",
        "key": post.key,
        "ts": post.posted,
        "edited": post.edited,
        "revision": post.revision,
        "card": post.card,
    }


def artifacts_of(state: Session) -> set[str]:
    """Digests of the outputs and diffs the session's reports speak of."""
    reports = [t.report for t in state.tasks.values() if t.report is not None]
    found = {digest for r in reports for digest in (r.diff, r.output)}
    return (found | {c.output for r in reports for c in r.evidence}) - {""}
