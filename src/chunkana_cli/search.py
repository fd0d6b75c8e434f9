"""Search for the words of a question in the chunks of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import chunkana_retrieval as retrieval  # whose index is loaded when it is used
from chunkana_core import Chunk, HierarchicalChunkingResult

_WEAK = 0.2  # leaves below this part of the best score are found by accident


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A leaf found by a search.

    Attributes:
        document: the index of its document.
        chunk: the leaf.
        score: the BM25 score, above zero; titles of the section and document count too.
    """

    document: int
    chunk: Chunk
    score: float


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


def find_chunks(
    results: Sequence[HierarchicalChunkingResult], question: str, count: int
) -> list[FoundChunk]:
    """Return at most `count` leaves by their words alone, the best first."""
    options = retrieval.SearchOptions("lexical", section_weight=0, document_weight=0, fetch_k=count)
    chunks = [{chunk.chunk_id: chunk for chunk in one.get_flat_chunks()} for one in results]
    return [
        FoundChunk(int(hit.document_id), chunks[int(hit.document_id)][hit.node_id], hit.bm25 or 0.0)
        for hit in search(results, question, options).hits
    ]
