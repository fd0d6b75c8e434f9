"""Leaves that were found, with gaps between them filled, replaced by their parents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from llama_index.core.schema import BaseNode, NodeWithScore
from llama_index.core.storage.docstore import BaseDocumentStore

from chunkana_llamaindex.parsing.origin import text_of
from chunkana_retrieval import Hit, Parent, merge_hits
from chunkana_retrieval.checks import require_count
from chunkana_retrieval.indexing import Procedure, RankingOptions, call


@dataclass(frozen=True, slots=True)
class MergingOptions:
    """How leaves are ranked and merged: the options of `build_auto_merging` of these names."""

    k: int = 4
    fetch_k: int = 30
    section_weight: float = 0.4
    document_weight: float = 0.2
    ratio: float = 0.5
    max_parent_size: int | None = None

    def __post_init__(self) -> None:
        """Check what nothing else checks before the first question."""
        require_count("k", self.k, 1)
        RankingOptions(
            section_weight=self.section_weight,
            document_weight=self.document_weight,
            fetch_k=self.fetch_k,
        )
        merge_hits([], {}, ratio=self.ratio, max_parent_size=self.max_parent_size)


@dataclass(frozen=True, slots=True)
class NodeReader:
    """Reads the nodes of a document store, each once.

    Attributes:
        docstore: that store.
        known: what was read, by id.
    """

    docstore: BaseDocumentStore
    known: dict[str, BaseNode] = field(default_factory=dict)

    def read(self, names: Iterable[str]) -> Procedure[None]:
        """Read nodes, as far as they are stored."""
        if missing := [name for name in names if name not in self.known]:
            now, later = self.docstore.get_nodes, self.docstore.aget_nodes
            nodes = yield from call(now, later, missing, raise_error=False)
            self.known.update({node.node_id: node for node in nodes})

    def linked(self, wanted: Mapping[str, str]) -> Procedure[list[BaseNode]]:
        """Return nodes, in order; each is asked for by its id with that of a linked one."""
        yield from self.read(wanted)
        for name in wanted.keys() - self.known.keys():
            raise ValueError(
                f"node {wanted[name]} was found, but its parent or neighbour {name} is not "
                "stored; give build_auto_merging all documents or nodes that are indexed"
            )
        return [self.known[name] for name in wanted]


def merging(
    nodes: list[NodeWithScore],
    options: MergingOptions,
    docstore: BaseDocumentStore,
    *,
    is_stored_alone: bool,
) -> Procedure[list[NodeWithScore]]:
    """Return nodes to read, the best first.

    As many leaves are merged, the best first, as make `k` nodes.

    Args:
        nodes: leaves that were found, the best first.
        options: how many nodes, and how they are merged.
        docstore: has leaves and parents.
        is_stored_alone: whether leaves that are not stored are left out; those that are stored are
            returned as they are stored in any case.
    """
    reader = NodeReader(docstore)
    yield from reader.read([node.node_id for node in nodes])
    nodes = [
        NodeWithScore(node=reader.known.get(found.node_id, found.node), score=found.score)
        for found in nodes
        if found.node_id in reader.known or not is_stored_alone
    ]
    count, merged = 0, list[NodeWithScore]()
    while len(merged) < options.k and count < len(nodes):
        count += options.k - len(merged)
        merged = yield from _merging(nodes[:count], options, reader)
    return merged[: options.k]


def _merging(
    nodes: list[NodeWithScore], options: MergingOptions, reader: NodeReader
) -> Procedure[list[NodeWithScore]]:
    """Return leaves merged until there are neither gaps between them nor parents of enough."""
    seen = {node.node_id for node in nodes}
    filled = yield from _filling(nodes, seen, reader)
    while True:
        seen.update(node.node_id for node in filled)
        parents = yield from _parents([node.node for node in filled], reader)
        merged = _merge(filled, parents, options)
        filled = yield from _filling(merged, seen, reader)
        if len(filled) == len(merged):
            return merged


def _filling(
    nodes: Sequence[NodeWithScore], seen: set[str], reader: NodeReader
) -> Procedure[list[NodeWithScore]]:
    """Return nodes, and between two with a gap of one leaf that leaf, unless it was seen."""
    # Parents, which have no neighbours, would stand between leaves that have.
    nodes = sorted(nodes, key=lambda node: bool(node.node.child_nodes))
    gaps: dict[str, tuple[int, float, str]] = {}
    for number, (before, after) in enumerate(pairwise(nodes), 1):
        gap = before.node.next_node
        if gap is not None and gap == after.node.prev_node and gap.node_id not in seen:
            score = (before.get_score() + after.get_score()) / 2
            gaps[gap.node_id] = (number, score, before.node_id)
    stored = yield from reader.linked({name: link for name, (_, _, link) in gaps.items()})
    filled = [*nodes]
    for node in reversed(stored):
        number, score, _ = gaps[node.node_id]
        filled.insert(number, NodeWithScore(node=node, score=score))
    return filled


def _parents(nodes: Iterable[BaseNode], reader: NodeReader) -> Procedure[dict[str, BaseNode]]:
    """Return all parents above nodes, by their ids."""
    parents: dict[str, BaseNode] = {}
    level = [*nodes]
    while level:
        links = {_parent_id(node): node.node_id for node in level}
        wanted = {name: child for name, child in links.items() if name and name not in parents}
        level = yield from reader.linked(wanted)
        parents |= {node.node_id: node for node in level}
    return parents


def _merge(
    nodes: Sequence[NodeWithScore], parents: dict[str, BaseNode], options: MergingOptions
) -> list[NodeWithScore]:
    """Return nodes to read, the best first; a parent has the score of the best in it."""
    by_id = parents | {node.node_id: node.node for node in nodes}
    merged = merge_hits(
        [Hit(node.node_id, node.get_score(), _parent_id(node.node)) for node in nodes],
        {name: _parent(node) for name, node in parents.items()},
        ratio=options.ratio,
        max_parent_size=options.max_parent_size,
    )
    return [NodeWithScore(node=by_id[one.node_id], score=one.score) for one in merged]


def _parent(node: BaseNode) -> Parent:
    return Parent(len(node.child_nodes or ()), _parent_id(node), len(text_of(node)))


def _parent_id(node: BaseNode) -> str | None:
    return node.parent_node.node_id if node.parent_node else None
