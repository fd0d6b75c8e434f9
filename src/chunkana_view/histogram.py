"""The histogram of the sizes of leaves."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

_BINS = 20  # up to the limit


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of the histogram.

    Attributes:
        low: the smallest size.
        high: the largest size.
        count: the number of leaves.
        share: the count divided by that of the fullest bin.
        is_over: whether the sizes are over the limit.
    """

    low: int
    high: int
    count: int
    share: float
    is_over: bool = False

    @property
    def label(self) -> str:
        """The sizes and the count in words."""
        chunks = "chunk" if self.count == 1 else "chunks"
        return f"{self.low:,}–{self.high:,}: {self.count:,} {chunks}"


def histogram(sizes: Sequence[int], limit: int) -> tuple[Bin, ...]:
    """Count sizes in bins of equal width up to a limit, and one more bin for larger sizes."""
    counts = [0] * _BINS
    edges = [-(-limit * n // _BINS) for n in range(_BINS + 1)]  # the largest sizes, from 0 on
    over = [size for size in sizes if size > limit]
    for size in sizes:
        if size <= limit:
            counts[max(0, bisect_left(edges, size) - 1)] += 1
    fullest = max(*counts, len(over), 1)
    bins = [
        Bin(edges[n] + 1, edges[n + 1], count, count / fullest) for n, count in enumerate(counts)
    ]
    if over:
        bins.append(Bin(limit + 1, max(over), len(over), len(over) / fullest, is_over=True))
    return tuple(bins)
