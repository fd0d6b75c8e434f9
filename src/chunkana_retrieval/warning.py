"""Warnings that name the caller's line, however many frames of a framework's lie between."""

from __future__ import annotations

import inspect
import warnings

_BETWEEN = frozenset(  # what calls the adapters, which call this package
    {"chunkana_langchain", "chunkana_llamaindex", "chunkana_retrieval", "concurrent",
     "langchain_classic", "langchain_core", "langchain_text_splitters", "llama_index",
     "llama_index_instrumentation", "pydantic", "threading", "wrapt"}
)  # fmt: skip


def warn(message: str | Warning) -> None:
    """Warn whoever called an adapter or its framework."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and _package(frame.f_globals) in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def _package(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
