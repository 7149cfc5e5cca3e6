"""The checks of a repository are found by reading, whatever lies in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from jobs.manager.checks import READ_BYTES, named_checks

PYTHON = {"test": "pytest -q", "format": "ruff format .", "lint": "ruff check ."}

REPOSITORIES: list[tuple[str, Mapping[str, str], Mapping[str, str]]] = [
    ("nothing known", {"README": "hi"}, {}),
    ("pytest configured", {"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n"}, PYTHON),
    ("pytest.ini alone", {"pytest.ini": "[pytest]\n"}, PYTHON),
    ("tests without settings", {"tests/test_a.py": ""}, PYTHON),
    ("tests beside the code", {"shop.py": "", "test_shop.py": ""}, PYTHON),
    ("a Python project without tests", {"pyproject.toml": "[project]\n"}, {k: PYTHON[k] for k in ("format", "lint")}),
    ("black", {"pyproject.toml": "[tool.black]\n"}, {"format": "black .", "lint": "ruff check ."}),
    ("mypy", {"pyproject.toml": "[tool.mypy]\n[tool.pytest]\n"}, {**PYTHON, "types": "mypy ."}),
    ("a folder of tests in another language", {"tests/a.rs": ""}, {}),
    ("broken settings", {"pyproject.toml": "[tool"}, {"format": "ruff format .", "lint": "ruff check ."}),
    (
        "node",
        {"package.json": '{"scripts": {"test": "jest", "lint": "eslint .", "fmt": "x", "build": "x", "typecheck": "x"}}'},
        {
            "test": "npm test", "lint": "npm run lint", "format": "npm run fmt", "build": "npm run build",
            "types": "npm run typecheck",
        },
    ),
    ("the test script npm init writes", {"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\""}}'}, {}),
    ("pnpm", {"package.json": '{"scripts": {"test": "x"}}', "pnpm-lock.yaml": ""}, {"test": "pnpm test"}),
    ("scripts that are no table", {"package.json": '{"scripts": ["test"]}'}, {}),
    ("package.json is a list", {"package.json": "[]"}, {}),
    ("deep nesting", {"package.json": "[" * 100_000}, {}),
    (
        "make",
        {"Makefile": "VERSION := 1\ntest: build\n\tpytest\nfmt:\n\tx\n.PHONY: test\n"},
        {"test": "make test", "format": "make fmt"},
    ),
    ("make beside Python", {"Makefile": "test:\n\tx\nbuild:\n", "pytest.ini": ""}, {**PYTHON, "build": "make build"}),
    ("go",
     {"go.mod": "module x"},
     {"test": "go test ./...", "format": "go fmt ./...", "lint": "go vet ./...", "build": "go build ./..."}),
    ("cargo", {"Cargo.toml": ""},
     {"test": "cargo test", "format": "cargo fmt", "lint": "cargo clippy", "build": "cargo build"}),
    ("a manifest too long to be one", {"package.json": '{"scripts": {"test": "x"}}' + " " * READ_BYTES}, {}),
]  # fmt: skip


def lay(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.parametrize(("name", "files", "expected"), REPOSITORIES, ids=[row[0] for row in REPOSITORIES])
async def test_checks_are_found_in(
    name: str, files: Mapping[str, str], expected: Mapping[str, str], tmp_path: Path
) -> None:
    assert await named_checks(lay(tmp_path, files)) == expected


async def test_a_link_out_of_the_repository_is_not_read(tmp_path: Path) -> None:
    outside = lay(tmp_path / "outside", {"package.json": '{"scripts": {"test": "x"}}'})
    repo = lay(tmp_path / "repo", {"README": ""})
    (repo / "package.json").symlink_to(outside / "package.json")
    (repo / "Makefile").symlink_to(repo / "Makefile")
    assert await named_checks(repo) == {}


async def test_a_pipe_in_place_of_a_file_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "package.json")
    assert await named_checks(tmp_path) == {}


async def test_a_folder_that_is_gone_has_no_checks(tmp_path: Path) -> None:
    assert await named_checks(tmp_path / "gone") == {}
