"""Ranking of the leaves that the dense and the lexical search found."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import inf
from typing import Generic, Literal, TypeVar, get_args

from chunkana_core import ConfigurationError
from chunkana_retrieval.checks import LARGEST, require_choice, require_count, require_number
from chunkana_retrieval.fusion import fuse
from chunkana_retrieval.hits import Hit
from chunkana_retrieval.indexing.calls import Procedure
from chunkana_retrieval.indexing.records import DocumentRecord, LeafRecord
from chunkana_retrieval.indexing.stores import Proposal, RecordStore
from chunkana_retrieval.reading.assembly import assemble
from chunkana_retrieval.reading.passages import Passage
from chunkana_retrieval.scores import propagate_hits

Asked = TypeVar("Asked")
_SAMPLE_SIZE = 64  # documents that are examined for leaves
SearchKind = Literal["hybrid", "dense", "lexical"]
Relation = Literal["parent", "siblings", "children"]
_LeafKey = tuple[str, str]  # the ids of a document and of a chunk in it


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """Options of the ranking of search results.

    Attributes:
        search: the kind of search.
        lexical_weight: the weight of the lexical scores in a hybrid search, from 0 to 1.
        section_weight: the weight of the best score of a section, see `propagate_hits`.
        document_weight: the weight of the best score of a document, see `propagate_hits`.
        fetch_k: the number of leaves that each search returns.
    """

    search: SearchKind = "hybrid"
    lexical_weight: float = 0.4
    section_weight: float = 0.4
    document_weight: float = 0.2
    fetch_k: int = 30

    def __post_init__(self) -> None:
        """Check every field."""
        require_choice("search", self.search, get_args(SearchKind))
        require_count("fetch_k", self.fetch_k, 1)
        require_number("lexical_weight", self.lexical_weight, 0, 1, "a number from 0 to 1")
        for name in ("section_weight", "document_weight"):
            weight, allowed = getattr(self, name), "a finite number of at least 0"
            require_number(name, weight, 0, LARGEST, allowed)


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """Options of the passages to read.

    Attributes:
        budget: the largest total size of the passages.
        length_function: the function that returns the size of a text.
        around: the relations by which further leaves are added after all found leaves, see
            `add_related_leaves`.
    """

    budget: float = 6000
    length_function: Callable[[str], float] = len
    around: tuple[Relation, ...] = ()

    def __post_init__(self) -> None:
        """Check every field."""
        require_number("budget", self.budget, 0, inf, "a number of at least 0")
        add_related_leaves([], [], self.around)
        length: object = self.length_function
        if not callable(length):
            allowed = "a function that returns the size of a text"
            raise ConfigurationError("length_function", length, allowed)


@dataclass(frozen=True, slots=True)
class Question(Generic[Asked]):
    """A question to an index.

    Attributes:
        words: the query for the lexical index.
        count: the number of leaves that the lexical index returns.
        asked: the query for the vector store; None for no dense search.
        is_filtered: whether the vector store filters leaves; then the lexical search ranks the
            leaves that the vector store returns, and adds none.
    """

    words: str
    count: int
    asked: Asked | None
    is_filtered: bool = False


@dataclass(frozen=True, slots=True)
class FoundLeaves:
    """The results of the dense and the lexical search, and the records of their documents.

    Attributes:
        proposals: the results of the vector store, the best first.
        hits: the results of the lexical index, the best first.
        records: the records of all documents of these results.
        is_filtered: whether the vector store filtered leaves, see `Question`.
    """

    proposals: Sequence[Proposal]
    hits: Sequence[Hit]
    records: Sequence[DocumentRecord]
    is_filtered: bool

    def rank(self, options: RankingOptions) -> list[Hit]:
        """Return the leaves ranked by `rank_leaves`."""
        filtered = self.is_filtered
        return rank_leaves(self.proposals, self.hits, self.records, options, is_filtered=filtered)

    def passages(
        self,
        options: RankingOptions,
        reading: ReadingOptions,
        written: Callable[[Passage], str] | None = None,
    ) -> list[Passage]:
        """Return the passages that `assemble` makes from the ranked leaves.

        Args:
            options: the options of the ranking.
            reading: the options of the passages.
            written: returns the text of a passage whose size counts, if it is more than the
                passage's text.
        """
        hits = add_related_leaves(self.rank(options), self.records, reading.around)
        sources = {record.document_id: record.text for record in self.records}
        return assemble(hits, reading.budget, reading.length_function, sources, written=written)


def rank_leaves(
    proposals: Sequence[Proposal],
    found: Sequence[Hit],
    records: Iterable[DocumentRecord],
    options: RankingOptions,
    *,
    is_filtered: bool = False,
) -> list[Hit]:
    """Return the leaves found for one question, the best first, as their records describe them.

    Leaves of the vector store that are in no record are omitted.

    Args:
        proposals: the results of the vector store, the best first.
        found: the results of the lexical index, the best first.
        records: the records of all documents of these results.
        options: the options of the ranking.
        is_filtered: whether the vector store filtered leaves; then the lexical search ranks its
            leaves and adds none.
    """
    by_id = {record.document_id: record for record in records}
    keys = {
        (name, leaf.leaf_id): (name, leaf.chunk_id)
        for name, record in by_id.items()
        for leaf in record.leaves
    }
    dense: dict[_LeafKey, float | None] = {}
    for proposal in proposals:
        key = keys.get((proposal.document_id, proposal.leaf_id))
        if key is not None:
            dense.setdefault(key, proposal.score)
    allowed = set(dense) if is_filtered else set(keys.values())
    lexical = {(hit.document_id, hit.node_id): hit.score for hit in found}
    lexical = {key: score for key, score in lexical.items() if key in allowed}
    weight = {"hybrid": options.lexical_weight, "dense": 0.0, "lexical": 1.0}[options.search]
    fused = fuse(dense, lexical, weight, left_out=len(proposals) - len(dense))
    return propagate_hits(
        _hits(fused, by_id),
        section_weight=options.section_weight,
        document_weight=options.document_weight,
    )


def has_no_known_leaf(
    proposals: Iterable[Proposal], records: Iterable[DocumentRecord], store: RecordStore
) -> Procedure[bool]:
    """Return whether a vector store returned no known leaf although the index has leaves.

    Args:
        proposals: the results of the vector store for a question without a filter.
        records: the records of the documents of these results.
        store: the store of all records.
    """
    known = {record.document_id: record for record in records}
    for proposal in proposals:
        record = known.get(proposal.document_id)
        if record and any(leaf.leaf_id == proposal.leaf_id for leaf in record.leaves):
            return False
    names = yield from store.names()
    sample = yield from store.read(names[:_SAMPLE_SIZE])
    return any(record.leaves for record in sample)


def add_related_leaves(
    hits: Sequence[Hit], records: Iterable[DocumentRecord], around: Collection[Relation]
) -> list[Hit]:
    """Return hits, followed by the leaves that are related to each hit in the outline.

    The nearest leaves come first: of each relation, the last one before the hit, the first one
    after it, the second to last one before it, and so on.

    Args:
        hits: the hits, the best first, as `rank_leaves` returns them.
        records: the records of the hits' documents.
        around: the relations: "parent" for the leaves directly in the section around the hit's
            section, "siblings" for the other leaves of the hit's section and of its sibling
            sections, and "children" for the leaves of its direct subsections. Related leaves are
            added in this order.

    Raises:
        ConfigurationError: for an unknown relation.
    """
    for relation in around:
        require_choice("around", relation, get_args(Relation))
    by_id = {record.document_id: record for record in records}
    ranked = {(hit.document_id, hit.node_id): hit for hit in hits}
    for hit in hits:
        record = by_id[hit.document_id]
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


def _hits(scores: Mapping[_LeafKey, float], records: Mapping[str, DocumentRecord]) -> list[Hit]:
    """Return the leaves of scores as hits, in the same order."""
    leaves = {
        (name, leaf.chunk_id): (record, leaf)
        for name, record in records.items()
        for leaf in record.leaves
    }
    return [leaves[key][0].hit(leaves[key][1], score) for key, score in scores.items()]
