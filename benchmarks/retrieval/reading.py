"""Search, rank and assemble Chunkana's leaves as `ChunkanaRetriever` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.retrieval.metrics import Counted
from benchmarks.retrieval.questions import Collection
from benchmarks.retrieval.ranking import Scores, ranked
from chunkana_core import ChunkConfig, Chunker, Context, Span
from chunkana_retrieval import Hit, Index, SearchOptions, assemble
from chunkana_retrieval.index import (
    DocumentRecord,
    SearchKind,
    SourceDocuments,
    StoreHit,
    record_document,
)

_FETCHED = SearchOptions().fetch_k
_SEARCHES: dict[str, SearchKind] = {"dense": "dense", "words": "lexical", "hybrid": "hybrid"}


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of all documents, as the retrievers of both adapters index them.

    Attributes:
        records: the records of the documents, which are named by their indexes.
        embedded: the embedded texts of the leaves, in order.
        index: the index of the leaves, without their vectors.
    """

    records: list[DocumentRecord]
    embedded: list[str]
    index: Index

    @classmethod
    def of(cls, collection: Collection, size: int) -> Leaves:
        """Split and index the documents of a collection."""
        config = ChunkConfig(max_chunk_size=size, atomic_blocks="split")
        chunk = Chunker(config, Context()).chunk_hierarchical
        records = [
            record_document(str(number), chunk(text.text, "markdown", text.name), {}, "")
            for number, text in enumerate(collection.texts)
        ]
        embedded = [record.embedded(leaf) for record in records for leaf in record.leaves]
        index, by_id = Index(), {record.document_id: record for record in records}
        index.update_sources(SourceDocuments(dict.fromkeys(by_id, ""), by_id.__getitem__))
        return cls(records, embedded, index)

    def ranking(self, search: SearchKind, question: str, meaning: Scores | None) -> list[Hit]:
        """Return the best leaves for a question.

        Args:
            search: the kind of search.
            question: the question.
            meaning: the similarity of each leaf as a row, None for lexical search only.
        """
        store_hits = None if meaning is None or search == "lexical" else self._store_hits(meaning)
        found = self.index.search(question, SearchOptions(search), store_hits=store_hits)
        return [*found.hits]

    def _store_hits(self, meaning: Scores) -> list[StoreHit]:
        leaves = [(record, leaf) for record in self.records for leaf in record.leaves]
        return [
            StoreHit(leaves[n][0].document_id, leaves[n][1].leaf_id, float(meaning[0][n]))
            for n in ranked(meaning)[0][:_FETCHED]
        ]

    def read(self, ranking: Sequence[Hit], budget: int, counted: Counted) -> list[tuple[int, Span]]:
        """Return the spans of documents that are read within a budget."""
        if counted == "handed over":
            sources = {record.document_id: record.text for record in self.records}
            passages = assemble(ranking, budget, sources=sources)
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
    """Return the hits of each question for each kind of search, the best first."""
    searches = ["words"] if meaning is None else [*_SEARCHES]
    rows = [None if meaning is None else meaning[n : n + 1] for n in range(len(questions))]
    return {
        search: [
            leaves.ranking(_SEARCHES[search], question, row)
            for question, row in zip(questions, rows, strict=True)
        ]
        for search in searches
    }
