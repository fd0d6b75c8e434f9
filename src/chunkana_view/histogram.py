"""How many leaves have which size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_BINS = 20  # up to the limit


@dataclass(frozen=True, slots=True)
class Bin:
    """Leaves of about one size.

    Attributes:
        low: the least size.
        high: the largest one.
        count: how many leaves.
        share: their number, as a share of the fullest bin's.
        is_over: whether the sizes are over the limit.
    """

    low: int
    high: int
    count: int
    share: float
    is_over: bool = False

    @property
    def label(self) -> str:
        """Sizes and number in words."""
        chunks = "chunk" if self.count == 1 else "chunks"
        return f"{self.low:,}–{self.high:,}: {self.count:,} {chunks}"


def histogram(sizes: Sequence[int], limit: int) -> tuple[Bin, ...]:
    """Count sizes in bins of one width up to a limit, and in one bin for all that are over it."""
    counts = [0] * _BINS
    over = [size for size in sizes if size > limit]
    for size in sizes:
        if size <= limit:
            counts[_bin(size, limit)] += 1
    fullest = max(*counts, len(over), 1)
    edges = [-(-limit * n // _BINS) for n in range(_BINS + 1)]
    bins = [
        Bin(edges[n] + 1, edges[n + 1], count, count / fullest) for n, count in enumerate(counts)
    ]
    if over:
        bins.append(Bin(limit + 1, max(over), len(over), len(over) / fullest, is_over=True))
    return tuple(bins)


def _bin(size: int, limit: int) -> int:
    """Return the bin of a size: each holds the sizes after the edge before it, up to its own."""
    return max(0, -(-size * _BINS // limit) - 1)
