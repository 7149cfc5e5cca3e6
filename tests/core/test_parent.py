"""A process that asked to die with its parent does: when it is killed, and when it was dead before the asking."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import pytest

from tests.processes import alive, until

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel's parent death signal is Linux's own"),
]

# A parent that forks a child with a wish, says the child's id, and waits for its own end.
FAMILY = """
import os, signal, sys
from core.parent import die_with_parent
parent = os.getpid()
child = os.fork()
if not child:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    die_with_parent(parent, signal.Signals[sys.argv[1]])
    os.write(1, f"{os.getpid()}\\n".encode())
    signal.pause()
os.waitpid(child, 0)
"""

# The child learns that the parent it was told of is not its parent (any more).
ORPHAN = """
import os
from core.parent import die_with_parent
die_with_parent(os.getppid() + 1)
print("still here")
"""


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM"])
async def test_a_child_ends_when_its_parent_is_killed(how: str) -> None:
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", FAMILY, how, stdout=asyncio.subprocess.PIPE)
    assert parent.stdout is not None
    child = int(await parent.stdout.readline())
    assert alive(child)
    os.kill(parent.pid, signal.SIGKILL)
    await parent.wait()
    await until(lambda: not alive(child))


async def test_a_child_whose_parent_was_dead_before_it_asked_ends_at_once() -> None:
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", ORPHAN, stdout=asyncio.subprocess.PIPE)
    said, _ = await child.communicate()
    assert (child.returncode, said) == (1, b"")
