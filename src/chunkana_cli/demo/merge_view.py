"""Show which leaves were hit, and which parents they merged into."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.text import Text
from rich.tree import Tree

from chunkana_cli.demo.auto_merge import Passage, children_of, leaves_under, nearly_merged
from chunkana_cli.demo.running import DemoRun
from chunkana_cli.screen.naming import common_path, format_count, format_location, path_of_all
from chunkana_core import MergeNode, MergeTree


def render_merges(demo: DemoRun) -> Iterator[Tree | Text]:
    """Yield a tree for each parent that replaced its children, then lines on the other hits."""
    for index, passage in demo.passages:
        if passage.replaced:
            scores = {hit.chunk.chunk_id: hit.score for hit in demo.hits if hit.document == index}
            yield _merged_tree(demo.documents[index].tree, passage, scores)
    for index, document in enumerate(demo.documents):
        passages = [passage for i, passage in demo.passages if i == index]
        for parent, count in nearly_merged(document.tree, passages):
            label = f"{count} of {len(parent.children_ids)} children hit: not merged"
            yield _name(document.tree, parent).append(f"  {label}", style="dim")
    alone = sum(not passage.replaced for _, passage in demo.passages)
    merged = len(demo.passages) - alone
    label = f"{format_count(merged, 'merged passage')}, {format_count(alone, 'chunk')} as found"
    yield Text(f"To read: {label}.")


def _merged_tree(tree: MergeTree, passage: Passage, scores: Mapping[str, float]) -> Tree:
    """Return a parent and its descendants as a tree, with marks at the leaves that were hit."""
    children = f"{passage.replaced} of {len(passage.node.children_ids)} children hit"
    summary = f"{children}: merged into {len(passage.text):,} characters"
    top = Tree(_name(tree, passage.node).append(f"  {summary}", style="bold green"))
    waiting = [(top, passage.node)]
    while waiting:
        branch, node = waiting.pop()
        below = len(common_path(leaves_under(tree, node)))
        for child in children_of(tree, node):
            label = _mark(child, scores).append(_name(tree, child, below))
            waiting.append((branch.add(label), child))
    return top


def _mark(node: MergeNode, scores: Mapping[str, float]) -> Text:
    if not node.is_leaf:
        return Text()
    score = scores.get(node.node_id)
    return Text("○      ", style="dim") if score is None else Text(f"● {score:.2f} ", style="green")


def _name(tree: MergeTree, node: MergeNode, below: int = 0) -> Text:
    leaves = leaves_under(tree, node)
    lines = format_location(leaves[0], leaves[-1])
    return Text(path_of_all(leaves, below)).append(f"  {lines}", style="dim")
