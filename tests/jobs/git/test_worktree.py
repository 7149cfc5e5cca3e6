"""A task gets its place once, however often it is asked for and wherever the last try died."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path
from subprocess import CalledProcessError

import pytest

from core.errors import Refused, Unavailable
from jobs.git import clean, commit_all, head
from jobs.git.run import git

from .conftest import FLOW, FLOW_BRANCH, Person

T1 = f"{FLOW_BRANCH}--t1"


async def test_a_task_gets_a_worktree_and_a_branch_and_the_persons_checkout_stays_as_it_is(person: Person) -> None:
    person.write("notes.txt", "not committed")
    place = await person.place("T1")
    assert place.worktree == person.data / "worktrees" / FLOW / "t1"
    assert (place.branch, place.flow_branch) == (T1, FLOW_BRANCH)
    assert place.start == place.head == person.tip("main") == person.tip(FLOW_BRANCH) == person.tip(T1)
    assert not place.leftover
    assert (place.worktree / "app.py").read_text() == "one\ntwo\nthree\n"
    assert not (place.worktree / "notes.txt").exists()
    assert person.git("status", "--porcelain") == "?? notes.txt"
    assert person.git("branch", "--show-current") == "main"


async def test_asking_twice_gives_the_same_place(person: Person) -> None:
    first = await person.place("T1")
    before = person.refs()
    assert await person.place("T1") == first
    assert person.refs() == before


async def test_a_task_starts_from_what_its_predecessors_committed(person: Person) -> None:
    first = await person.place("T1")
    (first.worktree / "one.txt").write_text("1")
    done = await commit_all(first, "One")
    assert done
    second = await person.place("T2", settled=[done])
    assert second.start == done == person.tip(FLOW_BRANCH)
    assert (second.worktree / "one.txt").read_text() == "1"


async def test_two_tasks_side_by_side_are_gathered_for_the_third(person: Person) -> None:
    left, right = await asyncio.gather(person.place("T1"), person.place("T2"))
    (left.worktree / "left.txt").write_text("l")
    (right.worktree / "right.txt").write_text("r")
    commits = [await commit_all(left, "Left"), await commit_all(right, "Right")]
    third = await person.place("T3", settled=[each for each in commits if each])
    assert {"left.txt", "right.txt"} <= {each.name for each in third.worktree.iterdir()}
    assert third.start == person.tip(FLOW_BRANCH)
    assert not (left.worktree / "right.txt").exists()


async def test_a_conflict_names_the_files_and_changes_nothing(person: Person) -> None:
    left, right = await person.place("T1"), await person.place("T2")
    (left.worktree / "app.py").write_text("left\ntwo\nthree\n")
    (right.worktree / "app.py").write_text("right\ntwo\nthree\n")
    commits = [str(await commit_all(left, "Left")), str(await commit_all(right, "Right"))]
    before = person.refs()
    with pytest.raises(Refused) as caught:
        await person.place("T3", settled=commits)
    assert caught.value.code == "merge_conflict"
    assert caught.value.params["files"] == ["app.py"]
    assert caught.value.params["commit"] == commits[1]
    assert person.refs() == before
    assert not (person.data / "worktrees" / FLOW / "t3").exists()


async def test_rework_keeps_the_tasks_commits_and_measures_from_the_same_start(person: Person) -> None:
    first = await person.place("T1")
    (first.worktree / "one.txt").write_text("1")
    done = await commit_all(first, "One")
    again = await person.place("T1")
    assert (again.start, again.head) == (first.start, done)
    assert not again.leftover


async def test_rework_takes_in_what_settled_in_between(person: Person) -> None:
    first, second = await person.place("T1"), await person.place("T2")
    (first.worktree / "one.txt").write_text("1")
    one = str(await commit_all(first, "One"))
    (second.worktree / "two.txt").write_text("2")
    await commit_all(second, "Two")
    again = await person.place("T2", settled=[one])
    assert (again.worktree / "one.txt").exists()
    assert (again.worktree / "two.txt").exists()
    assert again.start == one
    assert again.head == person.tip(f"{FLOW_BRANCH}--t2") == await head(again.worktree)


async def test_a_killed_attempts_files_stay_and_are_reported(person: Person) -> None:
    first = await person.place("T1")
    (first.worktree / "half.txt").write_text("half")
    (first.worktree / "app.py").write_text("changed")
    admin = person.path / ".git" / "worktrees" / "t1"
    (admin / "index.lock").write_text("")
    (person.path / ".git" / "refs" / "heads" / f"{T1}.lock").write_text("")
    again = await person.place("T1")
    assert again.leftover
    assert (again.worktree / "half.txt").read_text() == "half"
    assert await commit_all(again, "Keep it")


async def test_a_deleted_worktree_comes_back_with_its_commits(person: Person) -> None:
    first = await person.place("T1")
    (first.worktree / "one.txt").write_text("1")
    done = await commit_all(first, "One")
    for empty in (False, True):
        shutil.rmtree(first.worktree)
        if empty:
            first.worktree.mkdir()
        again = await person.place("T1")
        assert again.head == done
        assert not again.leftover
        assert (again.worktree / "one.txt").exists()


async def test_another_worktree_of_the_person_on_a_missing_disk_is_not_forgotten(person: Person) -> None:
    elsewhere = person.path.parent / "elsewhere"
    person.git("worktree", "add", "-q", "-b", "mine", str(elsewhere))
    elsewhere.rename(person.path.parent / "unplugged")
    first = await person.place("T1")
    shutil.rmtree(first.worktree)
    await person.place("T1")
    await clean(person.path, person.data, flow_id=FLOW, branches=[T1], delete_branches=True)
    (person.path.parent / "unplugged").rename(elsewhere)
    assert person.git("branch", "--show-current", at=elsewhere) == "mine"


def only_the_flow_branch(person: Person) -> None:
    person.git("branch", FLOW_BRANCH, "main")


def flow_and_task_branch(person: Person) -> None:
    person.git("branch", FLOW_BRANCH, "main")
    person.git("branch", T1, "main")


def an_empty_folder(person: Person) -> None:
    (person.data / "worktrees" / FLOW / "t1").mkdir(parents=True)


def an_unfinished_checkout(person: Person) -> None:
    place = person.data / "worktrees" / FLOW / "t1"
    person.git("worktree", "add", "-q", "--no-checkout", "-b", T1, str(place), "main")
    (person.path / ".git" / "worktrees" / "t1" / "locked").write_text("initializing")
    (place / "app.py").write_text("on")  # a file cut in the middle


def a_registration_without_its_folder(person: Person) -> None:
    an_unfinished_checkout(person)
    shutil.rmtree(person.data / "worktrees" / FLOW / "t1")


def a_registration_without_its_pointer(person: Person) -> None:
    an_unfinished_checkout(person)
    (person.path / ".git" / "worktrees" / "t1" / "gitdir").unlink()


def a_registration_cut_while_git_wrote_it(person: Person) -> None:
    an_unfinished_checkout(person)
    (person.path / ".git" / "worktrees" / "t1" / "commondir").write_text("")


def a_registration_cut_before_its_head(person: Person) -> None:
    a_registration_cut_while_git_wrote_it(person)
    (person.path / ".git" / "worktrees" / "t1" / "commondir").unlink()
    (person.path / ".git" / "worktrees" / "t1" / "HEAD").write_text("")


def a_registration_cut_before_its_pointer(person: Person) -> None:
    a_registration_cut_before_its_head(person)
    (person.path / ".git" / "worktrees" / "t1" / "gitdir").write_text("")
    shutil.rmtree(person.data / "worktrees")


def a_worktree_without_its_files(person: Person) -> None:
    an_unfinished_checkout(person)
    (person.path / ".git" / "worktrees" / "t1" / "locked").unlink()
    (person.path / ".git" / "worktrees" / "t1" / "index.lock").write_text("")


def only_a_registration_folder(person: Person) -> None:
    admin = person.path / ".git" / "worktrees" / "t1"
    admin.mkdir(parents=True)
    (admin / "locked").write_text("initializing")


def a_worktree_without_its_registration(person: Person) -> None:
    an_unfinished_checkout(person)
    shutil.rmtree(person.path / ".git" / "worktrees")


@pytest.mark.parametrize(
    "left_by_a_crash",
    [
        only_the_flow_branch,
        flow_and_task_branch,
        an_empty_folder,
        an_unfinished_checkout,
        a_worktree_without_its_files,
        a_registration_cut_while_git_wrote_it,
        a_registration_cut_before_its_head,
        a_registration_cut_before_its_pointer,
        a_registration_without_its_folder,
        a_registration_without_its_pointer,
        only_a_registration_folder,
        a_worktree_without_its_registration,
    ],
    ids=lambda step: step.__name__,
)
async def test_whatever_a_crash_left_the_next_call_finishes_it(person: Person, left_by_a_crash: object) -> None:
    assert callable(left_by_a_crash)
    left_by_a_crash(person)
    place = await person.place("T1")
    assert not place.leftover
    assert (place.worktree / "app.py").read_text() == "one\ntwo\nthree\n"
    assert person.git("status", "--porcelain", at=place.worktree) == ""
    assert person.git("branch", "--show-current", at=place.worktree) == T1
    assert person.git("fsck", "--no-dangling") == ""


async def test_what_a_crash_of_one_task_left_does_not_stop_another(person: Person) -> None:
    a_registration_cut_while_git_wrote_it(person)
    with pytest.raises(CalledProcessError):
        person.git("worktree", "list")  # this is what it does to the person, too
    assert not (await person.place("T2")).leftover
    assert len(person.git("worktree", "list").splitlines()) == 2


@pytest.mark.parametrize("moment", [0.0, 0.005, 0.01, 0.02, 0.04, 0.06])
async def test_a_call_cut_at_any_moment_is_finished_by_the_next(person: Person, moment: float) -> None:
    cut = asyncio.create_task(person.place("T1"))
    await asyncio.wait([cut], timeout=moment)
    cut.cancel()
    await asyncio.wait([cut])
    place = await person.place("T1")
    assert (place.head, place.leftover) == (person.tip("main"), False)


async def test_files_where_git_knows_no_worktree_are_moved_aside(person: Person) -> None:
    place = person.data / "worktrees" / FLOW / "t1"
    person.write("precious.txt", "work", place)
    assert not (await person.place("T1")).leftover
    assert (place.with_name("t1.kept-1") / "precious.txt").read_text() == "work"


async def test_an_agent_that_switched_branches_is_brought_back_with_its_files(person: Person) -> None:
    place = await person.place("T1")
    person.git("checkout", "-q", "-b", "own-idea", at=place.worktree)
    person.commit("idea.txt", "idea", at=place.worktree)
    again = await person.place("T1")
    assert again.leftover
    assert person.git("branch", "--show-current", at=place.worktree) == T1
    assert await commit_all(again, "Keep the idea")
    assert person.git("show", f"{T1}:idea.txt") == "idea"


async def test_branches_a_person_has_checked_out_are_left_alone(person: Person) -> None:
    person.git("checkout", "-q", "-b", T1)
    with pytest.raises(Refused, match="branch_in_use"):
        await person.place("T1")
    person.git("checkout", "-q", FLOW_BRANCH)
    first = await person.place("T2")  # nothing to gather, so looking at the flow's branch is no hindrance
    (first.worktree / "x").write_text("x")
    with pytest.raises(Refused, match="branch_in_use"):
        await person.place("T3", settled=[str(await commit_all(first, "X"))])
    assert person.git("status", "--porcelain") == ""


async def test_a_branch_of_the_same_name_with_another_history_is_not_taken_over(person: Person) -> None:
    person.git("branch", "threadlead", "main")
    with pytest.raises(Refused, match="branch_name_taken"):
        await person.place("T1")
    person.git("branch", "-m", "threadlead", "renamed")
    person.git("checkout", "-q", "--orphan", FLOW_BRANCH)
    person.commit("other", "history")
    person.git("checkout", "-q", "main")
    with pytest.raises(Refused, match="branch_name_taken"):
        await person.place("T1")


@pytest.mark.parametrize("commit", ["0" * 40, "--upload-pack=x", "HEAD^{/x", ""])
async def test_a_commit_that_is_not_there_is_refused(person: Person, commit: str) -> None:
    with pytest.raises(Refused, match="commit_missing"):
        await person.place("T1", settled=[commit])


async def test_twenty_calls_at_once_in_one_flow_give_twenty_places(person: Person) -> None:
    places = await asyncio.gather(*(person.place(f"T{n}") for n in range(20)))
    assert len({place.worktree for place in places}) == 20
    assert {place.head for place in places} == {person.tip("main")}
    assert person.git("fsck", "--no-dangling") == ""


async def test_twenty_calls_at_once_in_ten_flows_do_not_harm_the_repository(person: Person) -> None:
    flows = [f"flow_{n:08d}" for n in range(10)]
    places = await asyncio.gather(*(person.place("T1", flow_id=flow) for flow in flows * 2))
    assert len({place.worktree for place in places}) == 10
    assert person.git("fsck", "--no-dangling") == ""
    for place in places:
        assert person.git("status", "--porcelain", at=place.worktree) == ""


async def test_clean_removes_worktrees_and_branches_and_may_be_called_again(person: Person) -> None:
    first, second = await person.place("T1"), await person.place("T2")
    (first.worktree / ".git").unlink()  # broken by its agent
    locked_up = first.worktree / "cache" / "mod"
    locked_up.mkdir(parents=True)
    (locked_up / "file").write_text("x")
    locked_up.chmod(0o500)
    outside = person.write("precious", "stay", person.path.parent / "outside")
    (second.worktree / "link").symlink_to(outside.parent)
    branches = [first.branch, second.branch, FLOW_BRANCH]
    for _ in range(2):
        await clean(person.path, person.data, flow_id=FLOW, branches=branches, delete_branches=True)
        assert not (person.data / "worktrees" / FLOW).exists()
        assert person.git("branch", "--format=%(refname:short)") == "main"
        assert len(person.git("worktree", "list").splitlines()) == 1
    assert outside.read_text() == "stay"


async def test_clean_keeps_branches_unless_asked_and_the_one_a_person_looks_at(person: Person) -> None:
    place = await person.place("T1")
    await clean(person.path, person.data, flow_id=FLOW, branches=[place.branch], delete_branches=False)
    assert person.tip(place.branch)
    person.git("checkout", "-q", FLOW_BRANCH)
    await clean(person.path, person.data, flow_id=FLOW, branches=[place.branch, FLOW_BRANCH], delete_branches=True)
    assert person.tip(FLOW_BRANCH)


async def test_clean_deletes_no_branch_that_is_not_ours(person: Person) -> None:
    place = await person.place("T1")
    with pytest.raises(Refused, match="not_our_branch"):
        await clean(person.path, person.data, flow_id=FLOW, branches=["main"], delete_branches=True)
    assert place.worktree.exists()


async def test_a_repository_that_is_gone_is_said_to_be_outside_our_hands(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="git_failed"):
        await git(tmp_path / "gone", "status")


WORKER = """
import asyncio, sys
from pathlib import Path
from jobs.git import prepare
repo, data, flow, base = sys.argv[1:]
print("ready", flush=True)
work = dict(flow_id=flow, slug="Fix the retry", short="T1", base_commit=base, settled=[])
asyncio.run(prepare(Path(repo), Path(data), **work))
"""


@pytest.mark.process
@pytest.mark.parametrize("moment", [0.01, 0.03, 0.06])
async def test_a_worker_killed_outright_leaves_nothing_that_stops_the_next(person: Person, moment: float) -> None:
    arguments = [str(person.path), str(person.data), FLOW, person.tip("main")]
    worker = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WORKER, *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    assert worker.stdout
    assert await worker.stdout.readline() == b"ready\n"
    await asyncio.wait([asyncio.create_task(worker.wait())], timeout=moment)
    if worker.returncode is None:
        worker.kill()
    await worker.communicate()
    place = await person.place("T1")
    assert (place.head, place.leftover) == (person.tip("main"), False)
    assert person.git("status", "--porcelain", at=place.worktree) == ""
