"""Chunk many documents, one after the other or in several processes of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar, overload

from chunkana_batch.outcomes import FormatChoice, Make, Outcome, Task, require_pairs
from chunkana_batch.processes import pickle_task, run_in_processes
from chunkana_core import (
    ChunkConfig,
    Chunker,
    ConfigurationError,
    Context,
    HierarchicalChunkingResult,
    InputTypeError,
)
from chunkana_core.extending import BaseStrategy, BlockRule

T = TypeVar("T")
Progress = Callable[[int], object]


@overload
def chunk_many(
    documents: Iterable[tuple[str, str]],
    config: ChunkConfig | None = ...,
    workers: int = ...,
    *,
    strategies: Iterable[BaseStrategy] = ...,
    plugins: Iterable[BlockRule] = ...,
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
    plugins: Iterable[BlockRule] = ...,
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
    plugins: Iterable[BlockRule] = (),
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
            `make`, `length_function` and the functions of plugins must be those of a module.
        make: returns the value of an outcome from the name and the result; it is called in the
            process that chunked the document. By default the value is the result itself.
        strategies: strategies of the user's own.
        plugins: block rules of the user's own, of Markdown.
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
    chunker = Chunker(config or ChunkConfig(), context, strategies=strategies, plugins=plugins)
    count = workers or _count_processors()
    if make is None:
        return _run(Task(chunker, _return_result, format), documents, count, progress)
    return _run(Task(chunker, make, format), documents, count, progress)


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


def _run(
    task: Task[T], documents: Iterable[tuple[str, str]], workers: int, progress: Progress | None
) -> Iterator[Outcome[T]]:
    """Return an iterator over the outcomes of documents; a task is pickled before it starts."""
    outcomes: Iterator[Outcome[T]]
    if workers == 1:
        outcomes = (task.run(name, text) for name, text in require_pairs(documents))
    else:
        outcomes = run_in_processes(pickle_task(task, workers), documents, workers)
    return outcomes if progress is None else _report_progress(outcomes, progress)


def _report_progress(outcomes: Iterable[Outcome[T]], progress: Progress) -> Iterator[Outcome[T]]:
    for done, outcome in enumerate(outcomes, 1):
        progress(done)
        yield outcome
