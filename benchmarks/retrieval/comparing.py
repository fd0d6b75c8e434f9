"""Paired comparison of recalls, with confidence intervals by resampling the questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]  # one for each question

_RESAMPLES = 10_000
_SEED = 20_260
_BOUNDS = (2.5, 97.5)  # percentiles


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two means with its 95 % confidence interval.

    Attributes:
        ratio: the first mean divided by the second.
        low: the lower bound of the difference.
        high: the upper bound.
    """

    ratio: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return the ratio and the bounds as text."""
        return f"×{self.ratio:.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def difference(ours: Numbers, theirs: Numbers) -> Difference:
    """Compare two paired measurements by resampling the questions."""
    random = np.random.default_rng(_SEED)
    chosen = random.integers(len(ours), size=(_RESAMPLES, len(ours)))
    low, high = np.percentile((ours - theirs)[chosen].mean(axis=1), _BOUNDS)
    return Difference(float(ours.mean() / theirs.mean()), float(low), float(high))
