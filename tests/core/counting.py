"""Work, counted and not timed: calls of functions, lines that run, memory at its peak."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING

from chunkana_core import ChunkConfig, Context, MarkdownChunker

if TYPE_CHECKING:
    from _typeshed import TraceFunction

CONTEXT = Context(label="of the document", reserved="In front. ")


def use(text: str, config: ChunkConfig) -> None:
    """Do with a text all that can be done, its contexts included."""
    result = MarkdownChunker(config, CONTEXT).chunk_hierarchical(text)
    for chunk in result.chunks:
        assert chunk.metadata
        assert chunk.embedded.endswith(chunk.content)
    result.merge_tree()
    result.to_tree_dict()
    result.to_dict()
    result.toc()


def calls_of(task: Callable[[], object]) -> int:
    """Count the calls, of Python's functions and of C's, that a task makes, and their returns."""
    count = 0

    def profile(frame: FrameType, event: str, argument: object) -> None:  # noqa: ARG001
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        task()
    finally:
        sys.setprofile(before)
    return count


def calls(text: str, config: ChunkConfig) -> int:
    """Count the calls that using a text makes."""
    return calls_of(lambda: use(text, config))


def lines_of(task: Callable[[], object]) -> int:
    """Count the lines of Python that a task runs."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> TraceFunction:  # noqa: ARG001
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        task()
    finally:
        sys.settrace(before)
    return count


def lines(text: str, config: ChunkConfig) -> int:
    """Count the lines that using a text runs."""
    return lines_of(lambda: use(text, config))


def peak(text: str, config: ChunkConfig) -> int:
    """Measure the most memory that using a text takes, in bytes."""
    gc.freeze()  # what tests hold by now is not looked through again and again
    tracemalloc.start()
    try:
        use(text, config)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.unfreeze()
