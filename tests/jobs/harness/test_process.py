"""One program: its own session, bounded output, a truthful end, and nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.errors import Refused, Unavailable
from jobs.harness.process import Ended, Running, start

from .real import alive, argv, eventually, numbers

ENV = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}

# Writes its own id, ignores SIGTERM, and waits; with MARK as its first argument.
STUBBORN = (
    "import os,signal,sys;signal.signal(signal.SIGTERM,signal.SIG_IGN);"
    "open(sys.argv[1],'a').write(f'{os.getpid()}\\n');signal.pause()"
)


async def begin(command: Sequence[str], folder: Path, heard: list[bytes] | None = None) -> Running:
    return await start(command, folder=folder, env=ENV, heard=(heard if heard is not None else []).append)


async def run(command: Sequence[str], folder: Path) -> Ended:
    return await (await begin(command, folder)).wait()


async def test_output_and_exit_code_come_back_and_errors_stand_where_they_were_printed(tmp_path: Path) -> None:
    code = "import sys;print('one',flush=True);print('two',file=sys.stderr,flush=True);print('三');sys.exit(3)"
    ended = await run(argv(code), tmp_path)
    assert (ended.exit_code, ended.signal, ended.left) == (3, "", 0)
    assert ended.output.decode() == "one\ntwo\n三\n"
    assert ended.total == len(ended.output)


async def test_output_is_heard_while_the_program_runs(tmp_path: Path) -> None:
    heard: list[bytes] = []
    running = await begin(argv("print('here',flush=True);input();import signal;signal.pause()"), tmp_path, heard)
    try:
        await eventually(lambda: b"here\n" in b"".join(heard))
    finally:
        ended = await running.stop(0)
    assert ended.output.startswith(b"here\n")


async def test_a_program_has_no_input_no_terminal_and_a_session_of_its_own(tmp_path: Path) -> None:
    code = "import os,sys;print(repr(sys.stdin.read()),os.isatty(0),os.getsid(0)==os.getpid()==os.getpgid(0))"
    ended = await run(argv(code), tmp_path)
    assert ended.output == b"'' False True\n"


async def test_a_program_gets_only_the_pipes_meant_for_it(tmp_path: Path) -> None:
    ended = await run(
        argv("import os;print(sorted(int(n) for n in os.listdir('/dev/fd') if int(n) < 100)[:3])"), tmp_path
    )
    assert ended.output == b"[0, 1, 2]\n"
    ended = await run(
        argv("import os,stat\nfor n in range(3,64):\n try: os.fstat(n); print(n)\n except OSError: pass"), tmp_path
    )
    assert ended.output == b""


async def test_the_end_by_a_signal_is_named(tmp_path: Path) -> None:
    ended = await run(argv("import os,signal;os.kill(os.getpid(),signal.SIGSEGV)"), tmp_path)
    assert (ended.exit_code, ended.signal) == (139, "SIGSEGV")


@pytest.mark.parametrize("program", ["no-such-program-here", "./nothing"])
async def test_a_missing_program_is_refused_by_name(tmp_path: Path, program: str) -> None:
    with pytest.raises(Refused, match="program_missing") as caught:
        await begin([program], tmp_path)
    assert caught.value.params["program"] == program


async def test_a_file_that_is_no_program_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(Refused, match="program_not_runnable") as caught:
        await begin(["./notes.txt"], tmp_path)
    assert caught.value.params["why"] == "Permission denied"


async def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="folder_missing"):
        await begin(["true"], tmp_path / "gone")


async def test_five_megabytes_are_bounded_and_both_ends_are_kept(tmp_path: Path) -> None:
    code = "print('first');[print('x'*99) for _ in range(52000)];print('last')"
    ended = await run(argv(code), tmp_path)
    assert ended.total == 52_000 * 100 + len("first\nlast\n")
    assert len(ended.output) < 1_100_000
    assert ended.output.startswith(b"first\n")
    assert ended.output.endswith(b"last\n")
    assert b"bytes left out here" in ended.output


async def test_a_polite_program_ends_in_its_grace_and_may_say_goodbye(tmp_path: Path) -> None:
    code = (
        "import signal,sys;signal.signal(signal.SIGTERM,lambda *_:(print('goodbye'),sys.exit(0)));"
        "print('up',flush=True);signal.pause()"
    )
    heard: list[bytes] = []
    running = await begin(argv(code), tmp_path, heard)
    await eventually(lambda: bool(heard))
    ended = await running.stop(10)
    assert (ended.exit_code, ended.output) == (0, b"up\ngoodbye\n")


async def test_children_that_ignore_sigterm_are_gone_after_a_stop(tmp_path: Path) -> None:
    mark = tmp_path / "ids"
    code = f"import os,subprocess,sys\n[os.fork() for _ in range(2)]\nexec({STUBBORN!r})"
    running = await begin([*argv(code), str(mark)], tmp_path)
    pids = await numbers(mark, 4)
    ended = await running.stop(0.2)
    assert (ended.signal, ended.left) == ("SIGKILL", 0)
    assert not [pid for pid in pids if alive(pid)]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux hands orphans to the keeper")
async def test_a_child_that_left_the_group_is_gone_after_a_stop(tmp_path: Path) -> None:
    mark = tmp_path / "ids"
    code = f"import os,sys\nif os.fork()==0:\n os.setsid()\n if os.fork(): os._exit(0)\nexec({STUBBORN!r})"
    running = await begin([*argv(code), str(mark)], tmp_path)
    pids = await numbers(mark, 2)
    ended = await running.stop(0.2)
    assert ended.left == 0
    assert not [pid for pid in pids if alive(pid)]


async def test_what_a_program_leaves_behind_is_ended_with_it(tmp_path: Path) -> None:
    mark = tmp_path / "ids"
    code = f"import os,sys\nif os.fork():\n print('done',flush=True); os._exit(0)\nexec({STUBBORN!r})"
    ended = await run([*argv(code), str(mark)], tmp_path)
    assert (ended.exit_code, ended.output, ended.left) == (0, b"done\n", 0)
    assert not [pid for pid in await numbers(mark, 1) if alive(pid)]


async def test_a_helper_that_ends_a_moment_later_still_has_its_say(tmp_path: Path) -> None:
    ended = await run(["bash", "-c", "(sleep 0.1; echo later) & echo now"], tmp_path)
    assert ended.output == b"now\nlater\n"


async def test_a_program_that_kills_its_keeper_does_not_survive_it(tmp_path: Path) -> None:
    mark = tmp_path / "ids"
    kill = "if os.getpid()==os.getpgid(0): os.kill(os.getppid(),signal.SIGKILL)"
    code = f"import os,signal,sys\nos.fork()\n{kill}\nexec({STUBBORN!r})"
    running = await begin([*argv(code), str(mark)], tmp_path)
    ended = await running.wait()
    assert ended.signal == "SIGKILL"
    await eventually(lambda: not alive(running.pid))
    await eventually(lambda: not mark.exists() or not any(alive(int(pid)) for pid in mark.read_text().split()))


async def test_cancelling_the_start_leaves_nothing(tmp_path: Path) -> None:
    mark = tmp_path / "ids"
    for pause in (0.0, 0.01, 0.03):
        starting = asyncio.create_task(begin([*argv(STUBBORN), str(mark)], tmp_path))
        await asyncio.wait([starting], timeout=pause)
        if starting.cancel():
            await asyncio.wait([starting])
        if not starting.cancelled():
            await starting.result().stop(0)
    await eventually(lambda: not mark.exists() or not any(alive(int(pid)) for pid in mark.read_text().split()))


@pytest.mark.parametrize("step", ["connect_read_pipe", "create_connection"])
async def test_a_start_that_is_cancelled_between_two_steps_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """A socket or a process left behind is a warning at the latest here, and warnings are errors."""
    loop, mark = asyncio.get_running_loop(), tmp_path / "ids"
    connect = getattr(loop, step)

    async def cancelled(*args: Any, **more: Any) -> Any:
        me = asyncio.current_task()
        assert me is not None
        me.cancel()
        return await connect(*args, **more)

    monkeypatch.setattr(loop, step, cancelled)
    starting = asyncio.create_task(begin([*argv(STUBBORN), str(mark)], tmp_path))
    await asyncio.wait([starting])
    assert starting.cancelled()
    gc.collect()
    await eventually(lambda: not mark.exists() or not any(alive(int(pid)) for pid in mark.read_text().split()))


WORKER = """
import asyncio, sys
from pathlib import Path
from typing import Any
from jobs.harness.process import start

async def main():
    running = await start(sys.argv[2:], folder=Path(sys.argv[1]), env={"PATH": "/usr/bin:/bin"}, heard=lambda _: None)
    await running.wait()

asyncio.run(main())
"""


@pytest.mark.process
async def test_nothing_of_a_program_outlives_a_worker_that_is_killed(tmp_path: Path) -> None:
    mark = tmp_path / "ids"
    code = f"import os,sys\nos.fork()\nexec({STUBBORN!r})"
    worker = await asyncio.create_subprocess_exec(*argv(WORKER), str(tmp_path), *argv(code), str(mark))
    pids = await numbers(mark, 2)
    assert all(alive(pid) for pid in pids)
    worker.send_signal(signal.SIGKILL)
    await worker.wait()
    await eventually(lambda: not any(alive(pid) for pid in pids))
