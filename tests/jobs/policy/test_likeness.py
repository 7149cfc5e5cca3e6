"""What a person writes becomes a shell task only when it reads as a command line; prose never does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.policy import ShellPolicy, looks_like_command

POLICY = ShellPolicy()

PROSE = [
    "run the tests",
    "make the login page prettier",
    "find out why login fails",
    "test the login",
    "sort this out please",
    "go ahead",
    "kill the cache",
    "修复登录页面",
    "运行测试",
    "help",
    "status",
    "stop",
    "yes",
    "true",
    "date",
    "test",
    "time",
    "who",
    "make",
    "sort",
    "find",
    "cat",
    "go",
    "black",
    "make it faster",
    "make login prettier",
    "make sure tests pass",
    "find bugs",
    "find login bug",
    "touch base with bob",
    "head over to the docs",
    "watch out",
    "time is up",
    "nice work",
    "cut the retries",
    "cut scope",
    "join the channel",
    "split this file",
    "type errors everywhere",
    "which tests fail",
    "echo the request back",
    "date handling is broken",
    "sleep on it",
    "kill 9 workers",
    "install dependencies",
    "test login flow",
    "test everything",
    "sort imports",
    "sort users by name",
    "diff looks good",
    "git is broken",
    "git blame is slow",
    "npm fails",
    "npm install fails",
    "cargo test fails on CI",
    "pytest hangs",
    "pytest is slow",
    "pytest fails on main",
    "ruff complains",
    "ruff format everything please",
    "run pytest",
    "run pytest, then format with ruff",
    "please run `pytest -q`",
    "node crashes",
    "python is missing",
    "python code needs work",
    "docker is slow",
    "tests are failing",
    "fix the retry first, leave the cache",
    "format with ruff",
    "env vars are missing",
    "file a bug",
    "file upload fails",
    "read README.md",
    "make docs better",
    "make build faster",
    "go test the login",
    "go build it",
    "go fix login",
    "ls is slow",
    "grep the logs",
    "rm old files",
    "cp is broken",
    "service login fails",
    "host is down",
    "import error in main.py",
    "set timeout to 5",
    "what does pytest -q do?",
    "ok",
    "cd into src and run tests",
    "command fails",
    "at least try",
    "batch the writes",
    "init the repo",
    "watch src",
    "test src",
    "mount point missing",
    "find src",
    "free memory leaks",
    "column order wrong",
    "tail latency is high",
    "expand on that",
    "column names",
    "stat page",
    "black screen",
    "yarn is slow",
    "make test pass",
    "make tests green",
    "jest mocks",
    "coverage report is low",
    "ask bob",
    '"pytest -q" fails',
    "uv is nice",
    "make check pass",
    "go run the tests",
    "git commit the changes",
    "git push the fix",
]

COMMANDS = [
    "pytest -q",
    "pytest",
    "ls",
    "pwd",
    "ls -la",
    "ls src",
    "ruff format .",
    "ruff check",
    "ruff check src tests",
    "npm test",
    "npm run build",
    "npm run lint:fix",
    "npm ci",
    "npm install lodash",
    "git status",
    "git log --oneline -5",
    "git diff HEAD~1",
    "git push",
    "git push origin main",
    "git push --force",
    'git commit -m "fix the login"',
    "git checkout -b feature",
    "cat README.md",
    "cat src/app.py | head -20",
    "grep -rn TODO src",
    'grep "the login" app.py',
    "rg TODO",
    "make test",
    "make -j4 test lint",
    "python -m pytest -q",
    "python script.py",
    'python -c "print(1)"',
    "./run.sh",
    "./run.sh fast",
    "rm -rf build",
    "rm -rf build-cache",
    "rm notes.txt",
    "mkdir build",
    "mkdir -p a/b",
    "cp a.txt b.txt",
    "mv a.txt b",
    "echo hello",
    'echo "hello world"',
    "find . -name '*.py'",
    "sort data.csv",
    "head -n 5 README.md",
    "tail -f log.txt",
    "wc -l src/*.py",
    "sleep 5",
    "kill 1234",
    "kill -9 1234",
    "go test ./...",
    "go build",
    "cargo test",
    "cargo build --release",
    "mypy --strict src",
    "black .",
    "black --check src",
    "isort .",
    "prettier --write .",
    "tsc --noEmit",
    "eslint src --fix",
    "node --test",
    "node server.js",
    "pip install requests",
    "uv sync",
    "uv run pytest -q",
    "curl https://example.com",
    "curl -s http://localhost:8080/health",
    "sudo apt-get install jq",
    "docker ps",
    "docker compose up -d",
    "ssh bob@example.com",
    "ls && pytest -q",
    "cd src && ls",
    "CI=1 pytest",
    "time pytest -q",
    "timeout 60 pytest -q",
    "test -f a.txt",
    "touch foo.txt",
    "chmod +x run.sh",
    "diff a.txt b.txt",
    "date +%s",
    "pytest tests/test_a.py::test_b",
    "pytest -k login",
    'bash -c "ls | wc -l"',
    'for i in 1 2; do echo "$i"; done',
    "echo hi > out.txt",
    "sed -n 1,5p README.md",
    "ln -s a.txt b.txt",
    "coverage report",
    "systemctl restart nginx",
]

_SENTENCE_STARTS = [
    "make",
    "find",
    "test",
    "sort",
    "go",
    "kill",
    "cut",
    "head",
    "touch",
    "git",
    "npm",
    "ls",
    "rm",
    "pytest",
]
_SENTENCE_WORDS = ["the", "login", "page", "please", "why", "it", "fails", "this", "and", "our", "users", "to"]


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_no_command(text: str) -> None:
    """Not even when its first word is a program."""
    assert not looks_like_command(text, policy=POLICY)


@pytest.mark.parametrize("text", COMMANDS)
def test_a_command_line_is_recognised(text: str) -> None:
    """By its program and by arguments such a program is given."""
    assert looks_like_command(text, policy=POLICY)


@pytest.mark.parametrize("text", ["", "  ", "\n", "\0", "ls\0", "ls " * 2_000, "\ud800"])
def test_empty_broken_and_endless_text_is_no_command(text: str) -> None:
    """It is answered as prose, not refused."""
    assert not looks_like_command(text, policy=POLICY)


def test_a_program_the_team_allows_is_known() -> None:
    """Its own tools count as programs once they are on a list."""
    assert not looks_like_command("tidy --all", policy=POLICY)
    assert looks_like_command("tidy --all", policy=ShellPolicy(allowed=("tidy",)))


@given(st.sampled_from(_SENTENCE_STARTS), st.lists(st.sampled_from(_SENTENCE_WORDS), min_size=3, max_size=8))
def test_a_sentence_that_begins_with_a_program_is_prose(start: str, words: list[str]) -> None:
    """Three words that only sentences have are never all arguments."""
    if {"the", "please", "why", "it", "fails", "this", "and", "our", "to"} & set(words):
        assert not looks_like_command(" ".join([start, *words]), policy=POLICY)


@given(st.text())
def test_any_text_is_answered(text: str) -> None:
    """No text makes the question itself fail."""
    assert looks_like_command(text, policy=POLICY) in (True, False)
