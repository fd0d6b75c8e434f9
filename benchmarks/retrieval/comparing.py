"""Paired comparison: how sure a difference is, given that other questions might have been asked."""

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
    """The difference of two means, and the bounds that hold 95 % of its resampled values.

    Attributes:
        ratio: of the first mean to the second.
        low: the lower bound of the difference.
        high: the upper bound.
    """

    ratio: float
    low: float
    high: float

    def __str__(self) -> str:
        """Write ratio and bounds."""
        return f"×{self.ratio:.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def difference(ours: Numbers, theirs: Numbers) -> Difference:
    """Resample the questions of two paired measurements."""
    random = np.random.default_rng(_SEED)
    chosen = random.integers(len(ours), size=(_RESAMPLES, len(ours)))
    low, high = np.percentile((ours - theirs)[chosen].mean(axis=1), _BOUNDS)
    return Difference(float(ours.mean() / theirs.mean()), float(low), float(high))
