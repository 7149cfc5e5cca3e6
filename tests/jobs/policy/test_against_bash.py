"""Real bash as the judge of our reading: it never starts a program that a ruling to run did not show.

The programs are stand-ins on an otherwise empty ``PATH``: each writes down its name and arguments, and does nothing.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import Refused
from jobs.policy import ShellPolicy, judge

NAMES = ("ls", "cat", "grep", "sort", "wc", "evil", "curl", "rm", "x", "E")
Run = Callable[[str], list[tuple[str, ...]]]

SEEDS = [
    "cat <<E\nhello evil\nE\nls", "cat <<'E' | grep x\nevil\nE\n", "echo $(ls) `ls a` \"$(cat a.txt)\"", "cat <(ls) a.txt",
    "if [[ -f a.txt ]]; then ls; else echo evil; fi", "for i in a b; do echo \"$i\"; done", "ls # evil\nls", "echo a\\ b\\;evil",
    "case x in a) ls;; *) echo evil;; esac", "(ls; ls) | cat", "{ ls; echo evil; }", "[ -f a.txt ] && ls", "echo 'a' \\\n evil",
    "echo \"evil $(echo evil)\"", "cat <<-E\n\tevil\n\tE\nls", "x=evil; echo $x", "cat <<< evil", "echo evil > f 2>&1 < a.txt",
]  # fmt: skip
PIECES = [
    "evil ", "curl ", " ", "\n", ";", "&&", "|", "&", "(", ")", "{ ", "}", "$(", "`", "'", '"', "\\", "\\\n", "<<E", "\nE\n",
    "#", "$x", "<(", ">", "<", "x=", "[[ ", " ]]", "! ", "then ", "do ", "done", "*", "$'", "=", "\t", "<<<", "é", "((",
    "a)", "\n\\",
]  # fmt: skip


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a command line for real and returns the argument lists of the stand-ins it started."""
    top = tmp_path_factory.mktemp("bash")
    tree, programs, runs = top / "a" / "b" / "tree", top / "programs", count()
    tree.mkdir(parents=True)
    programs.mkdir()
    (tree / "a.txt").write_text("a\n")
    for name in NAMES:
        stand_in = programs / name
        stand_in.write_text(f"#!/bin/sh\nprintf '%s\\0' {name} \"$@\" >> $LOG\nprintf '\\n\\n' >> $LOG\n")
        stand_in.chmod(0o755)

    def run(command: str) -> list[tuple[str, ...]]:
        log = top / f"log{next(runs)}"
        log.touch()
        argv = ["/bin/bash", "--noprofile", "--norc", "-c", command]
        environment = {"PATH": str(programs), "LOG": str(log)}
        quiet = subprocess.DEVNULL
        subprocess.run(
            argv, cwd=tree, env=environment, stdin=quiet, stdout=quiet, stderr=quiet, timeout=10, check=False
        )
        lines = log.read_bytes().decode(errors="replace").split("\n\n")
        return [tuple(line.split("\0")[:-1]) for line in lines if line]

    return run


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A sound command line with a few pieces thrown in or cut out."""
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        if draw(st.booleans()):
            text = text[:at] + draw(st.sampled_from(PIECES)) + text[at:]
        else:
            text = text[:at] + text[at + draw(st.integers(1, 3)) :]
    return text


def check(command: str, folder: Path, bash: Run) -> None:
    try:
        ruling = judge(command, folder=folder, root=folder, policy=ShellPolicy())
    except Refused:
        return
    if ruling.verdict == "run":
        shown = {step[0] for step in ruling.steps}
        assert {started[0] for started in bash(command)} <= shown


@pytest.mark.parametrize("command", SEEDS)
def test_sound_command_lines_start_only_what_is_shown(root: Path, bash: Run, command: str) -> None:
    """Each seed runs at once, and bash starts its steps and no other."""
    assert judge(command, folder=root, root=root, policy=ShellPolicy()).verdict == "run"
    check(command, root, bash)


@given(command=mutated())
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_broken_command_lines_start_only_what_is_shown(root: Path, bash: Run, command: str) -> None:
    """However quotes, here-documents and brackets are torn, a ruling to run hides nothing."""
    check(command, root, bash)


@pytest.mark.parametrize(
    "command",
    ["ls 'a b' \"c\\$d\" e\\ f ''", "grep \"it's\" '\"' a\\\"b", "cat a\"b\"'c'd # e", "ls \\\n  -l", "ls é 'ü'", "ls -- -x=y"],
)  # fmt: skip
def test_the_argument_list_is_the_one_bash_would_pass(root: Path, bash: Run, command: str) -> None:
    """So that leaving the shell out changes nothing."""
    ruling = judge(command, folder=root, root=root, policy=ShellPolicy())
    assert ruling.argv[0] != "bash"
    assert bash(command) == [ruling.argv]
