"""Ranking, merging and assembly of search hits, without a framework.

The index needs the extra: `pip install "chunkana-rag[retrieval]"`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from chunkana_retrieval.errors import IndexFileError, LostLeavesWarning, UnknownNameError
from chunkana_retrieval.fusion import fuse
from chunkana_retrieval.hits import Hit, repeated_lines
from chunkana_retrieval.merging import MergedHit, Parent, merge_hits
from chunkana_retrieval.reading.assembly import assemble, assemble_mixed
from chunkana_retrieval.reading.passages import Passage, shared_metadata
from chunkana_retrieval.scores import propagate_scores
from chunkana_retrieval.words import find_words, words_of

if TYPE_CHECKING:
    from chunkana_retrieval.index import (
        Excerpt,
        Found,
        Index,
        IndexDocument,
        MergingOptions,
        ReadingOptions,
        SearchOptions,
        UpdateReport,
    )

__all__ = [
    "Excerpt",
    "Found",
    "Hit",
    "Index",
    "IndexDocument",
    "IndexFileError",
    "LostLeavesWarning",
    "MergedHit",
    "MergingOptions",
    "Parent",
    "Passage",
    "ReadingOptions",
    "SearchOptions",
    "UnknownNameError",
    "UpdateReport",
    "assemble",
    "assemble_mixed",
    "find_words",
    "fuse",
    "merge_hits",
    "propagate_scores",
    "repeated_lines",
    "shared_metadata",
    "words_of",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """Return a name of the index, which is loaded when it is used, since numpy loads slowly."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("chunkana_retrieval.index"), name)
