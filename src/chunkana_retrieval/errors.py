"""Errors and warnings of indexes; warnings name the line of who called an adapter."""

from __future__ import annotations

import inspect
import warnings

from chunkana_core import ChunkanaError

_BETWEEN = frozenset(  # what calls the adapters, which call this package
    {"chunkana_langchain", "chunkana_llamaindex", "chunkana_retrieval", "concurrent",
     "langchain_classic", "langchain_core", "langchain_text_splitters", "llama_index",
     "llama_index_instrumentation", "pydantic", "threading", "wrapt"}
)  # fmt: skip


class IndexFileError(ChunkanaError, ValueError):
    """A file of an index that is damaged, of another version, or that another writer replaced."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)  # from which it is unpickled
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class UnknownLeavesWarning(UserWarning):
    """A vector store proposes no leaf of the index that is asked: it is empty, or another's."""

    def __init__(self) -> None:
        super().__init__(
            "the vector store proposes no leaf of this index, so that nothing is found by meaning: "
            "it is empty, or that of another index; load with the one that the index was made "
            "with, or make the index anew with `from_documents`"
        )


def warn(message: str | Warning) -> None:
    """Warn whoever called an adapter or its framework."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and _package(frame.f_globals) in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def _package(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
