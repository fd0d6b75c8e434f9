"""Plans of where to cut a draft, made of sums of sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

from msgspec import Struct

from chunkana_core.document.blocks import BlockKind
from chunkana_core.drafting import costs
from chunkana_core.drafting.strategies import BaseStrategy
from chunkana_core.splitting.draft_units import DraftUnits, leads_in
from chunkana_core.splitting.packing import Row, least_cost_cuts
from chunkana_core.splitting.units import Unit

_FREELY_PARTED = {BlockKind.HEADING, BlockKind.THEMATIC_BREAK}  # from what is before them


class PackedRow(NamedTuple):
    """Units in a row, by their sizes and the costs of cuts, and the parts that they became."""

    units: Sequence[Unit]
    row: Row
    limit: int
    parts: Sequence[range]


class Plan(Struct, frozen=True):
    """Plans where to cut one draft.

    Attributes:
        draft_units: makes the units of the draft.
        strategy: adds to what cuts cost.
        minimum: the size under which a part is too small.
        rounding: by how much the size of every unit is overestimated.
        is_apart: whether every unit is a part of its own.
    """

    draft_units: DraftUnits
    strategy: BaseStrategy
    minimum: int
    rounding: int = 0
    is_apart: bool = False

    def parts(self) -> Iterator[tuple[Unit, Unit]]:
        """Yield the first and the last unit of each part."""
        for row in self.rows():
            for part in row.parts:
                yield row.units[part[0]], row.units[part[-1]]

    def rows(self) -> Iterator[PackedRow]:
        """Yield oversize atoms, each by itself, and what is between them, cut by least cost."""
        limit = self.draft_units.limit - self.draft_units.contents.stack_size
        numbered = enumerate(self.draft_units.units())
        # An oversize atom has its number for a key, so that it is alone in its group.
        for _, group in groupby(numbered, key=lambda item: item[1].oversize_reason and item[0]):
            units = [unit for _, unit in group]
            row = self._row(units)
            if self.is_apart:
                parts = [range(number, number + 1) for number in range(len(units))]
            else:
                parts = least_cost_cuts(row, limit, self.minimum)
            yield PackedRow(units, row, limit, parts)

    def _row(self, units: Sequence[Unit]) -> Row:
        """Return the sizes of units, what is repeated included, and the costs of cuts."""
        contents, size_of = self.draft_units.contents, self.draft_units.maker.sizes.of_repeated
        begins, ends = self._cumulative_sizes(units)
        for number, unit in enumerate(units):
            begins[number] += self.rounding * number - size_of(unit.repeats.lead)
            ends[number] += self.rounding * (number + 1) + size_of(unit.repeats.tail)
            if not contents.continues(unit):
                begins[number] += contents.stack_size
        starts_draft = units[0].span.start == contents.span.start
        return Row(
            begins=list(accumulate(reversed(begins), min))[::-1],
            ends=list(accumulate(ends, max)),
            costs=[0, *(self._cost(left, right) for left, right in pairwise(units))],
            headings=max(0, contents.headings_size - contents.stack_size) if starts_draft else 0,
        )

    def _cumulative_sizes(self, units: Sequence[Unit]) -> tuple[list[int], list[int]]:
        """Return for each unit the sizes of all text up to its start and up to its end."""
        sizes = self.draft_units.maker.sizes
        if sizes.sizer.is_exact:
            return [unit.span.start for unit in units], [unit.span.end for unit in units]
        begins, ends = [0], []
        for unit, following in zip(units, [*units[1:], None], strict=True):
            ends.append(begins[-1] + sizes.of_span(unit.span.start, unit.span.end))
            if following is not None:
                gap = sizes.of_gap(unit.span.end, following.span.start)
                begins.append(ends[-1] - sizes.sizer.overhead + gap)
        # A sum of many small sizes may be far from the size of their blocks, which is known.
        total, estimate = sizes.of_blocks(units[0].first, units[-1].stop), max(1, ends[-1])
        if total < estimate:
            begins = [begin * total // estimate for begin in begins]
            ends = [-(-end * total // estimate) for end in ends]
        return begins, ends

    def _cost(self, left: Unit, right: Unit) -> int:
        """Return what a cut between two neighbouring units costs."""
        if right.starts is None:
            return right.cost
        if right.starts in _FREELY_PARTED:
            return costs.BEFORE_HEADING
        is_led_in = leads_in(self.draft_units.contents.document, left, right)
        lead_in = costs.LEAD_IN if is_led_in else 0
        return right.cost + lead_in + self.strategy.binding(left.kind, right.starts)
