"""What an attempt left becomes a commit, or is refused by name."""

from __future__ import annotations

from pathlib import Path
from subprocess import CalledProcessError

import pytest

from core.errors import Refused
from jobs.git import commit_all

from .conftest import Person


async def test_new_changed_and_deleted_files_are_committed_and_ignored_ones_are_not(person: Person) -> None:
    person.commit(".gitignore", "*.log\n")
    person.commit("old.txt", "old")
    place = await person.place("T1")
    person.git("merge", "-q", "main", at=place.worktree)
    (place.worktree / "old.txt").unlink()
    (place.worktree / "app.py").write_text("changed")
    for name in ("new.txt", "noise.log"):
        (place.worktree / name).write_text("x")
    sha = await commit_all(place, "# Work\n\nBecause.")
    assert sha == person.tip(place.branch)
    assert person.git("show", "--name-status", "--format=%B", str(sha)).split("\n") == [
        "# Work", "", "Because.", "", "", "M\tapp.py", "A\tnew.txt", "D\told.txt",
    ]  # fmt: skip
    assert person.git("status", "--porcelain", at=place.worktree) == ""


async def test_nothing_changed_makes_no_commit(person: Person) -> None:
    place = await person.place("T1")
    assert await commit_all(place, "Nothing") is None
    (place.worktree / "app.py").write_text("changed")
    assert await commit_all(place, "Something")
    assert await commit_all(place, "Nothing again") is None


async def test_deleting_everything_is_a_change_like_any_other(person: Person) -> None:
    place = await person.place("T1")
    (place.worktree / "app.py").unlink()
    assert await commit_all(place, "Empty it")
    assert person.git("ls-tree", place.branch) == ""


async def test_the_person_signs_where_git_knows_them_and_threadlead_where_not(person: Person, home: Path) -> None:
    place = await person.place("T1")
    (place.worktree / "a").write_text("a")
    by_person = await commit_all(place, "A")
    (home / ".gitconfig").unlink()
    (place.worktree / "b").write_text("b")
    by_us = await commit_all(place, "B")
    author = "%an <%ae> %cn"
    assert person.git("show", "-s", f"--format={author}", str(by_person)) == "alice <alice@example.org> alice"
    assert person.git("show", "-s", f"--format={author}", str(by_us)) == "Threadlead <threadlead@localhost> Threadlead"


@pytest.mark.parametrize(
    ("message", "subject"),
    [
        ("", "Keep work"),
        ("\0\0", "Keep work"),
        ("--amend", "--amend"),
        ("修复\0 it", "修复 it"),
        ("x" * 10**6, "x" * 20_000),
    ],
)
async def test_any_message_is_only_a_message(person: Person, message: str, subject: str) -> None:
    place = await person.place("T1")
    (place.worktree / "a").write_text("a")
    sha = await commit_all(place, message)
    assert person.git("show", "-s", "--format=%s", str(sha)) == subject
    assert person.git("rev-parse", f"{sha}^") == place.start


async def test_a_file_too_large_is_refused_by_name_and_can_be_left_out(person: Person) -> None:
    place = await person.place("T1")
    (place.worktree / "small").write_text("s")
    (place.worktree / "huge [x]*.bin").write_bytes(b"0" * 2000)
    person.git("add", "--all", at=place.worktree)  # as agents do
    with pytest.raises(Refused) as caught:
        await commit_all(place, "Both", file_limit=1000)
    assert caught.value.code == "files_too_large"
    assert caught.value.params["files"] == ["huge [x]*.bin"]
    assert person.tip(place.branch) == place.start
    assert await commit_all(place, "One", file_limit=1000, leave_out=["huge [x]*.bin"])
    assert person.git("diff", "--name-only", place.start, place.branch) == "small"
    assert (place.worktree / "huge [x]*.bin").exists()


async def test_a_name_that_is_no_text_is_shown_as_one_that_can_be_left_out(person: Person) -> None:
    place = await person.place("T1")
    (place.worktree / "huge-\udcff").write_bytes(b"0" * 2000)
    with pytest.raises(Refused) as caught:
        await commit_all(place, "All", file_limit=1000)
    assert caught.value.params["files"] == ["huge-\ufffd"]
    assert await commit_all(place, "Rest", file_limit=1000, leave_out=["huge-\ufffd"]) is None


async def test_a_repository_inside_the_worktree_is_refused_by_name_and_can_be_left_out(person: Person) -> None:
    place = await person.place("T1")
    (place.worktree / "kept").write_text("k")
    inner = place.worktree / "vendor" / "thing"
    inner.mkdir(parents=True)
    person.git("init", "-q", at=inner)
    person.commit("x", "x", at=inner)
    with pytest.raises(Refused, match=r"nested_repository.*vendor/thing"):
        await commit_all(place, "All")
    assert await commit_all(place, "Rest", leave_out=["vendor/thing"])
    assert person.git("diff", "--name-only", place.start, place.branch) == "kept"


async def test_open_conflicts_are_refused(person: Person) -> None:
    place = await person.place("T1")
    person.git("checkout", "-q", "-b", "other", at=place.worktree)
    person.commit("app.py", "other", at=place.worktree)
    person.git("checkout", "-q", place.branch, at=place.worktree)
    person.commit("app.py", "mine", at=place.worktree)
    with pytest.raises(CalledProcessError, match="merge"):
        person.git("merge", "other", at=place.worktree)
    with pytest.raises(Refused, match=r"unmerged_files.*app\.py"):
        await commit_all(place, "Conflicted")


async def test_a_worktree_on_another_branch_is_refused(person: Person) -> None:
    place = await person.place("T1")
    for switch, actual in ((("-b", "elsewhere"), "elsewhere"), (("--detach",), "detached")):
        person.git("checkout", "-q", *switch, at=place.worktree)
        with pytest.raises(Refused, match=f"wrong_branch.*{actual}"):
            await commit_all(place, "Lost")


async def test_a_worktree_that_is_gone_is_refused(person: Person) -> None:
    place = await person.place("T1")
    place.worktree.rename(place.worktree.with_name("moved"))
    with pytest.raises(Refused, match="worktree_missing"):
        await commit_all(place, "Nowhere")


async def test_odd_file_names_are_committed_as_they_are(person: Person) -> None:
    place = await person.place("T1")
    names = ["--force", "-rf", "a b", "new\nline", "tab\there", ":(exclude)x", "*", "中文", "$(touch x)", '"quoted"']
    for name in names:
        (place.worktree / name).write_text(name)
    (place.worktree / "not-utf8-\udcff").write_text("x")
    assert await commit_all(place, "Odd")
    listed = person.git("ls-tree", "-r", "-z", "--name-only", place.branch)
    assert {*names, "not-utf8-\udcff", "app.py", ""} == set(listed.split("\0"))
    assert person.git("status", "--porcelain", at=place.worktree) == ""
