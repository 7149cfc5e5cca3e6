"""What a worker finds out about a repository a person named, and how it says what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import core.assembly
from core.domain import commands as c
from core.domain.model import Repo
from core.ledger.connect import connect
from core.ledger.memory import MemoryLedger
from core.service import Service
from core.settings import Settings, Worker
from jobs.repo_check import check_repo

from .attempt.desk import ALICE, plain_git, repository

pytestmark = pytest.mark.usefixtures("home")
ID = "ps_1"


@dataclass
class Desk:
    tools: core.assembly.Desk

    async def check(self, name: str) -> Repo:
        """Name the repository and look at it."""
        await self.tools.service.handle(ID, c.NameRepo(by=ALICE, path=name))
        return await self.look()

    async def look(self) -> Repo:
        await check_repo(self.tools, ID)
        found = (await self.tools.service.state(ID)).repo
        assert found is not None
        return found


async def desk(repos: dict[str, dict[str, str]] | None = None) -> Desk:
    ledger = MemoryLedger()
    settings = Settings.model_validate({"worker": Worker(id="laptop"), "repos": repos or {}})
    service = Service(ledger)
    await service.handle(ID, c.StartSession(by=ALICE, place="web:1", surface="web", title="Shop"))
    return Desk(core.assembly.Desk(settings, connect("unix:///nowhere"), ledger, service))


async def test_a_repository_is_found_with_the_base_and_where_it_stands(tmp_path: Path) -> None:
    repo = repository(tmp_path)
    found = await (await desk()).check(str(repo))
    assert (found.problem, found.root, found.worker) == ("", str(repo), "laptop")
    assert (found.base_branch, found.base_commit) == ("main", plain_git(repo, "rev-parse", "HEAD"))
    assert found.detail == ""


async def test_a_folder_inside_a_repository_stands_for_all_of_it(tmp_path: Path) -> None:
    repo = repository(tmp_path)
    (repo / "src").mkdir()
    assert (await (await desk()).check(str(repo / "src"))).root == str(repo)


async def test_unsaved_work_is_said_and_is_no_problem(tmp_path: Path) -> None:
    repo = repository(tmp_path)
    (repo / "page.txt").write_text("not committed\n")
    found = await (await desk()).check(str(repo))
    assert (found.problem, found.detail) == ("", "dirty")


async def test_a_repository_of_the_settings_is_known_by_its_name(tmp_path: Path) -> None:
    repo = repository(tmp_path)
    assert (await (await desk({"shop": {"path": str(repo)}})).check("shop")).root == str(repo)


async def test_work_starts_from_the_branch_the_settings_name_whatever_is_checked_out(tmp_path: Path) -> None:
    repo = repository(tmp_path)
    plain_git(repo, "switch", "-q", "-c", "feature")
    plain_git(repo, "commit", "-q", "--allow-empty", "-m", "Half of it")
    by_name, by_path = await desk({"shop": {"path": str(repo), "base": "main"}}), await desk()
    found = await by_name.check("shop")
    assert (found.base_branch, found.base_commit) == ("main", plain_git(repo, "rev-parse", "main"))
    found = await by_path.check(str(repo))
    assert (found.base_branch, found.base_commit) == ("feature", plain_git(repo, "rev-parse", "HEAD"))


async def test_a_branch_of_the_settings_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    found = await (await desk({"shop": {"path": str(repository(tmp_path)), "base": "trunk"}})).check("shop")
    assert (found.problem, found.root) == ("no_base_branch", "")


async def test_a_home_folder_may_be_written_short(tmp_path: Path) -> None:
    repo = repository(tmp_path)
    assert (await (await desk()).check(f"~/{repo.name}")).root == str(repo)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        (lambda folder: str(folder / "gone"), "path_missing"),
        (lambda folder: "shop", "path_not_absolute"),
        (lambda folder: str(folder), "not_a_repository"),
        (lambda folder: "-x", "path_not_absolute"),
    ],
)
async def test_what_is_wrong_has_a_name(tmp_path: Path, name: Callable[[Path], str], problem: str) -> None:
    found = await (await desk()).check(name(tmp_path))
    assert (found.problem, found.root) == (problem, "")


async def test_looking_again_at_the_same_state_says_nothing_new(tmp_path: Path) -> None:
    here = await desk()
    await here.check(str(repository(tmp_path)))
    before = await here.tools.ledger.last_seq(ID)
    await here.look()
    assert await here.tools.ledger.last_seq(ID) == before


async def test_a_session_that_named_none_has_nothing_to_look_at() -> None:
    here = await desk()
    before = await here.tools.ledger.last_seq(ID)
    await check_repo(here.tools, ID)
    assert await here.tools.ledger.last_seq(ID) == before
