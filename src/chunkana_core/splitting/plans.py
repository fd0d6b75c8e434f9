"""Plan the cuts of a draft from the estimated sizes of its units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

from msgspec import Struct

from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.sizes import SizeSum
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


class CutPlanner(Struct, frozen=True):
    """Computes where to cut one draft.

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
        limit = self.draft_units.planned_limit - self.draft_units.contents.largest_stack_size
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
        """Return the sizes of units and the costs of cuts.

        The text that a part would repeat before a unit counts as if it were text before the unit,
        so that the size of a part is the difference of two sums; `begins` and `ends` may have to be
        made to rise for that.
        """
        contents, margin = self.draft_units.contents, self.unit_margin
        size_of = self.draft_units.maker.sizes.sizer.added_size
        largest = contents.largest_stack_size
        begins, ends = [], []
        for number, (unit, sums) in enumerate(zip(units, self._sums(units), strict=True)):
            repeated = contents.repeated_size(unit) + size_of(unit.repeats.lead)
            begins.append(sums.before + number * margin + largest - repeated)
            ends.append(sums.up_to_end + (number + 1) * margin + size_of(unit.repeats.tail))
        starts_draft = units[0].span.start == contents.span.start
        return UnitRow(
            begins=list(accumulate(reversed(begins), min))[::-1],
            ends=list(accumulate(ends, max)),
            costs=[0, *(self._cost(left, right) for left, right in pairwise(units))],
            headings=max(0, contents.headings_size - largest) if starts_draft else 0,
        )

    def _sums(self, units: Sequence[Unit]) -> Sequence[SizeSum]:
        """Return the size of the text before each unit, and that up to its end."""
        sizes, spans = self.draft_units.maker.sizes, [unit.span for unit in units]
        if sizes.sizer.is_exact:
            return [SizeSum(span.start, span.end) for span in spans]
        overhead = sizes.sizer.overhead
        sums = [SizeSum(before, end + overhead) for before, end in sizes.sums(spans)]
        # The sum of many small sizes may be far over the known size of the blocks.
        total = sizes.of_blocks(units[0].first, units[-1].stop)
        estimate = max(1, sums[-1].up_to_end)
        if total >= estimate:
            return sums
        return [SizeSum(a * total // estimate, -(-b * total // estimate)) for a, b in sums]

    def _cost(self, left: Unit, right: Unit) -> int:
        """Return the cost of a cut between two neighbouring units."""
        if right.starts is None:
            return right.cost
        if right.starts in _FREE_CUT_KINDS:
            return costs.BEFORE_HEADING
        is_led_in = is_lead_in(self.draft_units.contents.document, left, right)
        lead_in = costs.LEAD_IN if is_led_in else 0
        return right.cost + lead_in + self.strategy.extra_cut_cost(left.kind, right.starts)
