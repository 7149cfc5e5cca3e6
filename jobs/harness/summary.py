"""How a command went, in one line taken from its own output.

A table of the summaries of known tools; where none matches, the last line that says something. One line each for
tests, linters and builds is enough for a card; the whole output is beside it.
"""

from __future__ import annotations

import re

from jobs.harness.plain import cut, last_line

LOOKED_AT = 60  # lines from the end; a summary stands there
LONGEST = 120  # characters, for one line of a card

_COUNT = r"\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun)"

# Tried in this order on the last lines; of one row the last match counts. A group is what is shown.
SUMMARIES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^=*\s*({_COUNT}(?:, {_COUNT})*)\b.* in [\d.:]+ ?s?.*$",  # pytest
        r"^=*\s*(no tests ran) in .*$",
        r"^(FAILED \((?:failures|errors|skipped|unexpected successes)=.*\))$",  # unittest, when it failed
        r"^(Ran \d+ tests?) in .*$",
        r"^(test result: FAILED\. .*?)(?:; finished in .*)?$",  # cargo, one line for each binary: a failed one counts
        r"^(test result: ok\. [1-9]\d* passed; .*?)(?:; finished in .*)?$",
        r"^\s*Tests?:?\s+(\d+ (?:failed|passed|skipped|todo).*)$",  # jest, vitest
        r"^\s*(\d+ (?:passing|failing))\b.*$",  # mocha
        r"^[#ℹ] (fail [1-9]\d*)$",  # node --test
        r"^[#ℹ] (pass \d+)$",
        r"^(FAIL\s+\S+/\S+.*?)(?:\s+\[.*\])?$",  # go
        r"^(ok\s+\S+)\s+(?:[\d.]+s|\(cached\)).*$",
        r"^(\d+ files? (?:reformatted|would be reformatted|already formatted|left unchanged).*)$",  # ruff, black
        r"^(Found \d+ errors?(?: in \d+ files?)?.*|All checks passed!|Success: no issues found.*)$",  # ruff, mypy, tsc
        r"^✖ (\d+ problems? .*)$",  # eslint
        r"^(?:error: )?(could not compile .*)$",
        r"^(added \d+ packages.*|up to date.*)$",  # npm
    )
)

# Said after the fact, by the program around the one that failed.
_NOISE = re.compile(r"^(?:make(?:\[\d+\])?: |npm (?:ERR!|error)\s*(?:$|A complete log|code |Lifecycle)|FAIL$|ok$)")


def summary_line(text: str) -> str:
    """The line that says how it went, at most ``LONGEST`` characters; empty for an output that says nothing."""
    lines = [line.strip() for line in text.splitlines()[-LOOKED_AT:]]
    for pattern in SUMMARIES:
        for line in reversed(lines):
            if found := pattern.match(line):
                return cut(" ".join(found[1].split()), LONGEST)
    telling = [line for line in lines if not _NOISE.match(line)]
    return last_line("\n".join(telling), LONGEST) or last_line(text, LONGEST)
