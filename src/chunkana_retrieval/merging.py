"""Auto-merging: replacement of hits by their parent if enough of its children were found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from math import inf, isnan
from numbers import Real

from msgspec import Struct

from chunkana_core import ConfigurationError, MergeNode
from chunkana_core.extending import require_number
from chunkana_retrieval.hits import Hit


class Parent(Struct, frozen=True, gc=False, array_like=True):
    """The properties of a parent that merging needs.

    Attributes:
        child_count: the number of the parent's children. A parent with a count of 0 replaces any
            child that was found.
        parent_id: the id of the parent's own parent; None for a root.
        size: the size of the parent's text, in the unit of `max_parent_size`.
        start: the offset in the document where the text starts, for a parent in an index.
    """

    child_count: int
    parent_id: str | None = None
    size: int = 0
    start: int = 0

    @classmethod
    def of(cls, node: MergeNode) -> Parent:
        """Return the properties of a node of a merge tree; the size is in characters."""
        return cls(len(node.children_ids), node.parent_id, len(node.span), node.span.start)


@dataclass(frozen=True, slots=True)
class MergedHit:
    """A result of merging: a hit, or a parent that replaced its children.

    Attributes:
        node_id: the id of the hit or parent.
        score: the best score of the hits in the node.
        hit_ids: the node ids of the hits in the node, the best first; for a hit that contains no
            other hit, its own id.
        merged_children: the number of the parent's children that were hits or merged parents; 0
            for a hit.
    """

    node_id: str
    score: float
    hit_ids: tuple[str, ...]
    merged_children: int = 0


def merge_hits(
    hits: Iterable[Hit],
    parents: Mapping[str, Parent],
    *,
    ratio: float = 0.5,
    max_parent_size: int | None = None,
) -> list[MergedHit]:
    """Replace hits by their parent if more than a given ratio of its children was found.

    A parent that replaces its children counts as found itself, so merging continues upwards. No
    result is returned twice or contained in another result, and each hit is in exactly one result.
    The running time is linear in the number of hits and their ancestors.

    Args:
        hits: the hits in any order; of several hits with the same id, the best one counts.
        parents: all ancestors of the hits by id: the nodes of a `MergeTree` that are not leaves.
        ratio: the ratio to exceed, from 0 (one found child is enough) to 1 (no child is replaced).
        max_parent_size: the size of the largest parent that may replace its children; None for no
            limit.

    Returns:
        The results by descending score of their best hit; equal scores in the order of the hits.

    Raises:
        ConfigurationError: naming the argument, for a ratio or size out of range, a parent that is
            not in `parents`, and a parent that is its own ancestor.

    >>> parents = {
    ...     "section": Parent(child_count=3, parent_id="page"),
    ...     "page": Parent(child_count=4),
    ... }
    >>> hits = [Hit("a", 0.5, "section"), Hit("b", 0.9, "section"), Hit("x", 0.7, "page")]
    >>> for merged in merge_hits(hits, parents):
    ...     print(merged.node_id, merged.score, merged.hit_ids)
    section 0.9 ('b', 'a')
    x 0.7 ('x',)
    """
    require_number("ratio", ratio, 0, 1)
    require_number("max_parent_size", max_parent_size, 1, kind=Real | None)
    ranked = _rank(hits)
    links = _sort_upwards(_find_links(ranked.values(), parents))
    counts: Counter[str | None] = Counter()  # by parent, the number of children found
    found: set[str] = set()
    for node_id, parent_id in links.items():
        if node_id in ranked or _is_replacing(
            parents[node_id], counts[node_id], ratio, max_parent_size
        ):
            found.add(node_id)
            counts[parent_id] += 1
    outermost = _find_outermost(links, found)
    hits_by_node: dict[str, list[str]] = {}
    for hit_id in ranked:
        hits_by_node.setdefault(outermost[hit_id], []).append(hit_id)
    return [
        MergedHit(
            node_id, ranked[ids[0]].score, tuple(ids), 0 if node_id in ranked else counts[node_id]
        )
        for node_id, ids in hits_by_node.items()
    ]


def _rank(hits: Iterable[Hit]) -> dict[str, Hit]:
    """Return the best hit of each node id, by that id, the best first."""
    ranked: dict[str, Hit] = {}
    for hit in sorted(hits, key=rankable_score, reverse=True):  # a stable sort
        ranked.setdefault(hit.node_id, hit)
    return ranked


def rankable_score(hit: Hit) -> float:
    """Return the score of a hit, -inf for NaN."""
    return -inf if isnan(hit.score) else hit.score


def _find_links(hits: Iterable[Hit], parents: Mapping[str, Parent]) -> dict[str, str | None]:
    """Return the parent id, None for a root, of each hit and of each of its ancestors."""
    links = {hit.node_id: hit.parent_id for hit in hits}
    waiting = list(links.values())
    for node_id in waiting:
        if node_id is None or node_id in links:
            continue
        if node_id not in parents:
            raise ConfigurationError("parent_id", node_id, "None or an id in parents")
        links[node_id] = parents[node_id].parent_id
        waiting.append(links[node_id])
    return links


def _sort_upwards(links: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the links in an order in which every node precedes its parent."""
    sorter = TopologicalSorter[str | None]()
    for node_id, parent_id in links.items():
        sorter.add(parent_id, node_id)
    try:
        order = [node_id for node_id in sorter.static_order() if node_id is not None]
    except CycleError as error:
        circle: list[str] = error.args[1]
        allowed = "a node that is not its own ancestor"
        raise ConfigurationError("parent_id", min(circle), allowed) from error
    return {node_id: links[node_id] for node_id in order}


def _is_replacing(parent: Parent, found: int, ratio: float, max_parent_size: int | None) -> bool:
    """Return whether a parent replaces its children, given how many of them were found."""
    if not found or (max_parent_size is not None and parent.size > max_parent_size):
        return False
    # Divide instead of multiplying: 0.29 * 100 is less than 29 in floating point.
    return not parent.child_count or found / parent.child_count > ratio


def _find_outermost(links: dict[str, str | None], found: Container[str]) -> dict[str, str]:
    """Return the outermost found node, itself or an ancestor, of each node that has one."""
    outermost: dict[str, str] = {}
    for node_id, parent_id in reversed(links.items()):
        if parent_id is not None and parent_id in outermost:
            outermost[node_id] = outermost[parent_id]
        elif node_id in found:
            outermost[node_id] = node_id
    return outermost
