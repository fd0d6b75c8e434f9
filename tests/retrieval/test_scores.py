"""`propagate_scores`: what is near a good passage is lifted, and nothing else changes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, nan
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ConfigurationError, InputTypeError
from chunkana_retrieval import Hit, Place, propagate_hits, propagate_scores, rank_scores

# In these, sums and products of a few are exact.
NUMBERS = st.integers(-1000, 1000).map(lambda number: number / 8)
WEIGHTS = st.integers(0, 16).map(lambda number: number / 8)
GROUPS = st.sampled_from([None, "a", "b", "c"])
FOUND = st.lists(st.tuples(NUMBERS, GROUPS, GROUPS), min_size=1, max_size=12)
Found = list[tuple[float, str | None, str | None]]


def order(scores: Sequence[float]) -> list[int]:
    """Return the positions of scores, the best first, equal ones as they stand."""
    return sorted(range(len(scores)), key=lambda position: -scores[position])


def propagate(found: Found, **weights: float) -> list[float]:
    """Propagate the scores of what was found: score, section and document."""
    scores, sections, documents = zip(*found, strict=True)
    return propagate_scores(scores, sections, documents, **weights)


def test_the_best_of_section_and_document_are_added() -> None:
    found: Found = [(4.0, "s", "d"), (1.0, "s", "d"), (2.0, "t", "d"), (3.0, "s", "e")]
    assert propagate(found, section_weight=0.5, document_weight=0.25) == [
        4 + 2 + 1, 1 + 2 + 1, 2 + 1 + 1, 3 + 1.5 + 0.75
    ]  # fmt: skip


def test_the_weights_are_those_that_were_measured() -> None:
    assert propagate([(1.0, "s", "d"), (0.0, "s", "d"), (0.0, "t", "d")]) == pytest.approx(
        [1.6, 0.6, 0.2]
    )


def test_sections_of_one_name_in_two_documents_are_two() -> None:
    assert propagate([(8.0, "s", "d"), (1.0, "s", "e")], document_weight=0) == pytest.approx(
        [11.2, 1.4]
    )


def test_what_is_none_is_by_itself() -> None:
    """Without a section it still is in its document; without a document it is in nothing."""
    found: Found = [(8.0, "s", "d"), (1.0, None, "d"), (4.0, "s", None), (1.0, "s", None)]
    got = propagate([*found, (1.0, None, None)], section_weight=1, document_weight=0.5)
    assert got == [8 + 8 + 4, 1 + 1 + 4, 10, 2.5, 2.5]


def test_nothing_found_gives_nothing() -> None:
    assert propagate_scores([], [], []) == []


@given(FOUND, WEIGHTS, WEIGHTS)
def test_the_best_stays_the_best(found: Found, section: float, document: float) -> None:
    got = propagate(found, section_weight=section, document_weight=document)
    scores = [score for score, _, _ in found]
    assert got[scores.index(max(scores))] == max(got)


@given(FOUND, WEIGHTS, WEIGHTS, NUMBERS, st.sampled_from([0.125, 0.5, 3.0, 64.0]))
def test_the_order_is_that_of_scores_shifted_and_multiplied(
    found: Found, section: float, document: float, shift: float, factor: float
) -> None:
    """So that neither where a kind of scores starts nor its unit matters."""
    moved = [(score * factor + shift, s, d) for score, s, d in found]
    weights = {"section_weight": section, "document_weight": document}
    assert order(propagate(moved, **weights)) == order(propagate(found, **weights))


@given(FOUND)
def test_weights_of_0_change_nothing(found: Found) -> None:
    assert propagate(found, section_weight=0, document_weight=0) == [score for score, _, _ in found]


@given(st.lists(NUMBERS, max_size=12), WEIGHTS, WEIGHTS)
def test_passages_that_are_each_alone_keep_their_order(
    scores: list[float], section: float, document: float
) -> None:
    weights = {"section_weight": section, "document_weight": document}
    nothing = [None] * len(scores)
    alone = propagate_scores(scores, nothing, nothing, **weights)
    assert order(alone) == order(scores)
    apart = range(len(scores))
    assert propagate_scores(scores, ["s"] * len(scores), apart, **weights) == alone


@given(FOUND, WEIGHTS, WEIGHTS)
def test_in_one_section_the_order_stays(found: Found, section: float, document: float) -> None:
    got = propagate(found, section_weight=section, document_weight=document)
    for place in {tuple(place) for _, *place in found}:
        among = [n for n, (_, *other) in enumerate(found) if tuple(other) == place]
        assert order([got[n] for n in among]) == order([found[n][0] for n in among])


@given(FOUND, st.lists(NUMBERS, max_size=4))
def test_worse_passages_that_stand_alone_stay_behind(found: Found, worse: list[float]) -> None:
    """As do those that a retriever leaves out of propagation: at best, they draw level."""
    least = min(score for score, _, _ in found)
    behind: Found = [(min(score, least), None, None) for score in worse]
    got = propagate([*found, *behind], section_weight=0.5, document_weight=0.25)
    assert max(got[len(found) :], default=-inf) <= min(got[: len(found)])


@pytest.mark.parametrize("field", ["sections", "documents"])
def test_lengths_that_differ_are_named(field: str) -> None:
    arguments: dict[str, Any] = {"sections": ["s"], "documents": ["d"], field: []}
    with pytest.raises(
        ConfigurationError, match=rf"{field} is \[\]; allowed: one for each of 1 scores"
    ) as error:
        propagate_scores([1.0], **arguments)
    assert error.value.field == field


@pytest.mark.parametrize("field", ["section_weight", "document_weight"])
@pytest.mark.parametrize("weight", [-0.1, inf, -inf, nan])
def test_weights_that_are_not_allowed_are_named(field: str, weight: float) -> None:
    with pytest.raises(ConfigurationError, match="allowed: a finite number of at least 0") as error:
        propagate_scores([], [], [], **{field: weight})
    assert error.value.field == field
    with pytest.raises(InputTypeError, match=f"{field} is '1'"):
        propagate_scores([], [], [], **{field: "1"})  # type: ignore[arg-type]


@pytest.mark.parametrize("score", [inf, -inf, nan])
def test_scores_are_finite(score: float) -> None:
    with pytest.raises(ConfigurationError, match=r"scores is .*; allowed: finite numbers"):
        propagate_scores([1.0, score], "ab", "ab")
    with pytest.raises(InputTypeError, match="scores is None; allowed: finite numbers"):
        propagate_scores([None], "a", "a")  # type: ignore[list-item]


def test_numbers_of_any_kind_are_scores() -> None:
    """Those of numpy are real numbers too, as fractions are."""
    assert propagate_scores([Fraction(1, 2), 1], "ss", "dd") == pytest.approx([1.1, 1.6])  # type: ignore[list-item]


def hit(node_id: str, score: float, document_id: str = "x", section_id: str | None = None) -> Hit:
    return Hit(node_id, score, document_id=document_id, section_id=section_id)


def test_hits_are_ranked_by_propagated_scores() -> None:
    hits = [hit("a", 1, "x", "s"), hit("b", 0.6, "y"), hit("c", 0.5, "x", "s"), hit("d", 0.5)]
    ranked = propagate_hits(hits)
    assert [one.node_id for one in ranked] == ["a", "c", "b", "d"]
    expected = propagate_scores([1, 0.5, 0.5, 0.6], ["s", "s", None, None], ["x", "x", "x", "y"])
    assert [one.score for one in ranked][:2] == expected[:2]
    assert ranked[2].score == pytest.approx(0.6 * 1.6)
    assert ranked[3].score == pytest.approx(0.5 + 0.4 * 0.5 + 0.2 * 1)


def test_hits_behind_the_best_stay_there_in_order() -> None:
    hits = [hit("a", 1), hit("b", 0.81, "y"), hit("c", 0.8), hit("d", 0.8), hit("e", 0.7)]
    assert [one.node_id for one in propagate_hits(hits, top_k=2)] == ["a", "b", "c", "d", "e"]
    assert [one.node_id for one in propagate_hits(hits)] == ["a", "c", "d", "b", "e"]
    with pytest.raises(ConfigurationError, match="top_k"):
        propagate_hits(hits, top_k=-1)


@given(FOUND, st.integers(0, 12), st.randoms())
def test_ranking_does_not_depend_on_the_order_of_what_was_found(
    found: Found, top_k: int, random: Random
) -> None:
    """Equal scores are ranked by document and start, which no two passages have in common."""
    passages = [
        (score, Place(document, section, start))
        for start, (score, section, document) in enumerate(found)
    ]
    shuffled = random.sample(passages, len(passages))

    def ranked(given: list[tuple[float, Place]]) -> list[tuple[Place, float]]:
        scores, places = zip(*given, strict=True)
        return [(places[n], score) for n, score in rank_scores(scores, places, top_k=top_k)]

    got = ranked(passages)
    assert got == ranked(shuffled)
    keys = [(-score, place.document or "", place.start) for place, score in got]
    assert keys == sorted(keys)


def test_places_and_scores_are_as_many() -> None:
    with pytest.raises(ConfigurationError, match="places"):
        rank_scores([1.0], [])
