"""Auto-merging: a parent replaces its children if more than half of them are hits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from chunkana_core import Chunk, MergeNode, MergeTree
from chunkana_retrieval import Hit, Parent, merge_hits


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage to read: a leaf that was hit, or a parent that replaced its children.

    Attributes:
        node: the leaf or parent.
        score: the best score of its hits.
        replaced: the number of children that the parent replaced, 0 for a leaf.
    """

    node: MergeNode
    score: float
    replaced: int = 0

    @property
    def text(self) -> str:
        """The content of a leaf, which may repeat headings, or the exact slice of a parent."""
        return self.node.chunk.content if self.node.is_leaf else self.node.text


def merge_leaves(tree: MergeTree, scores: Mapping[str, float]) -> list[Passage]:
    """Merge the leaves that were hit into passages, the best first.

    Args:
        tree: the merge tree of one document.
        scores: the scores of the leaves that were hit, by their ids, the best first.
    """
    nodes = {node.node_id: node for node in tree.nodes}
    parents = {i: Parent(len(node.children_ids), node.parent_id) for i, node in nodes.items()}
    hits = (Hit(leaf_id, score, nodes[leaf_id].parent_id) for leaf_id, score in scores.items())
    merged = merge_hits(hits, parents)
    return [Passage(nodes[one.node_id], one.score, one.merged_children) for one in merged]


def nearly_merged(tree: MergeTree, passages: Iterable[Passage]) -> list[tuple[MergeNode, int]]:
    """Return the parents with several hits, but too few to merge, and the number of hits."""
    counts = Counter(passage.node.parent_id for passage in passages)
    parents = ((tree.get(i), count) for i, count in counts.items() if i is not None and count > 1)
    return [(parent, count) for parent, count in parents if parent is not None]


def children_of(tree: MergeTree, node: MergeNode) -> list[MergeNode]:
    """Return the children of a node, in document order."""
    children = (tree.get(child) for child in node.children_ids)
    return [child for child in children if child is not None]


def leaves_under(tree: MergeTree, node: MergeNode) -> list[Chunk]:
    """Return the leaves under a node, in document order."""
    leaves: list[Chunk] = []
    waiting = [node]
    while waiting:
        found = waiting.pop()
        if found.is_leaf:
            leaves.append(found.chunk)
        waiting.extend(reversed(children_of(tree, found)))
    return leaves
