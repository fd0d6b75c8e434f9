"""Least-cost cuts are the best of all, and found in linear time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, SupportsIndex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chunkana_core.splitting.packing import UnitRow, least_cost_cuts

Value = tuple[int, int, int]


def cuts(row: UnitRow, limit: int, minimum: int) -> list[int]:
    """Return the units that the parts start with."""
    parts = least_cost_cuts(row, limit, minimum)
    assert [unit for part in parts for unit in part] == [*range(len(row.ends))]
    return [part.start for part in parts]


@st.composite
def rows(draw: st.DrawFn) -> UnitRow:
    """Make rows of up to nine units with gaps between them; headings are the first so many."""
    sizes = draw(st.lists(st.integers(1, 12), min_size=1, max_size=9))
    gaps = draw(st.lists(st.integers(0, 2), min_size=len(sizes), max_size=len(sizes)))
    costs = draw(
        st.lists(st.sampled_from((0, 1, 3, 20, 60)), min_size=len(sizes), max_size=len(sizes))
    )
    begins, ends, at = [], [], 0
    for size, gap in zip(sizes, gaps, strict=True):
        begins.append(at)
        ends.append(at + size)
        at += size + gap
    return UnitRow(begins, ends, costs, draw(st.integers(0, draw(st.sampled_from(ends)))))


def divisions(count: int) -> Iterator[list[int]]:
    """Yield every way to divide a row, by the units that parts start with."""
    for number in range(count):
        for cuts in combinations(range(1, count), number):
            yield [0, *cuts]


def value(row: UnitRow, starts: Sequence[int], limit: int, minimum: int) -> Value | None:
    """Return what is minimised of a division, in order; None if a part is over the limit."""
    small = 0
    for first, following in pairwise([*starts, len(row.ends)]):
        last = following - 1
        if first != last and row.ends[last] - row.begins[first] > limit:
            return None
        headings = 0 if first else row.headings
        small += row.ends[last] - row.begins[first] - headings < minimum
    return small, len(starts), sum(row.costs[start] for start in starts[1:])


@example(UnitRow([0, 6, 10], [6, 10, 14], [0, 0, 1]), 12, 8)  # a small part that cannot be avoided
@example(UnitRow([0, 4, 5], [4, 5, 13], [3, 3, 3]), 9, 5)  # the first is as large as the minimum
@given(rows(), st.integers(1, 40), st.integers(0, 15))
def test_cuts_are_the_best_of_all(row: UnitRow, limit: int, minimum: int) -> None:
    """No division is better than the one found, nor is one of its equals more even.

    From the last part to the first, each is as near as possible to the mean of those before it.
    """
    found = cuts(row, limit, minimum)
    values = {tuple(d): value(row, d, limit, minimum) for d in divisions(len(row.ends))}
    best = min(v for v in values.values() if v is not None)
    assert values[tuple(found)] == best
    equals = [list(d) for d, v in values.items() if v == best]
    stop = len(row.ends)
    for number in range(len(found) - 1, 0, -1):
        starts = {division[number] for division in equals}
        differences = {
            start: row.size(start, stop - 1) - Fraction(row.size(0, start - 1), number)
            for start in starts
        }
        stop = min(starts, key=lambda start: (abs(differences[start]), start))
        equals = [division for division in equals if division[number] == stop]
    assert [found] == equals


def test_small_parts_count_before_part_count_before_cut_costs() -> None:
    """Small parts outweigh any number of parts, and parts any cost of cuts."""
    row = UnitRow([0, 6, 10], [6, 10, 11], [0, 0, 0])
    assert cuts(row, 10, 3) == [0, 1]  # not [0, 2], whose last part is small
    many = UnitRow([0, 5], [5, 10], [0, 10**9])
    assert cuts(many, 10, 0) == [0]
    assert cuts(many, 9, 0) == [0, 1]


def test_of_equal_cuts_the_most_even_are_taken() -> None:
    """Not those that fill the parts from one end, which leave a small one at the other."""
    tens = UnitRow([*range(0, 120, 10)], [*range(10, 130, 10)], [1] * 12)
    assert cuts(tens, 100, 5) == [0, 6]
    assert cuts(tens, 50, 5) == [0, 4, 8]
    dear = UnitRow(tens.begins, tens.ends, [1, 1, 1, 0, *[1] * 8])
    assert cuts(dear, 100, 5) == [0, 3]  # a cut that costs less comes first


class CountingList(list[int]):
    """A list that counts how often it is asked for an item."""

    asked = 0

    def __getitem__(self, index: SupportsIndex | slice) -> Any:  # noqa: ANN401
        self.asked += 1
        return super().__getitem__(index)


@pytest.mark.parametrize("limit", [1, 10, 1000, 10**9])
@pytest.mark.parametrize(("minimum", "costs"), [(0, (1, 3)), (9, (1, 1)), (700, (0, 0, 7))])
def test_work_is_linear(limit: int, minimum: int, costs: tuple[int, ...]) -> None:
    """Whatever the limit, each unit is looked at a few times."""
    for count in (500, 4000):
        begins = CountingList(range(0, 3 * count, 3))
        row = UnitRow(begins, range(2, 3 * count, 3), [costs[n % len(costs)] for n in range(count)])
        cuts(row, limit, minimum)
        assert begins.asked < 12 * count


def test_a_unit_over_the_limit_is_a_part_of_its_own() -> None:
    assert cuts(UnitRow([0, 5, 105], [5, 105, 110], [0, 1, 1]), 10, 0) == [0, 1, 2]
    assert cuts(UnitRow([0], [50], [0]), 10, 5) == [0]
    assert cuts(UnitRow([], [], []), 10, 5) == []
