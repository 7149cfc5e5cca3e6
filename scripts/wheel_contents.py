"""Look into a built wheel: every file of the three packages is in it, and nothing that is not theirs.

Data files are the ones that get lost: Lua scripts, the Procfile, pages, styles, recordings and the typing markers.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

PACKAGES = ("core", "jobs", "bot")
ROOT = Path(__file__).parents[1]


def expected(root: Path) -> set[str]:
    """Every file of the packages by its path from ``root``."""
    files = (path for package in PACKAGES for path in (root / package).rglob("*"))
    return {f.relative_to(root).as_posix() for f in files if f.is_file() and "__pycache__" not in f.parts}


def differences(names: set[str], wanted: set[str]) -> list[str]:
    """One line per file that is missing, and per file that belongs to no package and is not metadata."""
    strangers = {name for name in names - wanted if ".dist-info/" not in name}
    missing = [f"missing: {name}" for name in sorted(wanted - names)]
    if not any(name.endswith("/LICENSE") for name in names):
        missing.append("missing: LICENSE")
    return missing + [f"not ours: {name}" for name in sorted(strangers)]


def main(wheel: str) -> int:
    names = set(zipfile.ZipFile(wheel).namelist())
    wrong = differences(names, expected(ROOT))
    print("\n".join(wrong) or f"{Path(wheel).name}: {len(names)} files, nothing missing")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
