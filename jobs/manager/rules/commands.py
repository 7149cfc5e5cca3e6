"""What command a clause asks for, if any: a literal one, a named check of the repository, a tool, or "them again".

Prose is never one. A clause is a command only when nothing in it is left over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from jobs.manager.rules.lexicon import STOP_WORDS, VERBS, listed, rx
from jobs.manager.rules.split import CLOSE, MARK, OPEN, without_filler

_OBJECT = (
    r"(?:\s+(?:it|this|that|them|everything|all|all (?:the )?files|(?:all )?(?:the |our |my )?(?:whole |entire )?"
    r"(?:python |js )?(?:code|code ?base|project|files|repo|repository|sources?|app|package|tree)))?"
)
_RUN = r"(?:(?:re-?)?(?:run|execute|do|launch|start|try|repeat|perform|invoke)(?:\s+with)?)"
_THE = r"(?:(?:all|the|our|my|its|of|a|unit|full|whole|entire|complete|existing|python|js|integration)\s+)*"
_SOME = r"(?:一下|一遍|一次|一轮|个|下)?"
_ZH_OBJECT = r"(?:一下|一遍|一次|全部|所有|整个|项目|代码|的|文件|仓库)*"
_ZH_RUN = r"(?:重新)?(?:跑|运行|执行|做|重跑)" + _SOME

CHECKS: Mapping[str, re.Pattern[str]] = {
    "test": rx(
        rf"(?:{_RUN}\s+)?{_THE}(?:tests?|test[ -]?suites?|suite|specs?|unittests?)|(?:re-?)?test{_OBJECT}"
        rf"|(?:make sure|check|verify|ensure|see)(?: that| if| whether)? {_THE}(?:tests?|suite) (?:still )?"
        rf"(?:pass(?:es)?|are green|is green)"
        rf"|{_ZH_RUN}(?:所有|全部|单元|完整|的)*(?:测试)(?:用例|套件)?{_SOME}|测试{_ZH_OBJECT}|确保测试(?:都)?通过"
    ),
    "format": rx(
        rf"(?:re-?|auto-?)?format{_OBJECT}|(?:{_RUN}\s+)?{_THE}(?:code )?(?:auto-?)?(?:formatter|formatting)"
        rf"|(?:{_ZH_RUN})?(?:代码)?格式化{_ZH_OBJECT}|(?:把)?(?:代码|项目)格式化{_SOME}"
    ),
    "lint": rx(
        rf"lint{_OBJECT}|(?:{_RUN}\s+)?{_THE}(?:linter|linters|lint|lints|linting|lint checks?)|check (?:the )?(?:code )?style"
        rf"|{_ZH_RUN}(?:lint|代码检查|静态检查|风格检查)|(?:代码|静态|风格)检查|检查(?:一下)?(?:代码|风格|代码风格)"
    ),
    "types": rx(
        rf"(?:type[ -]?check|check (?:the )?types){_OBJECT}|(?:{_RUN}\s+)?{_THE}type[ -]?check(?:er|s|ing)?"
        rf"|(?:{_ZH_RUN})?类型检查{_SOME}|检查{_SOME}类型"
    ),
    "build": rx(
        rf"(?:re-?)?build{_OBJECT}|compile{_OBJECT}|{_RUN}\s+{_THE}build"
        rf"|(?:{_ZH_RUN})?(?:构建|编译|打包){_ZH_OBJECT}"
    ),
}

TOOLS: Mapping[str, Mapping[str, str]] = {
    "ruff": {"format": "ruff format .", "lint": "ruff check .", "": "ruff check ."},
    "black": {"format": "black .", "": "black ."},
    "isort": {"format": "isort .", "": "isort ."},
    "mypy": {"types": "mypy .", "lint": "mypy .", "": "mypy ."},
    "pyright": {"types": "pyright", "lint": "pyright", "": "pyright"},
    "flake8": {"lint": "flake8 .", "": "flake8 ."},
    "pylint": {"lint": "pylint .", "": "pylint ."},
    "pytest": {"test": "pytest -q", "": "pytest -q"},
    "prettier": {"format": "prettier --write .", "lint": "prettier --check .", "": "prettier --write ."},
    "eslint": {"lint": "eslint .", "": "eslint ."},
    "tsc": {"types": "tsc --noEmit", "build": "tsc", "": "tsc --noEmit"},
    "gofmt": {"format": "gofmt -w .", "": "gofmt -w ."},
}
_TOOL = "|".join(TOOLS)
_ACTIONS = (
    ("format", rx(r"\b(?:re)?format|tidy|prettify|格式")),
    ("types", rx(r"\btype|类型")),
    ("lint", rx(r"\blint|\bcheck|检查")),
    ("test", rx(r"\btest|测试")),
    ("build", rx(r"\bbuild|\bcompile|构建|编译")),
)
_DO = r"(?:(?:re-?)?format|tidy(?: up)?|lint|check(?: the)?(?: types| style)?|type[ -]?check|test|build|compile)"
_WITH_TOOL = rx(
    rf"{_DO}{_OBJECT}\s+(?:with|using|via|by|through)\s+(?P<a>{_TOOL})"
    rf"|(?:{_RUN}|use|apply|check with)\s+(?P<b>{_TOOL})"
    rf"(?:\s+(?:on|over|for|to (?:format|lint|check|test)){_OBJECT}(?:\s*(?:formatting|linting))?)?"
    rf"|(?:{_ZH_RUN}|用|使用)?\s*(?P<c>{_TOOL})\s*(?:来|去)?(?:做|跑)?(?:一下|一遍|一次)?(?:代码)?"
    rf"(?:格式化|检查|类型检查|测试|lint|构建)?{_ZH_OBJECT}"
)
_AGAIN = rx(
    rf"{_RUN}\s+(?:them|it|that|those|this|these)(?:\s+(?:all|both))?|(?:re-?run|repeat)(?:\s+(?:them|it|that))?"
    rf"|(?:重新)?(?:跑|运行|执行|来|试)(?:一遍|一次|一下)|重跑(?:一遍|一次)?"
)
_MODIFIER = rx(
    r"[\s,]+(?:again|once more|one more time|a second time|another time|please|now|for me|too|as well|first|afterwards?"
    r"|here|in the (?:repo|repository|project)|right away)$|(?:吧|看看|试试)$"
)
_LITERAL = rx(
    rf"(?:(?:{_RUN}|use|call)\s+(?:the\s+)?(?:command\s+|script\s+)?|(?:{_ZH_RUN})\s*)?{OPEN}(?P<n>\d+){CLOSE}"
)
_PLAIN = rx(rf"(?:{_RUN}\s+(?:the command\s+)?|{_ZH_RUN}\s*)?(?P<line>.+)")
_PROGRAM = re.compile(r"[a-z0-9_./~-]*[a-z0-9_-]$")
_NO_PROGRAMS = STOP_WORDS | listed("please let run fix")
_LONGEST = 200  # characters; nobody names a check at greater length, and matching would take too long


@dataclass(frozen=True, slots=True)
class Command:
    """A command line to run, word for word."""

    line: str


@dataclass(frozen=True, slots=True)
class Lacking:
    """A check was asked for by name, and this repository is not known to have it."""

    check: str


class CommandReader:
    """Knows the repository's checks and what a command line looks like; ``earlier`` commands answer "them again"."""

    def __init__(self, is_command: Callable[[str], bool], checks: Mapping[str, str]) -> None:
        self._is_command = is_command
        self._checks = checks

    def read(self, clause: str, literals: Sequence[str], earlier: Sequence[str] = ()) -> Command | Lacking | None:
        """The command ``clause`` asks for, or None when it is about something else."""
        bare = bare_of(clause)
        literal = self.literal(bare, literals)
        if literal:
            return Command(literal)
        if len(bare) > _LONGEST:
            return None
        if any(line == bare for line in self._checks.values()):
            return Command(bare)
        tool = _WITH_TOOL.fullmatch(bare)
        if tool:
            return Command(self._by_tool((tool["a"] or tool["b"] or tool["c"]).lower(), bare))
        for check, pattern in CHECKS.items():
            if pattern.fullmatch(bare):
                return Command(self._checks[check]) if check in self._checks else Lacking(check)
        if _AGAIN.fullmatch(bare):
            return self._again(earlier)
        return self._keyed(bare)

    def literal(self, text: str, literals: Sequence[str]) -> str:
        """The command line that is the whole of ``text``, in backticks or bare; "" when it is none."""
        marked = _LITERAL.fullmatch(text)
        if marked:
            line = literals[int(marked["n"])]
            return line if self._is_command(line) or _plausible(line, told=marked.start("n") > 1) else ""
        if MARK.search(text):
            return ""
        told = _PLAIN.fullmatch(text)
        candidates = [text, told["line"]] if told else [text]
        return next((line for line in candidates if self._is_command(line)), "")

    def is_test(self, line: str) -> bool:
        return line == self._checks.get("test") or bool(re.search(r"\btests?\b|pytest|jest|vitest", line))

    def _again(self, earlier: Sequence[str]) -> Command | Lacking | None:
        tests = [line for line in earlier if self.is_test(line)]
        if tests or earlier:
            return Command((tests or list(earlier))[-1])
        return None

    def _by_tool(self, tool: str, text: str) -> str:
        without = re.sub(re.escape(tool), " ", text, flags=re.IGNORECASE)
        action = next((name for name, pattern in _ACTIONS if pattern.search(without)), "")
        usual = TOOLS[tool].get(action, TOOLS[tool][""])
        known = [line for name, line in self._checks.items() if tool in line.split() and action in ("", name)]
        return usual if usual in known or not known else known[0]

    def _keyed(self, bare: str) -> Command | None:
        """ "run the docs" where the repository names a check ``docs``."""
        named = re.fullmatch(rf"{_RUN}\s+{_THE}(?P<name>[\w:-]+)", bare, re.IGNORECASE)
        line = self._checks.get(named["name"].lower()) if named else None
        return Command(line) if line else None


def bare_of(clause: str) -> str:
    """The clause without "please", "again" and the like around it."""
    bare = without_filler(clause).strip()
    before = ""
    while before != bare:
        before, bare = bare, _MODIFIER.sub("", bare).strip(" ,，、!")
    return bare


def _plausible(line: str, *, told: bool) -> bool:
    """Whether backticked text may be a command of an unknown program; a lone word only when one says "run" before it."""
    parts = line.split()
    if not parts or "\n" in line or not _PROGRAM.match(parts[0]) or parts[0] in _NO_PROGRAMS:
        return False
    if any(part.lower() in _NO_PROGRAMS for part in parts[1:3]) and not any(p.startswith("-") for p in parts):
        return False
    return told or (len(parts) > 1 and (parts[0] == "make" or parts[0] not in VERBS))
