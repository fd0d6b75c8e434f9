"""Least-cost cuts that divide a row of units into parts under a size limit."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

Cost: TypeAlias = tuple[int, int, int]
"""The number of small parts, the number of parts, and the sum of the costs of cuts."""
ONE_PART: Cost = 0, 1, 0


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
        through: by unit k, the least cost of all parts up to one that starts there and is not
            small: f(k) + (0, 1, costs[k]).
    """

    row: UnitRow
    limit: int
    minimum: int
    least: Sequence[Cost]
    through: Sequence[Cost]

    @classmethod
    def of(cls, row: UnitRow, limit: int, minimum: int) -> _LeastCosts:
        """Return the least costs of a row; costs are added and compared as `Cost`.

            f(0) = (0, 0, 0)
            f(n) = min { f(k) + (own_size(k, n - 1) < minimum, 1, costs[k]) }
                   over k < n with size(k, n - 1) <= limit, and k = n - 1; costs[0] counts as 0

        Since `begins` and `ends` never decrease, the k within the limit with a small part, and
        those with a large enough part, are two windows that only move forward, so that the time is
        linear in the number of units. The part that starts at unit 0 is treated separately, since
        its own size does not count its headings.
        """
        begins, least, through = row.begins, [(0, 0, 0)], [ONE_PART]
        large, small = _Window(through), _Window(through)
        fitting = too_small = 1  # the first k within the limit, the first k with a small part
        for last, end in enumerate(row.ends):
            choices = []
            if last:
                small_parts, parts, cuts = least[last]
                through.append((small_parts, parts + 1, cuts + row.costs[last]))
                small.add(last)
            while too_small <= last and end - begins[too_small] >= minimum:
                large.add(too_small)
                too_small += 1
            while fitting < last and end - begins[fitting] > limit:
                fitting += 1
            if (start := large.cheapest_from(fitting)) is not None:
                choices.append(through[start])
            if (start := small.cheapest_from(max(fitting, too_small))) is not None:
                choices.append(_with_small_part(through[start]))
            if not last or end - begins[0] <= limit:
                is_small = row.own_size(0, last) < minimum
                choices.append(_with_small_part(ONE_PART) if is_small else ONE_PART)
            least.append(min(choices))
        return cls(row, limit, minimum, least, through)

    def most_even_start(self, stop: int) -> int:
        """Return where the last part of the first `stop` units starts: least cost, then even."""
        row, last, least = self.row, stop - 1, self.least[stop]
        others = least[1] - 1
        best: list[tuple[int, int]] = []
        for start in range(last, -1, -1):
            size = row.size(start, last)
            if start < last and size > self.limit:
                break
            is_small = row.own_size(start, last) < self.minimum
            cost = self.through[start]
            if (_with_small_part(cost) if is_small else cost) == least:
                before = row.size(0, start - 1) if start else 0
                best.append((abs(size * others - before), start))
        return min(best)[1]


def _with_small_part(cost: Cost) -> Cost:
    """Return the cost of parts of which the last is small, from the cost if it were not."""
    small_parts, parts, cuts = cost
    return small_parts + 1, parts, cuts


class _Window:
    """The starts of parts in a window that moves forward; finds the one with the least cost.

    A start that costs more than a later one is never found again, and left out.
    """

    def __init__(self, costs: Sequence[Cost]) -> None:
        self._costs = costs
        self._starts: deque[int] = deque()

    def add(self, start: int) -> None:
        """Add a start at the end of the window."""
        starts, costs = self._starts, self._costs
        while starts and costs[starts[-1]] > costs[start]:
            starts.pop()
        starts.append(start)

    def cheapest_from(self, first: int) -> int | None:
        """Remove the starts before a unit; return the cheapest one, None if there is none."""
        while self._starts and self._starts[0] < first:
            self._starts.popleft()
        return self._starts[0] if self._starts else None
