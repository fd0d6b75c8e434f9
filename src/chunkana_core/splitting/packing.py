"""Least-cost cuts: how to divide a row of units into parts under a size limit."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from msgspec import Struct

from chunkana_core.drafting.costs import PART, SMALL_PART


class Row(Struct, frozen=True):
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

    def size(self, first: int, last: int) -> int:
        """Return the size of a part, both units included."""
        return self.ends[last] - self.begins[first]

    def own_size(self, first: int, last: int) -> int:
        """Return the size of a part, both units included, without leading headings."""
        return self.size(first, last) - (0 if first else self.headings)


def least_cost_cuts(row: Row, limit: int, minimum: int) -> list[range]:
    """Return the parts, as ranges of units.

    Minimised are, in this order, the parts smaller than `minimum`, the parts, and the costs of
    the cuts; ties take the earliest cuts. A unit over the limit is a part of its own. With `f(n)`
    for the least cost of the first n units, and [...] for 1 where that is true and else 0:

        f(0) = 0
        f(n) = min { f(k) + costs[k] + PART + SMALL_PART * [own_size(k, n - 1) < minimum] }
               over k < n with size(k, n - 1) <= limit, and k = n - 1; costs[0] counts as 0

    Since begins and ends never decrease, the k that are within the limit and those whose part is
    large enough are windows that only move forward. A queue for each keeps the k with the least
    `f(k) + costs[k]` in front, so that the whole is linear in the number of units. The first part
    is apart from them: without its headings it may be smaller than the next one.
    """
    least = [0]  # f
    starts: list[int] = []  # for each unit, where the part starts that ends with it
    keys: list[int] = []  # f(k) + costs[k]
    large: deque[int] = deque()
    small: deque[int] = deque()
    fitting = too_small = 1  # the first k within the limit, the first with too small a part
    for last, end in enumerate(row.ends):
        keys.append(least[last] + row.costs[last] if last else 0)
        if last:
            _append(small, keys, last)
        while too_small <= last and end - row.begins[too_small] >= minimum:
            _append(large, keys, too_small)
            too_small += 1
        while fitting < last and end - row.begins[fitting] > limit:
            fitting += 1
        while large and large[0] < fitting:
            large.popleft()
        while small and (small[0] < fitting or small[0] < too_small):
            small.popleft()
        choices = [(keys[large[0]] + PART, large[0])] if large else []
        if small:
            choices.append((keys[small[0]] + PART + SMALL_PART, small[0]))
        if not last or end - row.begins[0] <= limit:
            choices.append((PART + SMALL_PART * (row.own_size(0, last) < minimum), 0))
        cost, start = min(choices)
        least.append(cost)
        starts.append(start)
    return _parts(starts)


def _append(queue: deque[int], keys: Sequence[int], unit: int) -> None:
    """Append a unit to a queue, in place of those at its end that cost more."""
    while queue and keys[queue[-1]] > keys[unit]:
        queue.pop()
    queue.append(unit)


def _parts(starts: Sequence[int]) -> list[range]:
    """Follow the starts of parts back from the last unit."""
    parts = []
    stop = len(starts)
    while stop:
        parts.append(range(starts[stop - 1], stop))
        stop = starts[stop - 1]
    return parts[::-1]
