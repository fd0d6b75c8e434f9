"""Run a chunking task over documents in a pool of worker processes."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from threading import Thread
from typing import TYPE_CHECKING, TypeVar, cast

from chunkana_batch.outcomes import DOCUMENT_ERRORS, Outcome, Task, require_pairs
from chunkana_core import ChunkanaError, InputTypeError

if TYPE_CHECKING:  # loads multiprocessing, which one process does not need
    from concurrent.futures import Future
    from concurrent.futures.process import ProcessPoolExecutor

T = TypeVar("T")
Batch = list[tuple[str, str]]

_MAX_BATCH_SIZE = 200_000  # code points; transferring a batch of this size costs next to nothing
_MAX_BATCH_DOCUMENTS = 64  # so that many tiny documents are spread over the processes too
_BATCHES_PER_PROCESS = 3  # read ahead, so that no process waits for another or for the caller
_MAX_PROCESSES = 61 if sys.platform == "win32" else sys.maxsize  # CPython's limit
_PICKLE_ERRORS = (pickle.PicklingError, AttributeError, TypeError, RecursionError)


class WorkerError(ChunkanaError):
    """A worker process of `chunk_many` was terminated from outside, for example out of memory."""


def run_in_processes(
    pickled_task: bytes, documents: Iterable[tuple[str, str]], workers: int
) -> Iterator[Outcome[T]]:
    """Chunk documents in worker processes, and yield their outcomes in order.

    Args:
        pickled_task: the task, pickled by `pickle_task`.
        documents: pairs of a name and a text; read three batches ahead for each process.
        workers: the number of processes; Windows allows 61 at most.

    Raises:
        WorkerError: if a worker process was terminated from outside.
    """
    # Imported here because it loads multiprocessing, which one process does not need.
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor  # noqa: PLC0415

    workers = min(workers, _MAX_PROCESSES)
    pool = ProcessPoolExecutor(workers, initializer=_start_process)
    batches = _make_batches(require_pairs(documents))
    futures = (_submit(pool, pickled_task, batch) for batch in batches)
    waits = True
    try:
        for future in _read_ahead(futures, workers * _BATCHES_PER_PROCESS):
            yield from map(_unpickle_value, future.result())
    except BrokenProcessPool as error:
        raise WorkerError("a worker process was killed, perhaps for lack of memory") from error
    except (KeyboardInterrupt, SystemExit):
        waits = False  # the documents being chunked may take long
        raise
    finally:  # also if the caller closes the iterator early
        pool.shutdown(wait=waits, cancel_futures=True)


def _submit(
    pool: ProcessPoolExecutor, pickled_task: bytes, batch: Batch
) -> Future[list[Outcome[bytes]]]:
    """Submit a batch; the worker processes that this starts never see an interrupt.

    Ctrl-C reaches all processes of a terminal. The parent process handles it; a worker process that
    ended by it would be reported as lost.
    """
    with _interrupts_blocked():
        return pool.submit(_run_batch, pickled_task, batch)


if sys.platform == "win32":

    @contextmanager
    def _interrupts_blocked() -> Iterator[None]:
        """Do nothing: only the initializer of a worker process makes it ignore interrupts."""
        yield
else:

    @contextmanager
    def _interrupts_blocked() -> Iterator[None]:
        """Block SIGINT in this thread, and in processes that it starts."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_process() -> None:
    """Prepare a worker process: ignore interrupts, and end with the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Collecting the objects inherited from the parent would copy their shared memory pages.
    gc.freeze()
    with suppress(RuntimeError):  # no memory for a thread; chunking may still be possible
        Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait until the parent process has ended or was killed, then exit at once."""
    from multiprocessing import parent_process  # noqa: PLC0415  # as in run_in_processes

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _make_batches(documents: Iterable[tuple[str, str]]) -> Iterator[Batch]:
    """Yield documents in batches; if `documents` raises an error, yield the last batch first."""
    batch: Batch = []
    size = 0
    try:
        for name, text in documents:
            batch.append((name, text))
            size += len(str(text))  # a text of another type fails later, as its own outcome
            if size >= _MAX_BATCH_SIZE or len(batch) == _MAX_BATCH_DOCUMENTS:
                full, batch, size = batch, [], 0
                yield full
    finally:
        if batch:
            yield batch


def _read_ahead(items: Iterable[T], count: int) -> Iterator[T]:
    """Yield items in order, reading `count` items ahead.

    If `items` raises an error, the items read before it are yielded first.
    """
    waiting: deque[T] = deque()
    try:
        for item in items:
            waiting.append(item)
            if len(waiting) > count:
                yield waiting.popleft()
    except (GeneratorExit, KeyboardInterrupt, SystemExit):  # the remaining items are not wanted
        waiting.clear()
        raise
    finally:
        yield from waiting


def pickle_task(task: Task[T], workers: int) -> bytes:
    """Pickle a task; raise an InputTypeError if it cannot be pickled and loaded again."""
    try:
        pickled = pickle.dumps(task)
        _load_task(pickled)  # an error in a worker process would name neither field nor value
    except _PICKLE_ERRORS as error:
        allowed = f"1 for what cannot be sent to other processes ({error})"
        raise InputTypeError("workers", workers, allowed) from error
    return pickled


@lru_cache(maxsize=1)
def _load_task(pickled: bytes) -> Task[object]:
    """Unpickle a task; the cache makes a worker process do so once, not for each batch."""
    return cast("Task[object]", pickle.loads(pickled))  # noqa: S301  # pickled by this program


def _run_batch(pickled_task: bytes, batch: Batch) -> list[Outcome[bytes]]:
    """Run a task over a batch in a worker process; return the outcomes with pickled values."""
    task = _load_task(pickled_task)
    return [_pickle_value(task.run(name, text)) for name, text in batch]


def _pickle_value(outcome: Outcome[object]) -> Outcome[bytes]:
    """Return an outcome with its value pickled, or with an error if pickling fails.

    Each value is pickled separately, because an error in pickling a whole batch would not say which
    document failed.
    """
    if outcome.error is not None:
        return Outcome(outcome.name, None, outcome.error)
    try:
        return Outcome(outcome.name, pickle.dumps(outcome.value))
    except (*_PICKLE_ERRORS, *DOCUMENT_ERRORS) as error:
        return Outcome(outcome.name, None, f"cannot be sent from its process ({error})")


def _unpickle_value(outcome: Outcome[bytes]) -> Outcome[T]:
    """Return an outcome with its value unpickled."""
    if outcome.value is None:
        return Outcome(outcome.name, None, outcome.error)
    try:
        return Outcome(outcome.name, cast("T", pickle.loads(outcome.value)))  # noqa: S301  # pickled by this program
    except (*_PICKLE_ERRORS, *DOCUMENT_ERRORS) as error:
        return Outcome(outcome.name, None, f"cannot be received from its process ({error})")
