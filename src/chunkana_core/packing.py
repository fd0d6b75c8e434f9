"""Least-cost cuts: how to divide a row of units into parts under a size limit."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunkana_core.fast_init import fast_init

# One number holds all that is minimised; each kind outweighs any sum of those below it.
PART = 1 << 44
SMALL_PART = 1 << 84


@fast_init
@dataclass(frozen=True, slots=True)
class Row:
    """Units in a row, by their cumulative sizes; all sequences are of one length.

    Attributes:
        begins: the size of all before each unit; it never decreases.
        ends: the size up to the end of each unit, without the white space that follows.
        costs: what it costs to cut before each unit; that of the first is not used.
        headings: the size of the headings that the first unit starts with.
    """

    begins: Sequence[int]
    ends: Sequence[int]
    costs: Sequence[int]
    headings: int = 0

    def own_size(self, first: int, last: int) -> int:
        """Return the size of a part, both units included, without leading headings."""
        return self.ends[last] - self.begins[first] - (0 if first else self.headings)


@dataclass(frozen=True, slots=True)
class Option:
    """A cut that two neighbouring parts could have between them.

    Attributes:
        unit: the first unit after it.
        cost: of the cut.
        small_parts: how many of the two parts are smaller than the minimum.
        over: by how much the larger one is over the limit.
    """

    unit: int
    cost: int
    small_parts: int
    over: int


def least_cost_cuts(row: Row, limit: int, minimum: int) -> list[range]:
    """Return the parts, as ranges of units.

    Minimised are, in this order, the parts smaller than `minimum`, the parts, and the costs of
    the cuts; ties take the earliest cuts. A unit over the limit is a part of its own. Linear in
    the number of units, whatever their sizes: the windows of candidates only move forward.
    """
    count = len(row.ends)
    best = [0] * (count + 1)  # by n, the least cost of the first n units
    starts = [0] * (count + 1)  # and where the last part of that solution starts
    keys = [0]  # by unit, the least cost with a cut before it
    large: deque[int] = deque()  # candidates that make the last part large enough
    small: deque[int] = deque()
    low = split = 1  # the first candidate within the limit, the first that is too small
    for last, end in enumerate(row.ends):
        if last:
            keys.append(best[last] + row.costs[last])
            _offer(small, keys, last)
        while split <= last and row.own_size(split, last) >= minimum:
            _offer(large, keys, split)
            split += 1
        while low < last and end - row.begins[low] > limit:
            low += 1
        while large and large[0] < low:
            large.popleft()
        while small and (small[0] < low or small[0] < split):
            small.popleft()
        costs = [(keys[large[0]] + PART, large[0])] if large else []
        if small:
            costs.append((keys[small[0]] + PART + SMALL_PART, small[0]))
        if not last or end - row.begins[0] <= limit:
            # By itself, for without its headings the first part may be smaller than the next.
            is_small = row.own_size(0, last) < minimum
            costs.append((PART + SMALL_PART * is_small, 0))
        best[last + 1], starts[last + 1] = min(costs)
    return _trace(starts)


def _offer(window: deque[int], keys: list[int], unit: int) -> None:
    while window and keys[window[-1]] > keys[unit]:
        window.pop()
    window.append(unit)


def _trace(starts: list[int]) -> list[range]:
    parts = []
    end = len(starts) - 1
    while end > 0:
        parts.append(range(starts[end], end))
        end = starts[end]
    return parts[::-1]


def options(row: Row, limit: int, minimum: int, left: range, right: range) -> Iterator[Option]:
    """Yield the cuts that two neighbouring parts could have between them, all others unchanged."""
    first, last = left[0], right[-1]
    for unit in range(first + 1, last + 1):
        sizes = row.own_size(first, unit - 1), row.own_size(unit, last)
        larger = max(row.ends[unit - 1] - row.begins[first], row.ends[last] - row.begins[unit])
        small_parts = sum(size < minimum for size in sizes)
        yield Option(unit, row.costs[unit], small_parts, max(0, larger - limit))
