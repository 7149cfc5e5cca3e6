"""Whether a command line may run at once or a person is asked first, and exactly why; decided without running it.

Promise: ``run`` is given only when every simple command in the text, wherever it stands, is known to stay inside the
worktree under the policy. Whatever is not understood asks. Files are looked at (links, globs) but never opened.

Where the promise ends: a test run executes the project's own code, which can do anything its user can; the judgement
says what the command line asks for, it is no sandbox. It also assumes an environment without ``BASH_ENV``, exported
functions, ``CDPATH`` and a ``PATH`` that leads into the worktree.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from core.errors import Refused
from jobs.policy.hearing import Hearing
from jobs.policy.likeness import looks_like_command
from jobs.policy.parse import parse
from jobs.policy.paths import Place, resolved
from jobs.policy.rules import ShellPolicy
from jobs.policy.ruling import Reason, Ruling, ruled
from jobs.policy.tables import BUILTINS

__all__ = ["Reason", "Ruling", "digest", "judge", "looks_like_command"]

# Linux takes at most 128 KiB in one argument, so a longer text can never reach bash.
MAX_BYTES = 128 * 1024 - 1


def judge(command: str, *, folder: Path, root: Path, policy: ShellPolicy) -> Ruling:
    """Rule on ``command``, to be run in ``folder`` of the worktree ``root``.

    Raises ``Refused`` for what can never run: ``command_empty``, ``command_not_text`` (NUL or broken characters),
    ``command_too_long`` (over 128 KiB), ``folder_outside``.
    """
    _refuse_impossible(command)
    place = _place(folder, root)
    if len(command) > policy.max_length:
        reason = Reason("too_long", {"command": command[:80], "limit": str(policy.max_length)})
        return ruled([reason], in_bash(command), ())
    parsed = parse(command)
    if not parsed.steps and not parsed.problems and not parsed.tests:
        raise Refused("command_empty")
    hearing = Hearing(policy, place)
    hearing.reasons.extend(_hidden(command))
    hearing.line(parsed)
    direct = parsed.alone and parsed.alone[0] not in BUILTINS
    argv = parsed.alone if direct else in_bash(command)
    return ruled(hearing.reasons, argv, tuple(hearing.steps))


def in_bash(command: str) -> tuple[str, ...]:
    """The argv for a line that needs a shell: bash itself as the program, without anybody's start-up files.

    The text is one element of the list, so nothing of ours is ever pasted together with it.
    """
    return ("bash", "--noprofile", "--norc", "-c", command)


def digest(command: str, folder: str) -> str:
    """SHA-256 in hex of what was shown; an approval for one command in one folder fits no other."""
    return hashlib.sha256(json.dumps(["shell", 1, command, folder]).encode()).hexdigest()


def _refuse_impossible(command: str) -> None:
    if not command.strip():
        raise Refused("command_empty")
    if "\0" in command or any("\ud800" <= sign <= "\udfff" for sign in command):
        raise Refused("command_not_text")
    if len(command.encode()) > MAX_BYTES:
        raise Refused("command_too_long", limit=MAX_BYTES)


def _place(folder: Path, root: Path) -> Place:
    base = resolved(root)
    here = resolved(folder)
    if not here.is_relative_to(base):
        raise Refused("folder_outside", folder=str(folder))
    return Place(base, (here,))


def _hidden(command: str) -> Iterator[Reason]:
    """Control, direction and zero-width characters and odd blanks: what is shown is then not what runs."""
    for sign in dict.fromkeys(command):
        kind = unicodedata.category(sign)
        if sign not in " \t\n" and (kind in ("Cc", "Cf", "Zl", "Zp", "Zs", "Co", "Cn")):
            yield Reason("hidden_characters", {"command": f"U+{ord(sign):04X}"})
