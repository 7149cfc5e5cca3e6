"""Statements of a command line, read off the tree into steps in the order of the text.

Rule: every branch is walked, whether or not it would be taken; what stands in a loop is marked as repeating.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tree_sitter import Node

from jobs.policy.quoting import Word, hides_substitution
from jobs.policy.reader import WordReader
from jobs.policy.syntax import (
    BRACKET_TESTS,
    LOOPS,
    MAX_DEPTH,
    PLAIN_TESTS,
    SILENT,
    STATEMENTS,
    SYNTAX,
    WORDS,
    WRITING,
    Redirect,
    Step,
    leaves,
    text_spans,
)

_DELIMITER = re.compile(r"""^(?:\w+|'\w+'|"\w+"|\\\w+)$""")


@dataclass(slots=True)
class Walk(WordReader):
    """``steps`` and ``problems`` grow while the tree is visited; ``tests`` counts conditions."""

    steps: list[Step] = field(default_factory=list)
    tests: int = 0

    def visit(self, node: Node, *, repeats: bool, depth: int) -> None:
        kind = node.type
        if depth > MAX_DEPTH:
            return self.problem("unparsable", "nesting")
        repeats = repeats or kind in LOOPS
        if kind in STATEMENTS:
            for child in node.children:
                self.visit(child, repeats=repeats, depth=depth + 1)
        elif kind == "command":
            self.command(node, repeats, depth)
        elif kind == "redirected_statement":
            self.redirected(node, repeats, depth)
        elif kind in WORDS:
            self.word(node, depth)
        elif kind not in SILENT and (node.is_named or kind not in SYNTAX):
            self.rarer(node, repeats, depth)
        return None

    def rarer(self, node: Node, repeats: bool, depth: int) -> None:
        kind = node.type
        if kind in ("variable_assignment", "variable_assignments", "declaration_command"):
            self.assignment(node, repeats, depth)
        elif kind in ("file_redirect", "heredoc_redirect", "herestring_redirect"):
            found = self.redirect(node, repeats, depth)
            self.steps.append(Step((), redirects=tuple(found), repeats=repeats))
        elif kind == "test_command":
            self.test(node, depth)
        elif kind == "for_statement":
            self.loop(node, depth)
        elif kind == "function_definition":
            self.problem("defines_function", self.raw(node.children[0]))
            for child in node.named_children[1:]:
                self.visit(child, repeats=True, depth=depth + 1)
        else:
            self.problem("dynamic_command" if node.is_named else "unparsable", self.raw(node))
            for child in node.named_children:
                self.visit(child, repeats=True, depth=depth + 1)

    def command(self, node: Node, repeats: bool, depth: int) -> None:
        words: list[Word] = []
        assigns: list[str] = []
        redirects: list[Redirect] = []
        for child in node.children:
            if child.type == "command_name":
                words.extend(self.word(part, depth + 1) for part in child.children)
            elif child.type == "variable_assignment":
                assigns.append(self.assigned(child, depth + 1))
            elif child.type.endswith("_redirect"):
                redirects.extend(self.redirect(child, repeats, depth + 1))
            elif child.type in ("$", "=", "==") and not child.is_named:
                words.append(Word(child.type, plain=child.type != "$"))
            else:
                words.append(self.word(child, depth + 1))
        self.steps.append(
            Step(tuple(words), tuple(assigns), exported=True, redirects=tuple(redirects), repeats=repeats)
        )

    def redirected(self, node: Node, repeats: bool, depth: int) -> None:
        redirects: list[Redirect] = []
        for child in node.children:
            if child.type.endswith("_redirect"):
                redirects.extend(self.redirect(child, repeats, depth + 1))
            else:
                self.visit(child, repeats=repeats, depth=depth + 1)
        self.steps.append(Step((), redirects=tuple(redirects), repeats=repeats))

    def redirect(self, node: Node, repeats: bool, depth: int) -> list[Redirect]:
        if node.type == "heredoc_redirect":
            return self.heredoc(node, repeats, depth)
        if node.type == "herestring_redirect":
            for child in node.named_children:
                self.word(child, depth + 1)
            return []
        signs = [child.type for child in node.children if not child.is_named]
        targets = [self.word(child, depth + 1) for child in node.named_children if child.type != "file_descriptor"]
        if len(targets) > 1:
            self.problem("unparsable", self.raw(node))
        duplicates = bool({">&", "<&", ">&-", "<&-"} & set(signs))
        writes = bool(WRITING & set(signs))
        return [Redirect(word, writes) for word in targets if not (duplicates and word.text.rstrip("-").isdigit())]

    def heredoc(self, node: Node, repeats: bool, depth: int) -> list[Redirect]:
        """The grammar hangs the rest of the line below a here-document, and may end one elsewhere than bash does."""
        redirects: list[Redirect] = []
        start = next((child for child in node.children if child.type == "heredoc_start"), node)
        end = next((child for child in node.children if child.type == "heredoc_end"), node)
        delimiter = self.raw(start).strip("'\"\\")
        literal = self.raw(start) != delimiter
        agreed = bool(_DELIMITER.match(self.raw(start))) and self.ends_at(start, delimiter) == end.start_byte
        if not agreed or (not literal and self.hidden_in(node)):
            self.problem("unparsable", self.raw(node))
        for child in node.children:
            if child.type.endswith("_redirect"):
                redirects.extend(self.redirect(child, repeats, depth + 1))
            elif child.type in WORDS:
                self.problem("unparsable", self.raw(node))
            elif child.type not in ("<<", "<<-"):
                self.visit(child, repeats=repeats, depth=depth + 1)
        return redirects

    def ends_at(self, start: Node, delimiter: str) -> int:
        """Where bash sees the closing line of a here-document; -1 when there is none or its tabs leave a doubt."""
        position = self.source.find(b"\n", start.end_byte) + 1
        while 0 < position <= len(self.source):
            line = self.source[position:].split(b"\n", 1)[0]
            if line.lstrip(b"\t") == delimiter.encode():
                return position + len(line) - len(delimiter.encode()) if self.closes(start, line) else -1
            position = self.source.find(b"\n", position) + 1
        return -1

    def closes(self, start: Node, line: bytes) -> bool:
        return not line.startswith(b"\t") or self.source[start.start_byte - 1 : start.start_byte] == b"-"

    def hidden_in(self, node: Node) -> bool:
        """Whether the text of a here-document holds a substitution the grammar passed over."""
        spans = [span for child in node.children if child.type == "heredoc_body" for span in text_spans(child)]
        pieces = (self.source[start:end].decode(errors="replace") for start, end in spans)
        return any(hides_substitution(piece) for piece in pieces)

    def assignment(self, node: Node, repeats: bool, depth: int) -> None:
        parts = [node] if node.type == "variable_assignment" else list(node.children)
        exported = node.type == "declaration_command"
        names: list[str] = []
        for part in parts:
            if part.type == "variable_assignment":
                names.append(self.assigned(part, depth + 1))
            elif part.type == "variable_name":
                names.append(self.raw(part))
            elif part.type != "export":
                self.problem("dynamic_command", self.raw(node))
                self.visit(part, repeats=repeats, depth=depth + 1)
        self.steps.append(Step((), tuple(names), exported=exported, repeats=repeats))

    def assigned(self, node: Node, depth: int) -> str:
        name = node.children[0]
        if name.type != "variable_name" or any(child.type == "array" for child in node.children):
            # ``a[…]=`` evaluates what stands in the brackets.
            self.problem("dynamic_command", self.raw(node))
        for child in node.named_children[1:]:
            self.word(child, depth + 1)
        return self.raw(name)

    def loop(self, node: Node, depth: int) -> None:
        name = node.child_by_field_name("variable")
        if name is None or node.children[0].type != "for":
            self.problem("dynamic_command", self.raw(node))
        else:
            self.steps.append(Step((), (self.raw(name),), repeats=True))
        for child in node.children:
            if child.type != "variable_name":
                self.visit(child, repeats=True, depth=depth + 1)

    def test(self, node: Node, depth: int) -> None:
        self.tests += 1
        raw = self.raw(node)
        plain = BRACKET_TESTS if raw.startswith("[[") else PLAIN_TESTS
        if "\n" in raw:
            # The grammar goes on to the next line for its closing bracket; bash ends ``[`` here.
            self.problem("unparsable", raw)
        for leaf in leaves(node):
            operator = leaf.type == "test_operator" or (not leaf.is_named and leaf.parent is not None)
            inside_word = leaf.parent is not None and leaf.parent.type in WORDS
            if operator and not inside_word and self.raw(leaf) not in plain:
                self.problem("dynamic_command", raw)
        stack = list(node.named_children)
        while stack:
            child = stack.pop()
            if child.type in WORDS:
                self.word(child, depth + 1)
            elif child.type in ("binary_expression", "unary_expression", "parenthesized_expression", "negated_command"):
                stack.extend(child.named_children)
            elif child.type != "test_operator":
                self.problem("dynamic_command", self.raw(child))
