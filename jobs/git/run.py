"""Run git once: an argv list in, bounded bytes out.

The rule: whatever a repository holds, git does only what the argv says. Hooks, fsmonitor, pagers, prompts, signing,
automatic clean-up and recursion into submodules are off, the environment is built from nothing, and every call has
a deadline.

Where the promise ends: clean/smudge filters and merge drivers run as the person's own git configuration defines
them (Git LFS needs that). A repository's content can name such a filter but cannot define one.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.errors import Bug, Refused, Unavailable

OUTPUT_LIMIT = 32 * 1024 * 1024  # bytes of standard output; a status of half a million files still fits
ERROR_LIMIT = 8 * 1024  # bytes of standard error kept: enough to say why
SECONDS = 60.0
GRACE_SECONDS = 1.0  # all of a shutdown has four seconds

GUARDS = tuple(
    part
    for setting in (
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "core.quotePath=false",
        "core.pager=cat",
        "core.askPass=",
        "core.filesRefLockTimeout=2000",  # milliseconds; git's own 100 is short when twenty tasks start at once
        "core.packedRefsTimeout=5000",
        "credential.helper=",
        "protocol.ext.allow=never",
        "commit.gpgSign=false",
        "merge.verifySignatures=false",
        "merge.autoStash=false",
        "rerere.enabled=false",
        "submodule.recurse=false",
        "gc.auto=0",
        "maintenance.auto=false",
    )
    for part in ("-c", setting)
)

KEPT_VARIABLES = ("PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR")

FIXED_VARIABLES = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",  # looking at the person's checkout must not write its index
    "GIT_EDITOR": ":",
    "GIT_SEQUENCE_EDITOR": ":",
}


@dataclass(frozen=True)
class Output:
    """What one git call gave. ``cut`` says that ``out`` ends before git's own output did."""

    code: int
    out: bytes
    err: str
    cut: bool = False

    @property
    def line(self) -> str:
        """The output as text without its last newline (a path may hold newlines of its own)."""
        return os.fsdecode(self.out).removesuffix("\n")

    @property
    def fields(self) -> list[str]:
        """The NUL-separated parts of a ``-z`` output."""
        return os.fsdecode(self.out).split("\0")[:-1]


async def git(
    where: Path,
    *args: str,
    ok: Collection[int] = (0,),
    git_dir: Path | None = None,
    env: Mapping[str, str] | None = None,
    text: bytes | None = None,
    seconds: float = SECONDS,
    limit: int = OUTPUT_LIMIT,
    may_cut: bool = False,
) -> Output:
    """Run ``git args`` in the folder ``where`` and return its output.

    ``git_dir`` names the repository outright, so that a ``.git`` planted in ``where`` is never read; ``text`` goes
    to standard input; ``seconds`` and ``limit`` (bytes) bound the call.

    Raises ``Refused("git_missing")`` and ``Unavailable`` with ``git_failed`` (an exit code outside ``ok``),
    ``git_timeout`` or ``git_output_too_large`` (unless ``may_cut``).
    """
    argv = ["git", *GUARDS, "-C", os.fspath(where), *args]
    variables = environment() | (_pinned(where, git_dir) if git_dir else {}) | dict(env or {})
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL if text is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=variables,
            start_new_session=True,  # so that the deadline also ends what git itself started
        )
    except FileNotFoundError:
        raise Refused("git_missing") from None
    output = None
    try:
        async with asyncio.timeout(seconds):
            output = await _converse(process, text, limit)
    except TimeoutError:
        raise Unavailable("git_timeout", command=args[0], seconds=seconds) from None
    finally:
        if output is None:  # too late, cancelled or failed: git, or a child of it that outlived it, may still run
            await _end(process)
    if output.cut and not may_cut:
        raise Unavailable("git_output_too_large", command=args[0], limit=limit)
    if not output.cut and output.code not in ok:
        raise Unavailable("git_failed", command=args[0], exit=output.code, why=output.err)
    return output


def environment() -> dict[str, str]:
    """The variables git gets: a few of ours by name, the rest fixed."""
    return {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ} | FIXED_VARIABLES


def _pinned(where: Path, git_dir: Path) -> dict[str, str]:
    return {"GIT_DIR": os.fspath(git_dir), "GIT_WORK_TREE": os.fspath(where)}


async def _converse(process: asyncio.subprocess.Process, text: bytes | None, limit: int) -> Output:
    errors_from, output_from = process.stderr, process.stdout
    if errors_from is None or output_from is None:
        raise Bug("git_without_pipes")
    async with asyncio.TaskGroup() as group:
        group.create_task(_feed(process.stdin, text))
        errors = group.create_task(_read(errors_from, ERROR_LIMIT))
        output = group.create_task(_read(output_from, limit, at_limit=lambda: _signal(process, signal.SIGKILL)))
    out, cut = output.result()
    return Output(await process.wait(), out, errors.result()[0].decode("utf-8", "replace").strip(), cut)


async def _feed(stdin: asyncio.StreamWriter | None, text: bytes | None) -> None:
    if stdin is None or text is None:
        return
    with suppress(BrokenPipeError, ConnectionResetError):  # git may answer before it read everything
        stdin.write(text)
        await stdin.drain()
    stdin.close()


async def _read(
    stream: asyncio.StreamReader, limit: int, *, at_limit: Callable[[], None] | None = None
) -> tuple[bytes, bool]:
    """Up to ``limit`` bytes, and whether there were more; always read to the end, or the pipe is never closed."""
    kept = bytearray()
    more = False
    while chunk := await stream.read(64 * 1024):
        if not more and len(kept) + len(chunk) > limit:
            more = True
            if at_limit:
                at_limit()
        kept += chunk[: limit - len(kept)]
    return bytes(kept), more


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask first: on SIGTERM git takes its lock files and half-made worktrees away, on SIGKILL it leaves them."""
    _signal(process, signal.SIGTERM)
    try:
        await asyncio.wait_for(process.communicate(), GRACE_SECONDS)
    except TimeoutError:
        _signal(process, signal.SIGKILL)
        await process.communicate()
