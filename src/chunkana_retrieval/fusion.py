"""Fusion of dense and lexical search scores into one ranking."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from math import isfinite
from numbers import Real
from typing import TypeGuard, TypeVar

from chunkana_core.extending import require_number

K = TypeVar("K", bound=Hashable)

# Added to a rank (from 0) before taking the reciprocal, which replaces a score. The usual 60 of
# reciprocal rank fusion makes all ranks nearly equal.
_RANK_OFFSET = 5


def fuse(
    dense: Mapping[K, float | None],
    lexical: Mapping[K, float | None],
    lexical_weight: float = 0.5,
    *,
    left_out: int = 0,
) -> dict[K, float]:
    """Return the weighted sums of the normalised scores of two searches for one question.

    The sum is `(1 - lexical_weight) * dense + lexical_weight * lexical`. The scores of each search
    are normalised to 0 to 1:

    - similarities, where a higher score is better: `score / best`, and 0 for negative scores;
    - distances, which are numbers in ascending order: `best / score`; ascending numbers that start
      at or below zero are treated as negated similarities;
    - `5 / (5 + rank)`, with ranks from 0 in the given order, if a score is None or not finite;
    - `5 / (5 + rank)`, with ranks from 0 by score, if the best score is not above zero;
    - 0, if all scores are zero.

    An id that one search did not find gets the lowest normalised score of that search. It gets 0
    if that search found fewer ids than the other one, because then the search has no more ids to
    find: ask both searches for the same number of ids.

    Args:
        dense: scores by id, the best first.
        lexical: scores by id, the best first.
        lexical_weight: the weight of the lexical scores, from 0 (dense only) to 1 (lexical only).
        left_out: the number of ids that the dense search found besides `dense`, which the ranking
            omits.

    Returns:
        Scores from 0 to 1 by id, the best first. Equal scores are ordered by the total weight of
        the searches that found the id, then as in the dense and the lexical search.

    Raises:
        ConfigurationError: for a weight out of range.

    >>> fuse({"a": 1.0, "b": 0.5}, {"b": 12.0, "c": 3.0})
    {'b': 0.75, 'a': 0.625, 'c': 0.375}
    """
    require_number("lexical_weight", lexical_weight, 0, 1)
    fused: dict[K, float] = dict.fromkeys((*dense, *lexical), 0.0)
    weights = dict(fused)  # by id, the total weight of the searches that found it
    counts = (len(dense) + left_out, len(lexical))
    for scores, count, weight in (
        (dense, counts[0], 1 - lexical_weight),
        (lexical, counts[1], lexical_weight),
    ):
        normalised = dict(zip(scores, _normalise([*scores.values()]), strict=True))
        lowest = min(normalised.values(), default=0.0) if count == max(counts) else 0.0
        for key in fused:
            fused[key] += weight * normalised.get(key, lowest)
            weights[key] += weight if key in normalised else 0.0
    order = sorted(fused, key=lambda key: (fused[key], weights[key]), reverse=True)
    return {key: fused[key] for key in order}


def _normalise(scores: Sequence[float | None]) -> list[float]:
    """Return scores normalised to 0 to 1 by the rules of `fuse`."""
    numbers = [float(score) for score in scores if _is_number(score)]
    if len(numbers) < len(scores) or not numbers:
        return [_rank_score(rank) for rank in range(len(scores))]
    if numbers[0] < numbers[-1] and all(a <= b for a, b in pairwise(numbers)):
        if numbers[0] > 0:
            return [numbers[0] / number for number in numbers]
        numbers = [-number for number in numbers]
    best = max(numbers)
    if best > 0:
        return [max(0.0, number / best) for number in numbers]
    return _rank_scores(numbers) if any(numbers) else numbers


def _rank_scores(numbers: Sequence[float]) -> list[float]:
    """Return scores computed from ranks; equal numbers have the same rank."""
    ranks: dict[float, int] = {}
    for rank, number in enumerate(sorted(numbers, reverse=True)):
        ranks.setdefault(number, rank)
    return [_rank_score(ranks[number]) for number in numbers]


def _rank_score(rank: int) -> float:
    return _RANK_OFFSET / (_RANK_OFFSET + rank)


def _is_number(score: object) -> TypeGuard[float]:
    return not isinstance(score, bool) and isinstance(score, Real) and isfinite(score)
