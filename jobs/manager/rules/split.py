"""From a message to clauses: what a person says now, apart from what they quote, paste or name.

Quoted lines and fenced blocks have no meaning of their own here. Text in backticks becomes a mark, so that no word in it
is read as a wish; it can still be the command a clause is about. Nothing here knows tasks or plans.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from jobs.manager.rules import lexicon as words

Joint = Literal["start", "and", "then", "sentence", "item"]
Beside = Literal["", "lead", "trail"]

OPEN, CLOSE = "\ue000", "\ue001"  # private signs: they are removed from what people write, so a mark cannot be forged
MARK = re.compile(f"{OPEN}(\\d+){CLOSE}")
_TICKS = re.compile(r"(`+)([^`\n]+)\1")
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_QUOTE = re.compile(r"^\s*(?:>|&gt;)")
_MENTION = re.compile(r"^\s*(?:<@[^>\s]{1,64}>|@[\w.-]{1,64})[,:]?\s+")
_ITEM = re.compile(r"^\s*(?:[-*•+]|\(?\d{1,3}[.)、]|[（(]\d{1,3}[)）])\s+(?=\S)|^\s*\d{1,3}、")
_TICKED = re.compile(r"^\s*[-*•+]\s+\[[ xX]?\]\s*(?P<text>.+)$")
_SENTENCE = re.compile(r"(?<=[!?。！？；;])\s*|(?<=[^\s.][.…])\s+")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no)\.$", re.IGNORECASE)
_END = re.compile(r"(?:(?<=[^\s.])\.|[\s!。！；;…])+$")  # but not the lone dot of "ruff check ."
_BLANKS = re.compile(r"\s{2,}")
_LONG_LINE = 1_000
_AND_COMMA = re.compile(r"\band\s*,\s*", re.IGNORECASE)
_TRAILING_AND = re.compile(r"[\s,，]+(?:and|but)$", re.IGNORECASE)
_JOINTS = re.compile(f"(?P<strong>{words.STRONG})|(?P<weak>{words.WEAK})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Said:
    """``lines`` with marks for backticked text; ``literals[n]`` is what mark n stands for; ``fences`` as pasted."""

    lines: tuple[str, ...]
    literals: tuple[str, ...]
    fences: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()

    def shown(self, text: str) -> str:
        """``text`` with its marks written out in backticks again."""
        return MARK.sub(lambda m: f"`{self.literals[int(m[1])]}`", text)


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing said. ``joint`` tells how it follows the one before, ``asked`` that it stands in a question."""

    text: str
    joint: Joint = "start"
    beside: Beside = ""
    asked: bool = False
    criterion: bool = False
    under: str = ""
    """The line above the list this item stands in."""


def said(text: str) -> Said:
    """Take a message apart; any text is fine."""
    literals: list[str] = []

    def mark(match: re.Match[str]) -> str:
        literals.append(match[2].strip())
        return f"{OPEN}{len(literals) - 1}{CLOSE}"

    lines, fences = _outside_fences(_clean(text))
    kept = [_TICKS.sub(mark, line) for line in lines if not _QUOTE.match(line)]
    kept = [_narrowed(line.replace("`", "")) for line in kept]
    if kept:
        kept[0] = _MENTION.sub("", kept[0], count=1)
    return Said(tuple(kept), tuple(literals), tuple(fences))


def _narrowed(line: str) -> str:
    """Long runs of blanks in a long line carry no meaning, and patterns would take quadratic time over them."""
    return _BLANKS.sub(" ", line) if len(line) > _LONG_LINE else line


def _clean(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2019", "'").replace("\u00a0", " ")
    return "".join(
        c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
    )


def _outside_fences(text: str) -> tuple[list[str], list[str]]:
    lines: list[str] = []
    fences: list[list[str]] = []
    inside = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            inside = not inside
            if inside:
                fences.append([])
        elif inside:
            fences[-1].append(line)
        else:
            lines.append(line)
    return lines, ["\n".join(lines) for lines in fences]


def clauses(heard: Said, *, whole: Callable[[str], bool], starts: Callable[[str, str], bool]) -> list[Clause]:
    """All clauses in order.

    ``whole`` says that a text is one command and must not be cut; ``starts`` that a piece can stand alone behind
    what was said before it, otherwise it belongs there ("the cache and the docs").
    """
    found: list[Clause] = []
    header = ""
    lines = [line for line in heard.lines if line.strip()]
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        ticked, item = _TICKED.match(line), _ITEM.match(line)
        if ticked:
            found.append(Clause(ticked["text"].strip(), "item", criterion="::" in line))
            continue
        if not item and _ITEM.match(after) and line.rstrip()[-1] in ":：":
            header = line.strip()
            continue
        text = (line[item.end() :] if item else line).strip()
        header = header if item else ""
        made = list(_line(text, whole, starts))
        if made:
            made[0] = replace(made[0], joint=_joint(made[0], first=not found, item=bool(item)))
            if item and words.BESIDE.search(header):
                made[0] = replace(made[0], beside="lead")
        found += [replace(clause, under=header) for clause in made]
    return found


def _joint(clause: Clause, *, first: bool, item: bool) -> Joint:
    if clause.joint == "then" or (first and not item):
        return clause.joint
    return "item" if item else "sentence"


def _line(text: str, whole: Callable[[str], bool], starts: Callable[[str, str], bool]) -> Iterator[Clause]:
    if whole(text):
        yield Clause(text)
        return
    joint: Joint = "start"
    text = words.BESIDE.sub(_tight, _AND_COMMA.sub("and ", text))
    for sentence in _sentences(text):
        bare = _END.sub("", sentence)
        asked = _asks(sentence)
        bare = bare.rstrip("?？").strip()
        if whole(bare):
            yield Clause(bare, joint, asked=asked)
        else:
            for piece in _pieces(bare, whole, starts, joint):
                yield replace(piece, asked=asked)
        joint = "sentence"


def _tight(match: re.Match[str]) -> str:
    """A "meanwhile," without its own comma, which would cut it off from what it is about."""
    comma = ", " if match.group().lstrip().startswith(",") else " "
    return f"{comma}{match.group().strip(' ,:，：')} "


def _sentences(text: str) -> list[str]:
    parts: list[str] = []
    for part in _SENTENCE.split(text):
        if parts and _ABBREVIATION.search(parts[-1]):
            parts[-1] += " " + part
        elif part and part.strip():
            parts.append(part.strip())
    return parts


def _asks(sentence: str) -> bool:
    low = without_filler(sentence)
    if words.REQUEST.search(sentence.strip()):
        return False
    return sentence.rstrip().endswith(("?", "？")) or bool(words.QUESTION.search(low.rstrip("?？ .!")))


def without_filler(text: str) -> str:
    """``text`` without "hmm", "please", "could you" and the like in front."""
    before = None
    while before != text:
        before = text
        match = words.FILLER.match(text)
        text = text[match.end() :].lstrip() if match else text
    return text


def _pieces(
    text: str, whole: Callable[[str], bool], starts: Callable[[str, str], bool], joint: Joint
) -> Iterator[Clause]:
    """Cut at joints; a "then" always cuts, a comma or "and" only before something that can stand alone."""
    current, since, how = "", 0, joint
    for match in _JOINTS.finditer(text):
        strong = match["strong"] is not None
        piece, rest = text[since : match.start()], text[match.end() :]
        if not rest.strip():
            break
        so_far = (current + piece).strip()
        cuts = strong or starts(_next_piece(rest), so_far)
        if so_far and (not cuts or _holds_on(so_far)):
            current += text[since : match.end()]
        else:
            if so_far:
                yield _clause(so_far, how)
            current, how = "", "then" if strong else ("and" if so_far else how)
        since = match.end()
    left = (current + text[since:]).strip()
    if left:
        yield _clause(left, how)


def _holds_on(so_far: str) -> bool:
    """Whether what follows still belongs here: a condition before its "then", the list after "done when"."""
    low = without_filler(so_far)
    return bool(words.CONDITION_LEAD.match(low) and "," not in low) or bool(words.CRITERION_LEAD.search(low))


def _next_piece(rest: str) -> str:
    following = _JOINTS.search(rest)
    return rest[: following.start()] if following and following.start() else rest


def _clause(text: str, joint: Joint) -> Clause:
    text = _TRAILING_AND.sub("", text)
    match = words.BESIDE.search(text)
    if not match:
        return Clause(text, joint)
    where: Beside = "lead" if not text[: match.start()].strip(" ,，") else "trail"
    left = f"{text[: match.start()].rstrip(' ,，')} {text[match.end() :]}".strip()
    return Clause(left, joint, where) if left else Clause(text, joint)
