"""A command line becomes steps: every simple command in it, wherever it stands, with what it assigns and redirects.

Promise: nothing that bash would run is missing from ``Parsed.steps`` unless ``Parsed.problems`` says so.
Rule: only node types named here are walked; any other, any byte no node covers and any place where the grammar is
known to read differently from bash becomes a problem, and a problem asks a person. Nothing is run and no file read.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from jobs.policy.listing import listed
from jobs.policy.quoting import (
    Word,
    ansi_quoted,
    bare,
    double_quoted,
    hides_substitution,
    joined,
    single_quoted,
    unknown,
)

# Deeper nesting than this is nobody's command; it keeps the walk far from Python's recursion limit.
MAX_DEPTH = 120

_STATEMENTS = listed(
    "program list pipeline subshell compound_statement negated_command if_statement elif_clause else_clause"
    " while_statement case_statement case_item do_group command_substitution process_substitution"
    " heredoc_body"
)
_LOOPS = frozenset({"while_statement", "for_statement", "do_group"})
_WORDS = listed(
    "word number raw_string string ansi_c_string translated_string concatenation simple_expansion expansion"
    " command_substitution process_substitution arithmetic_expansion brace_expression extglob_pattern regex"
)
_SILENT = frozenset({"comment", "heredoc_start", "heredoc_end", "heredoc_content", "file_descriptor"})
_SYNTAX = listed(
    "; ;; ;& ;;& & && || | |& ( ) { } ! $( ` <( >( if then elif else fi while until do done case in esac for"
) | {"\n"}
# Tests that only look at files and strings. The numeric ones evaluate their operands, which can run a substitution.
_PLAIN_TESTS = listed("-f -d -e -s -n -z -r -w -x -L -h = == != =~ < > ! && || ( ) [ ] [[ ]]")
_INERT = listed("string_content variable_name special_variable_name number")
_EXPRESSIONS = listed(
    "binary_expression unary_expression postfix_expression ternary_expression parenthesized_expression"
)
_WRITING = frozenset({">", ">>", ">|", "&>", "&>>", "<>", ">&"})
# Continued lines the grammar reads otherwise than bash: inside a word, and where nothing came before on the line.
_CONTINUED = re.compile(r"[^ \t\n]\\\n|(?:^|\n)[ \t]*\\\n")
_BEFORE_COMMENT = frozenset({b"", b" ", b"\t", b"\n", b";", b"&", b"|", b"(", b")"})
_DELIMITER = re.compile(r"""^(?:\w+|'\w+'|"\w+"|\\\w+)$""")


@dataclass(frozen=True, slots=True)
class Redirect:
    target: Word
    writes: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One simple command. ``repeats``: it stands in a loop or function, so it may run any number of times."""

    words: tuple[Word, ...]
    assigns: tuple[str, ...] = ()
    exported: bool = False
    redirects: tuple[Redirect, ...] = ()
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """``alone``: the words of the whole line when it is one command bash would not change, else empty.

    ``tests``: conditions such as ``[[ -f x ]]``, which run nothing by themselves.
    """

    steps: tuple[Step, ...]
    problems: tuple[Problem, ...]
    alone: tuple[str, ...]
    tests: int = 0


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def parse(command: str) -> Parsed:
    """Take ``command`` (encodable as UTF-8) apart. Never raises for what a person may have typed."""
    source = command.encode()
    root = _parser().parse(source).root_node
    walk = _Walk(source)
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
    step = steps[0]
    if step.assigns or step.redirects or not all(word.plain for word in step.words):
        return ()
    return tuple(word.text for word in step.words)


def _reads_alike(command: str, words: tuple[str, ...]) -> bool:
    try:
        return tuple(shlex.split(command)) == words
    except ValueError:
        return False


def _leaves(root: Node) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.child_count:
            stack.extend(reversed(node.children))
        else:
            yield node


def _uncovered(root: Node, source: bytes) -> bool:
    """Whether bytes other than blanks stand between the nodes, where the grammar saw nothing or a comment."""
    position = 0
    for leaf in _leaves(root):
        if source[position : leaf.start_byte].replace(b"\\\n", b"").strip(b" \t\n"):
            return True
        # For bash a comment starts a word; ``'E'#`` is one word.
        if leaf.type == "comment" and source[:leaf.start_byte][-1:] not in _BEFORE_COMMENT:
            return True
        position = max(position, leaf.end_byte)
    return bool(source[position:].replace(b"\\\n", b"").strip(b" \t\n"))


@dataclass(slots=True)
class _Walk:
    source: bytes
    steps: list[Step] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    tests: int = 0

    def problem(self, code: str, detail: str) -> None:
        self.problems.append(Problem(code, detail))

    def raw(self, node: Node) -> str:
        # Nodes of a tree that has errors may cut a character in half; the line already asks then.
        return self.source[node.start_byte : node.end_byte].decode(errors="replace")

    def visit(self, node: Node, *, repeats: bool, depth: int) -> None:
        kind = node.type
        if depth > MAX_DEPTH:
            return self.problem("unparsable", "nesting")
        repeats = repeats or kind in _LOOPS
        if kind in _STATEMENTS:
            for child in node.children:
                self.visit(child, repeats=repeats, depth=depth + 1)
        elif kind == "command":
            self.command(node, repeats, depth)
        elif kind == "redirected_statement":
            self.redirected(node, repeats, depth)
        elif kind in _WORDS:
            self.word(node, depth)
        elif kind not in _SILENT and (node.is_named or kind not in _SYNTAX):
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
        writes = bool(_WRITING & set(signs))
        return [Redirect(word, writes) for word in targets if not (duplicates and word.text.rstrip("-").isdigit())]

    def heredoc(self, node: Node, repeats: bool, depth: int) -> list[Redirect]:
        """Here-documents: the grammar hangs the rest of the line below them, and may end them later than bash does."""
        redirects: list[Redirect] = []
        start = next((self.raw(c) for c in node.children if c.type == "heredoc_start"), "")
        body = "".join(self.raw(c) for c in node.children if c.type == "heredoc_body")
        delimiter = start.strip("'\"\\")
        ends_early = any(line.lstrip("\t") == delimiter for line in body.split("\n"))
        quoted = start != delimiter
        several = sum(leaf.type == "heredoc_start" for leaf in _leaves(node)) > 1
        if several or not _DELIMITER.match(start) or ends_early or (not quoted and self.hidden_in(node)):
            self.problem("unparsable", self.raw(node))
        for child in node.children:
            if child.type.endswith("_redirect"):
                redirects.extend(self.redirect(child, repeats, depth + 1))
            elif child.type in _WORDS:
                self.problem("unparsable", self.raw(node))
            elif child.type not in ("<<", "<<-"):
                self.visit(child, repeats=repeats, depth=depth + 1)
        return redirects

    def hidden_in(self, node: Node) -> bool:
        bodies = (child for child in node.children if child.type == "heredoc_body")
        leaves = (leaf for body in bodies for leaf in _leaves(body))
        texts = (self.raw(leaf) for leaf in leaves if leaf.type in ("heredoc_content", "heredoc_body"))
        return any(hides_substitution(text) for text in texts)

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
        for leaf in _leaves(node):
            operator = leaf.type == "test_operator" or (not leaf.is_named and leaf.parent is not None)
            inside_word = leaf.parent is not None and leaf.parent.type in _WORDS
            if operator and not inside_word and self.raw(leaf) not in _PLAIN_TESTS:
                self.problem("dynamic_command", self.raw(node))
        stack = list(node.named_children)
        while stack:
            child = stack.pop()
            if child.type in _WORDS:
                self.word(child, depth + 1)
            elif child.type in ("binary_expression", "unary_expression", "parenthesized_expression", "negated_command"):
                stack.extend(child.named_children)
            elif child.type != "test_operator":
                self.problem("dynamic_command", self.raw(child))

    def word(self, node: Node, depth: int) -> Word:
        """The word at ``node``; what runs inside it is walked on the way."""
        kind, raw = node.type, self.raw(node)
        if depth > MAX_DEPTH:
            self.problem("unparsable", "nesting")
            return unknown(raw)
        if kind in ("word", "number", "extglob_pattern", "regex") and not node.named_child_count:
            if hides_substitution(raw):
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
            if raw.startswith("`") and "\\" in raw:
                # Backslashes are taken off before what stands in backticks is read, which the grammar does not do.
                self.problem("unparsable", raw)
            self.visit_inside(node, depth)
        elif kind == "simple_expansion":
            return unknown(raw)
        elif kind == "expansion":
            self.parameter(node, raw, depth)
        elif kind == "arithmetic_expansion":
            # A variable's value is evaluated as an expression here, and an expression can run a command.
            if any(leaf.type in ("variable_name", "word") or leaf.type == "$" for leaf in _leaves(node)):
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
            if child.type in _EXPRESSIONS:
                self.visit_inside(child, depth + 1)
            elif child.is_named and child.type not in _INERT:
                self.visit(child, repeats=False, depth=depth + 1)
