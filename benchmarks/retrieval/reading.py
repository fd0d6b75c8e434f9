"""Search, rank and assemble Chunkana's leaves as `ChunkanaRetriever` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.retrieval.metrics import Counted
from benchmarks.retrieval.questions import Collection
from benchmarks.retrieval.ranking import Scores, ranked
from chunkana_core import ChunkConfig, Chunker, Context, Span
from chunkana_retrieval import Hit, LexicalIndex, assemble
from chunkana_retrieval.indexing import (
    DocumentRecord,
    Proposal,
    RankingOptions,
    SearchKind,
    rank_leaves,
    record_document,
)

_FETCHED = RankingOptions().fetch_k
_SEARCHES: dict[str, SearchKind] = {"dense": "dense", "words": "lexical", "hybrid": "hybrid"}


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of all documents, as the retrievers of both adapters index them.

    Attributes:
        records: the records of the documents, which are named by their indexes.
        embedded: the embedded texts of the leaves, in order.
        lexical: the lexical index of the leaves.
    """

    records: list[DocumentRecord]
    embedded: list[str]
    lexical: LexicalIndex

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
        lexical = LexicalIndex(entry for record in records for entry in record.entries())
        return cls(records, embedded, lexical)

    def ranking(self, search: SearchKind, question: str, meaning: Scores | None) -> list[Hit]:
        """Return the best leaves for a question.

        Args:
            search: the kind of search.
            question: the question.
            meaning: the similarity of each leaf as a row, None for lexical search only.
        """
        found = self.lexical.search(question, _FETCHED) if search != "dense" else []
        proposals = [] if meaning is None or search == "lexical" else self._proposals(meaning)
        return rank_leaves(proposals, found, self.records, RankingOptions(search))

    def _proposals(self, meaning: Scores) -> list[Proposal]:
        leaves = [(record, leaf) for record in self.records for leaf in record.leaves]
        return [
            Proposal(leaves[n][0].document_id, leaves[n][1].leaf_id, float(meaning[0][n]))
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
