"""Text without what deceives a terminal or an eye."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.harness.plain import cut, last_line, plain, reveal


@pytest.mark.parametrize(
    ("given_text", "wanted"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b(Bplain\x1b[", "plain"),
        ("a\0b\x07c\x7f\x9b31md", "abcd"),
        ("10%\r20%\r\nend", "10%\n20%\nend"),
        ("user\u202egpj.exe", "usergpj.exe"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("tab\tand 中文 and 👩\u200d💻", "tab\tand 中文 and 👩\u200d💻"),
        ("half \ud83d", "half \ufffd"),
        (b"\xff\xfe ok \xe4\xb8\xad", "\ufffd\ufffd ok 中"),
    ],
)
def test_plain(given_text: str | bytes, wanted: str) -> None:
    assert plain(given_text) == wanted


@given(st.text() | st.binary())
def test_plain_text_can_be_stored_and_stays_as_it_is(text: str | bytes) -> None:
    once = plain(text)
    once.encode()
    assert plain(once) == once


def test_what_a_person_decides_on_loses_nothing() -> None:
    assert reveal("rm \u202ex\x1b[2K\ty\n中\ud800") == "rm <U+202E>x<U+001B>[2K\ty\n中<U+D800>"
    assert reveal("no\u00a0break") == "no<U+00A0>break"


def test_the_last_line_is_the_last_that_says_something() -> None:
    assert last_line("one\n  two 中 \n-----\n\n") == "two 中"
    assert last_line("\n==\n") == ""
    assert last_line("x" * 300, 10) == "xxxxxxxxx…"
    assert cut("short", 10) == "short"
