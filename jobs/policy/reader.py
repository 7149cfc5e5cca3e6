"""Words of a command line, read off the tree, and the substitutions inside them.

Rule: a piece of a word is literal only when the grammar and bash agree that it is; every other form makes the word
dynamic, and the forms that evaluate a value as code are problems.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from itertools import pairwise

from tree_sitter import Node

from jobs.policy.quoting import (
    Word,
    ansi_quoted,
    bare,
    double_quoted,
    hides_substitution,
    holds_metacharacter,
    joined,
    single_quoted,
    unknown,
)
from jobs.policy.syntax import EXPRESSIONS, INERT, MAX_DEPTH, Problem, leaves


@dataclass(slots=True)
class WordReader(ABC):
    """Reads words; what a substitution runs is handed to ``visit``, which knows statements."""

    source: bytes
    problems: list[Problem] = field(default_factory=list)

    @abstractmethod
    def visit(self, node: Node, *, repeats: bool, depth: int) -> None:
        """Walk a statement or word and everything below it."""

    def problem(self, code: str, detail: str) -> None:
        self.problems.append(Problem(code, detail))

    def raw(self, node: Node) -> str:
        # Nodes of a tree that has errors may cut a character in half; the line already asks then.
        return self.source[node.start_byte : node.end_byte].decode(errors="replace")

    def word(self, node: Node, depth: int) -> Word:
        """The word at ``node``; what runs inside it is walked on the way."""
        kind, raw = node.type, self.raw(node)
        if depth > MAX_DEPTH:
            self.problem("unparsable", "nesting")
            return unknown(raw)
        if kind in ("word", "number", "extglob_pattern", "regex") and not node.named_child_count:
            # A line that begins with a backslash is taken into the word before it by the grammar, not by bash.
            if hides_substitution(raw) or (kind == "word" and holds_metacharacter(raw)):
                self.problem("unparsable", raw)
            return bare(raw)
        if kind == "raw_string":
            return single_quoted(raw)
        if kind == "ansi_c_string":
            return ansi_quoted(raw)
        if kind == "string" and all(child.type == "string_content" for child in node.named_children):
            if hides_substitution(raw):
                self.problem("unparsable", raw)
            return double_quoted(raw)
        if kind == "concatenation":
            return self.concatenation(node, raw, depth)
        return self.expansion(node, raw, depth)

    def concatenation(self, node: Node, raw: str, depth: int) -> Word:
        edges = [(a.end_byte, b.start_byte) for a, b in pairwise(node.children)]
        if any(end != start for end, start in edges):
            self.problem("unparsable", raw)
        parts = [self.word(c, depth + 1) if c.is_named else bare(self.raw(c)) for c in node.children]
        return joined(parts, raw)

    def expansion(self, node: Node, raw: str, depth: int) -> Word:
        kind = node.type
        if kind == "process_substitution":
            self.visit_inside(node, depth)
            return Word("/dev/fd/63", plain=False)
        if kind in ("command_substitution", "string", "translated_string"):
            if raw.startswith("`") and {"\\", "`"} & set(raw[1:-1]):
                # Bash takes backslashes off before it reads what stands in backticks, which the grammar does not do,
                # and it never nests them, while the grammar may take two substitutions for one inside the other.
                self.problem("unparsable", raw)
            self.visit_inside(node, depth)
        elif kind == "simple_expansion":
            return unknown(raw)
        elif kind == "expansion":
            self.parameter(node, raw, depth)
        elif kind == "arithmetic_expansion":
            # A variable's value is evaluated as an expression here, and an expression can run a command.
            if any(leaf.type in ("variable_name", "word") or leaf.type == "$" for leaf in leaves(node)):
                self.problem("dynamic_command", raw)
            self.visit_inside(node, depth)
        elif kind != "brace_expression":
            self.problem("unparsable", raw)
            self.visit_inside(node, depth)
        return unknown(raw[1:-1]) if kind == "string" else unknown(raw)

    def parameter(self, node: Node, raw: str, depth: int) -> None:
        """``${name}`` and ``${name:-word}`` only look up; most other forms evaluate, prompt-expand or indirect."""
        signs = {child.type for child in node.children if not child.is_named}
        names = [child for child in node.named_children if child.type == "variable_name"]
        if not signs <= {"${", "}", ":-", "-", ":+", "+"} or len(names) != 1:
            self.problem("dynamic_command", raw)
        for child in node.named_children:
            if child.type not in ("variable_name", "special_variable_name"):
                self.visit(child, repeats=True, depth=depth + 1)

    def visit_inside(self, node: Node, depth: int) -> None:
        """Walk the statements and substitutions somewhere below ``node``."""
        for child in node.children:
            if child.type == "string_content" and hides_substitution(self.raw(child)):
                self.problem("unparsable", self.raw(child))
            if child.type in EXPRESSIONS:
                self.visit_inside(child, depth + 1)
            elif child.is_named and child.type not in INERT:
                self.visit(child, repeats=False, depth=depth + 1)
