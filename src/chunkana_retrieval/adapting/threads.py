"""Synchronous functions in worker threads, for asynchronous callers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextvars import copy_context
from threading import Event
from typing import Any, TypeVar

T = TypeVar("T")


class LoopRunner:
    """Runs coroutine functions on the caller's event loop, from a worker thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._cancelled = loop, Event()
        self._running: Future[Any] | None = None

    def __call__(
        self, function: Callable[..., Coroutine[Any, Any, T]], *arguments: object, **options: object
    ) -> T:
        """Return the result of a coroutine function.

        Raises:
            CancelledError: if the caller was cancelled.
        """
        if self._cancelled.is_set():
            raise CancelledError
        future = asyncio.run_coroutine_threadsafe(function(*arguments, **options), self._loop)
        self._running = future
        if self._cancelled.is_set():  # meanwhile
            future.cancel()
        return future.result()

    def cancel(self) -> None:
        """Cancel the coroutine that is running, and run no other one."""
        self._cancelled.set()
        if self._running is not None:
            self._running.cancel()


async def call_in_thread(function: Callable[[LoopRunner], T]) -> T:
    """Call a function in a thread of its own and return its result; other tasks go on meanwhile.

    If the caller is cancelled, the coroutine that the function runs is cancelled, too.

    Args:
        function: gets a function that runs coroutine functions on the caller's event loop, such as
            those of a model or store that has no synchronous ones.
    """
    loop = asyncio.get_running_loop()
    run = LoopRunner(loop)
    executor = ThreadPoolExecutor(1, "chunkana")  # coroutines may need the loop's own threads
    try:
        return await loop.run_in_executor(executor, copy_context().run, function, run)
    except asyncio.CancelledError:
        run.cancel()
        raise
    finally:
        executor.shutdown(wait=False)
