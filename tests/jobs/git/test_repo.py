"""What a person may give work in, and what is refused with a word that says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import Refused
from jobs.git import head, inspect

from .conftest import Person


async def test_a_checkout_is_described(person: Person) -> None:
    facts = await inspect(person.path)
    assert facts.path == str(person.path)
    assert facts.name == "my code 代码"
    assert facts.base_branch == "main"
    assert facts.base_commit == person.tip("main")
    assert not facts.dirty


async def test_a_folder_inside_a_checkout_means_that_checkout(person: Person) -> None:
    person.commit("deep/er/file", "x")
    assert (await inspect(person.path / "deep" / "er")).path == str(person.path)


@pytest.mark.parametrize("name", ["app.py", "new file"])
async def test_changed_and_new_files_make_it_dirty(person: Person, name: str) -> None:
    person.write(name, "changed")
    assert (await inspect(person.path)).dirty


async def test_looking_writes_nothing_into_the_checkout(person: Person) -> None:
    (person.path / "app.py").touch()  # the index is stale now; a plain status would refresh it
    before = (person.path / ".git" / "index").read_bytes()
    await inspect(person.path)
    assert (person.path / ".git" / "index").read_bytes() == before


async def test_a_missing_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="path_missing"):
        await inspect(tmp_path / "nowhere")


async def test_a_plain_folder_a_file_and_the_git_folder_itself_are_no_repository(person: Person) -> None:
    for path in (person.path.parent, person.path / "app.py", person.path / ".git"):
        with pytest.raises(Refused, match="not_a_repository"):
            await inspect(path)


async def test_a_bare_repository_is_refused(person: Person, tmp_path: Path) -> None:
    person.git("clone", "-q", "--bare", str(person.path), str(tmp_path / "bare.git"))
    with pytest.raises(Refused, match="bare_repository"):
        await inspect(tmp_path / "bare.git")


async def test_a_repository_without_a_commit_is_refused(person: Person, tmp_path: Path) -> None:
    person.git("init", "-q", str(tmp_path / "empty"))
    with pytest.raises(Refused, match="no_commits"):
        await inspect(tmp_path / "empty")


async def test_a_detached_head_is_refused(person: Person) -> None:
    person.git("checkout", "-q", "--detach")
    with pytest.raises(Refused, match="detached_head"):
        await inspect(person.path)


async def test_a_missing_git_is_refused(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(Refused, match="git_missing"):
        await inspect(person.path)


async def test_a_git_too_old_to_merge_is_refused(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = person.write("git", "#!/bin/sh\necho git version 2.34.1\n", tmp_path / "bin")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(old.parent))
    with pytest.raises(Refused, match=r"git_too_old.*2\.34.*2\.38"):
        await inspect(person.path)


async def test_head_of_a_folder_that_lost_its_git_does_not_answer_for_the_repository_around_it(person: Person) -> None:
    assert await head(person.path) == person.tip("main")
    (person.path / "inner").mkdir()
    with pytest.raises(Refused, match="not_a_repository"):
        await head(person.path / "inner")
