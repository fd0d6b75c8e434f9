"""`call_in_thread`: functions in a thread of their own, and coroutines on the caller's loop."""

from __future__ import annotations

import asyncio
import threading
from functools import partial

import pytest

from chunkana_retrieval.index import RunOnLoop, call_in_thread


async def half(number: int) -> tuple[float, asyncio.AbstractEventLoop, int]:
    await asyncio.sleep(0)
    return 1 / number, asyncio.get_running_loop(), threading.get_ident()


async def test_a_function_runs_in_a_thread_and_its_coroutines_on_the_loop() -> None:
    def work(run: RunOnLoop) -> tuple[float, asyncio.AbstractEventLoop, int, int]:
        return (*run(half, 2), threading.get_ident())

    number, loop, of_loop, of_work = await call_in_thread(work)
    assert (number, loop) == (0.5, asyncio.get_running_loop())
    assert of_loop == threading.get_ident() != of_work


async def test_errors_of_both_are_the_callers() -> None:
    with pytest.raises(ZeroDivisionError):
        await call_in_thread(lambda run: run(half, 0))
    with pytest.raises(KeyError):
        await call_in_thread(lambda _: dict[str, int]()["key"])

    def handle(run: RunOnLoop) -> float:
        try:
            return run(half, 0)[0]
        except ZeroDivisionError:
            return run(half, 4)[0]

    assert await call_in_thread(handle) == 0.25


async def test_other_tasks_go_on_meanwhile() -> None:
    begun, done = threading.Event(), threading.Event()

    def work(_: RunOnLoop) -> bool:
        begun.set()
        return done.wait(30)

    task = asyncio.create_task(call_in_thread(work))
    assert await asyncio.to_thread(begun.wait, 30)
    done.set()
    assert await task


async def test_coroutines_that_need_threads_themselves_get_them() -> None:
    """As LangChain's, which run synchronous models in the threads of the loop."""

    async def in_thread(number: int) -> int:
        return await asyncio.to_thread(lambda: number)

    def work(number: int, run: RunOnLoop) -> int:
        return run(in_thread, number)

    calls = [call_in_thread(partial(work, number)) for number in range(80)]
    async with asyncio.timeout(60):
        assert await asyncio.gather(*calls) == [*range(80)]


async def test_more_calls_than_processors_wait_for_each_other() -> None:
    together, count = asyncio.Event(), 0

    async def meet() -> None:
        nonlocal count
        count += 1
        if count == 50:
            together.set()
        await together.wait()

    async with asyncio.timeout(60):
        await asyncio.gather(*(call_in_thread(lambda run: run(meet)) for _ in range(50)))


async def test_a_cancelled_call_ends_its_coroutine_and_its_thread() -> None:
    waiting, ended = asyncio.Event(), threading.Event()
    is_cancelled = False

    async def wait() -> None:
        nonlocal is_cancelled
        waiting.set()
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            is_cancelled = True
            raise

    def work(run: RunOnLoop) -> None:
        try:
            run(wait)
        finally:
            ended.set()

    task = asyncio.create_task(call_in_thread(work))
    async with asyncio.timeout(30):
        await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(ended.wait, 30)
    assert is_cancelled


async def test_a_cancelled_call_runs_no_further_coroutine() -> None:
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()
    ran = list[int]()

    async def note() -> None:
        ran.append(1)

    def work(run: RunOnLoop) -> None:
        begun.set()
        go_on.wait(30)
        try:
            run(note)
        finally:
            ended.set()

    task = asyncio.create_task(call_in_thread(work))
    await asyncio.to_thread(begun.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    assert await asyncio.to_thread(ended.wait, 30)
    assert ran == []
