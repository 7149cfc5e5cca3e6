"""An accepted flow comes into the person's branch once; what cannot be merged is said by name and changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import core.assembly
from core.domain import commands as c
from core.domain.model import Flow
from core.ledger.connect import connect
from core.settings import Settings, Worker
from jobs.attempt.run import run_attempt
from jobs.harness.recording import load
from jobs.harness.registry import Harnesses
from jobs.harness.script import ScriptHarness
from jobs.merge import merge_flow

from .attempt.desk import ALICE, Desk, desk, plain_git, repository

WRITES = {
    "tasks": [
        {
            "match": "page",
            "steps": [{"write": {"path": "page.txt", "text": "new\n"}}, {"report": {"summary": "done"}}],
        }
    ]
}


@dataclass
class Stage:
    """A flow whose one task was accepted and whose merge a person asked for."""

    desk: Desk
    tools: core.assembly.Desk
    repo: Path

    async def flow(self) -> Flow:
        (flow,) = (await self.desk.state()).flows.values()
        return flow

    async def merge(self, request: str = "") -> None:
        flow = await self.flow()
        assert flow.merge is not None
        await merge_flow(self.tools, self.desk.session_id, flow.id, request or flow.merge.tip)

    def git(self, *args: str) -> str:
        return plain_git(self.repo, *args)


@pytest.fixture
async def stage(tmp_path: Path, home: None) -> Stage:
    repo = repository(tmp_path)
    here = await desk(base_commit=plain_git(repo, "rev-parse", "HEAD"), root=str(repo), sent=False)
    settings = Settings(data=tmp_path / "data", worker=Worker(id="laptop"))
    tools = core.assembly.Desk(settings, connect("unix:///nowhere"), here.ledger, here.service)
    made = Stage(here, tools, repo)
    await run_attempt(tools, Harnesses({"demo": ScriptHarness(load(WRITES))}), here.session_id, here.attempt_id)
    await here.do(c.Settle(by=ALICE, subject="T1", accept=True))
    await here.do(c.DecideMerge(by=ALICE, flow=(await made.flow()).id, merge=True))
    return made


async def test_the_work_comes_into_the_base_branch_and_the_checkout(stage: Stage) -> None:
    await stage.merge()
    flow = await stage.flow()
    assert flow.merge is not None
    assert (flow.merge.status, flow.merge.sha) == ("merged", stage.git("rev-parse", "main"))
    assert (stage.repo / "page.txt").read_text() == "new\n"
    assert stage.git("status", "--porcelain") == ""
    assert "T1 Fix the page" in stage.git("log", "-1", "--format=%B")


async def test_our_branches_and_worktrees_are_gone_after_it(stage: Stage) -> None:
    assert "threadlead/" in stage.git("branch", "--list")
    await stage.merge()
    assert stage.git("branch", "--list") == "* main"
    assert len(stage.git("worktree", "list").splitlines()) == 1


async def test_a_merge_delivered_twice_is_done_once(stage: Stage) -> None:
    flow = await stage.flow()
    assert flow.merge is not None
    request = flow.merge.tip
    await stage.merge()
    before, main = await stage.desk.ledger.last_seq(stage.desk.session_id), stage.git("rev-parse", "main")
    await stage.merge(request)
    assert await stage.desk.ledger.last_seq(stage.desk.session_id) == before
    assert stage.git("rev-parse", "main") == main


async def test_another_request_or_flow_is_left_alone(stage: Stage) -> None:
    before = stage.git("rev-parse", "main")
    await stage.merge("another-request")
    await merge_flow(stage.tools, stage.desk.session_id, "flow_unknown", "x")
    flow = await stage.flow()
    assert flow.merge is not None
    assert flow.merge.status == "requested"
    assert stage.git("rev-parse", "main") == before


async def test_a_conflict_is_said_with_its_files_and_changes_nothing(stage: Stage) -> None:
    (stage.repo / "page.txt").write_text("alice was here\n")
    stage.git("commit", "-q", "-a", "-m", "By alice")
    before = stage.git("rev-parse", "main")
    await stage.merge()
    flow = await stage.flow()
    assert flow.merge is not None
    assert (flow.merge.status, flow.merge.code, flow.merge.detail) == ("refused", "merge_conflict", "page.txt")
    assert stage.git("rev-parse", "main") == before
    assert stage.git("status", "--porcelain") == ""
    assert "threadlead/" in stage.git("branch", "--list"), "the work is still there"


async def test_unsaved_work_of_the_person_is_never_overwritten(stage: Stage) -> None:
    (stage.repo / "page.txt").write_text("not committed\n")
    await stage.merge()
    flow = await stage.flow()
    assert flow.merge is not None
    assert flow.merge.status == "refused"
    assert (stage.repo / "page.txt").read_text() == "not committed\n"
