"""Whether what a person wrote can be a command line at all, or is prose that only begins like one.

Promise: prose is not taken for a command. "make the login page prettier", "find out why login fails" and "go ahead"
all begin with a program; so a program name alone proves nothing and the arguments decide. In doubt the answer is no:
a person who meant a command can quote it, while a sentence that ran as one could not be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from jobs.policy.listing import listed
from jobs.policy.parse import parse
from jobs.policy.quoting import Word
from jobs.policy.rules import ShellPolicy
from jobs.policy.tables import CODES, INTERPRETERS, SHELLS, WRAPPERS, WRITERS, program

# Longer text is a message, and not worth parsing to find out.
_MAX_CHARACTERS = 2_000

# Words that only sentences have. One of them, unquoted, settles it.
_PROSE = listed(
    "a about after again ahead all an and any are around as at be because been before being both broken breaks but by can"
    " cannot could crash crashes did do does done down each error errors every everything fail failed failing fails first for"
    " from get gets give go goes had hang hangs has have he her here him his how i if in instead into is issue it its"
    " just keep last later let like look make me more most much must my need needs never new no not nothing now of off"
    " on once one only or other our out over passes pls please problem really same she should since slow slower so"
    " some something still stop such sure than that the their them then there these they thing things this those"
    " through to too try until us use very want was we well were what when where which while who why will with"
    " without work works would wrong yes yet you your"
)
# Their names are no English words, so one bare argument does not make them a sentence: ``mkdir build``.
_TERSE = listed("ls rm cp mv mkdir rmdir chmod ln wc du df cd grep egrep fgrep rg realpath basename dirname")
# Verbs first and programs second: a folder's name behind one is no path yet ("test src", "find docs").
_VERBS = listed("cat cut diff find head join sort split tail test touch")
# Shell words nobody sends as a task, and everybody begins sentences with.
_NEVER = listed("at batch bind complete declare enable exec hash init let read service set source trap host")
# Meant as a command even with nothing behind them.
_ALONE = listed("ls pwd pytest tsc eslint vitest env printenv whoami df uname")
_FOLDERS = listed(
    "src test tests lib app apps bin build dist docs doc scripts examples packages public static assets node_modules"
    " Makefile Dockerfile Procfile README LICENSE CHANGELOG HEAD main master origin"
)
_SUBCOMMANDS = {
    "git": "add blame branch checkout cherry-pick clean clone commit config describe diff fetch grep init log ls-files"
    " merge mv pull push rebase reflog remote reset restore rev-parse revert rm show stash status submodule switch tag"
    " worktree",
    "npm": "audit ci i install outdated publish run start t test update view",
    "pnpm": "add i install lint build publish run test update",
    "yarn": "add build install lint publish run test upgrade",
    "pip": "check download freeze install list show uninstall",
    "uv": "add lock pip run sync tool venv",
    "poetry": "add build check install lock publish run show update",
    "cargo": "add bench build check clean clippy doc fetch fmt install publish run test tree update",
    "go": "build env fmt generate install list mod run test version vet",
    "ruff": "check clean format version",
    "make": "all bench build check clean demo fmt format install lint test tests up",
    "apt": "install remove update upgrade",
    "apt-get": "install remove update upgrade",
    "brew": "install list uninstall update upgrade",
    "docker": "build compose exec images logs ps pull push run stop",
    "kubectl": "apply delete describe get logs",
    "systemctl": "restart start status stop",
    "coverage": "html report run xml",
}
# Subcommands after which bare names are usual: packages, branches, scripts.
_NAMES = listed(
    "add branch checkout cherry-pick clone compose config exec fetch i install list logs merge pull push rebase remote"
    " remove reset revert restart rm run show start status stop switch tag tool uninstall update upgrade view worktree"
)
_PATH = re.compile(
    r"^(?:\.{1,2}|~)(?:/.*)?$|^[\w.@+-]*/[\w./@+-]*$|^\.[\w.-]+$|^[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}$"
    r"|^\w+://\S+$|^[\w./-]+::\S+$"
)
_FLAG = re.compile(r"^-{1,2}[A-Za-z0-9][\w-]*(?:=.*)?$|^--?$")
_VALUE = re.compile(
    r"^\d+[a-zA-Z%]?$|^[A-Za-z_]\w*=.+$|^\+%?.+$|^[\w./@-]+[~^]\d*$|^[\w./~^-]+\.\.[\w./~^-]*$|^[{};+]+$"
)
_TARGET = re.compile(r"^[\w.:-]+$")


def looks_like_command(text: str, *, policy: ShellPolicy) -> bool:
    """Whether every step of ``text`` names a known program and has arguments such a program is given."""
    if not text.strip() or len(text) > _MAX_CHARACTERS or not text.isascii() or "\0" in text:
        return False
    parsed = parse(text.strip())
    commands = [step.words for step in parsed.steps if step.words]
    if not commands or any(problem.code == "unparsable" for problem in parsed.problems):
        return False
    known = _known(policy)
    return all(_plausible(words, known, piped="|" in text) for words in commands)


def _known(policy: ShellPolicy) -> frozenset[str]:
    entries = (*policy.read_only, *policy.allowed, *policy.ask, *policy.network)
    tables = (*CODES, *WRAPPERS, *WRITERS, *INTERPRETERS, *SHELLS, *_SUBCOMMANDS, "cd")
    return frozenset(entry.split()[0] for entry in entries).union(tables) - _NEVER


def _plausible(words: Sequence[Word], known: frozenset[str], *, piped: bool) -> bool:
    head, arguments = words[0], words[1:]
    if head.dynamic or head.glob:
        return False
    name = program(head.text)
    subcommand = bool(arguments) and arguments[0].text in _SUBCOMMANDS.get(name, "").split()
    if any(not word.quoted and word.text.lower() in _PROSE for word in arguments[subcommand:]):
        return False
    if name in WRAPPERS:
        return _wraps(name, arguments, known, piped=piped)
    if name.startswith("./"):
        return all(_strong(word) or _TARGET.match(word.text) for word in arguments)
    if name not in known:
        return False
    if not arguments:
        return name in _ALONE or (piped and name in {"sort", "uniq", "cat", "tac", "head", "tail", "rev"})
    if name in _SUBCOMMANDS:
        return _after_subcommand(name, arguments)
    return _arguments(name, arguments)


def _wraps(name: str, arguments: Sequence[Word], known: frozenset[str], *, piped: bool) -> bool:
    """A wrapper is as plausible as the command behind its options: ``time pytest`` is, "time is short" is not."""
    if not arguments:
        return name in _ALONE
    rest = list(arguments)
    while rest and (rest[0].text.startswith("-") or _VALUE.match(rest[0].text)):
        rest = rest[1:]
    return bool(rest) and _plausible(rest, known, piped=piped)


def _after_subcommand(name: str, arguments: Sequence[Word]) -> bool:
    operands = [word for word in arguments if not _FLAG.match(word.text)]
    known = _SUBCOMMANDS[name].split()
    if name == "make":
        return all(word.text in known or _VALUE.match(word.text) for word in operands)
    if not operands:
        return any(word.text.startswith("-") for word in arguments)
    first, rest = operands[0].text, operands[1:]
    if first not in known:
        return name == "ruff" and all(_strong(word) for word in operands)
    after_flag = {id(b) for a, b in pairwise(arguments) if _FLAG.match(a.text)}
    bare = [word for word in rest if not _strong(word) and id(word) not in after_flag]
    return not bare or (first in _NAMES and len(bare) <= 3 and all(_TARGET.match(word.text) for word in bare))


def _arguments(name: str, arguments: Sequence[Word]) -> bool:
    """Paths, flags, numbers and quoted text speak for themselves; a bare word needs something beside it."""
    weak = [word for word in arguments if not _strong(word)]
    flagged = any(_FLAG.match(word.text) for word in arguments)
    if name in ("grep", "rg", "egrep", "fgrep"):
        return len(weak) <= 1
    if name == "echo":
        return len(weak) <= 1 and all(_TARGET.match(word.text) for word in weak)
    if name in _TERSE:
        return len(weak) <= (3 if flagged else 1) and all(_TARGET.match(word.text) for word in weak)
    if name in _VERBS and not flagged and all(word.text in _FOLDERS and word.text.islower() for word in arguments):
        return False
    first = next((i for i, word in enumerate(arguments) if _FLAG.match(word.text)), len(arguments))
    # ``pytest -k login``: a bare word right behind a flag is its value; one before every flag is prose.
    behind = {id(b) for a, b in pairwise(arguments) if a.text.startswith("-")}
    return all(id(word) in behind for word in weak) and not any(word in weak for word in arguments[:first])


def _strong(word: Word) -> bool:
    text = word.text
    if word.quoted or word.dynamic or text in _FOLDERS:
        return True
    if word.glob:
        return not text.endswith("?")
    return bool(_FLAG.match(text) or _VALUE.match(text) or _PATH.match(text))
