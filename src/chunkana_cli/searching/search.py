"""Search by words over the chunks of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chunkana_core import Chunk, HierarchicalChunkingResult
from chunkana_retrieval import LexicalEntry, LexicalIndex

_WEAK = 0.2  # below this share of the best score, chunks only happen to have a word


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk that was found.

    Attributes:
        document: the index of its document.
        chunk: a leaf.
        score: of its words and those of its section and document, above zero.
    """

    document: int
    chunk: Chunk
    score: float


@dataclass(frozen=True, slots=True)
class Index:
    """The leaves worth embedding of some documents, to be searched.

    Attributes:
        chunks: by the index of their document, as a str, and by their ids.
        words: finds these.
    """

    chunks: Mapping[tuple[str, str], Chunk]
    words: LexicalIndex

    @classmethod
    def of(cls, results: Sequence[HierarchicalChunkingResult]) -> Index:
        """Index what the chunks of documents say, their breadcrumbs included."""
        flat = [(str(i), c) for i, result in enumerate(results) for c in result.get_flat_chunks()]
        entries = (LexicalEntry.of_chunk(chunk, name) for name, chunk in flat)
        return cls({(name, c.chunk_id): c for name, c in flat}, LexicalIndex(entries))

    def search(self, question: str, count: int) -> list[FoundChunk]:
        """Return at most `count` chunks that are not weak, the best first; of equals, the first."""
        hits = self.words.search(question, count)
        return [
            FoundChunk(int(hit.document_id), self.chunks[hit.document_id, hit.node_id], hit.score)
            for hit in hits
            if hit.score >= hits[0].score * _WEAK
        ]
