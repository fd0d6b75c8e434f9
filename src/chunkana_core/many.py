"""Many documents, one after the other or in several processes."""

from __future__ import annotations

import gc
import os
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, TypeVar, cast, overload

from chunkana_core.chunker import MarkdownChunker
from chunkana_core.config import ChunkConfig
from chunkana_core.errors import (
    ChunkanaError,
    InputTypeError,
    WorkerError,
    require_number,
    require_type,
)
from chunkana_core.result import HierarchicalChunkingResult
from chunkana_core.strategies import BaseStrategy

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
Make = Callable[[str, HierarchicalChunkingResult], T]
Batch = list[tuple[str, str]]
Progress = Callable[[int], object]

_BATCH = 200_000  # code points, from which the way to another process costs next to nothing
_MOST_IN_BATCH = 64  # documents, so that many tiny ones are spread too
_OF_PAIR = 2
_AHEAD = 3  # batches for each process, so that none waits for the others or for the caller
_OF_PICKLE = (pickle.PicklingError, AttributeError, TypeError, RecursionError)
# What a text can fail with, or a counter or function of the caller's on it. What is left are
# mistakes in a program and the end of one, which no other document would survive either.
_OF_A_DOCUMENT = (ChunkanaError, ArithmeticError, LookupError, OSError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What became of one of many documents.

    Attributes:
        name: the document's.
        value: what was made of it, None if it failed.
        error: what went wrong, None if nothing did.
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
    progress: Progress | None = ...,
) -> Iterator[Outcome[T]]: ...


def chunk_many(  # noqa: PLR0913  # all but the first are optional
    documents: Iterable[tuple[str, str]],
    config: ChunkConfig | None = None,
    workers: int = 1,
    *,
    make: Make[T] | None = None,
    strategies: Iterable[BaseStrategy] = (),
    progress: Progress | None = None,
) -> Iterator[Outcome[T]] | Iterator[Outcome[HierarchicalChunkingResult]]:
    r"""Yield what becomes of many documents, in their order; one that fails does not end it.

    A document fails by an error of this package, or an ArithmeticError, LookupError, OSError,
    TypeError or ValueError of the chunking, a function of the user's or `make`, or if what
    `make` returns cannot be sent between processes. Other errors, those of `documents` itself and
    a process that is lost end it; what was read before is yielded first, but for a lost process.

    Documents are read as they are needed, a few batches ahead. Where `make` returns little, two
    processes are nearly twice as fast as one; carrying whole results between processes costs a
    part of that.

    Args:
        documents: pairs of a name and a text.
        config: how to chunk.
        workers: the number of processes; 1 is this one, 0 as many as there are processors. With
            several, `make` and `length_function` must be functions of a module.
        make: what to return of each name and result, called where it was chunked; the result
            itself by default.
        strategies: strategies of the user's own.
        progress: is told how many documents are done, each time that one is.

    Raises:
        ConfigurationError: for anything else, and what cannot be sent to other processes.
        WorkerError: if a process was ended from outside.

    >>> documents = [("a.md", "# A\n\nText.\n"), ("b.md", "# B\n\nMore.\n")]
    >>> for outcome in chunk_many(documents, make=lambda name, result: len(result.chunks)):
    ...     print(outcome.name, outcome.value)
    a.md 2
    b.md 2
    """
    _require(documents, workers, {"make": make, "progress": progress})
    chunker = MarkdownChunker(config or ChunkConfig(), strategies)
    count = workers or _processors()
    if make is None:
        return _outcomes(_Task(chunker, _whole, count != 1), documents, count, progress)
    return _outcomes(_Task(chunker, make, count != 1), documents, count, progress)


def _require(documents: object, workers: int, functions: Mapping[str, object]) -> None:
    require_type("documents", documents, Iterable, "an iterable of names and texts")
    require_number("workers", workers, 0)
    for name, function in functions.items():
        if function is not None and not callable(function):
            raise InputTypeError(name, function, "None or a callable")


def _processors() -> int:
    """Return the number of processors that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)  # Linux alone has it
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _whole(_name: str, result: HierarchicalChunkingResult) -> HierarchicalChunkingResult:
    return result


@dataclass(frozen=True, slots=True)
class _Task(Generic[T]):
    """What is done with each document, wherever that is."""

    chunker: MarkdownChunker
    make: Make[T]
    is_sent: bool = False

    def __call__(self, batch: Batch) -> list[Outcome[T]]:
        """Return what becomes of documents."""
        return [self._outcome(name, text) for name, text in batch]

    def _outcome(self, name: str, text: str) -> Outcome[T]:
        """Return what becomes of a document."""
        try:
            value = self.make(name, self.chunker.chunk_hierarchical(text))
            return Outcome(name, self._sendable(value) if self.is_sent else value)
        except _OF_A_DOCUMENT as error:
            return Outcome(name, None, f"{type(error).__name__}: {error}")

    @staticmethod
    def _sendable(value: T) -> T:
        """Return what can be sent, which is else found out where no document is known any more."""
        try:
            return cast("T", _Sent(pickle.dumps(value)))
        except _OF_PICKLE as error:
            raise ValueError(f"cannot be sent from its process ({error})") from error


@dataclass(frozen=True, slots=True)
class _Sent:
    """What was made, which is it again where it arrives."""

    pickled: bytes

    def __reduce__(self) -> tuple[Callable[[bytes], object], tuple[bytes]]:
        return pickle.loads, (self.pickled,)


@lru_cache(maxsize=1)
def _unpickled(pickled: bytes) -> object:
    """Return a task that was sent: a process loads it once, not with each batch."""
    return pickle.loads(pickled)  # noqa: S301  # from this program's own process


@dataclass(frozen=True, slots=True)
class _Packed:
    """A task that is one again where it arrives."""

    pickled: bytes

    def __reduce__(self) -> tuple[Callable[[bytes], object], tuple[bytes]]:
        return _unpickled, (self.pickled,)


def _packed(task: _Task[T], workers: int) -> _Task[T]:
    try:
        pickled = pickle.dumps(task)
        _unpickled(pickled)  # what cannot be loaded would end the processes without a word
    except _OF_PICKLE as error:
        allowed = f"1 for what cannot be sent to other processes ({error})"
        raise InputTypeError("workers", workers, allowed) from error
    return cast("_Task[T]", _Packed(pickled))


def _outcomes(
    task: _Task[T], documents: Iterable[tuple[str, str]], workers: int, progress: Progress | None
) -> Iterator[Outcome[T]]:
    """Check what can be checked at once, and leave the rest to an iterator."""
    outcomes: Iterator[Outcome[T]]
    if workers == 1:
        outcomes = (outcome for pair in _pairs(documents) for outcome in task([pair]))
    else:
        outcomes = _in_processes(_packed(task, workers), documents, workers)
    return outcomes if progress is None else _told(outcomes, progress)


def _told(outcomes: Iterator[Outcome[T]], progress: Progress) -> Iterator[Outcome[T]]:
    for done, outcome in enumerate(outcomes, 1):
        progress(done)
        yield outcome


def _in_processes(
    task: _Task[T], documents: Iterable[tuple[str, str]], workers: int
) -> Iterator[Outcome[T]]:
    # Loads multiprocessing, which nobody else needs.
    from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor  # noqa: PLC0415

    waiting: deque[Future[list[Outcome[T]]]] = deque()
    # What a forked process inherits is not collected there: looking through it would copy it.
    pool, read = ProcessPoolExecutor(workers, initializer=gc.freeze), _Read(documents)
    try:
        for batch in _batches(read):
            waiting.append(pool.submit(task, batch))
            if len(waiting) > workers * _AHEAD:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
        if read.error is not None:
            raise read.error
    except BrokenProcessPool as error:
        raise WorkerError("a process was ended from outside, perhaps for want of memory") from error
    finally:  # also where the caller wants no more
        pool.shutdown(cancel_futures=True)


def _pairs(documents: Iterable[object]) -> Iterator[tuple[str, str]]:
    """Yield what are pairs; two characters are none."""
    for document in documents:
        if not isinstance(document, tuple | list) or len(document) != _OF_PAIR:
            raise InputTypeError("documents", document, "pairs of a name and a text")
        yield cast("tuple[str, str]", tuple(document))


@dataclass(slots=True)
class _Read:
    """Documents up to an error in reading them, which waits until those before it are done."""

    documents: Iterable[tuple[str, str]]
    error: Exception | None = None

    def __iter__(self) -> Iterator[tuple[str, str]]:
        try:
            yield from _pairs(self.documents)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is raised again
            self.error = error


def _batches(documents: Iterable[tuple[str, str]]) -> Iterator[Batch]:
    batch: Batch = []
    size = 0
    for name, text in documents:
        batch.append((name, text))
        size += len(str(text))  # what is no str fails later, by itself
        if size >= _BATCH or len(batch) == _MOST_IN_BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
