"""A repository, and an agent in its worktree, that try to make git do more than it was asked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from jobs.git import commit_all, diff_text, diffstat, inspect, integrate, merge_to_base

from .conftest import FLOW, FLOW_BRANCH, Person

HOOKS = (
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-checkout", "post-commit", "post-index-change",
    "post-merge", "post-rewrite", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "reference-transaction",
)  # fmt: skip


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a mark beside itself when anything starts it."""
    program = tmp_path / "trap"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> "{tmp_path}/sprung"\ncat\n')
    program.chmod(0o755)
    return program


def sprung(trap: Path) -> str:
    mark = trap.with_name("sprung")
    return mark.read_text() if mark.exists() else ""


async def live(person: Person) -> None:
    """Everything a flow does with a repository, from the first look to the merge."""
    facts = await inspect(person.path)
    place = await person.place("T1")
    (place.worktree / "app.py").write_text("changed by the task\n")
    (place.worktree / "new.txt").write_text("new")
    commit = str(await commit_all(place, "Work"))
    await person.place("T1")
    tip = await integrate(
        person.path, person.data, flow_id=FLOW, slug="Fix the retry", base_commit=place.start, commits=[commit]
    )
    await diffstat(person.path, place.start, tip)
    assert "changed by the task" in await diff_text(person.path, place.start, tip)
    await merge_to_base(
        person.path,
        person.data,
        flow_branch=FLOW_BRANCH,
        base_branch=facts.base_branch,
        message="Merge",
        expected_tip=tip,
    )


async def test_hooks_do_not_run(person: Person, trap: Path) -> None:
    person.git("config", "core.hooksPath", str(person.path / ".git" / "hooks"))
    for hook in HOOKS:
        shutil.copy(trap, person.path / ".git" / "hooks" / hook)
    await live(person)
    assert sprung(trap) == ""


async def test_programs_named_in_the_configuration_for_show_and_speed_do_not_run(person: Person, trap: Path) -> None:
    person.commit(".gitattributes", "*.py diff=trap\n")
    for name in (
        "diff.external", "diff.trap.command", "diff.trap.textconv", "core.fsmonitor", "core.pager", "core.editor",
        "core.askPass", "gpg.program", "core.sshCommand", "credential.helper", "sequence.editor", "interactive.diffFilter",
    ):  # fmt: skip
        person.git("config", name, str(trap))
    for name in ("commit.gpgSign", "merge.verifySignatures"):
        person.git("config", name, "true")
    trap.with_name("sprung").unlink(missing_ok=True)  # our own set-up ran git too
    await live(person)
    assert sprung(trap) == ""


async def test_a_filter_only_named_by_the_repository_does_nothing(person: Person) -> None:
    person.commit(".gitattributes", "* filter=evil diff=evil merge=evil\n")
    await live(person)


async def test_a_git_folder_planted_by_an_agent_is_not_read(person: Person, trap: Path) -> None:
    place = await person.place("T1")
    (place.worktree / ".git").unlink()
    person.git("init", "-q", at=place.worktree)
    person.git("config", "filter.evil.clean", str(trap), at=place.worktree)
    (place.worktree / ".gitattributes").write_text("* filter=evil\n")
    (place.worktree / "new.txt").write_text("new")
    sha = await commit_all(place, "Work")
    assert sha == person.tip(place.branch)
    again = await person.place("T1")
    assert not again.leftover
    assert (again.worktree / ".git").is_file()
    assert person.git("rev-parse", "HEAD", at=again.worktree) == sha
    assert sprung(trap) == ""


async def test_a_submodule_that_is_not_there_is_left_alone(person: Person) -> None:
    person.git("update-index", "--add", "--cacheinfo", f"160000,{person.tip('main')},libs/inner")
    person.write(".gitmodules", '[submodule "x"]\n\tpath = libs/inner\n\turl = ext::sh -c touch% sprung\n')
    person.git("add", ".gitmodules")
    person.git("commit", "-q", "-m", "Add a submodule")
    (person.path / "libs" / "inner").mkdir(parents=True)
    await live(person)
    assert "160000" in person.git("ls-tree", "main", "libs/inner")
    assert list((person.path / "libs" / "inner").iterdir()) == []


async def test_git_is_not_started_inside_a_submodule_an_agent_filled(person: Person, trap: Path) -> None:
    person.git("update-index", "--add", "--cacheinfo", f"160000,{person.tip('main')},inner")
    person.git("commit", "-q", "-m", "Add a submodule")
    place = await person.place("T1")
    person.git("merge", "-q", "main", at=place.worktree)
    inner = place.worktree / "inner"
    person.git("init", "-q", at=inner)
    person.commit(".gitattributes", "* filter=evil\n", at=inner)
    person.commit("file", "one", at=inner)
    person.git("config", "filter.evil.clean", str(trap), at=inner)
    person.git("config", "core.fsmonitor", str(trap), at=inner)
    (inner / "file").write_text("two")
    (place.worktree / "new.txt").write_text("new")
    assert await commit_all(place, "Work")
    await person.place("T1")
    assert sprung(trap) == ""
    assert person.git("diff", "--name-only", "main", place.branch) == "new.txt"


async def test_links_out_of_the_tree_stay_links(person: Person) -> None:
    secret = person.write("secret", "hidden", person.path.parent / "outside")
    place = await person.place("T1")
    (place.worktree / "file-link").symlink_to(secret)
    (place.worktree / "folder-link").symlink_to(secret.parent)
    sha = await commit_all(place, "Links")
    assert person.git("ls-tree", str(sha), "file-link", "folder-link").count("120000") == 2
    assert "hidden" not in await diff_text(person.path, place.start, str(sha))


async def test_a_folder_replaced_by_a_link_is_committed_as_the_link(person: Person) -> None:
    person.commit("folder/file", "x")
    place = await person.place("T1")
    person.git("merge", "-q", "main", at=place.worktree)
    shutil.rmtree(place.worktree / "folder")
    (place.worktree / "folder").symlink_to(person.path.parent)
    sha = await commit_all(place, "Link")
    assert person.git("ls-tree", "-r", "--name-only", str(sha)) == "app.py\nfolder"


async def test_option_like_branch_names_are_only_names(person: Person) -> None:
    person.git("update-ref", "refs/heads/--force", "HEAD")
    person.git("symbolic-ref", "HEAD", "refs/heads/--force")
    facts = await inspect(person.path)
    assert facts.base_branch == "--force"
    await live(person)
    assert person.tip("--force") != facts.base_commit
