"""Leaves that were found, with gaps between them filled, replaced by their parents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from llama_index.core.schema import BaseNode, NodeWithScore

from chunkana_retrieval import Hit, Parent, merge_hits
from chunkana_retrieval.indexing import (
    Step,
)
from chunkana_retrieval.indexing.steps import Procedure


@dataclass(frozen=True, slots=True)
class ReadNodes(Step[list[BaseNode]]):
    """Return nodes that are stored, without those that are not."""

    node_ids: Sequence[str]


def merging(
    nodes: list[NodeWithScore], ratio: float, *, is_stored_alone: bool
) -> Procedure[list[NodeWithScore]]:
    """Yield what is asked of the store of nodes; return nodes to read, the best first.

    Args:
        nodes: leaves that were found.
        ratio: a parent replaces its children where more than this part of them was found.
        is_stored_alone: whether leaves that are not stored are left out; those that are stored are
            returned as they are stored in any case.
    """
    stored = yield from ReadNodes([node.node_id for node in nodes]).ask()
    today = {node.node_id: node for node in stored}
    nodes = [
        NodeWithScore(node=today.get(found.node_id, found.node), score=found.score)
        for found in nodes
        if found.node_id in today or not is_stored_alone
    ]
    seen = {node.node_id for node in nodes}
    filled = yield from _filling(nodes, seen)
    while True:
        seen.update(node.node_id for node in filled)
        parents = yield from _parents([node.node for node in filled])
        merged = _merge(filled, parents, ratio)
        filled = yield from _filling(merged, seen)
        if len(filled) == len(merged):
            return merged


def _filling(nodes: Sequence[NodeWithScore], seen: set[str]) -> Procedure[list[NodeWithScore]]:
    """Return nodes, and between two with a gap of one leaf that leaf, unless it was seen."""
    # Parents, which have no neighbours, would stand between leaves that have.
    nodes = sorted(nodes, key=lambda node: bool(node.node.child_nodes))
    gaps: dict[str, tuple[int, float, str]] = {}
    for number, (before, after) in enumerate(pairwise(nodes), 1):
        gap = before.node.next_node
        if gap is not None and gap == after.node.prev_node and gap.node_id not in seen:
            score = (before.get_score() + after.get_score()) / 2
            gaps[gap.node_id] = (number, score, before.node_id)
    stored = yield from _stored({name: from_ for name, (_, _, from_) in gaps.items()})
    filled = [*nodes]
    for node in reversed(stored):
        number, score, _ = gaps[node.node_id]
        filled.insert(number, NodeWithScore(node=node, score=score))
    return filled


def _parents(nodes: Iterable[BaseNode]) -> Procedure[dict[str, BaseNode]]:
    """Return all parents above nodes, by their ids."""
    parents: dict[str, BaseNode] = {}
    level = [*nodes]
    while level:
        links = {_parent_id(node): node.node_id for node in level}
        wanted = {name: child for name, child in links.items() if name and name not in parents}
        level = yield from _stored(wanted)
        parents |= {node.node_id: node for node in level}
    return parents


def _stored(wanted: dict[str, str]) -> Procedure[list[BaseNode]]:
    """Return stored nodes, in order; each is asked for by its id with that of a linked one."""
    nodes = (yield from ReadNodes([*wanted]).ask()) if wanted else []
    for name in wanted.keys() - {node.node_id for node in nodes}:
        raise ValueError(
            f"node {wanted[name]} was found, but its parent or neighbour {name} is not stored; "
            "give build_auto_merging all documents or nodes that are indexed"
        )
    return nodes


def _merge(
    nodes: Sequence[NodeWithScore], parents: dict[str, BaseNode], ratio: float
) -> list[NodeWithScore]:
    """Return nodes to read, the best first; a parent has the score of the best in it."""
    by_id = parents | {node.node_id: node.node for node in nodes}
    merged = merge_hits(
        [Hit(node.node_id, node.get_score(), _parent_id(node.node)) for node in nodes],
        {i: Parent(len(p.child_nodes or ()), _parent_id(p)) for i, p in parents.items()},
        ratio=ratio,
    )
    return [NodeWithScore(node=by_id[one.node_id], score=one.score) for one in merged]


def _parent_id(node: BaseNode) -> str | None:
    return node.parent_node.node_id if node.parent_node else None
