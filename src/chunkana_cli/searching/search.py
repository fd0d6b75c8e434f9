"""Lexical search over the chunks of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chunkana_core import Chunk, HierarchicalChunkingResult
from chunkana_retrieval import LexicalEntry, LexicalIndex

_WEAK = 0.2  # hits below this share of the best score are dropped as accidental


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A leaf found by a search.

    Attributes:
        document: the index of its document.
        chunk: the leaf.
        score: the score, above zero; titles of the section and document count too.
    """

    document: int
    chunk: Chunk
    score: float


@dataclass(frozen=True, slots=True)
class Index:
    """A search index of the indexable leaves of documents.

    Attributes:
        chunks: the leaves, by the index of their document as a str and their id.
        words: the lexical index of the leaves.
    """

    chunks: Mapping[tuple[str, str], Chunk]
    words: LexicalIndex

    @classmethod
    def of(cls, results: Sequence[HierarchicalChunkingResult]) -> Index:
        """Build the index of the chunks of documents, including their breadcrumbs."""
        flat = [(str(i), c) for i, result in enumerate(results) for c in result.get_flat_chunks()]
        entries = (LexicalEntry.of_chunk(chunk, name) for name, chunk in flat)
        return cls({(name, c.chunk_id): c for name, c in flat}, LexicalIndex(entries))

    def search(self, question: str, count: int) -> list[FoundChunk]:
        """Return at most `count` hits, the best first, without weak ones."""
        hits = self.words.search(question, count)
        return [
            FoundChunk(int(hit.document_id), self.chunks[hit.document_id, hit.node_id], hit.score)
            for hit in hits
            if hit.score >= hits[0].score * _WEAK
        ]
