"""Errors, split by whose fault they are, so that a caller knows what to do without reading a text.

``Refused``: a person (or an agent) asked for what cannot be; nothing changed and the surface says why.
``Unavailable``: the outside world failed; retried where safe, otherwise said.
``Bug``: ours; loud, never hidden.
A code is a word; the sentences people read live with the surface (``bot/words/``).
"""

from __future__ import annotations


class ThreadleadError(Exception):
    """Base of every error this product raises on purpose; ``code`` names it, ``params`` fill its text."""

    code = "error"

    def __init__(self, code: str | None = None, /, **params: object) -> None:
        self.code = code or type(self).code
        self.params: dict[str, object] = params
        shown = ", ".join(f"{k}={v}" for k, v in params.items())
        super().__init__(f"{self.code}: {shown}" if shown else self.code)


class Refused(ThreadleadError):
    """What was asked for cannot be done as things stand; the state is as it was."""

    code = "refused"


class Unavailable(ThreadleadError):
    """Something outside (Redis, git, a chat platform, an agent) did not do its part."""

    code = "unavailable"


class Bug(ThreadleadError):
    """An invariant of ours does not hold; never caught and continued."""

    code = "bug"
