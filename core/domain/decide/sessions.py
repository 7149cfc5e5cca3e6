"""Rules about a session, its repository, and the messages people write."""

from __future__ import annotations

from core.domain import commands as c
from core.domain import facts as f
from core.domain import limits
from core.domain.decide.plans import propose
from core.domain.decide.scribe import Scribe
from core.domain.reading import Reading
from core.errors import Refused


def start(s: Scribe, cmd: c.StartSession) -> None:
    if s.state.seq:
        raise Refused("session_exists", session=s.state.id)
    s.say(cmd.by, f.SessionCreated(title=cmd.title, place=cmd.place, surface=cmd.surface, by=cmd.by.person))


def _known(s: Scribe) -> None:
    if not s.state.seq:
        raise Refused("unknown_session", session=s.state.id)


def name_repo(s: Scribe, cmd: c.NameRepo) -> None:
    _known(s)
    path = cmd.path.strip()
    if not path or "\0" in path or len(path) > 4096:
        raise Refused("bad_path")
    repo = s.state.repo
    if s.state.flows and repo is not None and not repo.problem:
        raise Refused("repo_fixed", name=repo.name)
    s.say(cmd.by, f.RepoNamed(path=path, by=cmd.by.person))


def record_repo(s: Scribe, cmd: c.RecordRepo) -> None:
    """The answer to a named repository, or news of one in use: its base branch has moved, or it has become unusable."""
    repo = s.state.repo
    if repo is None or repo.path != cmd.path:
        raise Refused("not_asked", path=cmd.path)
    if not repo.problem and (repo.base_branch, repo.base_commit) == (cmd.base_branch, cmd.base_commit):
        raise Refused("nothing_new", path=cmd.path)
    s.emit(
        f.RepoChecked(
            path=cmd.path,
            root=cmd.root,
            name=cmd.name,
            base_branch=cmd.base_branch,
            base_commit=cmd.base_commit,
            worker=cmd.worker,
            problem=cmd.problem,
            detail=cmd.detail,
        )
    )


def add_message(s: Scribe, cmd: c.AddMessage) -> None:
    _known(s)
    if not cmd.text.strip():
        raise Refused("empty_message")
    if len(cmd.text) > limits.MESSAGE_CHARS:
        raise Refused("message_too_long", limit=limits.MESSAGE_CHARS)
    message_id = s.new_id("msg")
    s.say(
        cmd.by,
        f.MessageAdded(message_id=message_id, author=cmd.by.person, text=cmd.text, language=cmd.language, ref=cmd.ref),
    )
    if cmd.reading is not None:
        _classified(s, message_id, cmd.reading, "")


def record_reading(s: Scribe, cmd: c.RecordReading) -> None:
    message = s.state.messages.get(cmd.message_id)
    if message is None:
        raise Refused("unknown_message", message=cmd.message_id)
    if message.kind and not message.waits_for:
        raise Refused("already_read", message=cmd.message_id)
    _classified(s, message.id, cmd.reading, cmd.waits_for)
    if cmd.reading.proposal is not None:
        propose(s, message.id, cmd.reading.proposal)


def _classified(s: Scribe, message_id: str, reading: Reading, waits_for: str) -> None:
    s.emit(
        f.MessageClassified(
            message_id=message_id,
            kind=reading.kind,
            size=reading.size,
            confidence=reading.confidence,
            rationale=reading.rationale,
            waits_for=waits_for,
            reply=reading.reply,
        ),
        "manager",
    )
