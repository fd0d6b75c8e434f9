"""The result of a search: leaves, and the passages or parents to read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import inf
from operator import attrgetter
from typing import get_args

from chunkana_core import Span
from chunkana_retrieval.hits import Hit
from chunkana_retrieval.index.records import DocumentLeaf, DocumentRecord, LeafRecord
from chunkana_retrieval.index.searching.options import MergingOptions, ReadingOptions, Relation
from chunkana_retrieval.merging import merge_hits, rankable_score
from chunkana_retrieval.reading.assembly import assemble
from chunkana_retrieval.reading.passages import Passage, common_prefix

_WEAK = 0.2  # part of the best BM25 score
_READING, _MERGING = ReadingOptions(), MergingOptions()


@dataclass(frozen=True, slots=True)
class Found:
    """The leaves that a search found.

    A reranker replaces the hits: `dataclasses.replace(found, hits=…)`.

    Attributes:
        hits: the leaves, the best first.
        records: the records of their documents, by document id.
    """

    hits: tuple[Hit, ...]
    records: Mapping[str, DocumentRecord]

    def leaves(self) -> list[DocumentLeaf]:
        """Return the records of each hit's document and leaf."""
        records = [self.records[hit.document_id] for hit in self.hits]
        return [
            (record, _leaf_of(hit, record)) for hit, record in zip(self.hits, records, strict=True)
        ]

    def passages(
        self,
        reading: ReadingOptions = _READING,
        counted_text: Callable[[Passage], str] = attrgetter("text"),
    ) -> list[Passage]:
        """Return the passages that `assemble` makes from the leaves.

        Args:
            reading: the options of the passages.
            counted_text: returns the text of a passage whose size counts, if it is more than the
                passage's text.
        """
        hits = add_related_leaves(self.hits, self.records, reading.around)
        sources = {name: record.text for name, record in self.records.items()}
        length = reading.length_function
        found = assemble(
            hits, reading.budget, length, sources, counted_text=counted_text, k=reading.k
        )
        if reading.order == "document" and reading.k is None:
            return found
        ranks = {(hit.document_id, hit.node_id): rank for rank, hit in reversed([*enumerate(hits)])}
        return sorted(
            found, key=lambda one: min(ranks[one.document_id, name] for name in one.chunk_ids)
        )

    def least_budget(self, counted_text: Callable[[Passage], str] = attrgetter("text")) -> int:
        """Return the smallest budget, in characters, that suffices for any text of the best hit.

        Args:
            counted_text: returns the text of a passage whose size counts.
        """
        best = replace(self, hits=self.hits[:1])
        (whole,) = best.passages(ReadingOptions(inf), counted_text)

        def fits(budget: int) -> bool:
            return bool(best.passages(ReadingOptions(budget), counted_text))

        return bisect_left(range(len(counted_text(whole))), x=True, key=fits)

    def without_weak_hits(self) -> Found:
        """Return the result without leaves that have words of the question by accident.

        Their BM25 scores are below a fifth of the best one. Leaves with a similarity stay: they
        were found by their vectors.
        """
        least = _WEAK * max((hit.bm25 or 0.0 for hit in self.hits), default=0.0)
        kept = [
            hit for hit in self.hits if hit.similarity is not None or (hit.bm25 or 0.0) >= least
        ]
        return replace(self, hits=tuple(kept))

    def parents(self, merging: MergingOptions = _MERGING) -> list[Passage]:
        """Return leaves and the parents that replace them, the best first, each as a passage.

        As many of the best leaves are merged as there are leaves and parents to return.
        """
        count, merged = 0, list[tuple[Hit, str]]()
        while len(merged) < merging.k and count < len(self.hits):
            count += merging.k - len(merged)
            merged = self._merged(self.hits[:count], merging)
        return [self._passage(*one) for one in merged[: merging.k]]

    def _merged(self, hits: Sequence[Hit], merging: MergingOptions) -> list[tuple[Hit, str]]:
        """Return the nodes that hits are merged to, the best first: its best hit, and its id."""
        by_document: dict[str, dict[str, Hit]] = {}
        for hit in sorted(hits, key=rankable_score, reverse=True):
            by_document.setdefault(hit.document_id, {}).setdefault(hit.node_id, hit)
        found: list[tuple[Hit, str]] = []
        for name, by_id in by_document.items():
            merged = merge_hits(
                by_id.values(),
                self.records[name].parents,
                ratio=merging.ratio,
                max_parent_size=merging.max_parent_size,
            )
            found += [(by_id[one.hit_ids[0]], one.node_id) for one in merged]
        return sorted(found, key=lambda one: (-rankable_score(one[0]), hits.index(one[0])))

    def _passage(self, best: Hit, node_id: str) -> Passage:
        """Return a leaf or a parent as a passage."""
        record, hit = self.records[best.document_id], best
        if parent := record.parents.get(node_id):
            span = Span(parent.start, parent.start + parent.size)
            inside = [one for one in record.leaves if span.start <= one.start < span.end]
            hit = replace(
                record.hit(inside[0], best.score),
                node_id=node_id,
                span=span,
                text=record.text[span.start : span.end],
                path=common_prefix([record.hit(one, 0.0).path for one in inside]),
                contained_titles=0,
                similarity=best.similarity,
                bm25=best.bm25,
            )
        (passage,) = assemble([hit], inf, sources={record.document_id: record.text})
        return passage


def _leaf_of(hit: Hit, record: DocumentRecord) -> LeafRecord:
    return next(leaf for leaf in record.leaves if leaf.chunk_id == hit.node_id)


def add_related_leaves(
    hits: Sequence[Hit], records: Mapping[str, DocumentRecord], around: Sequence[Relation]
) -> list[Hit]:
    """Return hits, followed by the leaves that are related to each hit in the outline.

    The nearest leaves come first: of each relation, the last one before the hit, the first one
    after it, the second to last one before it, and so on.

    Args:
        hits: the hits, the best first.
        records: the records of the hits' documents, by id.
        around: the relations: "parent" for the leaves directly in the section around the hit's
            section, "siblings" for the other leaves of the hit's section and of its sibling
            sections, and "children" for the leaves of its direct subsections. Related leaves are
            added in this order.
    """
    ranked = {(hit.document_id, hit.node_id): hit for hit in hits}
    for hit in hits if around else ():
        record = records[hit.document_id]
        found = _leaf_of(hit, record)
        for relation in get_args(Relation):
            for leaf in _related(found, record.leaves, relation) if relation in around else ():
                key = hit.document_id, leaf.chunk_id
                ranked.setdefault(key, record.hit(leaf, hit.score))
    return [*ranked.values()]


def _related(
    leaf: LeafRecord, leaves: Iterable[LeafRecord], relation: Relation
) -> Iterator[LeafRecord]:
    """Yield the leaves related to a leaf, alternately before and after it, the nearest first.

    Args:
        leaf: the leaf.
        leaves: all leaves of the document, in document order.
        relation: the relation.
    """
    related = [o for o in leaves if o is not leaf and _is_related(leaf, o, relation)]
    after = bisect_left(related, leaf.start, key=lambda other: other.start)
    for pair in zip_longest(reversed(related[:after]), related[after:]):
        yield from filter(None, pair)


def _is_related(leaf: LeafRecord, other: LeafRecord, relation: Relation) -> bool:
    """Return whether another leaf is the parent, a sibling or a child of a leaf."""
    if relation == "parent":
        return other.section_id == leaf.parent_section_id
    if relation == "siblings":
        is_sibling_section = other.parent_section_id == leaf.parent_section_id
        return is_sibling_section or other.section_id == leaf.section_id
    return other.parent_section_id == leaf.section_id
