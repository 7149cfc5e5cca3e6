"""An accepted flow comes into the person's branch whole, or nothing changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from subprocess import CalledProcessError

import pytest

from core.errors import Refused
from jobs.git import clean, commit_all, integrate, merge_to_base

from .conftest import FLOW, FLOW_BRANCH, Person


async def finished(person: Person, name: str = "result.txt", text: str = "result\n") -> str:
    """A flow with one finished task; gives the tip of the flow's branch, which a card would show."""
    place = await person.place("T1")
    file = place.worktree / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    commit = str(await commit_all(place, "Work"))
    return await gathered(person, commit)


async def gathered(person: Person, *commits: str) -> str:
    base = person.git("rev-list", "--max-parents=0", "HEAD")
    return await integrate(
        person.path, person.data, flow_id=FLOW, slug="Fix the retry", base_commit=base, commits=commits
    )


def merge(person: Person, tip: str, base: str = "main") -> Awaitable[str]:
    return merge_to_base(
        person.path,
        person.data,
        flow_branch=FLOW_BRANCH,
        base_branch=base,
        message="Merge the work",
        expected_tip=tip,
    )


async def refused(person: Person, tip: str, code: str, base: str = "main") -> dict[str, object]:
    """The merge is refused with ``code``; neither a branch nor a file of the person changed."""
    before = (person.refs(), person.git("status", "--porcelain"), person.git("rev-parse", "HEAD"))
    with pytest.raises(Refused) as caught:
        await merge(person, tip, base)
    assert caught.value.code == code
    assert (person.refs(), person.git("status", "--porcelain"), person.git("rev-parse", "HEAD")) == before
    return caught.value.params


async def test_gathering_twice_changes_nothing_the_second_time(person: Person) -> None:
    tip = await finished(person)
    before = person.refs()
    assert await gathered(person, tip) == tip
    assert person.refs() == before


async def test_gathering_is_all_or_nothing(person: Person) -> None:
    commits = []
    for short, text in (("T1", "first\n"), ("T2", "second\n")):
        place = await person.place(short)
        (place.worktree / "app.py").write_text(text)
        commits.append(str(await commit_all(place, text)))
    with pytest.raises(Refused, match=r"merge_conflict.*app\.py"):
        await gathered(person, *commits)
    assert person.tip(FLOW_BRANCH) == person.tip("main")


async def test_a_history_without_a_common_commit_is_refused(person: Person) -> None:
    tip = await finished(person)
    person.git("checkout", "-q", "--orphan", "alone")
    alone = person.commit("app.py", "alone")
    person.git("checkout", "-q", "main")
    with pytest.raises(Refused, match="unrelated_histories"):
        await gathered(person, alone)
    assert person.tip(FLOW_BRANCH) == tip


async def test_a_base_that_did_not_move_is_forwarded_with_the_persons_files(person: Person) -> None:
    tip = await finished(person)
    person.write("notes.txt", "mine, untracked")
    assert await merge(person, tip) == tip == person.tip("main")
    assert (person.path / "result.txt").read_text() == "result\n"
    assert person.git("status", "--porcelain") == "?? notes.txt"


async def test_a_base_that_moved_gets_a_merge_commit(person: Person) -> None:
    tip = await finished(person)
    moved = person.commit("other.txt", "other")
    made = await merge(person, tip)
    assert made == person.tip("main")
    assert person.git("show", "-s", "--format=%P %s", made) == f"{moved} {tip} Merge the work"
    assert (person.path / "result.txt").exists()
    assert person.git("status", "--porcelain") == ""


@pytest.mark.parametrize("base_moved", [False, True])
async def test_merging_again_gives_the_same_commit_whatever_came_after(person: Person, base_moved: bool) -> None:
    tip = await finished(person)
    if base_moved:
        person.commit("other.txt", "other")
    made = await merge(person, tip)
    assert await merge(person, tip) == made
    later = person.commit("later.txt", "later")
    await clean(person.path, person.data, flow_id=FLOW, branches=[FLOW_BRANCH], delete_branches=True)
    assert await merge(person, tip) == made
    assert person.tip("main") == later


async def test_two_clicks_at_once_merge_once(person: Person) -> None:
    tip = await finished(person)
    person.commit("other.txt", "other")
    made = await asyncio.gather(*(merge(person, tip) for _ in range(5)))
    assert set(made) == {person.tip("main")}
    assert person.git("rev-list", "--count", "--merges", "main") == "1"


async def test_a_base_nobody_has_checked_out_is_moved_without_touching_files(person: Person) -> None:
    tip = await finished(person)
    person.commit("other.txt", "other")
    person.git("checkout", "-q", "-b", "mine")
    person.write("app.py", "being edited")
    made = await merge(person, tip)
    assert person.tip("main") == made
    assert not (person.path / "result.txt").exists()
    assert (person.path / "app.py").read_text() == "being edited"


async def test_a_base_checked_out_in_another_worktree_is_merged_there(person: Person) -> None:
    tip = await finished(person)
    second = person.path.parent / "second checkout"
    person.git("checkout", "-q", "-b", "mine")
    person.git("worktree", "add", "-q", str(second), "main")
    await merge(person, tip)
    assert (second / "result.txt").exists()
    assert person.git("status", "--porcelain", at=second) == ""


async def test_a_conflict_names_the_files(person: Person) -> None:
    tip = await finished(person, "app.py", "ours\n")
    person.commit("app.py", "theirs\n")
    assert (await refused(person, tip, "merge_conflict"))["files"] == ["app.py"]


@pytest.mark.parametrize("staged", [False, True])
async def test_uncommitted_changes_in_the_checkout_are_named(person: Person, staged: bool) -> None:
    tip = await finished(person)
    person.write("app.py", "edited by hand")
    if staged:
        person.git("add", "app.py")
    params = await refused(person, tip, "base_dirty")
    assert params["files"] == ["app.py"]
    assert params["path"] == str(person.path)


@pytest.mark.parametrize(
    ("made_by_flow", "made_by_person"),
    [("result.txt", "result.txt"), ("result.env", "result.env"), ("deep/er/x", "deep"), ("deep/er/x", "deep/er/x")],
)
async def test_an_untracked_or_ignored_file_in_the_way_is_never_overwritten(
    person: Person, made_by_flow: str, made_by_person: str
) -> None:
    tip = await finished(person, made_by_flow)
    (person.path / ".git" / "info" / "exclude").write_text("*.env\n")
    file = person.write(made_by_person, "the only copy")
    assert (await refused(person, tip, "base_dirty"))["files"] == [made_by_person]
    assert file.read_text() == "the only copy"


async def test_a_link_in_the_way_is_not_followed(person: Person) -> None:
    tip = await finished(person, "deep/x")
    outside = person.path.parent / "outside"
    outside.mkdir()
    (person.path / "deep").symlink_to(outside)
    await refused(person, tip, "base_dirty")
    assert not list(outside.iterdir())


async def test_an_untracked_folder_where_a_file_must_go_is_refused(person: Person) -> None:
    tip = await finished(person, "deep")
    person.write("deep/mine.txt", "mine")
    assert (await refused(person, tip, "base_dirty"))["files"] == ["deep"]
    assert (person.path / "deep" / "mine.txt").read_text() == "mine"


async def test_a_tracked_folder_may_become_a_file(person: Person) -> None:
    person.commit("deep/er/x", "x")
    place = await person.place("T1")
    person.git("merge", "-q", "main", at=place.worktree)
    person.git("rm", "-q", "-r", "deep", at=place.worktree)
    (place.worktree / "deep").write_text("a file now")
    tip = await gathered(person, str(await commit_all(place, "Flatten")))
    assert await merge(person, tip) == tip
    assert (person.path / "deep").read_text() == "a file now"


async def test_a_merge_or_git_at_work_in_the_checkout_is_waited_out(person: Person) -> None:
    tip = await finished(person)
    lock = person.write("index.lock", "", person.path / ".git")
    await refused(person, tip, "base_busy")
    lock.unlink()
    assert await merge(person, tip) == tip


async def test_a_rebase_of_the_base_in_progress_is_not_disturbed(person: Person) -> None:
    tip = await finished(person)
    person.git("checkout", "-q", "-b", "side")
    person.commit("app.py", "side\n")
    person.git("checkout", "-q", "main")
    person.commit("app.py", "main\n")
    with pytest.raises(CalledProcessError, match="rebase"):
        person.git("rebase", "side")
    assert "rebase" in str((await refused(person, tip, "base_busy"))["why"])


async def test_commits_after_the_card_was_shown_ask_again(person: Person) -> None:
    shown = await finished(person)
    place = await person.place("T1")
    (place.worktree / "more.txt").write_text("more")
    now = await gathered(person, str(await commit_all(place, "More")))
    params = await refused(person, shown, "branch_moved")
    assert (params["expected"], params["actual"]) == (shown, now)


async def test_branches_that_are_not_there_are_refused(person: Person) -> None:
    tip = await finished(person)
    await refused(person, tip, "branch_missing", base="nowhere")
    await refused(person, tip, "branch_missing", base="--force")
    await clean(person.path, person.data, flow_id=FLOW, branches=[FLOW_BRANCH], delete_branches=True)
    await refused(person, tip, "branch_missing")
