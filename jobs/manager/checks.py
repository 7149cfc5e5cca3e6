"""The named checks of a repository, found by reading its files: ``test`` -> ``pytest -q``, ``lint`` -> ``npm run lint``.

Nothing is ever executed, and nothing is read through a link that leads out of the repository, nor more than
``READ_BYTES`` of any file. A file that cannot be read or parsed counts as absent: a wrong guess is worse than none.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import stat
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

READ_BYTES = 256 * 1024  # a manifest longer than this is no manifest
LISTED = 200  # entries of a folder looked at to see whether there are tests

_SCRIPT = re.compile(r"^[A-Za-z0-9][\w:.-]{0,63}$")
_TARGET = re.compile(r"^(?P<name>[A-Za-z0-9][\w.-]*)\s*:(?![=:])")
_JEST_STUB = "no test specified"
_SCRIPTS = {
    "test": ("test",),
    "format": ("format", "fmt", "prettier"),
    "lint": ("lint", "eslint"),
    "types": ("typecheck", "type-check", "types", "tsc"),
    "build": ("build",),
}
_TARGETS = {
    "test": ("test", "tests", "check"),
    "format": ("format", "fmt"),
    "lint": ("lint",),
    "types": ("typecheck", "types", "mypy"),
    "build": ("build",),
}
_GO = {"test": "go test ./...", "format": "go fmt ./...", "lint": "go vet ./...", "build": "go build ./..."}
_CARGO = {"test": "cargo test", "format": "cargo fmt", "lint": "cargo clippy", "build": "cargo build"}


async def named_checks(repo: Path) -> dict[str, str]:
    """Commands by name (``test``, ``format``, ``lint``, ``types``, ``build``) that ``repo`` is set up for.

    What a language's own tools do comes before a Makefile, which often only wraps them. Never raises for what a
    repository holds; a folder that does not exist has no checks.
    """
    return await asyncio.to_thread(_named_checks, repo)


def _named_checks(repo: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for finder in FINDERS:
        for name, command in finder(repo).items():
            found.setdefault(name, command)
    return found


def _python(repo: Path) -> dict[str, str]:
    project = _toml(repo, "pyproject.toml")
    tools = project.get("tool")
    tools = tools if isinstance(tools, dict) else {}
    setup = _text(repo, "setup.cfg") + _text(repo, "tox.ini")
    whole = _is_file(repo, "pyproject.toml") or _is_file(repo, "setup.py") or _is_file(repo, "setup.cfg")
    found = {}
    if "pytest" in tools or _is_file(repo, "pytest.ini") or "[tool:pytest]" in setup or _has_tests(repo):
        found["test"] = "pytest -q"
    if "black" in tools and "ruff" not in tools:
        found["format"] = "black ."
    elif whole or found or "ruff" in tools or _is_file(repo, "ruff.toml") or _is_file(repo, ".ruff.toml"):
        found["format"] = "ruff format ."
    if "format" in found:
        found["lint"] = "ruff check ."
    if "mypy" in tools or _is_file(repo, "mypy.ini") or "[mypy]" in setup:
        found["types"] = "mypy ."
    return found


def _has_tests(repo: Path) -> bool:
    """Whether there are test files where pytest would look."""
    for folder in ("tests", "test", "."):
        names = _names(repo, folder)
        if any(name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py")) for name in names):
            return True
        if folder != "." and "conftest.py" in names:
            return True
    return False


def _node(repo: Path) -> dict[str, str]:
    scripts = _json(repo, "package.json").get("scripts")
    if not isinstance(scripts, dict):
        return {}
    usable = {k for k, v in scripts.items() if isinstance(v, str) and _SCRIPT.match(k) and _JEST_STUB not in v}
    runner = next((tool for tool, lock in _LOCKS.items() if _is_file(repo, lock)), "npm")
    found = {}
    for check, names in _SCRIPTS.items():
        name = next((n for n in names if n in usable), "")
        if name:
            found[check] = f"{runner} test" if name == "test" else f"{runner} run {name}"
    return found


_LOCKS = {"pnpm": "pnpm-lock.yaml", "yarn": "yarn.lock"}


def _go(repo: Path) -> dict[str, str]:
    return dict(_GO) if _is_file(repo, "go.mod") else {}


def _cargo(repo: Path) -> dict[str, str]:
    return dict(_CARGO) if _is_file(repo, "Cargo.toml") else {}


def _make(repo: Path) -> dict[str, str]:
    text = next((t for name in ("GNUmakefile", "makefile", "Makefile") if (t := _text(repo, name))), "")
    targets = {match["name"] for line in text.splitlines() if (match := _TARGET.match(line))}
    chosen = {check: next((n for n in names if n in targets), "") for check, names in _TARGETS.items()}
    return {check: f"make {name}" for check, name in chosen.items() if name}


FINDERS: tuple[Callable[[Path], Mapping[str, str]], ...] = (_python, _node, _go, _cargo, _make)


# -- bounded, safe looking -------------------------------------------------------------------------------------------


def _inside(repo: Path, name: str) -> Path | None:
    """The real path of ``name``, or None when it is missing or a link leads it out of the repository."""
    try:
        root, path = repo.resolve(strict=True), (repo / name).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        return None
    return path if path.is_relative_to(root) else None


def _is_file(repo: Path, name: str) -> bool:
    path = _inside(repo, name)
    return path is not None and path.is_file()


def _names(repo: Path, folder: str) -> list[str]:
    path = _inside(repo, folder)
    if path is None:
        return []
    try:
        with os.scandir(path) as entries:
            return [entry.name for entry, _ in zip(entries, range(LISTED), strict=False)]
    except OSError:
        return []


def _text(repo: Path, name: str) -> str:
    path = _inside(repo, name)
    if path is None:
        return ""
    try:
        # Not blocking and not following: a pipe put in place of the file must not hang us, nor a link made just now.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return ""
        data = file.read(READ_BYTES + 1)
    return data.decode("utf-8", "replace") if len(data) <= READ_BYTES else ""


def _toml(repo: Path, name: str) -> dict[str, object]:
    try:
        return tomllib.loads(_text(repo, name))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _json(repo: Path, name: str) -> dict[str, object]:
    try:
        parsed = json.loads(_text(repo, name) or "{}")
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}
