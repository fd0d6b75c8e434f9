"""Search of chunks by the words of a question, for `ask` and `demo`."""

from __future__ import annotations

from collections.abc import Sequence

import chunkana_retrieval as retrieval  # whose index is loaded when it is used
from chunkana_core import HierarchicalChunkingResult


def search(
    results: Sequence[HierarchicalChunkingResult], question: str, options: retrieval.SearchOptions
) -> retrieval.Found:
    """Return the leaves of documents that have words of a question, without those by accident.

    The id of a document is its index as a str.
    """
    with retrieval.Index() as index:
        index.update_chunks({str(number): result for number, result in enumerate(results)})
        return index.search(question, options).without_weak_hits()
