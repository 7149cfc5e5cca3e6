"""Ending asyncio tasks: once is not always enough, and what they raise on the way out is nobody's problem here."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from core.tasks import end

DEADLINE_S = 10.0


async def begun(*tasks: asyncio.Task[None]) -> None:
    """Let every task reach its first wait; one that has not begun never hears its cancel."""
    for _ in tasks:
        await asyncio.sleep(0)


async def test_a_task_that_waits_is_ended() -> None:
    task = asyncio.create_task(asyncio.sleep(3600))
    async with asyncio.timeout(DEADLINE_S):
        await end([task])
    assert task.cancelled()


async def test_a_task_that_swallows_a_cancel_is_asked_again() -> None:
    heard: list[int] = []

    async def deaf() -> None:
        for time in range(2):
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(3600)
            heard.append(time)
        await asyncio.sleep(3600)

    task = asyncio.create_task(deaf())
    await begun(task)
    async with asyncio.timeout(DEADLINE_S):
        await end([task], again_s=0.01)
    assert task.cancelled()
    assert heard == [0, 1]


async def test_a_task_that_closes_what_it_holds_is_not_hurried() -> None:
    closed: list[str] = []

    async def polite() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0.05)
            closed.append("all of it")

    task = asyncio.create_task(polite())
    await begun(task)
    async with asyncio.timeout(DEADLINE_S):
        await end([task])
    assert closed == ["all of it"]


async def test_what_a_task_raises_while_it_ends_is_kept_with_the_task() -> None:
    async def breaks() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            raise ValueError("while closing")

    task = asyncio.create_task(breaks())
    await begun(task)
    async with asyncio.timeout(DEADLINE_S):
        await end([task])
    assert isinstance(task.exception(), ValueError)


async def test_tasks_that_have_ended_and_no_tasks_at_all_take_no_time() -> None:
    async def quick() -> None: ...

    task = asyncio.create_task(quick())
    await task
    await end([task])
    await end([])
    assert not task.cancelled()


async def test_several_tasks_end_together_though_one_is_deaf() -> None:
    async def deaf_once() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)
        await asyncio.sleep(3600)

    tasks = [asyncio.create_task(deaf_once()), asyncio.create_task(asyncio.sleep(3600))]
    await begun(*tasks)
    async with asyncio.timeout(DEADLINE_S):
        await end(tasks, again_s=0.01)
    assert all(task.cancelled() for task in tasks)
