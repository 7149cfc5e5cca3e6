"""Every reason has a phrase in both languages, and hostile text inside it stays visible and short."""

from __future__ import annotations

import pytest

from jobs.policy import Reason, describe
from jobs.policy.words import MAX_SHOWN, PHRASES
from tests.jobs.policy.conftest import Rule
from tests.jobs.policy.test_judge import ASKS


def test_a_phrase_names_what_the_command_does_and_which_part_does_it() -> None:
    """In the language that is asked for."""
    reason = Reason("uses_network", {"command": "npm ci"})
    assert describe(reason, "en") == "uses the network (npm ci)"
    assert describe(reason, "zh") == "使用网络(npm ci)"
    assert describe(Reason("writes_outside", {"path": "../x"}), "en") == "writes outside the worktree (../x)"
    assert describe(Reason("risky_option", {"option": "rg --pre"}), "en").endswith("(rg --pre)")
    assert describe(Reason("elevates"), "en") == "asks for more rights"


def test_every_reason_a_judgement_gives_has_its_words() -> None:
    """The table of the tests and the table of phrases name the same codes; only length is tested elsewhere."""
    assert set(PHRASES) == set(ASKS) | {"too_long"}


def test_hostile_text_is_shown_not_obeyed() -> None:
    """Escapes, direction marks and new lines are written out; a long command is cut."""
    phrase = describe(Reason("unparsable", {"command": "a\x1b[2K\u202eb\nc" + "x" * 500}), "en")
    assert "<U+001B>" in phrase
    assert "<U+202E>" in phrase
    assert "⏎" in phrase
    assert phrase.isprintable()
    assert len(phrase) < MAX_SHOWN + 60
    assert phrase.endswith("…)")


@pytest.mark.parametrize("command", ["echo a\nrm -r x", "sudo \x1b[0m", "cat /etc/\u202epasswd", "$'\\x1b'"])
def test_what_a_judgement_says_is_always_one_printable_line(rule: Rule, command: str) -> None:
    """Whatever stands in the command."""
    for reason in rule(command).reasons:
        assert describe(reason, "en").isprintable()
        assert describe(reason, "zh").isprintable()
