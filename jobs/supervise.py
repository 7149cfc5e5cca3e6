"""Keeps a set of child processes running: forks them, restarts the ones that die, stops them all in time.

It touches no network, so it can fork safely at any moment; whatever a child needs it opens itself.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import structlog

from core.parent import die_with_parent

STOP_S = 3.0  # `up` has 4 s for everything
BACKOFF_S = (0.0, 0.5, 2.0, 10.0)  # before the 1st, 2nd, 3rd and every further restart within RECENT_S
RECENT_S = 60.0
STOPPING = frozenset({signal.SIGTERM, signal.SIGINT})
HEARD = STOPPING | {signal.SIGCHLD, signal.SIGALRM}  # blocked, and taken one by one

log = structlog.get_logger()


@dataclass(slots=True)
class _Child:
    run: Callable[[], None]
    pid: int = 0
    deaths: list[float] = field(default_factory=list)
    restart_at: float = 0.0


def supervise(children: Mapping[str, Callable[[], None]], leaving: Callable[[], None] = lambda: None) -> int:
    """Run until SIGTERM or SIGINT; returns 0 when all children ended in time, 1 when some had to be killed.

    ``leaving`` is called once the children have been told to stop, while they do.
    """
    family = {name: _Child(run) for name, run in children.items()}
    signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # never run; but macOS drops a signal nobody handles, blocked or not
    for name, child in family.items():
        _start(name, child)
    while True:
        if _next_signal(_patience(family)) in STOPPING:
            return _stop(family, leaving)
        _reap(family)
        for name, child in family.items():
            if not child.pid and time.monotonic() >= child.restart_at:
                _start(name, child)


def _next_signal(seconds: float) -> int:
    """The next signal heard; SIGALRM after ``seconds``. (``sigtimedwait`` says the same, but macOS has none.)"""
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))  # 0 would mean never
    got = signal.sigwait(HEARD)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return got


def _start(name: str, child: _Child) -> None:
    parent = os.getpid()
    pid = os.fork()
    if pid:
        child.pid = pid
        return
    code = 1
    try:
        die_with_parent(parent)
        os.setpgid(0, 0)  # a Ctrl-C in the terminal is ours to hand on
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HEARD)
        child.run()
        code = 0
    except SystemExit as leaving:
        code = int(leaving.code or 0)
    except BaseException:  # the child's last word; the parent restarts it
        log.exception("child_broke", child=name)
    finally:
        os._exit(code)


def _patience(family: Mapping[str, _Child]) -> float:
    waits = [c.restart_at - time.monotonic() for c in family.values() if not c.pid]
    return max(0.0, min(waits, default=3600.0))


def _reap(family: Mapping[str, _Child]) -> None:
    for name, child in family.items():
        if child.pid and os.waitpid(child.pid, os.WNOHANG)[0]:
            now = time.monotonic()
            child.pid = 0
            child.deaths = [t for t in child.deaths if now - t < RECENT_S] + [now]
            child.restart_at = now + BACKOFF_S[min(len(child.deaths), len(BACKOFF_S)) - 1]
            log.warning("child_died", child=name, times=len(child.deaths))


def _stop(family: Mapping[str, _Child], leaving: Callable[[], None]) -> int:
    deadline = time.monotonic() + STOP_S
    for child in family.values():
        if child.pid:
            os.kill(child.pid, signal.SIGTERM)
    leaving()
    while any(c.pid for c in family.values()) and (left := deadline - time.monotonic()) > 0:
        if _next_signal(left) in STOPPING:
            break  # asked a second time: now
        for child in family.values():
            if child.pid and os.waitpid(child.pid, os.WNOHANG)[0]:
                child.pid = 0
    left_over = [c for c in family.values() if c.pid]
    for child in left_over:
        os.kill(child.pid, signal.SIGKILL)
        os.waitpid(child.pid, 0)
    return 1 if left_over else 0
