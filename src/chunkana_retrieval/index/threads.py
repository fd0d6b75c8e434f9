"""Synchronous functions in worker threads, for asynchronous callers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class RunOnLoop(Protocol):
    """Runs a coroutine function on the caller's event loop, from a worker thread."""

    def __call__(
        self, function: Callable[..., Coroutine[Any, Any, R]], *arguments: object, **options: object
    ) -> R:
        """Return the result of the coroutine function."""
        ...


async def call_in_thread(function: Callable[[RunOnLoop], T]) -> T:
    """Call a function in a worker thread and return its result; other tasks go on meanwhile.

    If the caller is cancelled, the next coroutine that the function runs raises a CancelledError.

    Args:
        function: gets a function that runs coroutine functions on the caller's event loop, such as
            those of a model or store that has no synchronous ones.
    """
    loop, is_cancelled = asyncio.get_running_loop(), False

    def run(
        function: Callable[..., Coroutine[Any, Any, R]], *arguments: object, **options: object
    ) -> R:
        if is_cancelled:
            raise CancelledError
        return asyncio.run_coroutine_threadsafe(function(*arguments, **options), loop).result()

    try:
        return await asyncio.to_thread(function, run)
    except asyncio.CancelledError:
        is_cancelled = True
        raise
