"""What is read of our chunks: found, scores propagated, laid out within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.retrieval.metrics import Counted
from benchmarks.retrieval.questions import Collection
from benchmarks.retrieval.ranking import Scores, ranked
from chunkana_core import ChunkConfig, Context, MarkdownChunker, Span
from chunkana_retrieval import Hit, LexicalEntry, LexicalIndex, assemble, fuse, propagate_hits

FETCHED = 30  # hits of each search, as the retrievers of our adapters fetch
_Key = tuple[str, str]  # the ids of a document and of a leaf


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of all documents, as `ChunkanaSplitter` makes them.

    Attributes:
        hits: by the ids of document and leaf; documents are named by their numbers.
        embedded: the texts to find them by, in the same order.
        lexical: finds them by words.
        sources: the texts of the documents.
    """

    hits: dict[_Key, Hit]
    embedded: list[str]
    lexical: LexicalIndex
    sources: dict[str, str]

    @classmethod
    def of(cls, collection: Collection, size: int) -> Leaves:
        """Split the documents."""
        config = ChunkConfig(max_chunk_size=size, atomic_blocks="split")
        chunker = MarkdownChunker(config, Context())
        sources = {str(number): text.text for number, text in enumerate(collection.texts)}
        chunks = [
            (name, chunk)
            for name, text in sources.items()
            for chunk in chunker.chunk_hierarchical(text).get_flat_chunks()
        ]
        return cls(
            {(name, chunk.chunk_id): Hit.of_chunk(chunk, 0, name) for name, chunk in chunks},
            [chunk.embedded for _, chunk in chunks],
            LexicalIndex(LexicalEntry.of_chunk(chunk, name) for name, chunk in chunks),
            sources,
        )

    def by_words(self, question: str) -> dict[_Key, float]:
        """Return the scores of the best leaves by words."""
        found = self.lexical.search(question, FETCHED)
        return {(hit.document_id, hit.node_id): hit.score for hit in found}

    def by_meaning(self, scores: Scores, asked: int) -> dict[_Key, float]:
        """Return the scores of the best leaves for a question, of the scores of all leaves."""
        keys, row = [*self.hits], scores[asked]
        return {keys[n]: float(row[n]) for n in ranked(scores[asked : asked + 1])[0][:FETCHED]}

    def ranking(self, scores: dict[_Key, float]) -> list[Hit]:
        """Return hits with their scores propagated, the best first."""
        found = [replace(self.hits[key], score=score) for key, score in scores.items()]
        return propagate_hits(found)

    def read(self, ranking: Sequence[Hit], budget: int, counted: Counted) -> list[tuple[int, Span]]:
        """Return the ranges of documents that are read within a budget."""
        if counted == "handed over":
            passages = assemble(ranking, budget, sources=self.sources)
            return [(int(p.document_id), span) for p in passages for span in p.spans]
        ranges, left = [], budget
        for hit in ranking:
            if left <= 0:
                break
            shown = Span(hit.span.start, min(hit.span.end, hit.span.start + left))
            ranges.append((int(hit.document_id), shown))
            left -= len(shown)
        return ranges


def rankings(
    leaves: Leaves, questions: Sequence[str], meaning: Scores | None
) -> dict[str, list[list[Hit]]]:
    """Return for each kind of search the hits of each question, the best first."""
    by_words = [leaves.by_words(question) for question in questions]
    found: dict[str, list[dict[_Key, float]]] = {"words": by_words}
    if meaning is not None:
        dense = [leaves.by_meaning(meaning, asked) for asked in range(len(questions))]
        found["dense"] = dense
        found["hybrid"] = [fuse(*pair) for pair in zip(dense, by_words, strict=True)]
    return {
        search: [leaves.ranking(scores) for scores in of_questions]
        for search, of_questions in found.items()
    }
