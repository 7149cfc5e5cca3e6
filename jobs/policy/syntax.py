"""The grammar's node types as this package understands them, and what a parsed command line is.

Rule: a node type that stands in no table here is not understood, and a command line that holds one asks a person.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from jobs.policy.listing import listed
from jobs.policy.quoting import Word

# Deeper nesting than this is nobody's command; it keeps the walk far from Python's recursion limit.
MAX_DEPTH = 120

STATEMENTS = listed(
    "program list pipeline subshell compound_statement negated_command if_statement elif_clause else_clause"
    " while_statement case_statement case_item do_group command_substitution process_substitution"
    " heredoc_body"
)
LOOPS = frozenset({"while_statement", "for_statement", "do_group"})
WORDS = listed(
    "word number raw_string string ansi_c_string translated_string concatenation simple_expansion expansion"
    " command_substitution process_substitution arithmetic_expansion brace_expression extglob_pattern regex"
)
SILENT = frozenset({"comment", "heredoc_start", "heredoc_end", "heredoc_content", "file_descriptor"})
SYNTAX = listed(
    "; ;; ;& ;;& & && || | |& ( ) { } ! $( ` <( >( if then elif else fi while until do done case in esac for"
) | {"\n"}
# Tests that only look at files and strings. The numeric ones evaluate their operands, which can run a substitution.
PLAIN_TESTS = listed("-f -d -e -s -n -z -r -w -x -L -h = == != ! [ ]")
# These belong to ``[[``; behind ``[``, an ordinary command, they redirect or start another command.
BRACKET_TESTS = PLAIN_TESTS | listed("=~ < > && || ( ) [[ ]]")
INERT = listed("string_content variable_name special_variable_name number")
EXPRESSIONS = listed(
    "binary_expression unary_expression postfix_expression ternary_expression parenthesized_expression"
)
WRITING = frozenset({">", ">>", ">|", "&>", "&>>", "<>", ">&"})


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


def leaves(root: Node) -> Iterator[Node]:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.child_count:
            stack.extend(reversed(node.children))
        else:
            yield node


def text_spans(body: Node) -> list[tuple[int, int]]:
    """The byte ranges of a here-document's body that are text, not expansions."""
    cuts = [child for child in body.children if child.type != "heredoc_content"]
    starts = [body.start_byte, *(cut.end_byte for cut in cuts)]
    ends = [*(cut.start_byte for cut in cuts), body.end_byte]
    return list(zip(starts, ends, strict=True))
