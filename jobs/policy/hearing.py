"""One command line heard step by step: wrappers taken off, inner command lines opened, folders followed.

Rule: what is found only ever adds reasons. A step that cannot be understood is itself a reason, never skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from jobs.policy.classify import as_module, deletions, reasons, shown
from jobs.policy.parse import parse
from jobs.policy.paths import Place, Spot
from jobs.policy.quoting import Word
from jobs.policy.rules import ShellPolicy, match
from jobs.policy.ruling import Reason
from jobs.policy.syntax import Parsed, Redirect, Step
from jobs.policy.tables import SHELL_CODE, SHELLS, TREE_DELETERS, WRAPPERS, Wrapper, program

# ``sh -c "sh -c …"`` deeper than this is hiding something.
MAX_INNER = 4
_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
# Stands for what xargs reads and adds.
_FROM_INPUT = Word("…", plain=False, dynamic=True)


@dataclass(slots=True)
class Hearing:
    """``reasons`` and ``steps`` grow in the order of the text; ``place`` grows with every ``cd``."""

    policy: ShellPolicy
    place: Place
    depth: int = 0
    reasons: list[Reason] = field(default_factory=list)
    steps: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, code: str, words: Sequence[Word]) -> None:
        self.reasons.append(Reason(code, {"command": shown(words)}))

    def line(self, parsed: Parsed, *, repeats: bool = False) -> None:
        """Hear every step of a parsed command line."""
        for problem in parsed.problems:
            self.add(problem.code, [Word(problem.detail)])
        for step in parsed.steps:
            self.step(step, repeats=repeats or step.repeats)

    def step(self, step: Step, *, repeats: bool) -> None:
        for name in step.assigns:
            self.assign(name, exported=step.exported)
        for redirect in step.redirects:
            self.redirect(redirect)
        self.command(step.words, repeats=repeats)

    def assign(self, name: str, *, exported: bool) -> None:
        """A name in small letters that is not exported stays within the shell; others can steer what runs."""
        private = not exported and name.islower()
        if not private and not any(fnmatchcase(name, entry) for entry in self.policy.variables):
            self.add("changes_variable", [Word(name)])

    def redirect(self, redirect: Redirect) -> None:
        target = redirect.target
        if target.dynamic or target.glob:
            return self.add("dynamic_argument", [target])
        if target.text.startswith(("/dev/tcp/", "/dev/udp/")):
            return self.add("uses_network", [target])
        spot = self.place.spot(target.text)
        if spot is Spot.OUTSIDE:
            code = "writes_outside" if redirect.writes else "reads_outside"
            self.reasons.append(Reason(code, {"path": target.text}))
        elif spot is Spot.GUARDED and redirect.writes:
            self.reasons.append(Reason("writes_guarded", {"path": target.text}))
        return None

    def command(self, words: Sequence[Word], *, repeats: bool) -> None:
        """Hear one program with its arguments."""
        words = self.unwrapped(words)
        if not words:
            return
        self.steps.append(tuple(word.text for word in words))
        if words[0].dynamic or words[0].glob:
            return self.add("dynamic_command", words)
        words = as_module(words)
        name = program(words[0].text)
        if name == "cd":
            return self.change_folder(words, repeats)
        if name in SHELLS and len(words) > 2 and SHELL_CODE.match(words[1].text):
            return self.inner(words, repeats)
        if name == "find":
            self.find_actions(words, repeats)
        self.reasons.extend(reasons(words, self.place, self.policy))
        return None

    def unwrapped(self, words: Sequence[Word]) -> tuple[Word, ...]:
        """The command that ``env``, ``timeout``, ``xargs`` and their like run in the end."""
        rest = tuple(words)
        while rest and not rest[0].dynamic and (wrapper := WRAPPERS.get(program(rest[0].text))):
            if program(rest[0].text) == "command" and len(rest) > 1 and rest[1].text in ("-v", "-V"):
                return (Word("type"), *rest[2:])
            if match((program(rest[0].text),), self.policy.ask):
                self.add("always_asked", rest)
            if wrapper.code:
                self.add(wrapper.code, rest)
            inner = self.past_options(wrapper, rest[1:])
            if inner is None:
                self.add("dynamic_command", rest)
                self.steps.append(tuple(word.text for word in rest))
                return ()
            rest = (*(inner or (Word("echo"),)), _FROM_INPUT) if wrapper.appends else inner
        return rest

    def past_options(self, wrapper: Wrapper, words: tuple[Word, ...]) -> tuple[Word, ...] | None:
        """``words`` after a wrapper's own arguments; None when one of them is not in its row."""
        index = 0
        while index < len(words) and words[index].text.startswith("-"):
            text = words[index].text
            attached = text[:2] in wrapper.valued and not text.startswith("--") and len(text) > 2
            attached = attached or ("=" in text and text.split("=")[0] in wrapper.valued)
            if not (text in wrapper.flags or text in wrapper.valued or attached or text == "--"):
                return None
            index += 2 if text in wrapper.valued else 1
            if text == "--":
                break
        while wrapper.assigns and index < len(words) and "=" in words[index].text and not words[index].dynamic:
            self.assign(words[index].text.split("=")[0], exported=True)
            index += 1
        index += wrapper.operands
        if any(word.dynamic or word.glob for word in words[:index]):
            return None
        return words[index:]

    def change_folder(self, words: Sequence[Word], repeats: bool) -> None:
        operands = [word for word in words[1:] if word.text not in ("-L", "-P", "--")]
        static = len(operands) == 1 and not operands[0].dynamic and not operands[0].glob
        entered = None
        if static and not repeats and not operands[0].text.startswith("-"):
            entered = self.place.entered(operands[0].text)
        if entered is None:
            return self.add("leaves_folder", words)
        self.place = entered
        return None

    def inner(self, words: Sequence[Word], repeats: bool) -> None:
        """``bash -c "…"``: the text is a command line of its own, when it is known."""
        text = words[2]
        if text.dynamic or text.glob or self.depth >= MAX_INNER or match((words[0].text,), self.policy.ask):
            return self.add("dynamic_command", words)
        self.depth += 1
        self.line(parse(text.text), repeats=repeats)
        self.depth -= 1
        return None

    def find_actions(self, words: Sequence[Word], repeats: bool) -> None:
        """``-delete`` empties what find walks; ``-exec`` runs a command once for each thing found."""
        if any(word.text == "-delete" for word in words):
            starts = [word for word in words[1:] if not word.text.startswith(("-", "(", "!"))]
            outside = any(word.dynamic or self.place.spot(word.text) is Spot.OUTSIDE for word in starts)
            where = "outside" if outside else "inside"
            self.reasons.append(Reason("deletes_recursively", {"command": shown(words), "where": where}))
        for index, word in enumerate(words):
            if word.text in _FIND_RUNS:
                rest = words[index + 1 :]
                end = next((i for i, one in enumerate(rest) if one.text in (";", "+")), len(rest))
                run = rest[:end]
                self.command(run, repeats=repeats)
                if run and program(run[0].text) in TREE_DELETERS:
                    self.reasons.extend(deletions(program(run[0].text), run, self.place, recursive=True))
