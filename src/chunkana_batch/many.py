"""Chunk many documents, in this process or in several worker processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar, get_args, overload

from chunkana_batch.outcomes import (
    FormatChoice,
    Make,
    OnError,
    Outcome,
    Task,
    raise_errors,
    require_pairs,
)
from chunkana_batch.processes import pickle_task, run_in_processes
from chunkana_core import (
    ChunkConfig,
    Chunker,
    Context,
    HierarchicalChunkingResult,
)
from chunkana_core.extending import (
    BaseStrategy,
    BlockRule,
    require_callable,
    require_choice,
    require_number,
    require_type,
)

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
    fallback: str = ...,
    on_error: OnError = ...,
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
    fallback: str = ...,
    on_error: OnError = ...,
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
    format: FormatChoice = "auto",  # noqa: A002  # the same name as in every other function
    fallback: str = "text",
    on_error: OnError = "skip",
    progress: Progress | None = None,
) -> Iterator[Outcome[T]] | Iterator[Outcome[HierarchicalChunkingResult]]:
    r"""Chunk documents and yield their outcomes in order; a failed document does not stop the rest.

    A document fails if chunking it, `length_function` or `make` raises an error of this package, an
    ArithmeticError, ImportError, LookupError, MemoryError, OSError, RecursionError, TypeError or
    ValueError, or if the value that `make` returns cannot be pickled. Any other error, an error
    raised by the iterable `documents`, and the loss of a worker process end the iteration. If
    `documents` raises an error, the outcomes of the documents read so far are yielded first. Worker
    processes ignore Ctrl-C, which this process handles, and end with the process that started
    them, even if that process is killed.

    Documents are read lazily, three batches ahead for each process. A batch has at most 64
    documents, and ends with the document that brings it to 200,000 code points. If `make` returns
    small values, two processes are nearly twice as fast as one; transferring whole results between
    processes takes longer.

    Args:
        documents: pairs of a name and a text; the name is the label of contexts.
        config: the chunking options; by default `ChunkConfig()`.
        workers: the number of processes: 1 chunks in this process, 0 uses one process for each
            processor. With several processes, `make`, `length_function` and the functions of
            plugins must be defined at the top level of a module, so that they can be pickled.
        make: a function of the name and the result that returns the value of the outcome; it is
            called in the process that chunked the document. By default the value is the result.
        strategies: the user's own strategies.
        plugins: the user's own block rules for Markdown.
        context: the context that is embedded before each content; by default none.
        format: the name of a format, or a function that returns the name of a format for the name
            of a document; by default the format is that of the name, see `format_of`.
        fallback: the name of the format of files whose format is not known, and of JSON and
            notebooks that do not load.
        on_error: "skip" yields the error of a document that fails as its outcome; "raise" ends the
            iteration with it.
        progress: a function that is called after each document with the number of documents done.

    Raises:
        ConfigurationError: if an argument is not allowed, or cannot be pickled although there are
            several workers.
        DocumentError: during iteration, if a document fails and `on_error` is "raise".
        WorkerError: during iteration, if a worker process was terminated from outside.

    >>> documents = [("a.md", "# A\n\nText.\n"), ("b.md", "# B\n\nMore.\n")]
    >>> for outcome in chunk_many(documents, make=lambda name, result: len(result.chunks)):
    ...     print(outcome.name, outcome.value)
    a.md 2
    b.md 2
    """
    require_type("documents", documents, Iterable, "an iterable of names and texts")
    require_number("workers", workers, 0, kind=int)
    require_callable("make", make, optional=True)
    require_callable("progress", progress, optional=True)
    require_choice("on_error", on_error, get_args(OnError))
    config = config or ChunkConfig()
    chunker = Chunker(config, context, strategies=strategies, plugins=plugins, fallback=fallback)
    count = workers or _count_processors()
    if make is None:
        return _run(Task(chunker, _return_result, format), documents, count, progress, on_error)
    return _run(Task(chunker, make, format), documents, count, progress, on_error)


def _count_processors() -> int:
    """Return the number of processors that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)  # exists on Linux only
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _return_result(_name: str, result: HierarchicalChunkingResult) -> HierarchicalChunkingResult:
    return result


def _run(
    task: Task[T],
    documents: Iterable[tuple[str, str]],
    workers: int,
    progress: Progress | None,
    on_error: OnError,
) -> Iterator[Outcome[T]]:
    """Return an iterator over the outcomes; raise an error at once if `task` cannot be pickled."""
    outcomes: Iterator[Outcome[T]]
    if workers == 1:
        outcomes = (task.run(name, text) for name, text in require_pairs(documents))
    else:
        outcomes = run_in_processes(pickle_task(task, workers), documents, workers)
    if on_error == "raise":
        outcomes = raise_errors(outcomes)
    return outcomes if progress is None else _report_progress(outcomes, progress)


def _report_progress(outcomes: Iterable[Outcome[T]], progress: Progress) -> Iterator[Outcome[T]]:
    for done, outcome in enumerate(outcomes, 1):
        progress(done)
        yield outcome
