"""Facts about a session: its repository, the messages people write, its objective."""

from __future__ import annotations

from core.domain import facts as f
from core.domain import model as m
from core.domain.event import Event
from core.domain.folds.table import on


@on(f.SessionCreated)
def _session_created(s: m.Session, e: Event, p: f.SessionCreated) -> None:
    s.created_at, s.title, s.created_by, s.place = e.ts, p.title, p.by, p.place
    s.surfaces.append(p.surface)


@on(f.RepoNamed)
def _repo_named(s: m.Session, e: Event, p: f.RepoNamed) -> None:
    s.repo = m.Repo(path=p.path, problem="checking")


@on(f.RepoChecked)
def _repo_checked(s: m.Session, e: Event, p: f.RepoChecked) -> None:
    s.repo = m.Repo(p.path, p.root, p.name, p.base_branch, p.base_commit, p.worker, p.problem, p.detail)
    for flow in s.flows.values():
        if not flow.base_commit:  # planned before there was a repository to start from
            flow.base_branch, flow.base_commit = p.base_branch, p.base_commit


@on(f.MessageAdded)
def _message_added(s: m.Session, e: Event, p: f.MessageAdded) -> None:
    if not s.messages:
        s.language = p.language
    s.messages[p.message_id] = m.Message(p.message_id, p.author, p.text, e.ts)


@on(f.MessageClassified)
def _message_classified(s: m.Session, e: Event, p: f.MessageClassified) -> None:
    message = s.messages[p.message_id]
    message.kind, message.waits_for, message.reply = p.kind, p.waits_for, p.reply


@on(f.ObjectiveUpdated)
def _objective(s: m.Session, e: Event, p: f.ObjectiveUpdated) -> None:
    s.objective = p.objective
