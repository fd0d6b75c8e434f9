"""What searches propose, made into one ranking of leaves that are true."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
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
_TRIED = 64  # documents that are asked for leaves
SearchKind = Literal["hybrid", "dense", "lexical"]
Relation = Literal["parent", "siblings", "children"]
_Leaf = tuple[str, str]  # the ids of a document and of a leaf in it


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """How searches are made into one ranking.

    Attributes:
        search: which searches there are.
        lexical_weight: that of the search by words in a hybrid one, from 0 to 1.
        section_weight: see `propagate_hits`.
        document_weight: see `propagate_hits`.
        fetch_k: how many leaves each search proposes.
    """

    search: SearchKind = "hybrid"
    lexical_weight: float = 0.4
    section_weight: float = 0.4
    document_weight: float = 0.2
    fetch_k: int = 30

    def __post_init__(self) -> None:
        """Check them all, before anything is done with them."""
        require_choice("search", self.search, get_args(SearchKind))
        require_count("fetch_k", self.fetch_k, 1)
        require_number("lexical_weight", self.lexical_weight, 0, 1, "a number from 0 to 1")
        for name in ("section_weight", "document_weight"):
            weight, allowed = getattr(self, name), "a finite number of at least 0"
            require_number(name, weight, 0, LARGEST, allowed)


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How much is read.

    Attributes:
        budget: the most that all of it may measure.
        length_function: the measure.
        around: which leaves around those that were found are read besides, behind all of them.
    """

    budget: float = 6000
    length_function: Callable[[str], float] = len
    around: tuple[Relation, ...] = ()

    def __post_init__(self) -> None:
        """Check them all, before anything is done with them."""
        require_number("budget", self.budget, 0, inf, "a number of at least 0")
        with_surroundings([], [], self.around)
        length: object = self.length_function
        if not callable(length):
            allowed = "a function that returns the size of a text"
            raise ConfigurationError("length_function", length, allowed)


@dataclass(frozen=True, slots=True)
class Question(Generic[Asked]):
    """What an index is asked.

    Attributes:
        words: what the lexical index is asked.
        count: how many leaves it proposes.
        asked: what the vector store is asked; None if it is not asked.
        is_filtered: whether it is asked for some leaves alone; then words rank what it proposes,
            which may be any leaf, and add nothing.
    """

    words: str
    count: int
    asked: Asked | None
    is_filtered: bool = False


@dataclass(frozen=True, slots=True)
class FoundLeaves:
    """What searches propose, and the records of the documents of both.

    Attributes:
        proposals: of the vector store, the best first.
        hits: of the lexical index, the best first.
        records: of all documents of both.
        is_filtered: see `Question`.
    """

    proposals: Sequence[Proposal]
    hits: Sequence[Hit]
    records: Sequence[DocumentRecord]
    is_filtered: bool

    def rank(self, options: RankingOptions) -> list[Hit]:
        """Return the leaves ranked, as `rank_leaves` does."""
        filtered = self.is_filtered
        return rank_leaves(self.proposals, self.hits, self.records, options, is_filtered=filtered)

    def passages(
        self,
        options: RankingOptions,
        reading: ReadingOptions,
        written: Callable[[Passage], str] | None = None,
    ) -> list[Passage]:
        """Return what to read of what was found, as `assemble` does.

        Args:
            options: how it is ranked.
            reading: how much is read.
            written: returns what is handed over of a passage, where that is more than its text.
        """
        hits = with_surroundings(self.rank(options), self.records, reading.around)
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
    """Return the leaves of one question, the best first, as they are in today's documents.

    What a store proposes that is in no record is left out.

    Args:
        proposals: of the vector store, the best first.
        found: by the words of the question, the best first.
        records: of all documents of both.
        options: how they are ranked.
        is_filtered: whether the vector store was asked for some documents alone: then words rank
            what it proposed, and add nothing.
    """
    by_id = {record.document_id: record for record in records}
    of_leaf = {
        (name, leaf.leaf_id): (name, leaf.chunk_id)
        for name, record in by_id.items()
        for leaf in record.leaves
    }
    dense: dict[_Leaf, float | None] = {}
    for proposal in proposals:
        leaf = of_leaf.get((proposal.document_id, proposal.leaf_id))
        if leaf is not None:
            dense.setdefault(leaf, proposal.score)
    known = set(dense) if is_filtered else set(of_leaf.values())
    lexical = {(h.document_id, h.node_id): h.score for h in found}
    lexical = {leaf: score for leaf, score in lexical.items() if leaf in known}
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
    """Return whether a vector store that should have leaves has none.

    Args:
        proposals: of the vector store, which was asked without a filter.
        records: of the documents that they name.
        store: has all records.
    """
    known = {record.document_id: record for record in records}
    for proposal in proposals:
        record = known.get(proposal.document_id)
        if record and any(leaf.leaf_id == proposal.leaf_id for leaf in record.leaves):
            return False
    names = yield from store.names()
    some = yield from store.read(names[:_TRIED])
    return any(record.leaves for record in some)


def with_surroundings(
    hits: Sequence[Hit], records: Iterable[DocumentRecord], around: Collection[Relation]
) -> list[Hit]:
    """Return hits, and behind all of them the leaves around each in the outline, in this order.

    Args:
        hits: the best first, as `rank_leaves` returns them.
        records: of their documents.
        around: which leaves: "parent" for the own text of the section around the hit's,
            "siblings" for the other leaves of its section and those of sections beside it, and
            "children" for those of the sections directly in it.

    Raises:
        ConfigurationError: for another relation.
    """
    for relation in around:
        require_choice("around", relation, get_args(Relation))
    by_id = {record.document_id: record for record in records}
    ranked = {(hit.document_id, hit.node_id): hit for hit in hits}
    for hit in hits:
        record = by_id[hit.document_id]
        own = next(leaf for leaf in record.leaves if leaf.chunk_id == hit.node_id)
        for relation in get_args(Relation):
            for leaf in record.leaves if relation in around else ():
                if _is_related(own, leaf, relation):
                    key = hit.document_id, leaf.chunk_id
                    ranked.setdefault(key, record.hit(leaf, hit.score))
    return [*ranked.values()]


def _is_related(own: LeafRecord, other: LeafRecord, relation: Relation) -> bool:
    """Tell whether one leaf is so related to another."""
    if relation == "parent":
        return other.section_id == own.parent_section_id
    if relation == "siblings":
        is_beside = other.parent_section_id == own.parent_section_id
        return is_beside or other.section_id == own.section_id
    return other.parent_section_id == own.section_id


def _hits(scores: Mapping[_Leaf, float], records: Mapping[str, DocumentRecord]) -> list[Hit]:
    leaves = {
        (name, leaf.chunk_id): (record, leaf)
        for name, record in records.items()
        for leaf in record.leaves
    }
    return [leaves[key][0].hit(leaves[key][1], score) for key, score in scores.items()]
