"""A lock that serialises updates of an index from threads and from asyncio tasks."""

from __future__ import annotations

import asyncio
from threading import Lock
from typing import Self

_POLL = 0.01  # seconds between two attempts to acquire the lock


class UpdateLock:
    """A lock for one update at a time: `with` in threads, `async with` in tasks of any event loop.

    A task polls the lock, because no lock can wake tasks in the event loops of other threads.
    """

    def __init__(self) -> None:
        self._lock = Lock()

    def __enter__(self) -> Self:
        """Wait until no other update runs."""
        self._lock.acquire()
        return self

    def __exit__(self, *error: object) -> None:
        """Let another update run."""
        self._lock.release()

    async def __aenter__(self) -> Self:
        """Wait until no other update runs, without blocking other tasks."""
        while not self._lock.acquire(blocking=False):  # noqa: ASYNC110 - threads share the lock
            await asyncio.sleep(_POLL)
        return self

    async def __aexit__(self, *error: object) -> None:
        """Let another update run."""
        self._lock.release()
