"""Names are safe whatever people type."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Refused
from jobs.git import flow_branch, slug, task_branch
from jobs.git.names import flow_folder


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Fix the retry", "fix-the-retry"),
        ("修复重试逻辑", "work"),
        ("修复 retry 逻辑", "retry"),
        ("Café déjà vu", "cafe-deja-vu"),
        ("--upload-pack=touch x; $(rm -rf /)", "upload-pack-touch-x-rm-rf"),
        ("../../etc/passwd\n.lock", "etc-passwd-lock"),
        ("", "work"),
        ("word " * 100, "word-word-word-word-word-word-word-word"),
    ],
)
def test_a_title_becomes_a_short_plain_word_list(title: str, expected: str) -> None:
    assert slug(title) == expected


@given(st.text())
def test_any_title_gives_a_safe_slug_and_slugging_twice_changes_nothing(title: str) -> None:
    made = slug(title)
    assert set(made) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert 1 <= len(made) <= 40
    assert made[0] != "-"
    assert "--" not in made
    assert slug(made) == made


def test_branches_carry_the_flow_and_the_task() -> None:
    assert flow_branch("Fix it", "flow_0192-9f3c21aa") == "threadlead/fix-it-9f3c21aa"
    assert task_branch("Fix it", "flow_0192-9f3c21aa", "T3") == "threadlead/fix-it-9f3c21aa--t3"


@pytest.mark.parametrize("flow_id", ["../up", "", "a/b", "-x", "a b", "a\n", "x" * 200])
def test_an_id_that_is_not_a_plain_word_is_refused(flow_id: str) -> None:
    with pytest.raises(Refused, match="unsafe_name"):
        flow_folder(Path("/data"), flow_id)
