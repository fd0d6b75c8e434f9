"""Chunk many documents, one after the other or in several processes of this machine."""

from __future__ import annotations

import gc
import os
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from threading import Thread
from typing import Generic, TypeVar, cast, overload

from chunkana_core import (
    BaseStrategy,
    ChunkanaError,
    ChunkConfig,
    Chunker,
    ConfigurationError,
    Context,
    HierarchicalChunkingResult,
    InputTypeError,
)

T = TypeVar("T")
Make = Callable[[str, HierarchicalChunkingResult], T]
Batch = list[tuple[str, str]]
Progress = Callable[[int], object]
FormatChoice = str | Callable[[str], str]

_BATCH_SIZE = 200_000  # code points, from which the transfer to a process costs next to nothing
_BATCH_DOCUMENTS = 64  # at most, so that many tiny documents are spread over the processes too
_BATCHES_PER_PROCESS = 3  # read ahead, so that no process waits for the others or for the caller
_PICKLE_ERRORS = (pickle.PicklingError, AttributeError, TypeError, RecursionError)
# What a text can fail with, or the caller's length function or `make` on it; memory may be enough
# for the next one. Other errors are mistakes in a program or its end, which no other document would
# survive either.
DOCUMENT_ERRORS = (
    ChunkanaError,
    ArithmeticError,
    ImportError,  # of what its format needs
    LookupError,
    OSError,
    MemoryError,
    TypeError,
    ValueError,
)


class WorkerError(ChunkanaError):
    """A process of `chunk_many` that was ended from outside, as by a lack of memory."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """The value that was made of one of many documents, or the error by which it failed.

    Attributes:
        name: the document's.
        value: returned by `make`; None if the document failed.
        error: the error's type and message; None if the document did not fail.
    """

    name: str
    value: T | None
    error: str | None = None


@overload
def chunk_many(
    documents: Iterable[tuple[str, str]],
    config: ChunkConfig | None = ...,
    workers: int = ...,
    *,
    strategies: Iterable[BaseStrategy] = ...,
    context: Context | None = ...,
    format: FormatChoice = ...,
    progress: Progress | None = ...,
) -> Iterator[Outcome[HierarchicalChunkingResult]]: ...


@overload
def chunk_many(
    documents: Iterable[tuple[str, str]],
    config: ChunkConfig | None = ...,
    workers: int = ...,
    *,
    make: Make[T],
    strategies: Iterable[BaseStrategy] = ...,
    context: Context | None = ...,
    format: FormatChoice = ...,
    progress: Progress | None = ...,
) -> Iterator[Outcome[T]]: ...


def chunk_many(  # noqa: PLR0913  # all but the first are optional
    documents: Iterable[tuple[str, str]],
    config: ChunkConfig | None = None,
    workers: int = 1,
    *,
    make: Make[T] | None = None,
    strategies: Iterable[BaseStrategy] = (),
    context: Context | None = None,
    format: FormatChoice = "auto",  # noqa: A002 - what it is called everywhere
    progress: Progress | None = None,
) -> Iterator[Outcome[T]] | Iterator[Outcome[HierarchicalChunkingResult]]:
    r"""Yield the outcome of each document, in order; one that fails does not end the others.

    A document fails by an error of this package, or by an ArithmeticError, ImportError,
    LookupError, MemoryError, OSError, TypeError or ValueError of its chunking, of
    `length_function` or of `make`, or where the value that `make` returns cannot be pickled. Any
    other error, an error of `documents` itself and the loss of a process end the iteration. The
    outcomes of documents that were read before an error of `documents` are yielded before it is
    raised. Processes end with the one that started them, even if that is killed.

    Documents are read when they are needed, three batches for each process ahead. A batch has up to
    64 documents, or fewer with 200,000 code points in all. Where `make` returns little, two
    processes are nearly twice as fast as one; whole results take longer to carry.

    Args:
        documents: pairs of a name and a text.
        config: how to chunk; by default `ChunkConfig()`.
        workers: the number of processes; 1 is this one, 0 one for each processor. With several,
            `make` and `length_function` must be functions of a module.
        make: returns the value of an outcome from the name and the result; it is called in the
            process that chunked the document. By default the value is the result itself.
        strategies: strategies of the user's own.
        context: what is embedded before each content; by default nothing.
        format: the name of a format, or a function that returns one of a document's name; by
            default that of the suffix of the name, Markdown where that is unknown.
        progress: is called with the number of documents done, after each.

    Raises:
        ConfigurationError: for arguments that are not allowed, and with several workers for those
            that cannot be pickled.
        WorkerError: during iteration, if a process was ended from outside.

    >>> documents = [("a.md", "# A\n\nText.\n"), ("b.md", "# B\n\nMore.\n")]
    >>> for outcome in chunk_many(documents, make=lambda name, result: len(result.chunks)):
    ...     print(outcome.name, outcome.value)
    a.md 2
    b.md 2
    """
    _require_arguments(documents, workers, {"make": make, "progress": progress})
    chunker = Chunker(config or ChunkConfig(), context, strategies=strategies)
    count = workers or _count_processors()
    if make is None:
        return _run(_Task(chunker, _return_result, format), documents, count, progress)
    return _run(_Task(chunker, make, format), documents, count, progress)


def _require_arguments(documents: object, workers: object, functions: Mapping[str, object]) -> None:
    if not isinstance(documents, Iterable):
        raise InputTypeError("documents", documents, "an iterable of names and texts")
    allowed = "a whole number of at least 0"
    if isinstance(workers, bool) or not isinstance(workers, int):
        raise InputTypeError("workers", workers, allowed)
    if workers < 0:
        raise ConfigurationError("workers", workers, allowed)
    for name, function in functions.items():
        if function is not None and not callable(function):
            raise InputTypeError(name, function, "None or a callable")


def _count_processors() -> int:
    """Return the number of processors that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)  # Linux alone has it
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _return_result(_name: str, result: HierarchicalChunkingResult) -> HierarchicalChunkingResult:
    return result


@dataclass(frozen=True, slots=True)
class _Task(Generic[T]):
    """The chunking of a document, and the call of `make` with its result."""

    chunker: Chunker
    make: Make[T]
    format: FormatChoice

    def run(self, name: str, text: str) -> Outcome[T]:
        """Return the outcome of a document."""
        try:
            format_name = self.format(name) if callable(self.format) else self.format
            result = self.chunker.chunk_hierarchical(text, format_name, str(name))
            return Outcome(name, self.make(name, result))
        except DOCUMENT_ERRORS as error:
            return Outcome(name, None, describe_error(error))


def describe_error(error: BaseException) -> str:
    """Return the type of an error and its message, which Python does not give a lack of memory."""
    message = "not enough memory" if isinstance(error, MemoryError) else error
    return f"{type(error).__name__}: {message}"


def _run(
    task: _Task[T], documents: Iterable[tuple[str, str]], workers: int, progress: Progress | None
) -> Iterator[Outcome[T]]:
    """Return an iterator over the outcomes of documents; a task is pickled before it starts."""
    outcomes: Iterator[Outcome[T]]
    if workers == 1:
        outcomes = (task.run(name, text) for name, text in _require_pairs(documents))
    else:
        outcomes = _run_in_processes(_pickle_task(task, workers), documents, workers)
    return outcomes if progress is None else _report_progress(outcomes, progress)


def _report_progress(outcomes: Iterable[Outcome[T]], progress: Progress) -> Iterator[Outcome[T]]:
    for done, outcome in enumerate(outcomes, 1):
        progress(done)
        yield outcome


def _run_in_processes(
    pickled_task: bytes, documents: Iterable[tuple[str, str]], workers: int
) -> Iterator[Outcome[T]]:
    # Loads multiprocessing, which nobody else needs.
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor  # noqa: PLC0415

    pool = ProcessPoolExecutor(workers, initializer=_start_process)
    batches = _make_batches(_require_pairs(documents))
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


def _require_pairs(documents: Iterable[object]) -> Iterator[tuple[str, str]]:
    """Yield documents; raise an InputTypeError at one that is no pair, as a str of length 2."""
    for document in documents:
        match document:
            case (name, text):
                yield cast("tuple[str, str]", (name, text))
            case _:
                raise InputTypeError("documents", document, "pairs of a name and a text")


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


def _pickle_task(task: _Task[T], workers: int) -> bytes:
    """Return a task as bytes; raise an InputTypeError if it cannot be pickled and loaded again."""
    try:
        pickled = pickle.dumps(task)
        _load_task(pickled)  # an error of this in a process would name neither field nor value
    except _PICKLE_ERRORS as error:
        allowed = f"1 for what cannot be sent to other processes ({error})"
        raise InputTypeError("workers", workers, allowed) from error
    return pickled


@lru_cache(maxsize=1)
def _load_task(pickled: bytes) -> _Task[object]:
    """Return the task in some bytes; a process loads it once, not with each batch."""
    return cast("_Task[object]", pickle.loads(pickled))  # noqa: S301  # of this program


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
