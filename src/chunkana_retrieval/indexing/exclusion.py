"""One update of an index at a time, of threads and of tasks."""

from __future__ import annotations

import asyncio
from threading import Lock
from typing import Self

_POLL = 0.01  # seconds between two looks whether another update has ended


class UpdateLock:
    """Lets one update run at a time: `with` in threads, `async with` in tasks of any event loop.

    A task looks again and again, because no lock wakes tasks of other threads' event loops.
    """

    def __init__(self) -> None:
        self._lock = Lock()

    def __enter__(self) -> Self:
        """Wait for other updates."""
        self._lock.acquire()
        return self

    def __exit__(self, *error: object) -> None:
        """Let another update run."""
        self._lock.release()

    async def __aenter__(self) -> Self:
        """Wait for other updates, and let other tasks run meanwhile."""
        while not self._lock.acquire(blocking=False):  # noqa: ASYNC110 - of threads, too
            await asyncio.sleep(_POLL)
        return self

    async def __aexit__(self, *error: object) -> None:
        """Let another update run."""
        self._lock.release()
