"""A command line becomes steps: every simple command in it, wherever it stands, with what it assigns and redirects.

Promise: nothing that bash would run is missing from ``Parsed.steps`` unless ``Parsed.problems`` says so.
Rule: only node types named here are walked; any other, any byte no node covers and any place where the grammar is
known to read differently from bash becomes a problem, and a problem asks a person. Nothing is run and no file read.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from jobs.policy.syntax import Parsed, Step, text_spans
from jobs.policy.walk import Walk

# Continued lines the grammar reads otherwise than bash: inside a word, and where nothing came before on the line.
_CONTINUED = re.compile(r"[^ \t\n]\\\n|(?:^|\n)[ \t]*\\\n")
_BEFORE_COMMENT = frozenset({b"", b" ", b"\t", b"\n", b";", b"&", b"|", b"(", b")"})


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def parse(command: str) -> Parsed:
    """Take ``command`` (encodable as UTF-8) apart. Never raises for what a person may have typed."""
    source = command.encode()
    root = _parser().parse(source).root_node
    walk = Walk(source)
    if root.has_error or _uncovered(root, source) or _CONTINUED.search(command):
        walk.problem("unparsable", command)
    walk.visit(root, repeats=False, depth=0)
    alone = _alone(root, walk.steps)
    # A second, independent reading of the simple case. It knows fewer escapes, so it is not asked about those.
    if alone and "\\" not in command and "#" not in command and not _reads_alike(command, alone):
        walk.problem("unparsable", command)
    return Parsed(tuple(walk.steps), tuple(dict.fromkeys(walk.problems)), alone, walk.tests)


def _alone(root: Node, steps: list[Step]) -> tuple[str, ...]:
    nodes = [child for child in root.children if child.type != "comment"]
    if len(nodes) != 1 or nodes[0].type != "command" or len(steps) != 1:
        return ()
    if any(child.type.endswith("_redirect") for child in nodes[0].children):
        return ()
    step = steps[0]
    if step.assigns or step.redirects or not all(word.plain for word in step.words):
        return ()
    return tuple(word.text for word in step.words)


def _reads_alike(command: str, words: tuple[str, ...]) -> bool:
    try:
        return tuple(shlex.split(command)) == words
    except ValueError:
        return False


def _uncovered(root: Node, source: bytes) -> bool:
    """Whether bytes other than blanks stand between the nodes, where the grammar saw nothing or a comment."""
    position = 0
    for start, end, kind in sorted((*_spans(root), (len(source), len(source), ""))):
        if source[position:start].replace(b"\\\n", b"").strip(b" \t\n"):
            return True
        # For bash a comment starts a word; ``'E'#`` is one word.
        if kind == "comment" and source[:start][-1:] not in _BEFORE_COMMENT:
            return True
        position = max(position, end)
    return False


def _spans(root: Node) -> Iterator[tuple[int, int, str]]:
    """What the tree accounts for: its leaves, and the text of here-documents, which has no node beside an expansion."""
    stack = [root]
    while stack:
        node = stack.pop()
        stack.extend(node.children)
        if not node.child_count:
            yield node.start_byte, node.end_byte, node.type
        elif node.type == "heredoc_body":
            yield from ((start, end, node.type) for start, end in text_spans(node))
