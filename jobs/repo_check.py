"""Find out whether the repository a person named can be used, and where its base branch stands, on the worker that has it."""

from __future__ import annotations

import os
from pathlib import Path

from core.assembly import Desk
from core.domain import commands as c
from core.errors import Refused
from jobs import git

EXPECTED = frozenset({"not_asked", "nothing_new"})  # another one was named meanwhile, or all is as it was


async def check_repo(desk: Desk, session_id: str) -> None:
    """Look at the session's repository and record what is new about it."""
    state = await desk.service.state(session_id)
    if state.repo is None:
        return
    command = await _looked_at(desk, state.repo.path)
    try:
        await desk.service.handle(session_id, command)
    except Refused as refused:
        if refused.code not in EXPECTED:
            raise


async def _looked_at(desk: Desk, name: str) -> c.RecordRepo:
    known = desk.settings.repos.get(name)
    worker = desk.settings.worker.id
    folder = known.folder() if known is not None else Path(os.path.expanduser(name))  # noqa: ASYNC240  no I/O
    if folder is None:
        return c.RecordRepo(path=name, problem="only_local", worker=worker)
    if not folder.is_absolute():
        return c.RecordRepo(path=name, problem="path_not_absolute", worker=worker)
    try:
        found = await git.inspect(folder, known.base if known is not None else "")
    except Refused as refused:
        return c.RecordRepo(path=name, problem=refused.code, worker=worker)
    return c.RecordRepo(
        path=name,
        root=found.path,
        name=found.name,
        base_branch=found.base_branch,
        base_commit=found.base_commit,
        worker=worker,
        detail="dirty" if found.dirty else "",
    )
