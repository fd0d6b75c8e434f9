"""Search: the leaves that words and vectors find, ranked together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from chunkana_core import ConfigurationError
from chunkana_retrieval.fusion import fuse
from chunkana_retrieval.hits import Hit
from chunkana_retrieval.index.records import DocumentRecord
from chunkana_retrieval.index.searching.found import Found
from chunkana_retrieval.index.searching.leaves import LeafTable
from chunkana_retrieval.index.searching.options import SearchOptions
from chunkana_retrieval.index.searching.scoring import Scores, best
from chunkana_retrieval.index.storage import tables
from chunkana_retrieval.index.storage.columns import DamagedError
from chunkana_retrieval.index.storage.tables import Connection
from chunkana_retrieval.index.stores import Proposal
from chunkana_retrieval.scores import propagate_scores

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Query:
    """A question to an index.

    Attributes:
        words: the words of the question, each as often as it is in it.
        options: the options of the search.
        vector: the vector of the question, None for none.
        proposals: what a user's vector store found, the best first; None without one.
        is_filtered: whether that store filtered leaves; then words rank its leaves and add none.
        mask: by leaf, whether it may be found; None for all.
    """

    words: Sequence[str]
    options: SearchOptions
    vector: Sequence[float] | None
    proposals: Sequence[Proposal] | None
    is_filtered: bool
    mask: Mask | None

    def search(self, connection: Connection, table: LeafTable) -> Found:
        """Return the leaves that the search finds."""
        options, similarities = self.options, self._similarities(table)
        if self.proposals is None:
            dense = self._best(similarities, -inf, options.fetch_k)
        else:
            dense = self._proposed(connection, table)
        words = self._word_scores(connection, table)
        lexical = self._best(words, 0.0, len(table) if self.is_filtered else options.fetch_k)
        if self.is_filtered:
            lexical = {leaf: score for leaf, score in lexical.items() if leaf in dense}
        weight = {"hybrid": options.lexical_weight, "dense": 0.0, "lexical": 1.0}[options.search]
        left_out = 0 if self.proposals is None else len(self.proposals) - len(dense)
        fused = fuse(dense, lexical, weight, left_out=left_out)
        raw = dense
        if similarities is not None:
            raw = {leaf: float(similarities[leaf]) for leaf in fused}
        if options.min_score is not None:
            fused = {leaf: fused[leaf] for leaf in _similar(fused, raw, options.min_score)}
        hits, records = self._hits(connection, table, fused)
        ranked = propagate_scores(
            [
                replace(
                    hit,
                    similarity=raw.get(leaf),
                    bm25=None if words is None else float(words[leaf]),
                )
                for leaf, hit in zip(fused, hits, strict=True)
            ],
            section_weight=options.section_weight,
            document_weight=options.document_weight,
        )
        return Found(tuple(ranked), records)

    def _hits(
        self, connection: Connection, table: LeafTable, scores: Mapping[int, float]
    ) -> tuple[list[Hit], dict[str, DocumentRecord]]:
        """Return leaves as hits, and the records of their documents."""
        places = [table.position(leaf) for leaf in scores]
        records = tables.read_records(connection, {name for name, _ in places})
        if missing := {name for name, _ in places} - records.keys():
            raise DamagedError(*missing)
        hits = [
            records[name].hit(records[name].leaves[position], score)
            for (name, position), score in zip(places, scores.values(), strict=True)
        ]
        return hits, records

    def _similarities(self, table: LeafTable) -> Scores | None:
        """Return the cosine similarity of each leaf to the question, None without a vector."""
        if self.vector is None or not len(table):
            return None
        similarities: Scores = table.matrix.similarities(self.vector)[table.rows]
        return similarities

    def _word_scores(self, connection: Connection, table: LeafTable) -> Scores | None:
        """Return the BM25 score of each leaf, None for a search that is only dense."""
        if self.options.search == "dense" or not len(table):
            return None
        found = [table.occurrences(connection, word) for word in self.words]
        return table.levels.scores([one for one in found if len(one)])

    def _best(self, scores: Scores | None, least: float, count: int) -> dict[int, float | None]:
        """Return the best scores above the least one by leaf, the best first."""
        if scores is None:
            return {}
        if self.mask is not None:
            scores = np.where(self.mask, scores, np.float32(least))
        return {leaf: float(scores[leaf]) for leaf in best(scores, count, least)}

    def _proposed(self, connection: Connection, table: LeafTable) -> dict[int, float | None]:
        """Return the scores of the leaves that a user's vector store found, the best first."""
        proposals = self.proposals or ()
        records = tables.read_records(connection, {one.document_id for one in proposals})
        leaf_of = {
            leaf.leaf_id: table.first_leaf(name) + position
            for name, record in records.items()
            for position, leaf in enumerate(record.leaves)
        }
        found: dict[int, float | None] = {}
        for one in proposals:
            leaf = leaf_of.get(one.leaf_id)
            if leaf is not None and (self.mask is None or self.mask[leaf]):
                found.setdefault(leaf, one.score)
        return found


def _similar(
    leaves: Iterable[int], scores: Mapping[int, float | None], least: float
) -> Iterator[int]:
    """Yield the leaves whose score is at least the least one.

    A leaf that a user's vector store did not find is not more similar than those that it found.

    Args:
        leaves: the numbers of leaves.
        scores: the scores of those that are known, the best first.
        least: the least score.

    Raises:
        ConfigurationError: for a store that returns no scores, or distances.
    """
    known = [score for score in scores.values() if score is not None]
    if len(known) < len(scores) or (known and known[0] < known[-1]):
        allowed = "None with a vector store that returns distances, or no scores"
        raise ConfigurationError("min_score", least, allowed)
    lowest = min(known, default=-inf)
    for leaf in leaves:
        score = scores.get(leaf, lowest)
        if score is not None and score >= least:
            yield leaf
