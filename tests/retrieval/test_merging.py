"""`merge_hits`: parents replace children over any tree, and every hit is read exactly once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf, nan
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ConfigurationError
from chunkana_retrieval import Hit, MergedHit, Parent, merge_hits

RATIOS = st.one_of(st.floats(0, 1), st.sampled_from([0, 0.5, 1]))
CAPS = st.one_of(st.none(), st.integers(1, 12))


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


def best_first(hits: Sequence[Hit]) -> list[str]:
    """Return the ids of hits by their best scores, equal ones as they stand."""
    ordered = sorted(hits, key=lambda hit: -hit.score)
    return list(dict.fromkeys(hit.node_id for hit in ordered))


def ids(merged: Sequence[MergedHit]) -> list[str]:
    return [one.node_id for one in merged]


@given(trees(), RATIOS, CAPS)
def test_each_hit_is_in_exactly_one_result(tree: Tree, ratio: float, cap: int | None) -> None:
    merged = merge_hits(tree.hits, tree.parents, ratio=ratio, max_parent_size=cap)
    results = set(ids(merged))
    assert len(results) == len(merged)
    for hit in tree.hits:
        (around,) = results.intersection(tree.path(hit.node_id))
        assert [one.node_id for one in merged if hit.node_id in one.hit_ids] == [around]
    assert sum(len(one.hit_ids) for one in merged) == len({hit.node_id for hit in tree.hits})


@given(trees(), RATIOS, CAPS)
def test_no_result_is_inside_another(tree: Tree, ratio: float, cap: int | None) -> None:
    results = set(ids(merge_hits(tree.hits, tree.parents, ratio=ratio, max_parent_size=cap)))
    for node_id in results:
        assert results.intersection(tree.path(node_id)) == {node_id}


@given(trees(), RATIOS, CAPS)
def test_a_parent_is_read_where_enough_children_were_found_and_it_fits(
    tree: Tree, ratio: float, cap: int | None
) -> None:
    """And nowhere else: the rule is asked of every parent, from the lowest upwards."""
    hits = {hit.node_id for hit in tree.hits}
    found = set(hits)
    for node_id in sorted(tree.parents, key=int, reverse=True):  # children have larger numbers
        parent = tree.parents[node_id]
        count = sum(above == node_id and child in found for child, above in tree.above.items())
        fits = cap is None or parent.size <= cap
        if fits and count / parent.child_count > ratio:
            found.add(node_id)
    outermost = {[node for node in tree.path(hit) if node in found][-1] for hit in hits}
    merged = merge_hits(tree.hits, tree.parents, ratio=ratio, max_parent_size=cap)
    assert set(ids(merged)) == outermost
    for one in merged:
        below = [c for c, above in tree.above.items() if above == one.node_id and c in found]
        assert one.merged_children == (0 if one.node_id in hits else len(below))


@given(trees(), RATIOS, CAPS)
def test_results_have_place_and_score_of_their_best_hit(
    tree: Tree, ratio: float, cap: int | None
) -> None:
    merged = merge_hits(tree.hits, tree.parents, ratio=ratio, max_parent_size=cap)
    ranked = best_first(tree.hits)
    places = [ranked.index(one.hit_ids[0]) for one in merged]
    assert places == sorted(places)
    for one in merged:
        assert list(one.hit_ids) == [hit for hit in ranked if hit in one.hit_ids]
        assert one.score == max(h.score for h in tree.hits if h.node_id in one.hit_ids)


@given(trees(), RATIOS, CAPS)
def test_merging_what_was_merged_changes_nothing(tree: Tree, ratio: float, cap: int | None) -> None:
    merged = merge_hits(tree.hits, tree.parents, ratio=ratio, max_parent_size=cap)
    again = [Hit(one.node_id, one.score, tree.above[one.node_id]) for one in merged]
    same = merge_hits(again, tree.parents, ratio=ratio, max_parent_size=cap)
    assert [(one.node_id, one.score) for one in same] == [(m.node_id, m.score) for m in merged]


@given(trees(), st.randoms())
def test_the_order_of_hits_decides_between_equal_scores_alone(tree: Tree, random: Any) -> None:  # noqa: ANN401
    apart = [replace(hit, score=number) for number, hit in enumerate(tree.hits)]
    merged = merge_hits(apart, tree.parents)
    random.shuffle(apart)
    assert merge_hits(apart, tree.parents) == merged


@given(trees())
def test_a_ratio_of_1_merges_nothing_and_one_of_0_everything(tree: Tree) -> None:
    hits = {hit.node_id for hit in tree.hits}
    none = {hit for hit in hits if not hits.intersection([*tree.path(hit)][1:])}
    assert set(ids(merge_hits(tree.hits, tree.parents, ratio=1))) == none
    roots = {[*tree.path(hit)][-1] for hit in hits}
    assert set(ids(merge_hits(tree.hits, tree.parents, ratio=0))) == roots


@given(trees(), RATIOS)
def test_no_parent_is_larger_than_the_largest_allowed(tree: Tree, ratio: float) -> None:
    hits = {hit.node_id for hit in tree.hits}
    for one in merge_hits(tree.hits, tree.parents, ratio=ratio, max_parent_size=5):
        assert one.node_id in hits or tree.parents[one.node_id].size <= 5


@pytest.mark.parametrize(("found", "count", "ratio"), [(1, 2, 0.5), (2, 3, 2 / 3), (29, 100, 0.29)])
def test_exactly_the_ratio_is_not_enough(found: int, count: int, ratio: float) -> None:
    hits = [Hit(str(number), 1.0, "p") for number in range(found + 1)]
    parents = {"p": Parent(count)}
    assert len(merge_hits(hits[:-1], parents, ratio=ratio)) == found
    assert ids(merge_hits(hits, parents, ratio=ratio)) == ["p"]


def test_a_parent_that_counts_no_children_replaces_any() -> None:
    assert ids(merge_hits([Hit("a", 1.0, "p")], {"p": Parent(0)}, ratio=1)) == ["p"]


def test_of_several_hits_with_one_id_the_best_counts_once() -> None:
    hits = [Hit("a", 0.1, "p"), Hit("b", 0.2), Hit("a", 0.3, "p")]
    assert merge_hits(hits, {"p": Parent(2)}) == [
        MergedHit("a", 0.3, ("a",)),
        MergedHit("b", 0.2, ("b",)),
    ]


def test_a_parent_that_was_found_itself_holds_what_was_found_in_it() -> None:
    hits = [Hit("p", 0.1), Hit("a", 0.3, "p")]
    assert merge_hits(hits, {}) == [MergedHit("p", 0.3, ("a", "p"))]


def test_hits_of_any_iterable_and_no_hits() -> None:
    assert merge_hits(iter([Hit("a", 1)]), {}) == [MergedHit("a", 1, ("a",))]
    assert merge_hits([], {}) == []


def test_scores_need_not_be_finite() -> None:
    """A NaN is as low as can be."""
    hits = [Hit("a", nan), Hit("b", -inf), Hit("c", nan), Hit("d", 0.0), Hit("e", inf)]
    assert ids(merge_hits(hits, {})) == ["e", "d", "a", "b", "c"]


def test_chains_of_any_depth() -> None:
    """Nothing recurses."""
    depth = 20_000
    parents = {str(n): Parent(1, str(n + 1)) for n in range(depth)} | {str(depth): Parent(1)}
    (merged,) = merge_hits([Hit("leaf", 1.0, "0")], parents)
    assert merged == MergedHit(str(depth), 1.0, ("leaf",), 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ratio": -0.1}, r"ratio is -0\.1; allowed: a number from 0 to 1"),
        ({"ratio": 1.1}, r"ratio is 1\.1; allowed: a number from 0 to 1"),
        ({"ratio": nan}, "ratio is nan"),
        ({"ratio": "0.5"}, "ratio is '0.5'"),
        ({"max_parent_size": 0}, "max_parent_size is 0; allowed: None or a number of at least 1"),
    ],
)
def test_options_out_of_range_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        merge_hits([], {}, **options)


def test_parents_that_are_missing_or_circular_are_named() -> None:
    with pytest.raises(ConfigurationError, match="parent_id is 'p'; allowed: None or an id in"):
        merge_hits([Hit("a", 1.0, "p")], {})
    with pytest.raises(ConfigurationError, match="parent_id is 'q'; allowed: None or an id in"):
        merge_hits([Hit("a", 1.0, "p")], {"p": Parent(1, "q")})
    circle = {"p": Parent(1, "q"), "q": Parent(1, "p")}
    with pytest.raises(ConfigurationError, match="'p'; allowed: a node that is not its own"):
        merge_hits([Hit("a", 1.0, "p")], circle)
