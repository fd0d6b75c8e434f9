"""Documents chunked in several processes of this machine."""

from __future__ import annotations

import gc
import os
import pickle
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from threading import Thread
from typing import TypeVar, cast

from chunkana_batch.outcomes import DOCUMENT_ERRORS, Outcome, Task, require_pairs
from chunkana_core import ChunkanaError, InputTypeError

T = TypeVar("T")
Batch = list[tuple[str, str]]

_BATCH_SIZE = 200_000  # code points, from which the transfer to a process costs next to nothing
_BATCH_DOCUMENTS = 64  # at most, so that many tiny documents are spread over the processes too
_BATCHES_PER_PROCESS = 3  # read ahead, so that no process waits for the others or for the caller
_MOST_PROCESSES = 61 if sys.platform == "win32" else sys.maxsize  # of which Windows hears the end
_PICKLE_ERRORS = (pickle.PicklingError, AttributeError, TypeError, RecursionError)


class WorkerError(ChunkanaError):
    """A process of `chunk_many` that was ended from outside, as by a lack of memory."""


def run_in_processes(
    pickled_task: bytes, documents: Iterable[tuple[str, str]], workers: int
) -> Iterator[Outcome[T]]:
    """Yield the outcomes of documents in order, chunked by so many processes.

    Args:
        pickled_task: what `pickle_task` returned.
        documents: pairs of a name and a text; read three batches for each process ahead.
        workers: the number of processes; Windows takes 61 at most.

    Raises:
        WorkerError: if a process was ended from outside.
    """
    # Loads multiprocessing, which nobody else needs.
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor  # noqa: PLC0415

    workers = min(workers, _MOST_PROCESSES)
    pool = ProcessPoolExecutor(workers, initializer=_start_process)
    batches = _make_batches(require_pairs(documents))
    futures = (pool.submit(_run_batch, pickled_task, batch) for batch in batches)
    is_awaited = True
    try:
        for future in _read_ahead(futures, workers * _BATCHES_PER_PROCESS):
            yield from map(_unpickle_value, future.result())
    except BrokenProcessPool as error:
        raise WorkerError("a process was ended from outside, perhaps for want of memory") from error
    except (KeyboardInterrupt, SystemExit):
        is_awaited = False  # what is being chunked, which may take long
        raise
    finally:  # also where the caller wants no more
        pool.shutdown(wait=is_awaited, cancel_futures=True)


def _start_process() -> None:
    """Prepare a process of the pool: it ends when the one that started it is gone."""
    # What a forked process inherits is not collected there: looking through it would copy it.
    gc.freeze()
    with suppress(RuntimeError):  # without memory for a thread, there may be enough to chunk
        Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the end of the parent, which may be killed and tell nobody; then end at once."""
    from multiprocessing import parent_process  # noqa: PLC0415  # as above

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _make_batches(documents: Iterable[tuple[str, str]]) -> Iterator[Batch]:
    """Yield documents in batches; the last also where an error of `documents` follows it."""
    batch: Batch = []
    size = 0
    try:
        for name, text in documents:
            batch.append((name, text))
            size += len(str(text))  # a text that is no str fails later, by itself
            if size >= _BATCH_SIZE or len(batch) == _BATCH_DOCUMENTS:
                full, batch, size = batch, [], 0
                yield full
    finally:
        if batch:
            yield batch


def _read_ahead(items: Iterable[T], count: int) -> Iterator[T]:
    """Yield items in order, each after `count` more were read.

    Those that were read before an error of `items` are yielded before it is raised.
    """
    waiting: deque[T] = deque()
    try:
        for item in items:
            waiting.append(item)
            if len(waiting) > count:
                yield waiting.popleft()
    except (GeneratorExit, KeyboardInterrupt, SystemExit):  # nobody asks for the rest
        waiting.clear()
        raise
    finally:
        yield from waiting


def pickle_task(task: Task[T], workers: int) -> bytes:
    """Return a task as bytes; raise an InputTypeError if it cannot be pickled and loaded again."""
    try:
        pickled = pickle.dumps(task)
        _load_task(pickled)  # an error of this in a process would name neither field nor value
    except _PICKLE_ERRORS as error:
        allowed = f"1 for what cannot be sent to other processes ({error})"
        raise InputTypeError("workers", workers, allowed) from error
    return pickled


@lru_cache(maxsize=1)
def _load_task(pickled: bytes) -> Task[object]:
    """Return the task in some bytes; a process loads it once, not with each batch."""
    return cast("Task[object]", pickle.loads(pickled))  # noqa: S301  # of this program


def _run_batch(pickled_task: bytes, batch: Batch) -> list[Outcome[bytes]]:
    """Return the outcomes of documents with pickled values; a process of the pool calls it."""
    task = _load_task(pickled_task)
    return [_pickle_value(task.run(name, text)) for name, text in batch]


def _pickle_value(outcome: Outcome[object]) -> Outcome[bytes]:
    """Return an outcome with its value pickled, an error if that fails.

    The pool itself would pickle a whole batch, and could not tell which document failed.
    """
    if outcome.error is not None:
        return Outcome(outcome.name, None, outcome.error)
    try:
        return Outcome(outcome.name, pickle.dumps(outcome.value))
    except (*_PICKLE_ERRORS, *DOCUMENT_ERRORS) as error:
        return Outcome(outcome.name, None, f"cannot be sent from its process ({error})")


def _unpickle_value(outcome: Outcome[bytes]) -> Outcome[T]:
    """Return an outcome with the value that was pickled."""
    if outcome.value is None:
        return Outcome(outcome.name, None, outcome.error)
    return Outcome(outcome.name, cast("T", pickle.loads(outcome.value)))  # noqa: S301  # as above
