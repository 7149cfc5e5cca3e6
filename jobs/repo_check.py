"""Find out whether the repository a person named can be used, on the worker that has it."""

from __future__ import annotations

import os
from pathlib import Path

from core.assembly import Desk
from core.domain import commands as c
from core.errors import Refused
from jobs import git


async def check_repo(desk: Desk, session_id: str) -> None:
    """Answer the question the session asks, if it still does."""
    state = await desk.service.state(session_id)
    repo = state.repo
    if repo is None or repo.problem != "checking":
        return
    command = await _looked_at(desk, repo.path)
    try:
        await desk.service.handle(session_id, command)
    except Refused as refused:
        if refused.code != "not_asked":  # named another one meanwhile: its own check answers
            raise


async def _looked_at(desk: Desk, name: str) -> c.RecordRepo:
    known = desk.settings.repos.get(name)
    folder = known.folder() if known is not None else Path(os.path.expanduser(name))  # noqa: ASYNC240  no I/O
    if folder is None:
        return c.RecordRepo(path=name, problem="only_local", worker=desk.settings.worker.id)
    if not folder.is_absolute():
        return c.RecordRepo(path=name, problem="path_not_absolute", worker=desk.settings.worker.id)
    try:
        found = await git.inspect(folder)
    except Refused as refused:
        return c.RecordRepo(path=name, problem=refused.code, worker=desk.settings.worker.id)
    return c.RecordRepo(
        path=name,
        root=found.path,
        name=found.name,
        base_branch=found.base_branch,
        base_commit=found.base_commit,
        worker=desk.settings.worker.id,
        detail="dirty" if found.dirty else "",
    )
