"""Merge an accepted flow into its base branch, where the repository is. A refusal changes nothing and is said."""

from __future__ import annotations

from pathlib import Path

from core.assembly import Desk
from core.domain import commands as c
from core.domain.model import Flow, Session
from core.domain.views import flow_tasks, settled_commits
from core.errors import Refused
from jobs import git


async def merge_flow(desk: Desk, session_id: str, flow_id: str, request: str) -> None:
    """Carry out the merge that was asked for as ``request``; asked twice, it is done once."""
    state = await desk.service.state(session_id)
    flow = state.flows.get(flow_id)
    if flow is None or flow.merge is None or flow.merge.status != "requested" or flow.merge.tip != request:
        return
    try:
        sha = await _merge(desk, state, flow)
        command = c.RecordMerge(flow_id=flow_id, tip=request, sha=sha)
    except Refused as refused:
        files = refused.params.get("files")
        detail = ", ".join(map(str, files)) if isinstance(files, (list, tuple)) else str(refused)
        command = c.RecordMerge(flow_id=flow_id, tip=request, code=refused.code, detail=detail[:1000])
    await desk.service.handle(session_id, command, dedupe=f"merge:{request}")


async def _merge(desk: Desk, state: Session, flow: Flow) -> str:
    if state.repo is None:
        raise Refused("no_repository")
    repo, data = Path(state.repo.root), desk.settings.data
    tip = await git.integrate(
        repo,
        data,
        flow_id=flow.id,
        slug=flow.slug,
        base_commit=flow.base_commit,
        commits=settled_commits(state, flow),
    )
    branch = git.flow_branch(flow.slug, flow.id)
    sha = await git.merge_to_base(
        repo,
        data,
        flow_branch=branch,
        base_branch=flow.base_branch,
        message=_message(state, flow),
        expected_tip=tip,
    )
    branches = [git.task_branch(flow.slug, flow.id, t.short.lower()) for t in flow_tasks(state, flow)]
    await git.clean(repo, data, flow_id=flow.id, branches=[*branches, branch], delete_branches=True)
    return sha


def _message(state: Session, flow: Flow) -> str:
    done = [f"- {t.short} {t.title}" for t in flow_tasks(state, flow) if t.settled_success]
    return f"{flow.name}\n\n" + "\n".join(done)
