"""Tables of bare words, written as text so that a row stays a row and a reader can scan it."""

from __future__ import annotations


def listed(text: str) -> frozenset[str]:
    """The words of ``text``, separated by blanks."""
    return frozenset(text.split())
