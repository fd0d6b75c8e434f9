"""`fuse`: two searches, one ranking, whatever their scores are."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ConfigurationError
from chunkana_retrieval import fuse

RANKS = [1, 5 / 6, 5 / 7]


@pytest.mark.parametrize(
    ("scores", "shares"),
    [
        pytest.param([8, 4, 2], [1, 0.5, 0.25], id="similarities"),
        pytest.param([4, 8, 2], [0.5, 1, 0.25], id="in another order"),
        pytest.param([0.5, 0, -1], [1, 0, 0], id="less than nothing"),
        pytest.param([0.5, 1, 2], [1, 0.5, 0.25], id="distances"),
        pytest.param([-8, -4, 2], [1, 0.5, 0], id="negated similarities"),
        pytest.param([0, 1, 2], RANKS, id="distances from nothing"),
        pytest.param([-1, -2, -4], RANKS, id="all below zero"),
        pytest.param([0, -2, -2], [1, 5 / 6, 5 / 6], id="equal ranks"),
        pytest.param([-2, -1, -4], [5 / 6, 1, 5 / 7], id="below zero in another order"),
        pytest.param([0, 0, 0], [0, 0, 0], id="nothing found"),
        pytest.param([3, 3, 3], [1, 1, 1], id="all equal"),
        pytest.param([3, None, 1], RANKS, id="None"),
        pytest.param([nan, 2, 1], RANKS, id="NaN"),
        pytest.param([inf, 2, 1], RANKS, id="infinite"),
        pytest.param([True, False, 0], RANKS, id="no numbers"),
        pytest.param([], [], id="none"),
        pytest.param([1e308, 1e-308, -1e308], [1, 0, 0], id="far apart"),
    ],
)
def test_scores_become_shares_of_the_best(scores: list[Any], shares: list[float]) -> None:
    given_ = dict(zip("abc", scores, strict=False))
    expected = dict(zip("abc", shares, strict=False))
    assert fuse(given_, {}, 0) == pytest.approx(expected)
    assert fuse({}, given_, 1) == pytest.approx(expected)
    assert fuse({}, given_) == pytest.approx({key: share / 2 for key, share in expected.items()})


def test_what_both_find_rises_and_equals_keep_their_order() -> None:
    fused = fuse({"a": 4, "b": 4, "c": 3, "f": 0}, {"d": 9, "c": 9, "e": 9, "g": 0}, 0.5)
    assert fused == {"c": 0.875, "a": 0.5, "b": 0.5, "d": 0.5, "e": 0.5, "f": 0, "g": 0}
    assert list(fused) == ["c", "a", "b", "d", "e", "f", "g"]


def test_what_a_search_stopped_before_has_its_lowest_share() -> None:
    assert fuse({"a": 4, "b": 3}, {"c": 8, "a": 2}) == {"c": 0.875, "a": 0.625, "b": 0.5}


def test_what_a_search_has_nothing_of_gets_nothing_from_it() -> None:
    assert fuse({"a": 4, "b": 3}, {"c": 8}) == {"a": 0.5, "c": 0.875, "b": 0.375}
    assert fuse({"c": 8}, {"a": 4, "b": 3}) == {"a": 0.5, "c": 0.875, "b": 0.375}


def test_what_is_left_out_was_found_all_the_same() -> None:
    """Then that search stopped, and has more to give."""
    assert fuse({"a": 4}, {"c": 8, "a": 2}) == {"a": 0.625, "c": 0.5}
    assert fuse({"a": 4}, {"c": 8, "a": 2}, left_out=1) == {"c": 1.0, "a": 0.625}


@pytest.mark.parametrize(("weight", "expected"), [(0.5, "ab"), (0.4, "ab"), (0.6, "ba"), (1, "ba")])
def test_of_equal_ones_those_are_first_that_were_found_by_more_weight(
    weight: float, expected: str
) -> None:
    """Where each search has one hit, its best is the worst that it found, too."""
    assert "".join(fuse({"a": 0.9}, {"b": 3}, weight)) == expected


@pytest.mark.parametrize(("weight", "first"), [(0, "a"), (0.3, "a"), (0.7, "b"), (1, "b")])
def test_the_weight_says_which_search_counts_more(weight: float, first: str) -> None:
    assert next(iter(fuse({"a": 2, "c": 1}, {"b": 2, "c": 1}, weight))) == first


@pytest.mark.parametrize("weight", [-0.1, 1.1, nan, "half", True])
def test_a_weight_out_of_range_is_named(weight: Any) -> None:  # noqa: ANN401
    with pytest.raises(ConfigurationError) as raised:
        fuse({}, {}, weight)
    assert raised.value.field == "lexical_weight"


SCORES = st.dictionaries(st.sampled_from("abcdef"), st.one_of(st.none(), st.floats()))


@given(SCORES, SCORES, st.floats(0, 1))
def test_all_that_is_found_is_ranked_once_from_0_to_1(
    dense: dict[str, float | None], lexical: dict[str, float | None], weight: float
) -> None:
    fused = fuse(dense, lexical, weight)
    assert set(fused) == {*dense, *lexical}
    assert list(fused.values()) == sorted(fused.values(), reverse=True)
    assert all(0 <= score <= 1.000001 for score in fused.values())


@given(st.lists(st.floats(0.001, 1000), unique=True, min_size=1, max_size=6))
def test_similarities_and_distances_keep_their_order(scores: list[float]) -> None:
    for ordered in (sorted(scores), sorted(scores, reverse=True)):
        assert list(fuse(dict(enumerate(ordered)), {})) == list(range(len(ordered)))
