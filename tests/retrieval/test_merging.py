"""`merge_hits`: parents replace children over any tree, and every hit is read exactly once."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nan
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ConfigurationError
from chunkana_retrieval import Hit, MergedHit, Parent, merge_hits

RATIOS = st.one_of(st.floats(0, 1), st.sampled_from([0, 0.5, 1]))
SIZES = st.one_of(st.none(), st.integers(1, 12))


class Tree(NamedTuple):
    """A forest, with the nodes of it that were found."""

    above: dict[str, str | None]
    parents: dict[str, Parent]
    hits: list[Hit]

    def path(self, node_id: str | None) -> Iterator[str]:
        """Yield a node and all above it, upwards."""
        while node_id is not None:
            yield node_id
            node_id = self.above[node_id]

    def merged(self, ratio: float, max_parent_size: int | None) -> list[MergedHit]:
        """Return what the definition of `merge_hits` says, node by node from the lowest upwards."""
        ordered = sorted(self.hits, key=lambda hit: -hit.score)
        best = {hit.node_id: hit.score for hit in reversed(ordered)}
        ranked = list(dict.fromkeys(hit.node_id for hit in ordered))
        found, counts = set(ranked), dict[str, int]()
        for node_id in sorted(self.parents, key=int, reverse=True):  # children have larger numbers
            parent = self.parents[node_id]
            children = (child for child, above in self.above.items() if above == node_id)
            counts[node_id] = sum(child in found for child in children)
            is_small = max_parent_size is None or parent.size <= max_parent_size
            if is_small and counts[node_id] / parent.child_count > ratio:
                found.add(node_id)
        outermost = {hit: [n for n in self.path(hit) if n in found][-1] for hit in ranked}
        inside = {node: [hit for hit in ranked if outermost[hit] == node] for node in found}
        return [
            MergedHit(node, best[inside[node][0]], tuple(inside[node]),
                      0 if node in ranked else counts[node])
            for node in dict.fromkeys(outermost.values())
        ]  # fmt: skip


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Make a forest of any shape, and hits of its leaves and of some parents, in any order."""
    above: dict[str, str | None] = {}
    for number in range(draw(st.integers(1, 16))):
        before = draw(st.integers(-1, number - 1))
        above[str(number)] = None if before < 0 else str(before)
    children = {node: [c for c, parent in above.items() if parent == node] for node in above}
    parents = {
        node: Parent(len(below), above[node], draw(st.integers(0, 12)))
        for node, below in children.items()
        if below
    }
    found = draw(st.lists(st.sampled_from(sorted(above)), max_size=20))
    hits = [Hit(node, draw(st.integers(-3, 3)), above[node]) for node in found]
    return Tree(above, parents, hits)


@given(trees(), RATIOS, SIZES)
def test_each_hit_is_in_the_outermost_node_that_enough_was_found_of(
    tree: Tree, ratio: float, max_parent_size: int | None
) -> None:
    merged = merge_hits(tree.hits, tree.parents, ratio=ratio, max_parent_size=max_parent_size)
    assert merged == tree.merged(ratio, max_parent_size)


@given(trees(), RATIOS, SIZES)
def test_merging_what_was_merged_changes_nothing(
    tree: Tree, ratio: float, max_parent_size: int | None
) -> None:
    options: dict[str, Any] = {"ratio": ratio, "max_parent_size": max_parent_size}
    merged = merge_hits(tree.hits, tree.parents, **options)
    again = [Hit(one.node_id, one.score, tree.above[one.node_id]) for one in merged]
    same = merge_hits(again, tree.parents, **options)
    assert [(one.node_id, one.score) for one in same] == [(m.node_id, m.score) for m in merged]


@pytest.mark.parametrize(("found", "count", "ratio"), [(1, 2, 0.5), (2, 3, 2 / 3), (29, 100, 0.29)])
def test_exactly_the_ratio_is_not_enough(found: int, count: int, ratio: float) -> None:
    hits = [Hit(str(number), 1.0, "p") for number in range(found + 1)]
    parents = {"p": Parent(count)}
    assert len(merge_hits(hits[:-1], parents, ratio=ratio)) == found
    assert [one.node_id for one in merge_hits(hits, parents, ratio=ratio)] == ["p"]


CHAIN = {str(n): Parent(1, str(n + 1)) for n in range(20_000)} | {"20000": Parent(1)}


@pytest.mark.parametrize(
    ("hits", "parents", "options", "expected"),
    [
        pytest.param([], {}, {}, [], id="no hits"),
        pytest.param([("a", 1.0, "p")], {"p": Parent(0)}, {"ratio": 1},
                     [MergedHit("p", 1.0, ("a",), 1)], id="a parent that counts no children"),
        pytest.param([("a", 0.1, "p"), ("b", 0.2), ("a", 0.3, "p")], {"p": Parent(2)}, {},
                     [MergedHit("a", 0.3, ("a",)), MergedHit("b", 0.2, ("b",))],
                     id="of several hits with one id the best"),
        pytest.param([("p", 0.1), ("a", 0.3, "p")], {}, {}, [MergedHit("p", 0.3, ("a", "p"))],
                     id="a parent that was found itself"),
        pytest.param([("a", nan), ("b", -inf), ("d", 0.0), ("e", inf)], {}, {}, "edab",
                     id="scores that are not finite; NaN is as low as can be"),
        pytest.param([("leaf", 1.0, "0")], CHAIN, {},
                     [MergedHit("20000", 1.0, ("leaf",), 1)], id="a chain of any depth"),
    ],
)  # fmt: skip
def test_merging(
    hits: list[Any],
    parents: dict[str, Parent],
    options: dict[str, Any],
    expected: Any,  # noqa: ANN401
) -> None:
    merged = merge_hits((Hit(*hit) for hit in hits), parents, **options)
    assert ("".join(m.node_id for m in merged) if isinstance(expected, str) else merged) == expected


@pytest.mark.parametrize(
    ("hits", "parents", "options", "message"),
    [
        ([], {}, {"ratio": -0.1}, r"ratio is -0\.1; allowed: a number from 0 to 1"),
        ([], {}, {"ratio": 1.1}, r"ratio is 1\.1; allowed: a number from 0 to 1"),
        ([], {}, {"max_parent_size": 0}, "max_parent_size is 0; allowed: None or a number of at"),
        ([("a", 1.0, "p")], {}, {}, "parent_id is 'p'; allowed: None or an id in"),
        ([("a", 1.0, "p")], {"p": Parent(1, "q")}, {}, "parent_id is 'q'; allowed: None or an id"),
        ([("a", 1.0, "p")], {"p": Parent(1, "q"), "q": Parent(1, "p")}, {},
         "'p'; allowed: a node that is not its own"),
    ],
)  # fmt: skip
def test_errors_name_what_is_wrong(
    hits: list[Any], parents: dict[str, Parent], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        merge_hits([Hit(*hit) for hit in hits], parents, **options)
