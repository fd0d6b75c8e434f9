"""Scores of a search by meaning and of one by words, made into one ranking."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from math import isfinite
from numbers import Real
from typing import TypeGuard, TypeVar

from chunkana_retrieval.checks import require_number

K = TypeVar("K", bound=Hashable)

# Added to a rank, from 0, whose reciprocal stands for a score. The 60 of reciprocal rank fusion
# makes all ranks nearly equal.
_RANK_OFFSET = 5


def fuse(
    dense: Mapping[K, float | None],
    lexical: Mapping[K, float | None],
    lexical_weight: float = 0.5,
    *,
    left_out: int = 0,
) -> dict[K, float]:
    """Return the weighted sum of two searches' scores for one question, each as shares of its best.

    `(1 - lexical_weight) * share of the best dense score + lexical_weight * share of the best
    lexical one`. A share is

    - `score / best` where a higher score is better; less than nothing counts as nothing;
    - `best / score` of distances: numbers that rise, the best being given first. Rising from below
      zero, they are negated similarities;
    - `5 / (5 + rank)`, ranks from 0, where one is None or no finite number, as they are given,
      and where the best is not above zero, by score; nothing where all scores are zero.

    What a search did not find counts as the worst that it found, for all that is known is that it
    is no better. It counts as nothing if the search found less than the other one, and so has
    nothing more to give: ask both for as many.

    Args:
        dense: scores by id, the best first.
        lexical: scores by id, the best first.
        lexical_weight: from 0, for the dense ranking, to 1, for the lexical one.
        left_out: how many more the dense search found, which are not to be in the ranking.

    Returns:
        Scores from 0 to 1 by id, the best first; of equal ones, what was found by the searches of
        more weight, then in the order of the dense search and of the lexical one.

    Raises:
        ConfigurationError: for a weight out of range.

    >>> fuse({"a": 1.0, "b": 0.5}, {"b": 12.0, "c": 3.0})
    {'b': 0.75, 'a': 0.625, 'c': 0.375}
    """
    require_number("lexical_weight", lexical_weight, 0, 1, "a number from 0 to 1")
    fused: dict[K, float] = dict.fromkeys((*dense, *lexical), 0.0)
    weights = dict(fused)  # of the searches that found them
    counts = (len(dense) + left_out, len(lexical))
    for scores, count, weight in (
        (dense, counts[0], 1 - lexical_weight),
        (lexical, counts[1], lexical_weight),
    ):
        shares = dict(zip(scores, _shares([*scores.values()]), strict=True))
        lowest = min(shares.values(), default=0.0) if count == max(counts) else 0.0
        for key in fused:
            fused[key] += weight * shares.get(key, lowest)
            weights[key] += weight if key in shares else 0.0
    order = sorted(fused, key=lambda key: (fused[key], weights[key]), reverse=True)
    return {key: fused[key] for key in order}


def _shares(scores: Sequence[float | None]) -> list[float]:
    """Return scores as shares of the best, from 0 to 1."""
    numbers = [float(score) for score in scores if _is_number(score)]
    if len(numbers) < len(scores) or not numbers:
        return [_share_of_rank(rank) for rank in range(len(scores))]
    if numbers[0] < numbers[-1] and all(a <= b for a, b in pairwise(numbers)):
        if numbers[0] > 0:
            return [numbers[0] / number for number in numbers]
        numbers = [-number for number in numbers]
    best = max(numbers)
    if best > 0:
        return [max(0.0, number / best) for number in numbers]
    return _shares_of_ranks(numbers) if any(numbers) else numbers


def _shares_of_ranks(numbers: Sequence[float]) -> list[float]:
    """Return what stands for scores: equal ones have one rank."""
    ranks: dict[float, int] = {}
    for rank, number in enumerate(sorted(numbers, reverse=True)):
        ranks.setdefault(number, rank)
    return [_share_of_rank(ranks[number]) for number in numbers]


def _share_of_rank(rank: int) -> float:
    return _RANK_OFFSET / (_RANK_OFFSET + rank)


def _is_number(score: object) -> TypeGuard[float]:
    return not isinstance(score, bool) and isinstance(score, Real) and isfinite(score)
