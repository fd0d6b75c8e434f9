"""Least-cost cuts that divide a row of units into parts under a size limit."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from msgspec import Struct

from chunkana_core.drafting.costs import PART, SMALL_PART


class UnitRow(Struct, frozen=True):
    """The cumulative sizes of consecutive units and the costs of cuts before them.

    All sequences have the same length.

    Attributes:
        begins: the size of the text before each unit; never decreases.
        ends: the size up to the end of each unit, without the white space after it.
        costs: the cost of a cut before each unit; that of the first unit is not used.
        headings: the size of the headings at the start of the first unit.
    """

    begins: Sequence[int]
    ends: Sequence[int]
    costs: Sequence[int]
    headings: int = 0

    def size(self, first: int, last: int) -> int:
        """Return the size of the part from one unit to another, both included."""
        return self.ends[last] - self.begins[first]

    def own_size(self, first: int, last: int) -> int:
        """Return the size of the part from one unit to another, without headings at its start."""
        return self.size(first, last) - (0 if first else self.headings)


def least_cost_cuts(row: UnitRow, limit: int, minimum: int) -> list[range]:
    """Return the parts, as ranges of units.

    The number of parts smaller than `minimum`, the number of parts, and the sum of the costs are
    minimised in this order. Among equal solutions, the sizes are as even as possible: from the last
    part to the first, each is as near as possible to the mean size of the parts before it; of equal
    ones, the earliest cut is taken. A unit over the limit is a part of its own.

    This takes linear time: two neighbouring parts never fit together, so that the starts considered
    for a part are in the part itself and in the part before it.
    """
    least_costs = _LeastCosts.of(row, limit, minimum)
    parts = []
    stop = len(row.ends)
    while stop:
        start = least_costs.most_even_start(stop)
        parts.append(range(start, stop))
        stop = start
    return parts[::-1]


class _LeastCosts(Struct, frozen=True):
    """The least cost of dividing the first n units of a row, for each n.

    Attributes:
        row: the sizes of the units and the costs of cuts.
        limit: the largest size of a part of several units.
        minimum: the size under which a part is small.
        least: by number of units n, the least cost f(n) as defined in `of`.
        keys: by unit k, the least cost with a cut before it: f(k) + costs[k].
    """

    row: UnitRow
    limit: int
    minimum: int
    least: Sequence[int]
    keys: Sequence[int]

    @classmethod
    def of(cls, row: UnitRow, limit: int, minimum: int) -> _LeastCosts:
        """Return the least costs of a row; [...] is 1 if the condition is true, else 0.

            f(0) = 0
            f(n) = min { f(k) + costs[k] + PART + SMALL_PART * [own_size(k, n - 1) < minimum] }
                   over k < n with size(k, n - 1) <= limit, and k = n - 1; costs[0] counts as 0

        Since `begins` and `ends` never decrease, the k within the limit with a small part, and
        those with a large enough part, are two windows that only move forward. A queue for each
        has the k with the least `f(k) + costs[k]` at its front, so that the time is linear in the
        number of units. The part that starts at unit 0 is treated separately, since its own size
        does not count its headings.
        """
        least, keys = [0], []
        large: deque[int] = deque()
        small: deque[int] = deque()
        fitting = too_small = 1  # the first k within the limit, the first k with a small part
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
            choices = [keys[large[0]] + PART] if large else []
            if small:
                choices.append(keys[small[0]] + PART + SMALL_PART)
            if not last or end - row.begins[0] <= limit:
                choices.append(PART + SMALL_PART * (row.own_size(0, last) < minimum))
            least.append(min(choices))
        return cls(row, limit, minimum, least, keys)

    def most_even_start(self, stop: int) -> int:
        """Return where the last part of the first `stop` units starts: least cost, then even."""
        row, last, least = self.row, stop - 1, self.least[stop]
        others = least % SMALL_PART // PART - 1
        best: list[tuple[int, int]] = []
        for start in range(last, -1, -1):
            size = row.ends[last] - row.begins[start]
            if start < last and size > self.limit:
                break
            own_size = size if start else size - row.headings
            cost = self.keys[start] + PART + (SMALL_PART if own_size < self.minimum else 0)
            if cost == least:
                before = row.size(0, start - 1) if start else 0
                best.append((abs(size * others - before), start))
        return min(best)[1]


def _append(queue: deque[int], keys: Sequence[int], unit: int) -> None:
    """Append a unit to a queue after removing the units at its end that have larger keys."""
    while queue and keys[queue[-1]] > keys[unit]:
        queue.pop()
    queue.append(unit)
