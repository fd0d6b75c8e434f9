"""The units of a draft: headings and lead-ins are joined to what follows them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from chunkana_core.document.blocks import TRAITS, BlockKind
from chunkana_core.document.document import Document
from chunkana_core.drafting.drafts import Draft
from chunkana_core.drafting.headings import largest_stack
from chunkana_core.splitting.contents import ContentWriter
from chunkana_core.splitting.units import Unit, UnitMaker

_BRACKET, _HEADING, _PARAGRAPH = BlockKind.BRACKET, BlockKind.HEADING, BlockKind.PARAGRAPH
SMALLEST_FIRST_UNIT = 16  # in less room than that, nothing follows its headings
_LEAD_IN_ENDS = (":", "：")
_LED_IN = frozenset({"list", "table", "code", "math"})  # content types


def leads_in(document: Document, left: Unit, right: Unit) -> bool:
    """Tell whether a unit is, or ends with, a paragraph that announces the next one."""
    if left.kind is not _PARAGRAPH or right.starts is None:
        return False
    is_led_in = TRAITS[right.starts].content_type in _LED_IN
    return is_led_in and document.text.endswith(_LEAD_IN_ENDS, left.span.start, left.span.end)


class DraftUnits(Struct, frozen=True):
    """Makes the units of a draft that does not fit.

    Attributes:
        draft: its blocks.
        maker: divides blocks.
        contents: knows the stack that parts repeat.
        room: the size that a content may have.
        limit: the size to plan with, at most the room.
    """

    draft: Draft
    maker: UnitMaker
    contents: ContentWriter
    room: int
    limit: int

    def units(self) -> list[Unit]:
        """Return the units, lead-ins joined with the first unit after them where both fit.

        So are brackets with the unit before them.
        """
        document, joined = self.contents.document, list[Unit]()
        for right in self._headed_units():
            left = joined[-1] if joined else right
            are_bound = right.kind is _BRACKET or leads_in(document, left, right)
            if left is not right and are_bound and self._fit_together(left, right):
                start, first, cost = left.span.start, left.first, left.cost
                joined[-1] = right.joined(start, first, cost, left.starts, left.repeats)
            else:
                joined.append(right)
        return joined

    def _fit_together(self, left: Unit, right: Unit) -> bool:
        if right.oversize_reason:
            return False
        repeated = self.contents.stack_size if self.contents.continues(left) else 0
        size = self._size(left.span.start, right, left.repeats.lead)
        # What stays a unit of its own in a plan with less room may be as large as fits.
        limit = self.room if right.kind is BlockKind.BRACKET else self.limit
        return size <= limit - repeated

    def _headed_units(self) -> list[Unit]:
        """Return the units of all blocks, headings joined with what follows them."""
        top = self.contents.document.top
        headings: list[int] = []
        units: list[Unit] = []
        for position in range(self.draft.first, self.draft.stop):
            if top[position].kind is _HEADING:
                headings.append(position)
            elif headings:
                units += self._units_below(headings, position)
                headings = []
            else:
                units += self._units_of(position)
        return units + self._units_of_headings(headings)

    def _units_of_headings(self, positions: Sequence[int]) -> list[Unit]:
        """Return the units of headings alone, which are whole where they fit without a context."""
        limit = self.limit + self.maker.atom_allowance
        return [unit for position in positions for unit in self.maker.units(position, limit)]

    def _units_of(self, position: int) -> list[Unit]:
        """Return the units of a block that fit below the stack, if it can be divided for that."""
        limit = max(self.limit - self.contents.stack_size, self.room // 2)
        units = self.maker.units(position, limit - self._closing_size(position))
        is_divided = self.maker.keep_atoms or not any(unit.oversize_reason for unit in units)
        return units if is_divided else self.maker.units(position, self.room)

    def _closing_size(self, position: int) -> int:
        """Return the size of the brackets after a block; 0 for none, or for a long run of them."""
        top, stop = self.contents.document.top, position + 1
        while stop < self.draft.stop and top[stop].kind is _BRACKET:
            stop += 1
        if stop == position + 1 or top[position].kind is _BRACKET:
            return 0
        ends = [self.contents.document.trimmed_block(n).end for n in (position, stop - 1)]
        size = self.maker.sizes.of_span(*ends)
        return size if size <= largest_stack(self.room) else 0

    def _units_below(self, headings: Sequence[int], position: int) -> list[Unit]:
        """Return the units of a block, the first one joined with those headings that fit.

        As many headings are joined, the innermost first, as leave room for the start of the block.
        Where its first unit does not fit below them it is divided, and where it still does not fit
        the outermost headings stand alone.
        """
        units = self._units_of(position)
        joined = self._joinable(headings, units[0])
        limit = self.limit - self._closing_size(position)
        if joined and self._is_over(joined[0], units[0], limit):
            units = self._divided_below(joined[0], position, units)
            while joined and self._is_over(joined[0], units[0], self.room):
                joined = joined[1:]
        apart = self._units_of_headings(headings[: len(headings) - len(joined)])
        if not joined:
            return apart + units
        start = self._start_of(joined[0])
        first = self.contents.document.source.trim(start, units[0].span.end) or units[0].span
        headed = units[0].joined(first.start, joined[0], units[0].cost, _HEADING)
        return [*apart, headed, *units[1:]]

    def _joinable(self, headings: Sequence[int], unit: Unit) -> Sequence[int]:
        """Return the last headings that leave room for the start of the unit below them."""
        end, room = unit.span.start, self._limit_of(unit, self.room)
        least = 0
        if not unit.oversize_reason:
            least = min(self._size(unit.span.start, unit), SMALLEST_FIRST_UNIT)
        count = 0
        for heading in reversed(headings):
            if room - self.maker.sizes.of_span(self._start_of(heading), end) < least:
                break
            count += 1
        return headings[len(headings) - count :]

    def _divided_below(self, heading: int, position: int, units: list[Unit]) -> list[Unit]:
        """Return the units of a block, those at its start so small that they fit below headings."""
        sizes = self.maker.sizes
        headings = sizes.of_span(self._start_of(heading), units[0].span.start)
        rounding = int(not sizes.sizer.is_exact)
        limit = max(self.limit - headings - rounding, (self.room - headings) // 2)
        finer = self.maker.units(position, limit - self._closing_size(position))
        if finer[0].oversize_reason and not self.maker.keep_atoms:
            return units
        numbers = {unit.span.end: number for number, unit in enumerate(units, 1)}
        count = next(n for n, unit in enumerate(finer, 1) if unit.span.end in numbers)
        return finer[:count] + units[numbers[finer[count - 1].span.end] :]

    def _is_over(self, heading: int, unit: Unit, limit: int) -> bool:
        """Tell whether a unit that can be divided exceeds a limit with the headings before it."""
        is_divisible = not unit.oversize_reason
        size = self._size(self._start_of(heading), unit)
        return is_divisible and size > self._limit_of(unit, limit)

    def _limit_of(self, unit: Unit, limit: int) -> int:
        return self.maker.limit_of(unit.kind, limit)

    def _start_of(self, heading: int) -> int:
        """Return the offset from which a heading and what follows it are joined."""
        return max(self.contents.document.start_of(heading), self.contents.span.start)

    def _size(self, start: int, unit: Unit, lead: str = "") -> int:
        """Return the size of a unit with what stands before it from an offset on."""
        if not (lead or unit.repeats.tail):
            return self.maker.sizes.of_span(start, unit.span.end)
        text = self.contents.document.text[start : unit.span.end]
        return self.maker.sizes.sizer.length(lead + text + unit.repeats.tail)
