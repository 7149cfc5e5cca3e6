"""Stands between a worker and one command, so that nothing of the command outlives either of them.

Started as ``python -I -S keeper.py LINK WORKER PROGRAM [ARGUMENT…]``; LINK is the number of a socket to the worker.
It says ``started <pid>`` or ``failed <errno>``, and last ``ended <wait status> <processes that would not go>``. It
hears ``T`` (SIGTERM to the command's group) and ``K`` (SIGKILL to all of it).

Promise: when the command ends, when the worker says so, or when the worker dies in any way, everything the command
started is killed. Two things tell of the worker's death: the socket closes (everywhere), and the kernel's parent
death signal (Linux). On Linux processes that left the group are found too: orphans come to this process as their
reaper. Elsewhere a process that makes a session of its own gets away.

Rule: standard library only and nothing of ours imported; it starts for every command, in the command's environment.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

PR_SET_PDEATHSIG = 1  # linux/prctl.h
PR_SET_CHILD_SUBREAPER = 36
LINGER_S = 0.5  # for helpers such as ``> >(tee log)``, which end a moment after the command itself
KILL_S = 5.0  # how long we go on killing before we report what is left
LOOK_S = 0.05  # how often we look for the end of processes that are not our children


def prctl() -> Callable[[int, int], None]:
    """The system call, looked up before any fork; does nothing where there is none."""
    if sys.platform != "linux":
        return lambda option, value: None
    call = ctypes.CDLL(None).prctl

    def set_option(option: int, value: int) -> None:
        call(option, ctypes.c_ulong(value), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))

    return set_option


@dataclass
class Kept:
    """The command: its process id, which is also its group's, and its wait status once it ended.

    ``started`` is only held: a Popen that is thrown away collects the status of its process, and it would be lost.
    """

    pid: int
    started: subprocess.Popen[bytes]
    status: int | None = None

    def reap(self) -> bool:
        """Collect whoever ended; whether children are left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.pid:
                self.status = status

    def signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def left(self) -> int:
        """How many processes of the command still run, at least."""
        children = self.reap()
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return max(len(_children()), 1) if children else 0
        except PermissionError:  # it runs with rights that are not ours
            return 1
        return 1


def main(arguments: list[str]) -> None:
    link = socket.socket(fileno=int(arguments[0]))
    tell = prctl()
    tell(PR_SET_CHILD_SUBREAPER, 1)
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    tell(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(arguments[1]):  # the worker died before the kernel knew that we care
        return
    started = start(arguments[2:], tell)
    if isinstance(started, int):
        say(link, f"failed {started}")
        return
    say(link, f"started {started.pid}")
    watch(started, link, wake)
    left = end(started, wake)
    say(link, f"ended {started.status if started.status is not None else signal.SIGKILL.value} {left}")


def start(argv: list[str], tell: Callable[[int, int], None]) -> Kept | int:
    """The command in a session of its own, or the error number that says why it cannot be run."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):  # a worker may ignore them, the command must not
        signal.signal(number, signal.SIG_DFL)
    mine = os.getpid()

    def die_with_us() -> None:
        tell(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != mine:
            os._exit(1)

    try:
        # preexec_fn is safe here: this process has one thread.
        command = subprocess.Popen(argv, start_new_session=True, preexec_fn=die_with_us)
    except OSError as error:
        return error.errno or 1
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # else the worker never sees the end of the output
        os.dup2(nothing, stream)
    return Kept(command.pid, command)


def watch(kept: Kept, link: socket.socket, wake: int) -> None:
    """Return when the command is over, with its helpers' moment of grace, or when all of it must be killed."""
    asked_to_end = False
    sources: list[socket.socket | int] = [link, wake]
    patience = float("inf")
    while kept.status is None or (kept.left() and (asked_to_end or time.monotonic() < patience)):
        ready, _, _ = select.select(sources, [], [], None if kept.status is None else LOOK_S)
        if wake in ready and signal.SIGTERM in os.read(wake, 256):
            return
        if link in ready:
            heard = link.recv(16)
            if not heard or b"K" in heard:
                return
            asked_to_end = True
            kept.signal(signal.SIGTERM)
        if kept.status is None:
            kept.reap()
            patience = time.monotonic() + LINGER_S


def end(kept: Kept, wake: int) -> int:
    """Kill what is left, in the group or out of it, until it is gone; how many would not go."""
    deadline = time.monotonic() + KILL_S
    while (left := kept.left()) and time.monotonic() < deadline:
        kept.signal(signal.SIGKILL)
        for pid in _children():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if select.select([wake], [], [], LOOK_S)[0]:
            os.read(wake, 256)
    return left


def _children() -> list[int]:
    """Our children and the orphans that came to us, from /proc; empty where there is no /proc."""
    mine, found = os.getpid(), []
    with suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                    # The name in brackets may hold anything, even a bracket; what follows the last one is fixed.
                    if int(file.read().rpartition(b")")[2].split()[1]) == mine:
                        found.append(int(name))
    return found


def say(link: socket.socket, line: str) -> None:
    with suppress(OSError):  # nobody may be there to hear it
        link.sendall(line.encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1:])
