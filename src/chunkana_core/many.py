"""Many documents, one after the other or in several processes."""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, TypeVar, cast, overload

from chunkana_core.chunker import MarkdownChunker
from chunkana_core.config import ChunkConfig
from chunkana_core.errors import ChunkanaError, InputTypeError, require_number, require_type
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
_AHEAD = 3  # batches for each process, so that none waits for the others or for the caller
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

    Documents are read as they are needed, a few batches ahead. Whole results are dear to carry
    between processes; where `make` returns less, two are nearly twice as fast as one.

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
        return _outcomes(_Task(chunker, _whole), documents, count, progress)
    return _outcomes(_Task(chunker, make), documents, count, progress)


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

    def __call__(self, batch: Batch) -> list[Outcome[T]]:
        """Return what becomes of documents."""
        return [self._outcome(name, text) for name, text in batch]

    def _outcome(self, name: str, text: str) -> Outcome[T]:
        """Return what becomes of a document."""
        try:
            return Outcome(name, self.make(name, self.chunker.chunk_hierarchical(text)))
        except _OF_A_DOCUMENT as error:
            return Outcome(name, None, f"{type(error).__name__}: {error}")


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
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        allowed = f"1 for what cannot be sent to other processes ({error})"
        raise InputTypeError("workers", workers, allowed) from error
    return cast("_Task[T]", _Packed(pickled))


def _outcomes(
    task: _Task[T], documents: Iterable[tuple[str, str]], workers: int, progress: Progress | None
) -> Iterator[Outcome[T]]:
    """Check what can be checked at once, and leave the rest to an iterator."""
    outcomes: Iterator[Outcome[T]]
    if workers == 1:
        outcomes = (outcome for document in documents for outcome in task([document]))
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
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415

    waiting: deque[Future[list[Outcome[T]]]] = deque()
    pool = ProcessPoolExecutor(workers)
    try:
        for batch in _batches(documents):
            waiting.append(pool.submit(task, batch))
            if len(waiting) > workers * _AHEAD:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:  # also where the caller wants no more
        pool.shutdown(cancel_futures=True)


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
