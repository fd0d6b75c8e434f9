"""`propagate_scores`: what is near a good passage is lifted, and nothing else changes."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ConfigurationError, InputTypeError, Span
from chunkana_retrieval import Hit, propagate_scores

# In these, sums and products of a few are exact.
NUMBERS = st.integers(-1000, 1000).map(lambda number: number / 8)
WEIGHTS = st.integers(0, 16).map(lambda number: number / 8)
GROUPS = st.sampled_from([None, "a", "b", "c"])
FOUND = st.lists(st.tuples(NUMBERS, GROUPS, GROUPS), min_size=1, max_size=12)
Found = list[tuple[float, str | None, str | None]]


def hits_of(found: Found) -> list[Hit]:
    """Return what was found as hits, each at another offset; without a document, in one alone."""
    return [
        Hit(str(n), score, section_id=section, span=Span(n, n + 1),
            document_id=f"alone {n:02}" if document is None else document)
        for n, (score, section, document) in enumerate(found)
    ]  # fmt: skip


def propagate(found: Found, **options: float) -> list[float]:
    """Propagate the scores of what was found: score, section and document; keep its order."""
    got = propagate_scores(hits_of(found), **options)  # type: ignore[arg-type]
    return [hit.score for hit in sorted(got, key=lambda hit: int(hit.node_id))]


def test_the_best_of_section_and_document_are_added() -> None:
    found: Found = [(4.0, "s", "d"), (1.0, "s", "d"), (2.0, "t", "d"), (3.0, "s", "e")]
    assert propagate(found, section_weight=0.5, document_weight=0.25) == [
        4 + 2 + 1, 1 + 2 + 1, 2 + 1 + 1, 3 + 1.5 + 0.75
    ]  # fmt: skip


def test_the_weights_are_those_that_were_measured() -> None:
    assert propagate([(1.0, "s", "d"), (0.0, "s", "d"), (0.0, "t", "d")]) == pytest.approx(
        [1.6, 0.6, 0.2]
    )


def test_what_is_none_is_by_itself() -> None:
    """Without a section it still is in its document; without a document it is in nothing."""
    found: Found = [(8.0, "s", "d"), (1.0, None, "d"), (4.0, "s", None), (1.0, "s", None)]
    got = propagate([*found, (1.0, None, None)], section_weight=1, document_weight=0.5)
    assert got == [8 + 8 + 4, 1 + 1 + 4, 10, 2.5, 2.5]


@given(FOUND, WEIGHTS, WEIGHTS)
def test_scores_are_those_of_the_definition(found: Found, section: float, document: float) -> None:
    """Of which it follows that the best stays the best, and that no zero or unit matters."""

    def best(of_section: str | None, of_document: str | None) -> float:
        return max(score for score, s, d in found if d == of_document and of_section in {s, "any"})

    expected = [
        score * (1 + section + document)
        if d is None
        else score + section * (score if s is None else best(s, d)) + document * best("any", d)
        for score, s, d in found
    ]
    assert propagate(found, section_weight=section, document_weight=document) == expected


@pytest.mark.parametrize("field", ["section_weight", "document_weight"])
@pytest.mark.parametrize("weight", [-0.1, inf, -inf, nan])
def test_weights_that_are_not_allowed_are_named(field: str, weight: float) -> None:
    with pytest.raises(ConfigurationError, match="allowed: a finite number of at least 0") as error:
        propagate_scores([], **{field: weight})  # type: ignore[arg-type]
    assert error.value.field == field
    with pytest.raises(InputTypeError, match=f"{field} is '1'"):
        propagate_scores([], **{field: "1"})  # type: ignore[arg-type]


@pytest.mark.parametrize("score", [inf, -inf, nan])
def test_scores_are_finite(score: float) -> None:
    with pytest.raises(ConfigurationError, match=r"score is .*; allowed: a finite number"):
        propagate([(1.0, "a", "a"), (score, "b", "b")])
    with pytest.raises(InputTypeError, match="score is None; allowed: a finite number"):
        propagate([(None, "a", "a")])  # type: ignore[list-item]


def test_numbers_of_any_kind_are_scores() -> None:
    """Those of numpy are real numbers too, as fractions are."""
    found: Found = [(Fraction(1, 2), "s", "d"), (1, "s", "d")]  # type: ignore[list-item]
    assert propagate(found) == pytest.approx([1.1, 1.6])


def test_hits_are_ranked_by_propagated_scores() -> None:
    hits = hits_of([(1, "s", "x"), (0.6, None, "y"), (0.5, "s", "x"), (0.5, None, "x")])
    ranked = propagate_scores(hits)
    assert [one.node_id for one in ranked] == ["0", "2", "1", "3"]
    expected = [1.6, 0.5 + 0.4 * 1 + 0.2 * 1, 0.6 * 1.6, 0.5 + 0.4 * 0.5 + 0.2 * 1]
    assert [one.score for one in ranked] == pytest.approx(expected)


def test_hits_behind_the_best_stay_there_in_order() -> None:
    scores = ((1, "x"), (0.81, "y"), (0.8, "x"), (0.8, "x"), (0.7, "x"))
    hits = hits_of([(score, None, document) for score, document in scores])
    assert [one.node_id for one in propagate_scores(hits, top_k=2)] == ["0", "1", "2", "3", "4"]
    assert [one.node_id for one in propagate_scores(hits)] == ["0", "2", "3", "1", "4"]
    with pytest.raises(ConfigurationError, match="top_k"):
        propagate_scores(hits, top_k=-1)


@given(FOUND, st.integers(0, 12), st.randoms())
def test_ranking_does_not_depend_on_the_order_of_what_was_found(
    found: Found, top_k: int, random: Random
) -> None:
    """Equal scores are ranked by document and start, which no two hits have in common."""
    hits = hits_of(found)
    got = propagate_scores(hits, top_k=top_k)
    assert got == propagate_scores(random.sample(hits, len(hits)), top_k=top_k)
    keys = [(-hit.score, hit.document_id, hit.span.start) for hit in got]
    assert keys == sorted(keys)
