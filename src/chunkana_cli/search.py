"""Search of chunks by the words of a question, for `ask` and `demo`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import chunkana_retrieval as retrieval  # whose index is loaded when it is used
from chunkana_core import HierarchicalChunkingResult

_WEAK = 0.2  # leaves below this part of the best score are found by accident


def search(
    results: Sequence[HierarchicalChunkingResult], question: str, options: retrieval.SearchOptions
) -> retrieval.Found:
    """Return the leaves of documents that have words of a question, without those by accident.

    The id of a document is its index as a str.
    """
    with retrieval.Index() as index:
        index.update_chunks({str(number): result for number, result in enumerate(results)})
        found = index.search(question, options)
    least = _WEAK * max((hit.bm25 or 0.0 for hit in found.hits), default=0.0)
    return replace(found, hits=tuple(hit for hit in found.hits if (hit.bm25 or 0.0) >= least))
