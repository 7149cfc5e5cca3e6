"""What the project says about itself is so: documents, contracts, packaging and CI agree with the code."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
import typer.main

from bot.cli.app import app
from core.domain.tables import MACHINES
from docs.draw_states import PAGE, STATES, page
from jobs.policy.rules import ShellPolicy
from jobs.policy.words import PHRASES
from scripts.wheel_contents import differences

ROOT = Path(__file__).parents[1]
PACKAGES = ("core", "jobs", "bot")
MODULES = [
    path.relative_to(ROOT).as_posix()
    for folder in (*PACKAGES, "tests", "benchmarks", "docs", "scripts")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
DOCUMENTS = [
    path.relative_to(ROOT).as_posix() for pattern in ("*.md", "docs/**/*.md") for path in sorted(ROOT.glob(pattern))
]
# What the pure domain may rest on beside the standard library and itself.
DOMAIN_MAY_IMPORT = {"__future__", "pydantic", "core.domain", "core.errors"}
IMPURE_CALLS = re.compile(r"\b(?:datetime|date)\.(?:now|utcnow|today)\(|\btime\.\w+\(|\buuid[1-8]\(|\bopen\(|\bprint\(")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def commands() -> list[str]:
    return sorted(typer.main.get_group(app).commands)


@pytest.mark.parametrize("name", MODULES)
def test_every_module_opens_with_what_it_promises(name: str) -> None:
    """An empty file that only makes a folder of tests a package has nothing to promise."""
    empty = name.startswith("tests/") and not read(name)
    assert empty or ast.get_docstring(ast.parse(read(name)))


def imported(name: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(read(name))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} imports by dots"
            yield node.module or ""


def allowed_in_domain(module: str) -> bool:
    top = module.partition(".")[0]
    return top in sys.stdlib_module_names or any(module == m or module.startswith(f"{m}.") for m in DOMAIN_MAY_IMPORT)


@pytest.mark.parametrize("name", [m for m in MODULES if m.startswith("core/domain/")])
def test_the_domain_rests_on_the_standard_library_pydantic_and_our_errors(name: str) -> None:
    assert not [module for module in imported(name) if not allowed_in_domain(module) and module != "core"]
    assert not IMPURE_CALLS.findall(read(name))


def test_the_rooms_keep_their_import_contracts() -> None:
    found = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stdout
    assert "0 broken" in found.stdout


def test_the_procfile_in_the_repository_is_the_packed_one() -> None:
    assert read("Procfile") == resources.files("bot.cli").joinpath("Procfile").read_text(encoding="utf-8")


def test_the_procfile_names_only_commands_there_are() -> None:
    named = re.findall(r"^\w+: threadlead (\w+)$", read("Procfile"), re.MULTILINE)
    assert named == ["bot", "scheduler", "worker"]
    assert set(named) <= set(commands())


def test_the_readme_starts_with_the_verbs_ci_runs() -> None:
    """A newcomer's `make test` and CI's are the same command, and so is the demo."""
    ci = read(".ci/run")
    for verb in ("make demo", "make test"):
        assert re.search(rf"^{verb} ", read("README.md"), re.MULTILINE)
    assert "make test" in ci
    assert "make --silent demo ARGS=--json" in ci


def test_every_verb_of_the_documents_is_in_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))
    for name in ("README.md", "CONTRIBUTING.md", ".ci/run"):
        named = set(re.findall(r"(?:`|^|\s)make (?:--silent )?([a-z]+)\b", read(name), re.MULTILINE))
        assert named - {"and"} <= targets, name


def test_the_documents_name_every_command() -> None:
    text = "".join(read(name) for name in DOCUMENTS)
    assert [name for name in commands() if not re.search(rf"threadlead {name}\b", text)] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_documents_point_at_files_there_are(name: str) -> None:
    folder = (ROOT / name).parent
    targets = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", read(name)) if "://" not in link]
    assert [target for target in targets if target and not (folder / target).exists()] == []
    paths = re.findall(r"`((?:core|jobs|bot|tests|docs|scripts)/[\w./-]*)`", read(name))
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_state_diagrams_are_drawn_from_the_tables() -> None:
    """`make docs` draws them again."""
    assert PAGE.read_text(encoding="utf-8") == page()
    assert STATES.keys() == MACHINES.keys()


def test_the_policy_page_explains_every_reason_and_every_setting() -> None:
    text = read("docs/shell-policy.md")
    assert [code for code in PHRASES if f"| `{code}` | {PHRASES[code][0]} |" not in text] == []
    assert [key for key in ShellPolicy.model_fields if f"| `{key}` |" not in text] == []


def test_the_lock_file_names_versions_and_nothing_else() -> None:
    """No index, no folder, no machine; and every dependency we name is in it."""
    pins = [line.partition("#")[0].strip() for line in read("requirements.lock").splitlines()]
    pinned = [re.fullmatch(r"([a-z0-9-]+)==[\w.]+(?: ; [\w .<>='!]+)?", pin) for pin in pins if pin]
    assert all(pinned)
    project = tomllib.loads(read("pyproject.toml"))["project"]
    asked = [*project["dependencies"], *(row for rows in project["optional-dependencies"].values() for row in rows)]
    wanted = {re.match(r"[\w-]+", row)[0].lower() for row in asked}  # type: ignore[index]
    assert wanted - {pin[1] for pin in pinned if pin} == set()


def test_a_wheel_without_its_data_files_is_noticed() -> None:
    wanted = {"core/ledger/append.lua", "core/py.typed"}
    full = wanted | {"threadlead-1.dist-info/licenses/LICENSE"}
    assert differences(full, wanted) == []
    assert differences(full - {"core/py.typed"} | {"tests/x.py"}, wanted) == [
        "missing: core/py.typed",
        "not ours: tests/x.py",
    ]


def test_the_licence_is_the_whole_apache_text() -> None:
    text = read("LICENSE")
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text


@pytest.mark.process
@pytest.mark.parametrize(
    ("programs", "said"),
    [
        ((), "git is not on PATH"),
        (("git",), "Python 3.11 or later is needed"),
    ],
)
def test_a_machine_that_lacks_something_is_told_in_a_sentence(
    programs: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    ended = prepare(tmp_path, programs)
    assert ended.returncode == 1
    assert said in ended.stderr
    assert not (tmp_path / "checkout" / ".venv").exists()


@pytest.mark.process
def test_an_old_python_is_passed_over_for_a_newer_one_and_named_when_there_is_none(tmp_path: Path) -> None:
    old = "#!/bin/sh\ncase $1 in --version) echo Python 3.9.2;; *) exit 1;; esac\n"
    ended = prepare(tmp_path, ("git",), {"python3": old})
    assert "this machine has Python 3.9.2" in ended.stderr
    bare = "#!/bin/sh\ncase $2 in *ensurepip*) exit 1;; esac\ncase $1 in --version) echo Python 3.12.1;; esac\n"
    ended = prepare(tmp_path, ("git",), {"python3.12": bare})
    assert "Python 3.12.1 cannot make virtual environments" in ended.stderr


def prepare(
    folder: Path, programs: tuple[str, ...], scripts: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run scripts/prepare.sh in a bare checkout, with nothing on PATH but ``programs`` and ``scripts``."""
    path, checkout = folder / "bin", folder / "checkout"
    (checkout / "scripts").mkdir(parents=True, exist_ok=True)
    path.mkdir(exist_ok=True)
    shutil.copy(ROOT / "scripts" / "prepare.sh", checkout / "scripts")
    for program in ("dirname", *programs):
        link, found = path / program, shutil.which(program)
        assert found
        if not link.exists():
            link.symlink_to(found)
    for name, text in (scripts or {}).items():
        (path / name).write_text(text, encoding="utf-8")
        (path / name).chmod(0o755)
    sh = shutil.which("sh") or "/bin/sh"
    argv = [sh, "scripts/prepare.sh", "usable"]
    return subprocess.run(argv, cwd=checkout, env={"PATH": str(path)}, capture_output=True, text=True)
