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
from chunkana_retrieval.index.stores import StoreHit
from chunkana_retrieval.scores import propagate_scores

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Query:
    """A question to an index.

    Attributes:
        connection: the connection to the database.
        table: the leaves of the index.
        words: the words of the question, each as often as it is in it.
        options: the options of the search.
        vector: the vector of the question, None for none.
        store_hits: what a user's vector store found, the best first; None without one.
        is_filtered: whether that store filtered leaves; then words rank its leaves and add none.
        mask: by leaf, whether it may be found; None for all.
    """

    connection: Connection
    table: LeafTable
    words: Sequence[str]
    options: SearchOptions
    vector: Sequence[float] | None
    store_hits: Sequence[StoreHit] | None
    is_filtered: bool
    mask: Mask | None

    def search(self) -> Found:
        """Return the leaves that the search finds."""
        options, words, similarities = self.options, self._word_scores(), self._similarities()
        dense = self._proposed()
        if self.store_hits is None:
            dense = self._best(similarities, -inf, options.fetch_k)
        fused = self._fused(dense, words)
        known = dense
        if similarities is not None:
            known = {leaf: float(similarities[leaf]) for leaf in fused}
        if options.min_score is not None:
            fused = {leaf: fused[leaf] for leaf in _similar(fused, known, options.min_score)}
        hits, records = self._hits(fused)
        scored = [
            replace(
                hit, similarity=known.get(leaf), bm25=None if words is None else float(words[leaf])
            )
            for leaf, hit in zip(fused, hits, strict=True)
        ]
        ranked = propagate_scores(
            scored,
            section_weight=options.section_weight,
            document_weight=options.document_weight,
        )
        return Found(tuple(ranked), records)

    def _fused(self, dense: Mapping[int, float | None], words: Scores | None) -> dict[int, float]:
        """Return the scores of the leaves that either search found, the best first."""
        options = self.options
        lexical = self._best(words, 0.0, len(self.table) if self.is_filtered else options.fetch_k)
        if self.is_filtered:
            lexical = {leaf: score for leaf, score in lexical.items() if leaf in dense}
        weight = {"hybrid": options.lexical_weight, "dense": 0.0, "lexical": 1.0}[options.search]
        left_out = 0 if self.store_hits is None else len(self.store_hits) - len(dense)
        return fuse(dense, lexical, weight, left_out=left_out)

    def _hits(self, scores: Mapping[int, float]) -> tuple[list[Hit], dict[str, DocumentRecord]]:
        """Return leaves as hits, and the records of their documents."""
        places = [self.table.position(leaf) for leaf in scores]
        records = tables.read_records(self.connection, {name for name, _ in places})
        if missing := {name for name, _ in places} - records.keys():
            raise DamagedError(*missing)
        hits = [
            records[name].hit(records[name].leaves[position], score)
            for (name, position), score in zip(places, scores.values(), strict=True)
        ]
        return hits, records

    def _similarities(self) -> Scores | None:
        """Return the cosine similarity of each leaf to the question, None without a vector."""
        if self.vector is None or not len(self.table):
            return None
        similarities: Scores = self.table.matrix.similarities(self.vector)[self.table.rows]
        return similarities

    def _word_scores(self) -> Scores | None:
        """Return the BM25 score of each leaf, None for a search that is only dense."""
        if self.options.search == "dense" or not len(self.table):
            return None
        found = [self.table.occurrences(self.connection, word) for word in self.words]
        return self.table.levels.scores([one for one in found if len(one)])

    def _best(self, scores: Scores | None, least: float, count: int) -> dict[int, float | None]:
        """Return the best scores above the least one by leaf, the best first."""
        if scores is None:
            return {}
        if self.mask is not None:
            scores = np.where(self.mask, scores, np.float32(least))
        return {leaf: float(scores[leaf]) for leaf in best(scores, count, least)}

    def _proposed(self) -> dict[int, float | None]:
        """Return the scores of the leaves that a user's vector store found, the best first."""
        store_hits = self.store_hits or ()
        names = {one.document_id for one in store_hits}
        leaf_of = {
            leaf.leaf_id: self.table.first_leaf(name) + position
            for name, record in tables.read_records(self.connection, names).items()
            for position, leaf in enumerate(record.leaves)
        }
        found: dict[int, float | None] = {}
        for one in store_hits:
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
