"""The result of a search: leaves, and the passages or parents to read."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import get_args

from msgspec import structs

from chunkana_core import Span
from chunkana_retrieval.hits import Hit
from chunkana_retrieval.index.records import DocumentRecord, LeafRecord
from chunkana_retrieval.index.searching.options import MergingOptions, ReadingOptions, Relation
from chunkana_retrieval.merging import MergedHit, Parent, merge_hits
from chunkana_retrieval.reading.assembly import assemble
from chunkana_retrieval.reading.passages import Layout, Passage, common_prefix

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

    def passages(
        self,
        reading: ReadingOptions = _READING,
        written: Callable[[Passage], str] | None = None,
    ) -> list[Passage]:
        """Return the passages that `assemble` makes from the leaves.

        Args:
            reading: the options of the passages.
            written: returns the text of a passage whose size counts, if it is more than the
                passage's text.
        """
        hits = add_related_leaves(self.hits, self.records, reading.around)
        sources = {name: record.text for name, record in self.records.items()}
        length = reading.length_function
        found = assemble(hits, reading.budget, length, sources, written=written, k=reading.k)
        if reading.order == "document" and reading.k is None:
            return found
        ranks = {(hit.document_id, hit.node_id): rank for rank, hit in reversed([*enumerate(hits)])}
        return sorted(
            found, key=lambda one: min(ranks[one.document_id, name] for name in one.chunk_ids)
        )

    def parents(self, merging: MergingOptions = _MERGING) -> list[Passage]:
        """Return leaves and the parents that replace them, the best first, each as a passage.

        As many of the best leaves are merged as there are leaves and parents to return.
        """
        count, merged = 0, list[MergedHit]()
        parents = self._parents()
        keyed = [*map(_with_unique_ids, self.hits)]
        while len(merged) < merging.k and count < len(keyed):
            count += merging.k - len(merged)
            merged = merge_hits(
                keyed[:count],
                parents,
                ratio=merging.ratio,
                max_parent_size=merging.max_parent_size,
            )
        best = {one.node_id: hit for one, hit in zip(keyed, self.hits, strict=True)}
        return [self._passage(one, best[one.hit_ids[0]]) for one in merged[: merging.k]]

    def _parents(self) -> dict[str, Parent]:
        """Return the parents of all documents of the hits."""
        return {
            _unique_id(name, node_id): structs.replace(
                parent, parent_id=parent.parent_id and _unique_id(name, parent.parent_id)
            )
            for name, record in self.records.items()
            for node_id, parent in record.parents.items()
        }

    def _passage(self, merged: MergedHit, best: Hit) -> Passage:
        """Return a leaf or a parent as a passage."""
        record = self.records[best.document_id]
        name = merged.node_id.rpartition("\0")[2]
        hits = [best]
        if parent := record.parents.get(name):
            span = Span(parent.start, parent.start + parent.size)
            inside = [one for one in record.leaves if span.start <= one.start < span.end]
            hits = [
                replace(
                    record.hit(inside[0], best.score),
                    node_id=name,
                    span=span,
                    text=record.text[span.start : span.end],
                    path=common_prefix([record.hit(one, 0.0).path for one in inside]),
                    opened=0,
                    similarity=best.similarity,
                    bm25=best.bm25,
                )
            ]
        (passage,) = Layout({record.document_id: record.text}).passages(hits)
        return passage


def _with_unique_ids(hit: Hit) -> Hit:
    """Return a hit whose node ids are unique among all documents."""
    parent_id = None if hit.parent_id is None else _unique_id(hit.document_id, hit.parent_id)
    return replace(hit, node_id=_unique_id(hit.document_id, hit.node_id), parent_id=parent_id)


def _unique_id(document_id: str, node_id: str) -> str:
    return f"{document_id}\0{node_id}"


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
        (found,) = (leaf for leaf in record.leaves if leaf.chunk_id == hit.node_id)
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
