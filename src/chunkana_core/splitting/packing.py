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
    the cuts. Of the cuts that are equal in that, those are taken that make the most even sizes:
    from the last part to the first, each is as near as possible to the mean size of those before
    it; ties take the earliest cut. A unit over the limit is a part of its own.

    Two neighbouring parts never fit together, so that the starts that are looked at for a part
    lie in it and in the one before: that is linear, too.
    """
    packing = _Packing.of(row, limit, minimum)
    parts = []
    stop = len(row.ends)
    while stop:
        start = packing.most_even_start(stop)
        parts.append(range(start, stop))
        stop = start
    return parts[::-1]


class _Packing(Struct, frozen=True):
    """The least costs of a row's first units, for each number of them.

    Attributes:
        row: the units.
        limit: the largest size of a part of several units.
        minimum: the size under which a part is small.
        least: by number of units, their least cost: f below.
        keys: by unit, the least cost of those before it and of the cut: f(k) + costs[k].
    """

    row: Row
    limit: int
    minimum: int
    least: Sequence[int]
    keys: Sequence[int]

    @classmethod
    def of(cls, row: Row, limit: int, minimum: int) -> _Packing:
        """Return the least costs of a row; [...] is 1 where that is true and else 0.

            f(0) = 0
            f(n) = min { f(k) + costs[k] + PART + SMALL_PART * [own_size(k, n - 1) < minimum] }
                   over k < n with size(k, n - 1) <= limit, and k = n - 1; costs[0] counts as 0

        Since begins and ends never decrease, the k that are within the limit and those whose part
        is large enough are windows that only move forward. A queue for each keeps the k with the
        least `f(k) + costs[k]` in front, so that the whole is linear in the number of units. The
        first part is apart from them: without its headings it may be smaller than the next one.
        """
        least, keys = [0], []
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
            choices = [keys[large[0]] + PART] if large else []
            if small:
                choices.append(keys[small[0]] + PART + SMALL_PART)
            if not last or end - row.begins[0] <= limit:
                choices.append(PART + SMALL_PART * (row.own_size(0, last) < minimum))
            least.append(min(choices))
        return cls(row, limit, minimum, least, keys)

    def most_even_start(self, stop: int) -> int:
        """Return where the last part of the first so many units starts, of those of least cost."""
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
    """Append a unit to a queue, in place of those at its end that cost more."""
    while queue and keys[queue[-1]] > keys[unit]:
        queue.pop()
    queue.append(unit)
