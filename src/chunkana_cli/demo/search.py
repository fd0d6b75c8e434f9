"""Search by words: BM25 over the chunks of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bm25s

from chunkana_cli.demo.words import words_of
from chunkana_core import Chunk, HierarchicalChunkingResult

_WEAK = 0.2  # below this share of the best score, chunks only happen to have a word


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that was found.

    Attributes:
        document: the index of its document.
        chunk: a leaf.
        score: BM25's, above zero.
    """

    document: int
    chunk: Chunk
    score: float


@dataclass(frozen=True, slots=True)
class Index:
    """The leaves worth embedding of some documents, to be searched.

    Attributes:
        chunks: each with the index of its document.
        model: None where there are no words to find.
    """

    chunks: tuple[tuple[int, Chunk], ...]
    model: bm25s.BM25 | None

    @classmethod
    def of(cls, results: Sequence[HierarchicalChunkingResult]) -> Index:
        """Index what the chunks of documents say, their breadcrumbs included."""
        chunks = tuple((i, c) for i, result in enumerate(results) for c in result.get_flat_chunks())
        texts = [words_of(chunk.embedded) for i, chunk in chunks]
        if not any(texts):
            return cls(chunks, None)
        model = bm25s.BM25()
        model.index(texts, show_progress=False)
        return cls(chunks, model)

    def search(self, question: str, count: int) -> list[Hit]:
        """Return at most `count` hits that are not weak, the best first; of equals, the first."""
        words = words_of(question)
        if self.model is None or not words:
            return []
        scores = [float(score) for score in self.model.get_scores(words)]
        least = max(scores) * _WEAK
        scored = zip(self.chunks, scores, strict=True)
        hits = [
            Hit(i, chunk, score) for (i, chunk), score in scored if score > 0 and score >= least
        ]
        return sorted(hits, key=lambda hit: -hit.score)[:count]
