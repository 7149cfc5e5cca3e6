"""From a claim to a report, in a real repository: the work is committed, criteria with a command are proven, the rest
stay claims."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from core.domain import limits
from core.domain.commands import ReportValue
from core.domain.facts import CheckValue
from core.errors import Refused
from jobs import git
from jobs.attempt.evidence import EXCERPT_CHARS, make_report, scratch_folder, split_criterion
from jobs.harness import contract as h
from jobs.policy import ShellPolicy

from .desk import KNOWN_SECRET, Desk, desk, plain_git, repository

pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("tests pass :: pytest -q", ("tests pass", "pytest -q")),
        ("tests pass", ("tests pass", "")),
        (":: pytest -q", ("", "pytest -q")),
        ("tests pass ::", ("tests pass", "")),
        ("网页能打开 :: test -e index.html", ("网页能打开", "test -e index.html")),
        ("one test :: pytest a.py::test_one", ("one test", "pytest a.py::test_one")),
    ],
)
def test_a_criterion_is_words_and_perhaps_a_command(line: str, parts: tuple[str, str]) -> None:
    assert split_criterion(line) == parts


def test_scratch_is_a_folder_of_the_attempt_alone() -> None:
    data = Path("/data")
    assert scratch_folder(data, "att_1") != scratch_folder(data, "att_2")
    assert scratch_folder(data, "att_1").is_relative_to(data)


@dataclass
class Bench:
    """A worktree prepared for the task of a desk."""

    desk: Desk
    place: git.Place
    scratch: Path

    async def report(
        self, *proofs: h.Proof, summary: str = "done", handoffs: dict[str, str] | None = None
    ) -> ReportValue:
        workspace = h.Workspace(folder=self.place.worktree, scratch=self.scratch, branch=self.place.branch)
        said = h.Reported(summary, proofs, handoffs or {})
        state, task = await self.desk.state(), await self.desk.task()
        return await make_report(self.desk.teller, said, state, task, self.place, workspace, ShellPolicy())

    def write(self, name: str, text: str) -> None:
        (self.place.worktree / name).write_text(text)

    def git(self, *args: str) -> str:
        return plain_git(self.place.worktree, *args)

    async def kept(self, digest: str) -> str:
        data = await self.desk.ledger.get_blob(digest)
        assert data is not None
        return data.decode()


async def bench(folder: Path, *criteria: str) -> Bench:
    repo = repository(folder)
    here = await desk(*criteria, base_commit=plain_git(repo, "rev-parse", "HEAD"), root=str(repo))
    state = await here.state()
    flow = state.flows[(await here.task()).flow_id]
    place = await git.prepare(
        repo,
        folder / "data",
        flow_id=flow.id,
        slug=flow.slug,
        short="t1",
        base_commit=flow.base_commit,
        settled=(),
    )
    return Bench(here, place, folder / "scratch")


# -- the work --------------------------------------------------------------------------------------------------------


async def test_the_work_is_committed_on_the_tasks_branch_and_measured(tmp_path: Path) -> None:
    here = await bench(tmp_path)
    here.write("page.txt", "one\nthree\nfour\n")
    here.write("new.txt", "new\n")
    report = await here.report(summary="the page is new")
    assert report.summary == "the page is new"
    assert report.commit == here.git("rev-parse", "HEAD") == here.git("rev-parse", here.place.branch)
    assert report.base == here.place.start
    assert (report.files, report.added, report.removed) == (2, 3, 1)
    assert (report.flow_files, report.flow_added, report.flow_removed) == (2, 3, 1)
    assert report.biggest[0] == "page.txt +2 −1"
    assert "+three" in await here.kept(report.diff)
    assert here.git("log", "-1", "--format=%s") == "T1 Fix the page"
    assert here.git("status", "--porcelain") == ""


async def test_work_that_changes_nothing_is_reported_as_no_change(tmp_path: Path) -> None:
    here = await bench(tmp_path)
    report = await here.report()
    assert report.commit == report.base == here.place.start
    assert (report.files, report.diff) == (0, "")


async def test_commits_the_agent_made_itself_count_as_its_work(tmp_path: Path) -> None:
    here = await bench(tmp_path)
    here.write("own.txt", "own\n")
    here.git("add", "--all")
    here.git("commit", "-q", "-m", "By the agent")
    report = await here.report()
    assert report.commit == here.git("rev-parse", "HEAD")
    assert (report.files, report.added) == (1, 1)


async def test_secrets_in_a_change_are_not_in_the_stored_diff(tmp_path: Path) -> None:
    here = await bench(tmp_path)
    here.write("notes.txt", f"it is {KNOWN_SECRET}\n")
    report = await here.report()
    diff = await here.kept(report.diff)
    assert "notes.txt" in diff
    assert KNOWN_SECRET not in diff


async def test_the_summary_is_bounded_and_hand_offs_come_along(tmp_path: Path) -> None:
    here = await bench(tmp_path)
    report = await here.report(summary="s" * 10_000, handoffs={"T2": "read page.txt"})
    assert len(report.summary) == 4_000
    assert report.handoffs == {"T2": "read page.txt"}
    report = await here.report(handoffs={"*": "長" * 200_000})
    assert len(report.handoffs["*"]) == limits.CONTENT_CHARS


# -- the evidence ----------------------------------------------------------------------------------------------------


async def test_a_criterion_with_a_command_is_proven_by_its_exit_code(tmp_path: Path) -> None:
    here = await bench(tmp_path, "the page is there :: cat page.txt", "there is an index :: ls index.html")
    report = await here.report()
    there, missing = report.evidence
    assert (there.criterion, there.command, there.exit_code) == (
        "the page is there :: cat page.txt",
        "cat page.txt",
        0,
    )
    assert there.excerpt == "one\ntwo\n"
    assert there.commit == report.commit
    assert await here.kept(there.output) == "one\ntwo\n"
    assert missing.exit_code not in (0, None)
    assert "index.html" in missing.excerpt
    assert report.output == there.output


async def test_a_criterion_without_a_command_stays_a_claim(tmp_path: Path) -> None:
    here = await bench(tmp_path, "it looks good")
    assert (await here.report()).evidence == (CheckValue(criterion="it looks good"),)


async def test_a_check_that_would_have_to_ask_is_not_run_and_proves_nothing(tmp_path: Path) -> None:
    here = await bench(tmp_path, "pushed :: git push origin main")
    (check,) = (await here.report()).evidence
    assert check.exit_code is None
    assert check.excerpt.startswith("not run: ")


async def test_a_check_whose_program_is_missing_fails_and_says_so(tmp_path: Path) -> None:
    here = await bench(tmp_path, "built :: no-such-program-here")
    (check,) = (await here.report()).evidence
    assert check.exit_code != 0
    assert check.excerpt


async def test_a_check_sees_the_work_as_it_was_committed(tmp_path: Path) -> None:
    here = await bench(tmp_path, "new file :: git status --porcelain")
    here.write("new.txt", "new\n")
    (check,) = (await here.report()).evidence
    assert (check.exit_code, check.excerpt) == (0, "")


async def test_proofs_of_the_harness_come_first_and_are_stored_without_secrets(tmp_path: Path) -> None:
    here = await bench(tmp_path, "it looks good")
    output = f"ok {KNOWN_SECRET}\n".encode()
    report = await here.report(h.Proof("it works", "pytest -q", 0, "x" * 10_000, output))
    proof, claim = report.evidence
    assert (proof.criterion, proof.command, proof.exit_code) == ("it works", "pytest -q", 0)
    assert len(proof.excerpt) == EXCERPT_CHARS
    assert proof.commit == report.commit
    assert KNOWN_SECRET not in await here.kept(proof.output)
    assert report.output == proof.output
    assert claim.exit_code is None


@pytest.mark.parametrize("line", ["long :: cat long.txt", ":: cat long.txt"])
async def test_the_excerpt_of_a_check_is_bounded_and_keeps_the_end(tmp_path: Path, line: str) -> None:
    here = await bench(tmp_path, line)
    here.write("long.txt", "x" * 50_000 + "\nlast line\n")
    (check,) = (await here.report()).evidence
    assert len(check.excerpt) <= EXCERPT_CHARS
    assert check.excerpt.endswith("last line\n")
    assert len(await here.kept(check.output)) > 50_000


async def test_a_check_gets_no_settings_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THREADLEAD_WEB__TOKEN", "not-for-agents")
    monkeypatch.setenv("REDIS_URL", "redis://not-for-agents")
    here = await bench(tmp_path, "bare :: env")
    (check,) = (await here.report()).evidence
    assert check.exit_code in (0, None)
    assert "not-for-agents" not in await here.kept(check.output)


async def test_work_that_cannot_be_committed_as_it_is_is_refused(tmp_path: Path) -> None:
    here = await bench(tmp_path)
    nested = here.place.worktree / "nested"
    nested.mkdir()
    plain_git(nested, "init", "-q")
    (nested / "file.txt").write_text("x\n")
    plain_git(nested, "add", "--all")
    plain_git(nested, "commit", "-q", "-m", "Nested")
    with pytest.raises(Refused):
        await here.report()
