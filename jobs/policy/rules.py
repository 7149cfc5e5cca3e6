"""The part of the shell policy a team writes down, ``[shell]`` in ``threadlead.toml``.

Promise: what is not listed here (or known to the tables of this package) asks a person; a longer list never makes a
command less safe by surprise. An entry is a program with, where it matters, the words that must follow it:
``"ruff"``, ``"npm test"``, ``"npm run lint*"``. A ``*`` stands for any rest of one word, never for a whole entry.

Rule of precedence: ``ask`` beats everything; ``allowed`` beats ``network`` when it is at least as long; and no entry
allows what can hurt beyond the worktree: elevation, recursive deletion, writes outside, a forced push.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

READ_ONLY = (
    ": [ arch basename cat cmp column comm cut date df diff dirname du echo egrep expr false fgrep file find fold free"
    " grep head hexdump id jq join ls md5sum nl nproc od paste printenv printf ps pwd readlink realpath rev rg sed seq"
    " sha1sum sha256sum sleep sort stat strings tac tail test tr tree true type uname uniq uptime wc which whoami"
)
ALLOWED = (
    "pytest", "ruff", "mypy", "pyright", "black", "isort", "flake8", "pylint", "coverage report", "unittest",
    "compileall", "make test", "make lint", "make check", "make format", "make fmt",
    "npm test", "npm t", "npm run test*", "npm run lint*", "npm run format*", "npm run build*", "npm run check*",
    "npm run typecheck*", "yarn test", "yarn lint", "yarn build", "pnpm test", "pnpm lint", "pnpm build",
    "pnpm run test*", "pnpm run lint*", "pnpm run build*", "eslint", "prettier", "tsc", "jest", "vitest", "mocha",
    "node --test", "node --version", "python --version", "npm --version",
    "go test", "go build", "go vet", "go fmt", "gofmt", "go version",
    "cargo test", "cargo build", "cargo check", "cargo fmt", "cargo clippy", "rustfmt",
)  # fmt: skip
ASK = (
    "chown", "chgrp", "dropdb", "fdisk", "mkfs*", "mount", "umount", "mysql", "psql", "redis-cli", "shred", "wipefs",
)  # fmt: skip
NETWORK = (
    "curl", "wget", "ssh", "scp", "sftp", "rsync", "ftp", "telnet", "nc", "ncat", "netcat", "socat", "ping", "dig",
    "nslookup", "host", "whois", "traceroute", "gh", "glab", "aws", "az", "gcloud", "kubectl", "helm", "docker",
    "podman", "terraform", "ansible*", "vercel", "netlify", "heroku", "npx", "bunx", "uvx", "pipx", "twine",
    "npm install", "npm i", "npm ci", "npm add", "npm update", "npm publish", "npm exec", "npm audit", "npm outdated",
    "npm view", "npm link", "npm init", "npm create", "yarn install", "yarn add", "yarn upgrade", "yarn publish",
    "yarn dlx", "pnpm install", "pnpm i", "pnpm add", "pnpm update", "pnpm publish", "pnpm dlx", "bun install",
    "bun add", "pip install", "pip download", "pip wheel", "pip index", "uv add", "uv lock", "uv pip", "uv publish",
    "uv run", "uv sync", "uv tool", "poetry add", "poetry install", "poetry lock", "poetry publish", "poetry update",
    "pdm add", "pdm install", "pdm sync", "pdm update", "conda", "mamba", "cargo add", "cargo fetch", "cargo install",
    "cargo publish", "cargo search", "cargo update", "go get", "go install", "go mod", "gem install", "bundle install",
    "bundle update", "composer", "mvn", "gradle", "apt", "apt-get", "dnf", "yum", "apk", "pacman", "brew", "snap",
)  # fmt: skip
VARIABLES = (
    "CI", "COLUMNS", "DEBUG", "FORCE_COLOR", "LANG", "LC_ALL", "LINES", "NODE_ENV", "NO_COLOR", "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED", "PYTHONUNBUFFERED", "RUST_BACKTRACE", "RUST_LOG", "TERM", "TZ", "VERBOSE",
)  # fmt: skip


def _entry(text: str) -> str:
    words = text.split()
    if not words or not text.isprintable() or words[0].strip("*?") == "":
        raise ValueError(f"{text!r} is not a program, or would match every program")
    return " ".join(words)


Entry = Annotated[str, AfterValidator(_entry)]


class ShellPolicy(BaseModel):
    """What may run unasked. Setting a list in the file replaces the default list, so copy what should stay."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    read_only: tuple[Entry, ...] = Field(
        tuple(READ_ONLY.split()),
        description="Programs that only read. They run unasked on files inside the worktree; reading elsewhere asks.",
    )
    allowed: tuple[Entry, ...] = Field(
        ALLOWED,
        description="Programs that may also write, such as tests and formatters, and run unasked inside the worktree. "
        "They run the project's own code: list only what you would let an agent run.",
    )
    ask: tuple[Entry, ...] = Field(ASK, description="Programs that always ask, whatever the other lists say.")
    network: tuple[Entry, ...] = Field(NETWORK, description="Programs that use the network, and so ask.")
    variables: tuple[Entry, ...] = Field(
        VARIABLES,
        description="Environment variables a command may set unasked; many others make a program run something else.",
    )
    max_length: int = Field(
        16_000, ge=1, le=100_000, description="Characters of a command line that are analysed; a longer one asks."
    )


def match(words: Sequence[str], entries: Iterable[str]) -> int:
    """How many words the longest entry that begins ``words`` has; 0 when none does."""
    best = 0
    for entry in entries:
        parts = entry.split()
        if best < len(parts) <= len(words) and all(fnmatchcase(w, p) for w, p in zip(words, parts, strict=False)):
            best = len(parts)
    return best
