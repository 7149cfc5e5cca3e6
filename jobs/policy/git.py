"""What a git command line does, by subcommand.

Rule: looking and committing inside the worktree run; what reaches another machine, rewrites history, throws work away
or changes how git itself behaves asks. A subcommand or global option that is not in a table here is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jobs.policy.listing import listed

_READS = listed(
    "status log diff show rev-parse ls-files ls-tree blame describe shortlog cat-file grep name-rev merge-base rev-list"
    " for-each-ref count-objects version help diff-tree diff-index check-ignore show-ref whatchanged var"
)
_RECORDS = frozenset({"add", "commit", "mv"})
_NETWORK = listed("push pull fetch clone ls-remote send-email svn p4 lfs request-pull")
_HISTORY = listed(
    "rebase merge cherry-pick revert filter-branch filter-repo gc prune update-ref symbolic-ref replace notes am pull"
    " reflog branch tag switch worktree bisect repack"
)
_DISCARDS = listed("reset clean restore checkout stash rm")
_SETTINGS = frozenset({"config", "remote", "init", "hook", "submodule", "credential", "update-index"})
# First words after a subcommand that only look, though the subcommand can do more. "" is no word at all.
_LOOKS = {
    "branch": {
        "",
        "-a",
        "-r",
        "-v",
        "-vv",
        "--all",
        "--list",
        "--show-current",
        "--contains",
        "--merged",
        "--no-merged",
    },
    "tag": {"", "-l", "--list", "-n"},
    "stash": {"list", "show"},
    "reflog": {"", "show"},
    "worktree": {"list"},
    "remote": {"", "-v", "--verbose", "get-url"},
    "config": {"--get", "--get-all", "--list", "-l"},
    "submodule": {"status"},
}
# After these a name is only looked up; else ``git branch -a x`` would create one.
_LOOKS_UP = frozenset(
    {"-l", "--list", "--contains", "--merged", "--no-merged", "show", "get-url", "--get", "--get-all"}
)
_QUIET_GLOBALS = frozenset({"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--version", "--help"})
_FORCES = ("--force", "--mirror", "--delete", "--prune")
_REMOTE_SUBCOMMANDS = {("remote", "update"), ("remote", "show"), ("remote", "prune"), ("submodule", "update")}


def subcommand(words: Sequence[str]) -> tuple[str, ...] | None:
    """The words from the subcommand on; None when an option before it changes how git behaves."""
    rest = list(words[1:])
    while rest and rest[0].startswith("-"):
        if rest[0] == "-C" and len(rest) > 1:
            rest = rest[2:]
        elif rest[0] in _QUIET_GLOBALS:
            rest = rest[1:]
        else:
            return None
    return tuple(rest)


def codes(words: Sequence[str]) -> Iterator[str]:
    """Reason codes for ``git …``; none when it may run (its paths and risky options are judged elsewhere)."""
    rest = subcommand(words)
    if rest is None:
        yield "changes_settings"
        return
    if not rest:
        return
    name, arguments = rest[0], rest[1:]
    if name in _NETWORK or (name, *arguments[:1]) in _REMOTE_SUBCOMMANDS:
        yield "uses_network"
    if name == "push" and any(_forces(word) for word in arguments):
        yield "force_push"
    if name in _READS or _only_looks(name, arguments):
        return
    if name in _RECORDS:
        if any(len(word) > 4 and "--amend".startswith(word) for word in arguments):
            yield "changes_history"
    elif name in _DISCARDS:
        yield "discards_changes"
    elif name in _HISTORY:
        yield "changes_history"
    elif name in _SETTINGS:
        yield "changes_settings"
    elif name not in _NETWORK:
        yield "unknown_program"


def _only_looks(name: str, arguments: Sequence[str]) -> bool:
    looks = _LOOKS.get(name)
    if looks is None:
        return False
    first = arguments[0] if arguments else ""
    if first not in looks:
        return False
    return first in _LOOKS_UP or all(word in looks for word in arguments)


def _forces(word: str) -> bool:
    """Whether an argument of push overwrites or removes something on the other side."""
    if word.startswith("--"):
        given = word.split("=")[0]
        return given.startswith("--force") or (len(given) > 3 and any(long.startswith(given) for long in _FORCES))
    if word.startswith("-"):
        return bool({"f", "d"} & set(word[1:]))
    return word.startswith(("+", ":"))
