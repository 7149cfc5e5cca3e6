"""Processes that must not outlive the one that started them. On Linux the kernel sees to it; elsewhere nothing does."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int, how: signal.Signals = signal.SIGKILL) -> None:
    """Have ``how`` sent to this process when ``parent`` dies; ends it at once when that has happened already."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, how)
        if os.getppid() != parent:  # it died before we asked
            os._exit(1)
