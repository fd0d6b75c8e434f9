"""Warnings that name the caller's line, however many frames of LlamaIndex's lie between."""

from __future__ import annotations

import inspect
import warnings

_BETWEEN = (
    "chunkana_llamaindex",
    "chunkana_retrieval",
    "llama_index",
    "llama_index_instrumentation",
    "pydantic",
    "wrapt",
)


def warn(message: str | Warning) -> None:
    """Warn whoever called LlamaIndex or this package."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and _package(frame.f_globals) in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def _package(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
