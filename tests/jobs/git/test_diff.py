"""What changed, in numbers and as bounded text."""

from __future__ import annotations

import pytest

from core.errors import Refused
from jobs.git import diff_text, diffstat

from .conftest import Person


async def test_files_and_lines_are_counted_the_biggest_first(person: Person) -> None:
    base = person.commit("gone.txt", "1\n2\n3\n")
    (person.path / "gone.txt").unlink()
    person.write("app.py", "one\nTWO\nthree\n")
    person.write("new\nname.txt", "x\n" * 10)
    (person.path / "picture.png").write_bytes(bytes(range(256)))
    tip = person.commit("last", "end\n")
    stat = await diffstat(person.path, base, tip)
    assert (stat.files, stat.added, stat.removed) == (5, 12, 4)
    assert stat.biggest[0] == ("new\nname.txt", 10, 0)
    assert ("picture.png", 0, 0) in stat.biggest


async def test_a_renamed_file_counts_only_what_changed_in_it(person: Person) -> None:
    base = person.commit("before.txt", "".join(f"{n}\n" for n in range(50)))
    (person.path / "before.txt").rename(person.path / "after.txt")
    tip = person.commit("after.txt", "".join(f"{n}\n" for n in range(51)))
    stat = await diffstat(person.path, base, tip)
    assert stat.biggest == (("after.txt", 1, 0),)


async def test_nothing_changed_is_zero_everywhere(person: Person) -> None:
    assert (await diffstat(person.path, "HEAD", "HEAD")).files == 0
    assert await diff_text(person.path, "HEAD", "HEAD") == ""


async def test_a_long_diff_is_cut_at_a_line_and_says_so(person: Person) -> None:
    base = person.tip("main")
    tip = person.commit("long.txt", "行 line\n" * 10_000)
    whole = await diff_text(person.path, base, tip)
    assert whole.startswith("diff --git a/long.txt b/long.txt")
    assert "cut" not in whole
    part = await diff_text(person.path, base, tip, limit=500)
    *lines, marker = part.splitlines()
    assert len(part) < 550
    assert lines[-1] == "+行 line"
    assert marker.startswith("[diff cut after 4")


@pytest.mark.parametrize("revision", ["--output=stolen", "nowhere", "", "main:app.py"])
async def test_what_is_no_commit_is_refused(person: Person, revision: str) -> None:
    with pytest.raises(Refused, match="commit_missing"):
        await diff_text(person.path, revision, "HEAD")
    with pytest.raises(Refused, match="commit_missing"):
        await diffstat(person.path, "HEAD", revision)
    assert [each.name for each in person.path.iterdir() if each.name != ".git"] == ["app.py"]
