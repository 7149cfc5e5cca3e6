"""What one program with its arguments does: reasons to ask, from the tables and the policy.

Rule: a program is known or it asks; of a known one every argument that could be a path is looked at, every option that
turns it into something else asks, and so does every argument whose value is only known at run time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from jobs.policy import git
from jobs.policy.listing import listed
from jobs.policy.paths import Place, Spot
from jobs.policy.quoting import Word
from jobs.policy.rules import ShellPolicy, match
from jobs.policy.ruling import Reason
from jobs.policy.tables import (
    CODE_FIRST,
    CODES,
    INTERPRETERS,
    PATTERN_FIRST,
    PRINTS_LINES,
    PROJECT_SCRIPTS,
    PYTHON_FLAGS,
    REMOTE_ARGUMENT,
    RISKY,
    TARGET_FLAGS,
    TARGET_RUNNERS,
    TEXT_ONLY,
    TEXT_OPTIONS,
    TREE_DELETERS,
    WRITERS,
    Writer,
    program,
)

# Stands for a word known only at run time; no entry and no path is written like this.
_DYNAMIC = "-\x01"
# Longest part of a command kept in a reason, in characters; the card shows the whole.
_KEPT = 200
# What a team may wave through by naming the command in ``allowed``. The rest reaches beyond the worktree.
_WAIVABLE = listed(
    "changes_history changes_settings discards_changes runs_code runs_project_script unknown_program uses_network"
)


def shown(words: Sequence[Word]) -> str:
    """The words of a command as a reason names them."""
    return " ".join(word.text for word in words)[:_KEPT]


def as_module(words: Sequence[Word]) -> tuple[Word, ...]:
    """``python -m pytest -q`` is judged as ``pytest -q``: the module is what matters."""
    if program(words[0].text) == "python":
        flags = len(list(takewhile(lambda word: word.text in PYTHON_FLAGS, words[1:])))
        rest = words[1 + flags :]
        if len(rest) > 1 and rest[0].text == "-m" and not rest[1].dynamic and "/" not in rest[1].text:
            return tuple(rest[1:])
    return tuple(words)


def reasons(words: Sequence[Word], place: Place, policy: ShellPolicy) -> Iterator[Reason]:
    """Why ``words``, a program the caller has unwrapped and found static, must be asked about; none when it may run."""
    texts = (program(words[0].text), *(_DYNAMIC if word.dynamic else word.text for word in words[1:]))
    command = shown(words)
    if match(texts, policy.ask):
        yield Reason("always_asked", {"command": command})
    allowed = _allowed(texts, policy)
    read_only = bool(match(texts, policy.read_only))
    codes = set(_codes(texts, place, policy, known=bool(allowed) or read_only))
    if allowed and allowed >= match(texts, policy.network):
        codes -= _WAIVABLE
    yield from (Reason(code, {"command": command}) for code in sorted(codes))
    yield from deletions(texts[0], words, place)
    known = allowed or read_only or texts[0] in WRITERS or texts[0] == "git"
    if known and not codes & {"unknown_program", "elevates", "dynamic_command"}:
        writes = (not read_only and texts[0] != "git") or texts[:2] == ("git", "mv") or texts[0] in WRITERS
        yield from _arguments(texts[0], words[1:], place, writes)


def _allowed(texts: Sequence[str], policy: ShellPolicy) -> int:
    """Length of the entry that allows ``texts``; a target runner needs one for each of its targets."""
    if texts[0] not in TARGET_RUNNERS:
        return match(texts, policy.allowed)
    targets = [text for text in texts[1:] if not TARGET_FLAGS.match(text)]
    lengths = [match((texts[0], target), policy.allowed) for target in targets]
    return min(lengths, default=match(texts[:1], policy.allowed))


def _codes(texts: Sequence[str], place: Place, policy: ShellPolicy, known: bool) -> Iterator[str]:
    name = texts[0]
    if "/" in name or name.startswith("~"):
        yield "runs_project_script" if place.spot(name) in (Spot.INSIDE, Spot.GUARDED) else "unknown_program"
    elif name in CODES:
        yield CODES[name]
    elif name in CODE_FIRST:
        if not (name == "sed" and len(texts) > 2 and texts[1] == "-n" and PRINTS_LINES.match(texts[2])):
            yield "runs_code"
    elif name in INTERPRETERS and not known:
        yield _interpreter(texts, place)
    elif name == "git":
        yield from git.codes(texts)
    elif name in REMOTE_ARGUMENT and not any(":" in text for text in texts[1:]):
        yield "unknown_program"
    elif match(texts, policy.network):
        yield "uses_network"
    elif not known and match(texts, PROJECT_SCRIPTS):
        yield "runs_project_script"
    elif not known and name not in WRITERS:
        yield "unknown_program"


def _interpreter(texts: Sequence[str], place: Place) -> str:
    """A file of the project is its script; options, standard input and files elsewhere are code nobody has seen."""
    if len(texts) > 1 and not texts[1].startswith("-") and place.spot(texts[1]) is Spot.INSIDE:
        return "runs_project_script"
    return "runs_code"


def deletions(name: str, words: Sequence[Word], place: Place, *, recursive: bool = False) -> Iterator[Reason]:
    """``rm -r`` in any spelling. ``where`` is ``outside`` unless everything named lies properly inside."""
    options = [word.text for word in words[1:] if word.text.startswith("-")]
    given = any(_recursive(option) for option in options)
    if name not in TREE_DELETERS or not (given or recursive):
        return
    operands = [word for word in words[1:] if not word.text.startswith("-")]
    inside = all(not word.dynamic and place.spot(word.text) in (Spot.INSIDE, Spot.GUARDED) for word in operands)
    yield Reason("deletes_recursively", {"command": shown(words), "where": "inside" if inside else "outside"})


def _recursive(option: str) -> bool:
    if option.startswith("--"):
        return len(option) > 2 and "--recursive".startswith(option)
    return bool({"r", "R"} & set(option))


def _arguments(name: str, words: Sequence[Word], place: Place, writes: bool) -> Iterator[Reason]:
    for word in words:
        if risky(name, word.text):
            yield Reason("risky_option", {"option": f"{name} {word.text}"[:_KEPT]})
    if name in TEXT_ONLY:
        return
    for word in words:
        if word.dynamic:
            yield Reason("dynamic_argument", {"command": word.text[:_KEPT]})
    settled = _after_change_of_folder(words, place)
    if settled is None:
        yield Reason("leaves_folder", {"command": f"{name} {shown(words)}"})
        return
    if name == "ln":
        yield from _link_targets(words)
    for word, written in _paths(name, [word for word in words if not word.dynamic], writes):
        yield from _visits(name, word, settled, written)


def risky(name: str, text: str) -> bool:
    """Whether ``text`` is, shortens or contains an option of the row for ``name``."""
    given = text.split("=")[0]
    for option in RISKY.get(name, "").split():
        if option.startswith("--"):
            if len(given) > 2 and option.startswith(given):
                return True
        elif len(option) == 2:
            if text.startswith("-") and not text.startswith("--") and option[1] in text[1:]:
                return True
        elif given == option:
            return True
    return False


def _after_change_of_folder(words: Sequence[Word], place: Place) -> Place | None:
    """``git -C x`` and ``make -C x`` look at their other arguments from ``x``."""
    for option, value in pairwise(words):
        if option.text == "-C" and not value.dynamic:
            entered = place.entered(value.text)
            if entered is None:
                return None
            place = entered
    return place


def _link_targets(words: Sequence[Word]) -> Iterator[Reason]:
    """A link is read from where it lies, so one that climbs may leave the worktree whatever the folder is now."""
    for word in words:
        if word.text.startswith(("/", "~")) or ".." in word.text.split("/"):
            yield Reason("writes_outside", {"path": word.text[:_KEPT]})


def _paths(name: str, words: Sequence[Word], writes: bool) -> Iterator[tuple[Word, bool]]:
    """Each argument that may be a path, and whether the program writes there."""
    writer = WRITERS.get(name, Writer())
    options = set(TEXT_OPTIONS.get(name, "").split())
    operands = [i for i, word in enumerate(words) if not word.text.startswith("-")]
    skipped = set(operands[: writer.skip])
    if name in PATTERN_FIRST and _pattern_is_first(words):
        skipped = set(operands[:1])
    if name in CODE_FIRST:
        skipped = set(operands[:1])
    for index, word in enumerate(words):
        if index in skipped or (index and words[index - 1].text in options):
            continue
        if word.text.split("=")[0] in options or (not word.text.startswith("--") and word.text[:2] in options):
            continue
        only_read = writer.reads and bool(operands) and index != operands[-1]
        only_read = only_read or (writer.source_first and len(operands) == 1)
        yield word, writes and not only_read


def _pattern_is_first(words: Sequence[Word]) -> bool:
    """Only when no option can have given the pattern already, or made every operand a file."""
    for word in words:
        if word.text.startswith("--") and word.text.split("=")[0] not in ("--color", "--include", "--exclude"):
            return False
        if word.text.startswith("-") and not word.text.startswith("--") and {"e", "f"} & set(word.text):
            return False
    return True


def _visits(name: str, word: Word, place: Place, writes: bool) -> Iterator[Reason]:
    found = place.matches(word.text) if word.glob else (word.text,)
    if found is None:
        yield Reason("dynamic_argument", {"command": word.text[:_KEPT]})
        return
    for text in found:
        if word.glob and text.startswith("-") and text != word.text:
            yield Reason("risky_option", {"option": f"{name} {text}"[:_KEPT]})
        for path in _candidates(text):
            spot = place.spot(path)
            if spot is Spot.OUTSIDE:
                yield Reason("writes_outside" if writes else "reads_outside", {"path": path[:_KEPT]})
            elif spot is Spot.GUARDED and writes:
                yield Reason("writes_guarded", {"path": path[:_KEPT]})


def _candidates(text: str) -> Iterator[str]:
    """The parts of an argument that a program may take for a path: ``x``, ``of=x``, ``--out=x``, ``-Ix``, ``@x``."""
    if not text.startswith("-"):
        yield text.lstrip("@") or text
    elif not text.startswith("--") and len(text) > 2:
        yield text[2:]
    if "=" in text:
        yield text.split("=", 1)[1] or "."
