"""RQ's worker made safe: only listed functions run, nothing unpickles or imports, and no job outlives its worker."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import signal
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from redis import Redis
from rq import Callback, Queue
from rq.command import send_stop_job_command
from rq.job import Job, JobStatus

from jobs.runner import LeaseWorker, UnlistedFunction, listed_job
from tests.processes import DEADLINE_S, alive, until

pytestmark = pytest.mark.process

# A worker with a list of four. Files tell what was run; ``burst`` ends it with the queue.
WORKER = """
import os, signal, sys
from pathlib import Path
from redis import Redis
from jobs.runner import LeaseWorker

url, queue, folder, burst = sys.argv[1:]

def note(name):
    (Path(folder) / f"{name}.new").write_text(str(os.getpid()))
    (Path(folder) / f"{name}.new").rename(Path(folder) / name)

def fail(name):
    note(name)
    raise ValueError("on purpose")

def hang(name):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    note(name)
    signal.pause()

def hand_over(name):
    told = []
    signal.signal(signal.SIGTERM, lambda *_: told.append(1))
    note(name)
    while not told:
        signal.pause()
    note(f"{name}-told")

functions = {"note": note, "fail": fail, "hang": hang, "hand_over": hand_over}
LeaseWorker(queue, Redis.from_url(url), functions, f"worker-{queue}").work(burst=bool(burst), logging_level="ERROR")
"""


class Place:
    """One queue on the tests' server, and a folder whose files tell what ran."""

    def __init__(self, url: str, name: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        self.connection = Redis.from_url(url)
        self.queue = Queue(name, connection=self.connection, serializer="json")

    def put(self, function: str, *args: str, **more: Any) -> Job:
        return self.queue.enqueue_call(function, args=args, job_id=uuid4().hex, **more)

    async def worker(self, burst: bool = True) -> asyncio.subprocess.Process:
        """What the folder holds could be imported by it, as a package on a real worker could."""
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", WORKER, self.url, self.queue.name, str(self.folder), "burst" if burst else ""),
            env=os.environ | {"PYTHONPATH": os.pathsep.join([os.getcwd(), str(self.folder)])},
        )

    async def work(self) -> None:
        """Everything queued, by a worker that ends well."""
        async with asyncio.timeout(DEADLINE_S):
            assert await (await self.worker()).wait() == 0

    async def written(self, name: str) -> int:
        """The process that wrote the file."""
        await until((self.folder / name).exists)
        return int((self.folder / name).read_text())

    def error(self, job: Job) -> str:
        found = job.latest_result()
        return (found.exc_string or "") if found is not None else ""


@pytest.fixture
def place(redis_url: str, workspace: str, tmp_path: Path) -> Iterator[Place]:
    made = Place(redis_url, f"{workspace}.run", tmp_path)
    yield made
    made.connection.close()


@pytest.fixture
def evil(tmp_path: Path) -> str:
    """A module that is harmful as soon as anybody imports it."""
    (tmp_path / "evil.py").write_text(
        f"from pathlib import Path\nPath({str(tmp_path / 'imported')!r}).touch()\ndef called(*_): pass\n"
    )
    return "evil.called"


async def test_a_listed_function_runs_in_a_process_of_its_own(place: Place) -> None:
    job = place.put("note", "ran")
    await place.work()
    assert job.get_status() == JobStatus.FINISHED
    assert await place.written("ran") != os.getpid()


@pytest.mark.parametrize("function", ["os.system", "builtins.exec", "jobs.worker.run_worker", "note.__globals__", "no"])
async def test_a_function_that_is_not_listed_is_not_run_and_its_job_fails(place: Place, function: str) -> None:
    unlisted = place.put(function, f"touch {place.folder}/harm")
    after = place.put("note", "after")
    await place.work()
    assert unlisted.get_status() == JobStatus.FAILED
    assert UnlistedFunction.__name__ in place.error(unlisted)
    assert after.get_status() == JobStatus.FINISHED, "one bad job must not stop the others"
    assert not (place.folder / "harm").exists()


async def test_a_module_a_job_names_is_not_even_imported(place: Place, evil: str) -> None:
    job = place.put(evil)
    await place.work()
    assert job.get_status() == JobStatus.FAILED
    assert not (place.folder / "imported").exists()


@pytest.mark.parametrize(("function", "status"), [("note", JobStatus.FINISHED), ("fail", JobStatus.FAILED)])
async def test_callbacks_of_a_job_are_ignored(place: Place, evil: str, function: str, status: JobStatus) -> None:
    callback = Callback(evil)
    job = place.put(function, "ran", on_success=callback, on_failure=callback, on_stopped=callback)
    await place.work()
    assert job.get_status() == status
    assert await place.written("ran")
    assert not (place.folder / "imported").exists()


async def test_the_callback_of_a_stopped_job_is_ignored_too(place: Place, evil: str) -> None:
    job = place.put("hang", "hangs", timeout=-1, on_stopped=Callback(evil))
    worker = await place.worker(burst=False)
    horse = await place.written("hangs")
    send_stop_job_command(place.connection, job.id, serializer="json")
    await until(lambda: job.get_status() == JobStatus.STOPPED and not alive(horse))
    worker.send_signal(signal.SIGTERM)
    async with asyncio.timeout(DEADLINE_S):
        await worker.wait()
    assert not (place.folder / "imported").exists()


async def test_an_instance_named_beside_a_listed_function_changes_nothing(place: Place) -> None:
    job = place.put("note", "ran")
    place.connection.hset(job.key, "data", json.dumps(["note", "evil", ["ran"], {}]))
    await place.work()
    assert job.get_status() == JobStatus.FINISHED
    assert await place.written("ran")


class Harm:
    """Unpickling it runs a command."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.mark}",)


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "compressed"])
async def test_a_pickled_job_is_refused_and_the_next_one_runs(place: Place, packed: bool) -> None:
    job = place.put("note", "ran")
    data = pickle.dumps(("note", None, [Harm(place.folder / "harm")], {}))
    place.connection.hset(job.key, "data", zlib.compress(data) if packed else data)
    after = place.put("note", "after")
    await place.work()
    assert job.get_status() == JobStatus.FAILED
    assert after.get_status() == JobStatus.FINISHED
    assert not (place.folder / "harm").exists()
    assert not (place.folder / "ran").exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux ends a child with its parent")
async def test_a_job_dies_with_its_killed_worker_though_it_ignores_sigterm(place: Place) -> None:
    place.put("hang", "hangs", timeout=-1)
    worker = await place.worker(burst=False)
    horse = await place.written("hangs")
    worker.send_signal(signal.SIGKILL)
    await worker.wait()
    await until(lambda: not alive(horse))


async def test_a_worker_told_to_stop_tells_its_job_and_waits_for_it(place: Place) -> None:
    job = place.put("hand_over", "begun", timeout=-1)
    worker = await place.worker(burst=False)
    await place.written("begun")
    worker.send_signal(signal.SIGTERM)
    async with asyncio.timeout(DEADLINE_S):
        assert await worker.wait() == 0
    assert (place.folder / "begun-told").exists()
    assert job.get_status() == JobStatus.FINISHED


async def test_an_idle_worker_told_to_stop_ends(place: Place) -> None:
    place.put("note", "up")
    worker = await place.worker(burst=False)
    await place.written("up")
    worker.send_signal(signal.SIGTERM)
    async with asyncio.timeout(DEADLINE_S):
        assert await worker.wait() == 0


def test_a_long_name_is_cut_where_it_is_said(place: Place) -> None:
    job = listed_job({})("x", connection=place.connection, serializer="json")
    job.data = json.dumps(["f" * 10_000, None, [], {}]).encode()
    with pytest.raises(UnlistedFunction) as caught:
        _ = job.func
    assert len(str(caught.value)) < 200


async def test_a_worker_told_to_stop_as_its_job_ends_does_not_fall_over_it(place: Place) -> None:
    """The signal can arrive after the job's process is gone and before the worker has noted it."""
    ended = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await ended.wait()
    worker = LeaseWorker(place.queue.name, place.connection, {}, f"worker-{place.queue.name}")
    worker._horse_pid = ended.pid
    worker.handle_warm_shutdown_request()
