"""Merge the leaves of a search: fill gaps between them, and replace them by their parents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from llama_index.core.schema import BaseNode, NodeWithScore
from llama_index.core.storage.docstore import BaseDocumentStore

from chunkana_llamaindex.nodes import text_of
from chunkana_retrieval import Hit, Parent, merge_hits
from chunkana_retrieval.checks import require_count
from chunkana_retrieval.indexing import Procedure, RankingOptions, call


@dataclass(frozen=True, slots=True)
class MergingOptions:
    """Options of ranking and merging, described in `build_auto_merging`."""

    k: int = 4
    fetch_k: int = 30
    section_weight: float = 0.4
    document_weight: float = 0.2
    ratio: float = 0.5
    max_parent_size: int | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        require_count("k", self.k, 1)
        RankingOptions(
            section_weight=self.section_weight,
            document_weight=self.document_weight,
            fetch_k=self.fetch_k,
        )
        merge_hits([], {}, ratio=self.ratio, max_parent_size=self.max_parent_size)


@dataclass(frozen=True, slots=True)
class NodeReader:
    """Reads the nodes of a document store, each node once.

    Attributes:
        docstore: the document store.
        nodes: the nodes read so far, by id.
    """

    docstore: BaseDocumentStore
    nodes: dict[str, BaseNode] = field(default_factory=dict)

    def read(self, node_ids: Iterable[str]) -> Procedure[None]:
        """Read nodes into `nodes`; ids that are not stored are ignored."""
        if missing := [node_id for node_id in node_ids if node_id not in self.nodes]:
            get, aget = self.docstore.get_nodes, self.docstore.aget_nodes
            nodes = yield from call(get, aget, missing, raise_error=False)
            self.nodes.update({node.node_id: node for node in nodes})

    def read_linked(self, origins: Mapping[str, str]) -> Procedure[list[BaseNode]]:
        """Return the nodes that other nodes are linked to, in order.

        Args:
            origins: by the id of each node to read, the id of the node that is linked to it.

        Raises:
            ValueError: if one of the nodes is not stored.
        """
        yield from self.read(origins)
        for node_id in origins.keys() - self.nodes.keys():
            raise ValueError(
                f"node {origins[node_id]} was found, but its parent or neighbour {node_id} is not "
                "stored; give build_auto_merging all documents or nodes that are indexed"
            )
        return [self.nodes[node_id] for node_id in origins]


def merge_nodes(
    nodes: list[NodeWithScore],
    options: MergingOptions,
    docstore: BaseDocumentStore,
    *,
    omits_missing: bool,
) -> Procedure[list[NodeWithScore]]:
    """Merge leaves, the best first, until there are `k` nodes, and return these, the best first.

    Args:
        nodes: the leaves that the search found, the best first.
        options: the number of nodes, and the options of merging.
        docstore: contains the leaves and the parents.
        omits_missing: whether leaves that are not stored are omitted. A leaf that is stored is
            always returned as it is stored.
    """
    reader = NodeReader(docstore)
    yield from reader.read([node.node_id for node in nodes])
    nodes = [
        NodeWithScore(node=reader.nodes.get(found.node_id, found.node), score=found.score)
        for found in nodes
        if found.node_id in reader.nodes or not omits_missing
    ]
    count, merged = 0, list[NodeWithScore]()
    while len(merged) < options.k and count < len(nodes):
        count += options.k - len(merged)
        merged = yield from _fill_and_merge(nodes[:count], options, reader)
    return merged[: options.k]


def _fill_and_merge(
    nodes: list[NodeWithScore], options: MergingOptions, reader: NodeReader
) -> Procedure[list[NodeWithScore]]:
    """Fill gaps and merge leaves into parents alternately, until neither changes the nodes."""
    seen = {node.node_id for node in nodes}
    filled = yield from _fill_gaps(nodes, seen, reader)
    while True:
        seen.update(node.node_id for node in filled)
        parents = yield from _read_ancestors([node.node for node in filled], reader)
        merged = _merge(filled, parents, options)
        filled = yield from _fill_gaps(merged, seen, reader)
        if len(filled) == len(merged):
            return merged


def _fill_gaps(
    nodes: Sequence[NodeWithScore], seen: set[str], reader: NodeReader
) -> Procedure[list[NodeWithScore]]:
    """Insert each leaf that is the only one missing between two nodes, unless it is in `seen`.

    Its score is the mean of the scores of the two nodes.
    """
    # Parents have no links to neighbours; sorted to the end, they do not separate leaves.
    nodes = sorted(nodes, key=lambda node: bool(node.node.child_nodes))
    gaps: dict[str, tuple[int, float, str]] = {}
    for number, (before, after) in enumerate(pairwise(nodes), 1):
        gap = before.node.next_node
        if gap is not None and gap == after.node.prev_node and gap.node_id not in seen:
            score = (before.get_score() + after.get_score()) / 2
            gaps[gap.node_id] = (number, score, before.node_id)
    origins = {node_id: origin for node_id, (_, _, origin) in gaps.items()}
    stored = yield from reader.read_linked(origins)
    filled = [*nodes]
    for node in reversed(stored):
        number, score, _ = gaps[node.node_id]
        filled.insert(number, NodeWithScore(node=node, score=score))
    return filled


def _read_ancestors(
    nodes: Iterable[BaseNode], reader: NodeReader
) -> Procedure[dict[str, BaseNode]]:
    """Return all ancestors of nodes, by their ids."""
    parents: dict[str, BaseNode] = {}
    level = [*nodes]
    while level:
        links = {_parent_id(node): node.node_id for node in level}
        new = {name: child for name, child in links.items() if name and name not in parents}
        level = yield from reader.read_linked(new)
        parents |= {node.node_id: node for node in level}
    return parents


def _merge(
    nodes: Sequence[NodeWithScore], parents: dict[str, BaseNode], options: MergingOptions
) -> list[NodeWithScore]:
    """Merge nodes into parents, and return them, the best first.

    A parent has the score of the best node merged into it.
    """
    by_id = parents | {node.node_id: node.node for node in nodes}
    merged = merge_hits(
        [Hit(node.node_id, node.get_score(), _parent_id(node.node)) for node in nodes],
        {name: _to_parent(node) for name, node in parents.items()},
        ratio=options.ratio,
        max_parent_size=options.max_parent_size,
    )
    return [NodeWithScore(node=by_id[hit.node_id], score=hit.score) for hit in merged]


def _to_parent(node: BaseNode) -> Parent:
    return Parent(len(node.child_nodes or ()), _parent_id(node), len(text_of(node)))


def _parent_id(node: BaseNode) -> str | None:
    return node.parent_node.node_id if node.parent_node else None
