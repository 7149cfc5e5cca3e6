"""How a command went, in its own words."""

from __future__ import annotations

import pytest

from jobs.harness.summary import LONGEST, summary_line

OUTPUTS = {
    "pytest": ("....\n============ 214 passed, 1 skipped in 3.21s ============\n", "214 passed, 1 skipped"),
    "pytest, minutes": ("==== 2 failed, 212 passed, 3 warnings in 75.10s (0:01:15) ====", "2 failed, 212 passed, 3 warnings"),
    "pytest -q": ("..F\nFAILED test_a.py::test_b - assert 1 == 2\n1 failed, 2 passed in 0.05s\n", "1 failed, 2 passed"),
    "pytest, none": ("\n===== no tests ran in 0.01s =====", "no tests ran"),
    "unittest": (".....\n-----\nRan 5 tests in 0.001s\n\nOK\n", "Ran 5 tests"),
    "unittest, failed": ("Ran 5 tests in 0.001s\n\nFAILED (failures=1)\n", "FAILED (failures=1)"),
    "cargo": (
        "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
        "   Doc-tests shop\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out",
    ),
    "cargo, failed": (
        "test result: FAILED. 1 passed; 2 failed; 0 ignored; finished in 0.1s\n\nerror: test failed, to rerun pass `--lib`",
        "test result: FAILED. 1 passed; 2 failed; 0 ignored",
    ),
    "cargo build": ("error: could not compile `shop` due to 2 errors", "could not compile `shop` due to 2 errors"),
    "jest": (
        "Test Suites: 1 failed, 2 total\nTests:       1 failed, 4 passed, 5 total\nTime: 2 s\nRan all test suites.\n",
        "1 failed, 4 passed, 5 total",
    ),
    "vitest": (" Test Files  1 passed (1)\n      Tests  4 passed (4)\n   Duration  300ms\n", "4 passed (4)"),
    "mocha": ("  5 passing (12ms)\n", "5 passing"),
    "node": ("ℹ tests 3\nℹ pass 3\nℹ fail 0\nℹ duration_ms 45", "pass 3"),
    "node, failed": ("# pass 2\n# fail 1\n# duration_ms 45", "fail 1"),
    "go": ("ok  \texample.org/shop\t0.012s\n", "ok example.org/shop"),
    "go, failed": (
        "--- FAIL: TestPay (0.00s)\nFAIL\nFAIL\texample.org/shop\t0.012s\nok  \texample.org/a\t0.1s\nFAIL\n",
        "FAIL example.org/shop 0.012s",
    ),
    "ruff": ("a.py:1:1: F401\nFound 3 errors.\n[*] 1 fixable with the `--fix` option.\n", "Found 3 errors."),
    "ruff, clean": ("All checks passed!\n", "All checks passed!"),
    "ruff format": ("2 files reformatted, 1 file left unchanged\n", "2 files reformatted, 1 file left unchanged"),
    "mypy": ("Success: no issues found in 12 source files\n", "Success: no issues found in 12 source files"),
    "eslint": ("✖ 3 problems (3 errors, 0 warnings)\n\n", "3 problems (3 errors, 0 warnings)"),
    "npm": ("\nadded 12 packages in 2s\n\nfound 0 vulnerabilities\n", "added 12 packages in 2s"),
    "make": ("cc: fatal error: no input files\nmake: *** [Makefile:3: build] Error 1\n", "cc: fatal error: no input files"),
    "anything": ("one\n  two 中文\n---\n\n", "two 中文"),
    "nothing": ("\n\n", ""),
    "only make": ("make: *** No rule to make target 'x'.  Stop.\n", "make: *** No rule to make target 'x'.  Stop."),
    "prose": ("I passed 3 in a row\nlast words\n", "last words"),
}  # fmt: skip


@pytest.mark.parametrize("tool", OUTPUTS)
def test_the_line_that_says_how_it_went(tool: str) -> None:
    output, wanted = OUTPUTS[tool]
    assert summary_line(output) == wanted


def test_the_line_is_short_however_long_the_output_is() -> None:
    assert len(summary_line("word " * 100_000)) == LONGEST
    assert summary_line("Found 9 errors.\n" + "x\n" * 1000) == "x"
