"""Auto-merging: a parent replaces its children when more than half of them were hit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from chunkana_core import Chunk, MergeNode, MergeTree


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to read: of a leaf that was hit, or of a parent that replaced its children.

    Attributes:
        node: the leaf or parent.
        score: the best of its hits.
        replaced: the number of children that it replaced, 0 for a leaf.
    """

    node: MergeNode
    score: float
    replaced: int = 0

    @property
    def text(self) -> str:
        """The leaf's content, with the headings it continues; the parent's exact slice."""
        chunk = self.node.chunk
        return chunk.content if self.node.is_leaf and chunk is not None else self.node.text


def merge_hits(tree: MergeTree, scores: Mapping[str, float]) -> list[Passage]:
    """Return what to read for the leaves that were hit, the best first.

    Args:
        tree: of one document.
        scores: of the leaves that were hit, by their ids.
    """
    read: dict[str, list[Passage]] = {}  # by node, what to read of what is under it
    for node in reversed(tree.nodes):  # children before their parents
        found = [passage for child in node.children_ids for passage in read.pop(child)]
        hit = sum(passage.node.parent_id == node.node_id for passage in found)
        if node.node_id in scores:
            found = [Passage(node, scores[node.node_id])]
        elif 2 * hit > len(node.children_ids):
            found = [Passage(node, max(passage.score for passage in found), hit)]
        read[node.node_id] = found
    passages = [passage for root in tree.root_ids for passage in read[root]]
    return sorted(passages, key=lambda p: (-p.score, p.node.span.start))


def nearly_merged(tree: MergeTree, passages: Iterable[Passage]) -> list[tuple[MergeNode, int]]:
    """Return the parents of several passages that were not enough, with how many there are."""
    counts = Counter(passage.node.parent_id for passage in passages)
    parents = ((tree.get(i), count) for i, count in counts.items() if i is not None and count > 1)
    return [(parent, count) for parent, count in parents if parent is not None]


def children_of(tree: MergeTree, node: MergeNode) -> list[MergeNode]:
    """Return the nodes directly under one, in document order."""
    children = (tree.get(child) for child in node.children_ids)
    return [child for child in children if child is not None]


def leaves_under(tree: MergeTree, node: MergeNode) -> list[Chunk]:
    """Return the chunks that a node holds, in document order."""
    leaves: list[Chunk] = []
    waiting = [node]
    while waiting:
        found = waiting.pop()
        if found.is_leaf and found.chunk is not None:
            leaves.append(found.chunk)
        waiting.extend(reversed(children_of(tree, found)))
    return leaves
