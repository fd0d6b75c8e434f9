"""`call_in_thread`: functions in a thread of their own, and coroutines on the caller's loop."""

from __future__ import annotations

import asyncio
import threading
from functools import partial

import pytest

from chunkana_retrieval.adapting import LoopRunner, call_in_thread


async def test_coroutines_that_need_threads_themselves_get_them() -> None:
    """As LangChain's, which run synchronous models in the threads of the loop."""

    async def in_thread(number: int) -> int:
        return await asyncio.to_thread(lambda: number)

    def work(number: int, run: LoopRunner) -> int:
        return run(in_thread, number)

    calls = [call_in_thread(partial(work, number)) for number in range(80)]
    async with asyncio.timeout(60):
        assert await asyncio.gather(*calls) == [*range(80)]


@pytest.mark.parametrize("is_begun", [False, True])
async def test_a_cancelled_call_ends_its_coroutine_and_runs_no_further_one(
    *, is_begun: bool
) -> None:
    """If the coroutine has begun, it is cancelled; otherwise it never begins."""
    waiting, go_on, ended = threading.Event(), threading.Event(), threading.Event()
    seen = list[str]()

    async def wait() -> None:
        seen.append("begun")
        waiting.set()
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    def work(run: LoopRunner) -> None:
        if not is_begun:
            waiting.set()
            assert go_on.wait(30)
        try:
            run(wait)
        finally:
            ended.set()

    task = asyncio.create_task(call_in_thread(work))
    assert await asyncio.to_thread(waiting.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    assert await asyncio.to_thread(ended.wait, 30)
    assert seen == (["begun", "cancelled"] if is_begun else [])
