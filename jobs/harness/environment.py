"""The variables a command or an agent gets: a short list by name, never what is left of ours.

Promise: nothing that opens Threadlead, its Redis or a service reaches a child, unless a person named it for the
repository (``Workspace.env``); and even those cannot change what bash runs before the command it was given. The shell
policy relies on that: no ``BASH_ENV``, no exported functions, no ``CDPATH``, no ``PATH`` into the worktree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

KEPT = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "LANGUAGE", "TZ", "TMPDIR",
    "VIRTUAL_ENV", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS", "PYENV_ROOT", "NVM_DIR", "VOLTA_HOME", "CARGO_HOME", "RUSTUP_HOME", "GOPATH",
    "GOROOT", "GOCACHE", "GOMODCACHE", "JAVA_HOME",
)  # fmt: skip

FIXED = {
    "CI": "1",  # test runners then run once; without it some watch files for ever
    "DEBIAN_FRONTEND": "noninteractive",
    "EDITOR": "true",
    "GIT_EDITOR": "true",
    "GIT_PAGER": "cat",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    "PYTHONDONTWRITEBYTECODE": "1",  # a test run must not leave files that look like work
    "PYTHONUNBUFFERED": "1",  # else the output of a Python program comes all at the end
    "TERM": "dumb",
    "VISUAL": "true",
}

DEFAULTS = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}

# Ours, and those that make bash run or find something else; not even a repository's settings can pass these on.
_NEVER = re.compile(r"^(?:THREADLEAD_.*|REDIS_URL|RQ_.*|BASH_ENV|BASH_FUNC_.*|CDPATH|SHELLOPTS|BASHOPTS|PS4)$")
_SECRET_NAME = re.compile(r"(?i)token|secret|passw|passphrase|api_?key|access_?key|private_?key|credential")
_NOT_SECRET = 6  # characters; a shorter value is too common a text to be hidden everywhere


def child_environment(
    folder: Path, named: Mapping[str, str] | None = None, ours: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What a child in the worktree ``folder`` gets: kept by name from ``ours``, fixed, then ``named`` for the repository."""
    inherited = os.environ if ours is None else ours
    kept = {name: inherited[name] for name in KEPT if inherited.get(name)}
    extra = {name: value for name, value in (named or {}).items() if not _NEVER.match(name)}
    variables = DEFAULTS | kept | FIXED | extra
    variables["PATH"] = _safe_path(variables["PATH"], folder)
    return variables


def secret_values(named: Mapping[str, str] | None = None, ours: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Values to be hidden in whatever leaves this worker: those of variables whose names say that they are secret."""
    everything = dict(os.environ if ours is None else ours) | dict(named or {})
    found = {value if _SECRET_NAME.search(name) else _password(value) for name, value in everything.items()}
    return tuple(
        sorted((value for value in found if len(value) >= _NOT_SECRET), key=lambda value: (-len(value), value))
    )


def _password(value: str) -> str:
    """The password in an address such as ``redis://:password@host``; empty when there is none."""
    try:
        return (urlsplit(value).password or "") if "://" in value else ""
    except ValueError:
        return ""


def _safe_path(path: str, folder: Path) -> str:
    """Without entries that are relative or lead into the worktree: there an agent could put a ``git`` of its own."""
    worktree = folder.resolve()
    entries = [e for e in path.split(os.pathsep) if os.path.isabs(e) and not Path(e).resolve().is_relative_to(worktree)]
    return os.pathsep.join(entries) or DEFAULTS["PATH"]
