"""The units of a draft; headings and lead-ins are joined to the unit after them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.document.blocks import TRAITS, BlockKind
from chunkana_core.document.document import Document
from chunkana_core.drafting.drafts import Draft
from chunkana_core.drafting.headings import largest_stack
from chunkana_core.splitting.contents import ContentWriter
from chunkana_core.splitting.repeats import NO_REPEATS
from chunkana_core.splitting.units import Unit, UnitMaker
from chunkana_core.text.cutting import LEAD_IN_ENDS
from chunkana_core.text.source import Span

_BRACKET, _HEADING, _PARAGRAPH = BlockKind.BRACKET, BlockKind.HEADING, BlockKind.PARAGRAPH
SMALLEST_FIRST_UNIT = 16  # the smallest size to leave below headings for the unit joined to them
_LED_IN_TYPES = frozenset({"list", "table", "code", "math"})  # content types


def is_lead_in(document: Document, left: Unit, right: Unit) -> bool:
    """Return whether a unit ends in a lead-in to the next unit.

    A lead-in is a paragraph that ends in a colon before a list, table, code or math.
    """
    if left.kind is not _PARAGRAPH or right.starts is None:
        return False
    is_led_in = TRAITS[right.starts].content_type in _LED_IN_TYPES
    return is_led_in and document.text.endswith(LEAD_IN_ENDS, left.span.start, left.span.end)


class DraftUnits(Struct, frozen=True):
    """Makes the units of a draft that does not fit.

    Attributes:
        draft: the draft.
        maker: divides blocks into units.
        contents: gives the header stack that parts repeat.
        content_limit: the largest size of a content.
        planned_limit: the limit to plan with, at most that of a content.
    """

    draft: Draft
    maker: UnitMaker
    contents: ContentWriter
    content_limit: int
    planned_limit: int

    def units(self) -> list[Unit]:
        """Return the units of the draft.

        Lead-ins are joined with the unit after them, and brackets with the unit before them, if
        both fit.
        """
        document, joined = self.contents.document, list[Unit]()
        for right in self._headed_units():
            left = joined[-1] if joined else right
            are_bound = right.kind is _BRACKET or is_lead_in(document, left, right)
            if left is not right and are_bound and self._fit_together(left, right):
                joined[-1] = right.joined_to(left)
            else:
                joined.append(right)
        return joined

    def _fit_together(self, left: Unit, right: Unit) -> bool:
        if right.oversize_reason:
            return False
        repeated = self.contents.repeated_size(left)
        size = self._joined_size(left.span, right) + self._added_size(left.repeats.lead)
        if right.kind is _BRACKET:
            # Not joined it would be a unit of its own, so it may use all that a unit may have.
            return size <= max(self.content_limit - repeated, self.content_limit // 2)
        return size <= self.planned_limit - repeated

    def _headed_units(self) -> list[Unit]:
        """Return the units of all blocks; headings are joined with the first readable unit below.

        Comments, anchors and link definitions between them are joined, too.
        """
        document = self.contents.document
        headings: list[int] = []
        units: list[Unit] = []
        for position in range(self.draft.first, self.draft.stop):
            if document.top[position].kind is _HEADING:
                headings.append(position)
            elif not headings:
                units += self._block_units(position)
            elif document.is_readable(position):
                units += self._units_with_headings(headings, position)
                headings = []
        return units + self._bare_units(headings, self.draft.stop)

    def _bare_units(self, headings: Sequence[int], stop: int) -> list[Unit]:
        """Return the units of headings that are not joined with text, up to a position.

        A heading alone is whole if it fits without a context.
        """
        limit, units = self.planned_limit + self.maker.atom_allowance, list[Unit]()
        for heading, end in pairwise([*headings, stop]):
            below = range(heading + 1, end)
            if below:
                units += self._units_with_headings([heading], below[0])
            else:
                units += self.maker.units(heading, limit)
            units += [unit for position in below[1:] for unit in self._block_units(position)]
        return units

    def _block_units(self, position: int) -> list[Unit]:
        """Return the units of a block, small enough to fit below the header stack if possible."""
        below_stack = self.planned_limit - self.contents.stack_size(position)
        limit = max(below_stack, self.content_limit // 2)
        units = self.maker.units(position, limit - self._closing_size(position))
        is_divided = self.maker.keep_atoms or not any(unit.oversize_reason for unit in units)
        return units if is_divided else self.maker.units(position, self.content_limit)

    def _closing_size(self, position: int) -> int:
        """Return the size of the brackets after a block, 0 for none or if they are long."""
        top, stop = self.contents.document.top, position + 1
        while stop < self.draft.stop and top[stop].kind is _BRACKET:
            stop += 1
        if stop == position + 1 or top[position].kind is _BRACKET:
            return 0
        ends = [self.contents.document.trimmed_block(n).end for n in (position, stop - 1)]
        size = self.maker.sizes.of_span(*ends)
        return size if size <= largest_stack(self.content_limit) else 0

    def _units_with_headings(self, headings: Sequence[int], position: int) -> list[Unit]:
        """Return the units of headings and a block; the first unit is joined with the headings.

        The outermost headings that leave no room for the block are units of their own.
        """
        units, joined = self._units_below_headings(headings, position)
        separate = headings[: len(headings) - len(joined)]
        bare = self._bare_units(separate, joined[0] if joined else position)
        if not joined:
            return bare + units
        start = self._joined_start(joined[0])
        span = self.contents.document.source.trim(start, units[0].span.end) or units[0].span
        repeats = NO_REPEATS.joined(units[0].repeats)
        headed = replace(units[0], span=span, first=joined[0], starts=_HEADING, repeats=repeats)
        return [*bare, headed, *units[1:]]

    def _units_below_headings(
        self, headings: Sequence[int], position: int
    ) -> tuple[list[Unit], Sequence[int]]:
        """Return the units of a block, and the innermost headings to join with the first unit.

        As many headings are joined as leave room for the start of the block. If the first unit does
        not fit below them, it is divided into smaller units.
        """
        units = self._block_units(position)
        joined = self._fitting_headings(headings, units[0])
        limit = self.planned_limit - self._closing_size(position)
        if joined and self._exceeds(joined[0], units[0], limit):
            units = self._divide_below_headings(joined[0], position, units)
            joined = self._fitting_headings(joined, units[0])
            while joined and self._exceeds(joined[0], units[0], self.content_limit):
                joined = joined[1:]
        return units, joined

    def _fitting_headings(self, headings: Sequence[int], unit: Unit) -> Sequence[int]:
        """Return the innermost headings that leave room for the start of the unit below them.

        Above an atom, comments and definitions are joined only if they leave room for all of it.
        """
        end, limit = unit.span.start, self.maker.limit_of(unit.kind, self.content_limit)
        size = self.maker.sizes.of_span(unit.span.start, unit.span.end)
        whole = size + self._added_size(unit.repeats.tail)
        start_size = 0 if unit.oversize_reason else min(whole, SMALLEST_FIRST_UNIT)
        count = 0
        for heading in reversed(headings):
            are_headings_alone = heading + count + 1 == unit.first
            is_divisible = are_headings_alone or not TRAITS[unit.kind].oversize_reason
            size = self.maker.sizes.of_span(self._joined_start(heading), end)
            if limit - size < (start_size if is_divisible else whole):
                break
            count += 1
        return headings[len(headings) - count :]

    def _divide_below_headings(self, heading: int, position: int, units: list[Unit]) -> list[Unit]:
        """Return the units of a block; those at its start are small enough to follow headings."""
        sizes = self.maker.sizes
        headings = sizes.of_span(self._joined_start(heading), units[0].span.start)
        rounding = int(not sizes.sizer.is_exact)
        limit = max(self.planned_limit - headings - rounding, (self.content_limit - headings) // 2)
        finer = self.maker.units(position, limit - self._closing_size(position))
        if finer[0].oversize_reason and not self.maker.keep_atoms:
            return units
        numbers = {unit.span.end: number for number, unit in enumerate(units, 1)}
        count = next(n for n, unit in enumerate(finer, 1) if unit.span.end in numbers)
        return finer[:count] + units[numbers[finer[count - 1].span.end] :]

    def _exceeds(self, heading: int, unit: Unit, limit: int) -> bool:
        """Return whether a divisible unit exceeds a limit together with the headings before it."""
        is_divisible = not unit.oversize_reason
        size = self._joined_size(Span(self._joined_start(heading), unit.span.start), unit)
        return is_divisible and size > self.maker.limit_of(unit.kind, limit)

    def _joined_start(self, heading: int) -> int:
        """Return the offset where the unit joined from a heading and the unit after it starts."""
        return max(self.contents.document.start_of(heading), self.contents.span.start)

    def _joined_size(self, before: Span, unit: Unit) -> int:
        """Return the size of a unit with the text before it and the text repeated after it."""
        size = self.maker.sizes.of_joined(before, unit.span)
        return size + self._added_size(unit.repeats.tail)

    def _added_size(self, text: str) -> int:
        return self.maker.sizes.sizer.added_size(text)
