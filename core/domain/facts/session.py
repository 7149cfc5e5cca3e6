"""Facts about a session: its repository, what people wrote, how it was read."""

from __future__ import annotations

from core.domain.event import Payload, register
from core.domain.reading import Reply


@register
class SessionCreated(Payload):
    TYPE = "session.created"
    title: str
    place: str
    surface: str
    by: str


@register
class RepoNamed(Payload):
    """A person named the repository; whether it can be used is found out by who has it."""

    TYPE = "session.repo.named"
    path: str
    by: str


@register
class RepoChecked(Payload):
    """``problem`` is empty when the repository can be used; ``path`` is as named, ``root`` its folder on ``worker``."""

    TYPE = "session.repo.checked"
    path: str
    root: str = ""
    name: str = ""
    base_branch: str = ""
    base_commit: str = ""
    worker: str = ""
    problem: str = ""
    detail: str = ""


@register
class MessageAdded(Payload):
    TYPE = "session.message.added"
    message_id: str
    author: str
    text: str
    language: str = "en"
    ref: str = ""


@register
class MessageClassified(Payload):
    """``waits_for`` names what must be known first (``repo``); the message is read again then."""

    TYPE = "session.message.classified"
    message_id: str
    kind: str
    size: str = "small"
    confidence: float = 1.0
    rationale: str = ""
    waits_for: str = ""
    reply: Reply | None = None


@register
class ObjectiveUpdated(Payload):
    TYPE = "session.objective.updated"
    objective: str
