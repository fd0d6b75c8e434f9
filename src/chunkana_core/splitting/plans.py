"""Plan the cuts of a draft from the estimated sizes of its units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

from msgspec import Struct

from chunkana_core.document.blocks import BlockKind
from chunkana_core.drafting import costs
from chunkana_core.drafting.strategies import BaseStrategy
from chunkana_core.splitting.draft_units import DraftUnits, is_lead_in
from chunkana_core.splitting.packing import UnitRow, least_cost_cuts
from chunkana_core.splitting.units import Unit

_FREE_CUT_KINDS = {BlockKind.HEADING, BlockKind.THEMATIC_BREAK}  # a cut before them is free


class PackedUnits(NamedTuple):
    """Consecutive units, their sizes and costs of cuts, the limit, and their parts."""

    units: Sequence[Unit]
    row: UnitRow
    limit: int
    parts: Sequence[range]


class Plan(Struct, frozen=True):
    """Plans where to cut one draft.

    Attributes:
        draft_units: makes the units of the draft.
        strategy: adds to the costs of cuts.
        minimum: the size under which a part is small.
        unit_margin: the amount by which the size of every unit is overestimated.
        is_unpacked: whether every unit becomes a part of its own.
    """

    draft_units: DraftUnits
    strategy: BaseStrategy
    minimum: int
    unit_margin: int = 0
    is_unpacked: bool = False

    def parts(self) -> Iterator[tuple[Unit, Unit]]:
        """Yield the first and the last unit of each part."""
        for row in self.rows():
            for part in row.parts:
                yield row.units[part[0]], row.units[part[-1]]

    def rows(self) -> Iterator[PackedUnits]:
        """Yield each oversize atom, and the units between oversize atoms with their parts."""
        limit = self.draft_units.limit - self.draft_units.contents.largest_stack_size
        numbered = enumerate(self.draft_units.units())
        # The key of an oversize atom is its number, so that it is alone in its group.
        for _, group in groupby(numbered, key=lambda item: item[1].oversize_reason and item[0]):
            units = [unit for _, unit in group]
            row = self._row(units)
            if self.is_unpacked:
                parts = [range(number, number + 1) for number in range(len(units))]
            else:
                parts = least_cost_cuts(row, limit, self.minimum)
            yield PackedUnits(units, row, limit, parts)

    def _row(self, units: Sequence[Unit]) -> UnitRow:
        """Return the sizes of units, including repeated text, and the costs of cuts."""
        contents, margin = self.draft_units.contents, self.unit_margin
        size_of, largest = (
            self.draft_units.maker.sizes.sizer.added_size,
            contents.largest_stack_size,
        )
        begins, ends = [], []
        sizes = zip(units, *self._cumulative_sizes(units), strict=True)
        for number, (unit, begin, end) in enumerate(sizes):
            repeated = contents.repeated_size(unit) + size_of(unit.repeats.lead)
            begins.append(begin + number * margin + largest - repeated)
            ends.append(end + (number + 1) * margin + size_of(unit.repeats.tail))
        starts_draft = units[0].span.start == contents.span.start
        return UnitRow(
            begins=list(accumulate(reversed(begins), min))[::-1],
            ends=list(accumulate(ends, max)),
            costs=[0, *(self._cost(left, right) for left, right in pairwise(units))],
            headings=max(0, contents.headings_size - largest) if starts_draft else 0,
        )

    def _cumulative_sizes(self, units: Sequence[Unit]) -> tuple[list[int], list[int]]:
        """Return for each unit the cumulative sizes of the text up to its start and to its end."""
        sizes = self.draft_units.maker.sizes
        if sizes.sizer.is_exact:
            return [unit.span.start for unit in units], [unit.span.end for unit in units]
        begins, ends = [0], []
        for unit, following in zip(units, [*units[1:], None], strict=True):
            ends.append(begins[-1] + sizes.of_span(unit.span.start, unit.span.end))
            if following is not None:
                gap = sizes.of_gap(unit.span.end, following.span.start)
                begins.append(ends[-1] - sizes.sizer.overhead + gap)
        # The sum of many small sizes may be far over the known size of the blocks.
        total, estimate = sizes.of_blocks(units[0].first, units[-1].stop), max(1, ends[-1])
        if total < estimate:
            begins = [begin * total // estimate for begin in begins]
            ends = [-(-end * total // estimate) for end in ends]
        return begins, ends

    def _cost(self, left: Unit, right: Unit) -> int:
        """Return the cost of a cut between two neighbouring units."""
        if right.starts is None:
            return right.cost
        if right.starts in _FREE_CUT_KINDS:
            return costs.BEFORE_HEADING
        is_led_in = is_lead_in(self.draft_units.contents.document, left, right)
        lead_in = costs.LEAD_IN if is_led_in else 0
        return right.cost + lead_in + self.strategy.binding(left.kind, right.starts)
