"""What is known about programs, as data: how they wrap others, where they write, which options make them dangerous.

Rule: a new program or option is a new row here, not a new branch elsewhere. Long options may be shortened by whoever
types them, so a row matches any beginning of its name (``--comp`` for ``--compress-program``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from jobs.policy.listing import listed

ALIASES = {"nodejs": "node", "gmake": "make", "pip3": "pip", "egrep": "grep", "fgrep": "grep", "doas": "sudo"}
_VERSIONED = re.compile(r"^(python|pip)[23](?:\.\d+)?$")
SYSTEM_FOLDERS = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/")


def program(text: str) -> str:
    """The name a program is known by: ``/usr/bin/python3.12`` is ``python``; a path elsewhere stays a path."""
    for folder in SYSTEM_FOLDERS:
        if text.startswith(folder) and "/" not in text[len(folder) :]:
            text = text[len(folder) :]
    versioned = _VERSIONED.match(text)
    return versioned[1] if versioned else ALIASES.get(text, text)


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A program that runs the command after its own options. ``flags`` stand alone, ``valued`` take the next word."""

    flags: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    operands: int = 0
    appends: bool = False
    assigns: bool = False
    code: str = ""


def _wrapper(flags: str = "", valued: str = "", **more: int | bool | str) -> Wrapper:
    return Wrapper(frozenset(flags.split()), frozenset(valued.split()), **more)  # type: ignore[arg-type]


WRAPPERS = {
    "env": _wrapper("-i - --ignore-environment", "-u", assigns=True),
    "nice": _wrapper("", "-n"),
    "ionice": _wrapper("-t", "-c -n"),
    "nohup": _wrapper(),
    "setsid": _wrapper("-w --wait"),
    "stdbuf": _wrapper("-oL -o0 -eL -e0 -iL -i0"),
    "time": _wrapper("-p"),
    "timeout": _wrapper("--foreground --preserve-status -v", "-k -s --kill-after --signal", operands=1),
    "command": _wrapper("-p"),
    "builtin": _wrapper(),
    "xargs": _wrapper("-0 -r -t -x --null --no-run-if-empty", "-n -P -L -d", appends=True),
    "sudo": _wrapper("-n -S -E -H -i -s -b -k", "-u -g -h -p -C", code="elevates"),
    "pkexec": _wrapper("", "--user", code="elevates"),
}

SHELLS = frozenset({"sh", "bash", "dash"})
SHELL_CODE = re.compile(r"^-[eux]*c$")
# Builtins that have no program of their own, so an argv list cannot run them.
BUILTINS = listed(
    ": . alias bg bind break builtin caller case cd command compgen complete compopt continue coproc declare dirs disown"
    " do done elif else enable esac eval exec exit export fc fg fi for function getopts hash help history if in jobs let"
    " local logout mapfile popd pushd read readarray readonly return select set shift shopt source suspend then time"
    " times trap type typeset ulimit umask unalias unset until wait while"
)

# Programs with one thing to say about them, whatever their arguments.
CODES = {
    "su": "elevates", "runuser": "elevates", "run0": "elevates", "chroot": "elevates", "nsenter": "elevates",
    "unshare": "elevates", "setpriv": "elevates",
    "eval": "dynamic_command", "exec": "dynamic_command", "source": "dynamic_command", ".": "dynamic_command",
    "trap": "dynamic_command", "alias": "dynamic_command", "enable": "dynamic_command", "hash": "dynamic_command",
    "coproc": "dynamic_command", "let": "dynamic_command", "read": "dynamic_command", "mapfile": "dynamic_command",
    "readarray": "dynamic_command", "declare": "dynamic_command", "set": "dynamic_command", "shopt": "dynamic_command",
    "bind": "dynamic_command", "complete": "dynamic_command", "fc": "dynamic_command",
    "pushd": "leaves_folder", "popd": "leaves_folder",
    "kill": "stops_processes", "pkill": "stops_processes", "killall": "stops_processes", "skill": "stops_processes",
    "fuser": "stops_processes",
    "reboot": "controls_machine", "shutdown": "controls_machine", "halt": "controls_machine",
    "poweroff": "controls_machine", "systemctl": "controls_machine", "service": "controls_machine",
    "init": "controls_machine", "launchctl": "controls_machine", "crontab": "controls_machine",
    "at": "controls_machine", "batch": "controls_machine", "sysctl": "controls_machine", "modprobe": "controls_machine",
    "iptables": "controls_machine", "useradd": "controls_machine", "passwd": "controls_machine",
}  # fmt: skip

# Interpreters: an argument is code, or names a file of it.
INTERPRETERS = listed(
    "python node deno bun perl ruby php lua awk gawk mawk nawk osascript Rscript ts-node tsx java zsh ksh fish tcsh csh"
    " sh bash dash expect tclsh"
)
# For these the first argument is the code itself, never a file.
CODE_FIRST = frozenset({"awk", "gawk", "mawk", "nawk", "sed"})
PRINTS_LINES = re.compile(r"^(?:\d+|\$)(?:,(?:\d+|\$))?p$")
PYTHON_FLAGS = frozenset({"-B", "-I", "-u", "-O", "-OO", "-E", "-s", "-q", "-v"})


@dataclass(frozen=True, slots=True)
class Writer:
    """``skip`` leading operands are no paths (a mode); ``reads``: the operands before the last are only read.

    ``source_first``: a single operand is read as well, and only a second one is written.
    """

    skip: int = 0
    reads: bool = False
    source_first: bool = False


WRITERS = {
    "tee": Writer(), "touch": Writer(), "mkdir": Writer(), "rmdir": Writer(), "rm": Writer(), "unlink": Writer(),
    "truncate": Writer(), "dd": Writer(), "mv": Writer(), "cp": Writer(reads=True), "install": Writer(reads=True),
    "ln": Writer(reads=True), "chmod": Writer(skip=1), "uniq": Writer(reads=True, source_first=True),
    "xxd": Writer(reads=True, source_first=True),
}  # fmt: skip
# Their arguments are text; nothing is opened.
TEXT_ONLY = listed(": echo printf true false sleep seq expr tr basename dirname uname whoami date test [")
# The first operand is a pattern.
PATTERN_FIRST = frozenset({"grep", "rg", "jq"})
TREE_DELETERS = frozenset({"rm", "rmdir", "unlink"})
# One of their arguments holds a colon when they reach another machine; else they only copy here.
REMOTE_ARGUMENT = frozenset({"rsync", "scp"})
# Options that are followed by text which only looks like a path.
TEXT_OPTIONS = {
    "git": "-m --message -am --author --grep --format --pretty --date --since --until -S -G",
    "find": "-name -iname -path -ipath -wholename -regex -iregex -type -size -mtime -mmin -maxdepth -mindepth -printf",
    "grep": "--include --exclude --color", "rg": "--glob -g --type -t --color", "cut": "-d --delimiter", "sort": "-t -k",
    "pytest": "-k -m", "node": "--test-name-pattern",
}  # fmt: skip
# Options that run another program, load code from elsewhere, write a file, or follow links out of the worktree.
RISKY = {
    "printf": "-v", "test": "-v -R", "[": "-v -R", "date": "-s --set -f --file", "file": "-C --compile -z -Z",
    "sort": "-o --output --compress-program", "tree": "-o -R", "rg": "--pre --hostname-bin --search-zip -z -L --follow",
    "grep": "-R --dereference-recursive",
    "find": "-fprint -fprintf -fprint0 -fls -files0-from -L -H -follow", "diff": "--to-file --from-file", "tail": "--pid",
    "pytest": "--basetemp --pdbcls", "mypy": "--python-executable --install-types",
    "npm": "--script-shell --node-options --userconfig --globalconfig --prefix", "pnpm": "--script-shell --shell-emulator",
    "cargo": "--config -Z", "go": "-exec --exec -toolexec --toolexec -vettool --vettool -overlay --overlay",
    "node": "-e --eval -p --print -r --require --import --loader --experimental-loader -c -i",
    "git": "--output --ext-diff --textconv --open-files-in-pager -O --upload-pack --receive-pack --exec --filters",
    "fd": "-x -X --exec --exec-batch", "make": "--eval --file --makefile -E -I", "install": "-s --strip-program",
}  # fmt: skip
# What follows names a script of the project; naming it in ``allowed`` lets it run.
PROJECT_SCRIPTS = ("npm run", "npm start", "pnpm run", "yarn run", "bun run", "make", "just")
# Runs each operand as a target of its own, so each one must be allowed.
TARGET_RUNNERS = frozenset({"make", "just"})
TARGET_FLAGS = re.compile(r"^-(?:j\d*|k|s|B|n|w|-no-print-directory|-silent|-keep-going|-jobs(?:=\d+)?)$|^\d+$")
