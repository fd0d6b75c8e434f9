"""The laws of merge trees, asserted from the result alone."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from chunkana_core import ChunkConfig, HierarchicalChunkingResult, MergeTree


def sound(
    result: HierarchicalChunkingResult, config: ChunkConfig, cap: int | None, most: int
) -> MergeTree:
    """Build a merge tree and assert its laws (SPEC section 6)."""
    tree = result.merge_tree(cap, most)
    by_id = {node.node_id: node for node in tree.nodes}
    assert len(by_id) == len(tree.nodes)
    leaves = [node for node in tree.nodes if not node.children_ids]
    assert [node.chunk for node in leaves] == result.get_flat_chunks()
    assert tree.leaves == leaves
    limit = 4 * config.max_chunk_size if cap is None else cap
    for node in tree.nodes:
        assert node.text == result.text[node.span.start : node.span.end]
        assert tree.get(node.node_id) == node
        children = [by_id[child] for child in node.children_ids]
        assert all(child.parent_id == node.node_id for child in children)
        assert (node.node_id, node.span) == (node.chunk.chunk_id, node.chunk.span)
        assert node.chunk.is_leaf is node.is_leaf
        if not children:
            continue
        assert not node.is_leaf
        assert 2 <= len(children) <= most
        assert config.length_function(node.text) <= limit
        assert node.span.start <= children[0].span.start
        assert children[-1].span.end <= node.span.end
        assert all(a.span.end <= b.span.start for a, b in pairwise(children))
        original = result.get_chunk(node.node_id)
        assert node.is_group is (original is None)
        if original is not None:
            assert node.chunk.section_id == original.section_id
    _reached_once(tree)
    return tree


def _reached_once(tree: MergeTree) -> None:
    """Assert that every node is reached once from the roots, parents before children."""
    assert list(tree.root_ids) == [n.node_id for n in tree.nodes if n.parent_id is None]
    reached: Counter[str] = Counter()
    waiting = [*tree.root_ids]
    while waiting:
        node = tree.get(waiting.pop())
        assert node
        reached[node.node_id] += 1
        waiting += node.children_ids
    assert reached == Counter(node.node_id for node in tree.nodes)
    seen: set[str | None] = {None}
    for node in tree.nodes:
        assert node.parent_id in seen
        seen.add(node.node_id)
