"""Drafts to parts: what does not fit is cut where it costs least, under its repeated headings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

from chunkana_core.binding import leads_in, parting_cost
from chunkana_core.blocks import BlockKind
from chunkana_core.config import ChunkConfig
from chunkana_core.document import Document
from chunkana_core.drafts import Draft
from chunkana_core.fast_init import fast_init
from chunkana_core.opening import Opener, Unit
from chunkana_core.packing import Row, least_cost_cuts
from chunkana_core.placing import section_of
from chunkana_core.showing import Frame, Shown
from chunkana_core.sizing import Sizer
from chunkana_core.source import Span
from chunkana_core.strategies.base import BaseStrategy

_SMALLEST_FIRST_UNIT = 16  # in less room than that, nothing follows its headings
# Where sizes do not add up, or a fence has to be closed, plans are made again in less room.
_SHRINKING = 16  # by this share of what they were, beside the excess
_LEAST_SHARE = 2  # of the limit that is planned with


@fast_init
@dataclass(frozen=True, slots=True)
class Part:
    """A chunk's text and content.

    Attributes:
        span: the exact text.
        shown: the content.
        split_index: its number among the parts of its draft, None if that is whole.
        original_size: the size of the whole draft, None if that is whole.
        oversize_reason: why it is over the limit, None where it is not.
    """

    span: Span
    shown: Shown
    split_index: int | None = None
    original_size: int | None = None
    oversize_reason: str | None = None


class PackedRow(NamedTuple):
    """Units in a row, what cuts between them cost, and the parts that they became."""

    units: Sequence[Unit]
    row: Row
    limit: int
    parts: Sequence[range]


@dataclass(frozen=True, slots=True)
class Splitter:
    """Splits the drafts of a document.

    Attributes:
        document: the document.
        sizer: measures contents against the limit.
        config: how to split.
        strategy: what cuts cost.
        opener: opens the document's blocks.
    """

    document: Document
    sizer: Sizer
    config: ChunkConfig
    strategy: BaseStrategy
    opener: Opener = field(init=False)

    def __post_init__(self) -> None:
        """Make what opens blocks."""
        keeps_atoms = self.config.atomic_blocks == "keep"
        object.__setattr__(self, "opener", Opener(self.document, self.sizer, keeps_atoms))

    def split(self, draft: Draft) -> list[Part]:
        """Return a draft as parts within the limit, or as they are allowed to be over it."""
        span = draft.span(self.document)
        text = self.document.text[span.start : span.end]
        excess = self.excess(span, text)
        if not excess:
            return [Part(span, Shown(text, span.start, 0))]
        if excess <= int(self.sizer.max_size * self.config.oversize_tolerance):
            shown = Shown(text, span.start, 0)
            return [Part(span, shown, oversize_reason="within_tolerance")]
        _, parts = self._planned(draft, span)
        is_whole = len(parts) == 1
        return [replace(parts[0], split_index=None, original_size=None)] if is_whole else parts

    def excess(self, span: Span, content: str) -> int:
        """Return by how much a content is over the limit, 0 if it fits."""
        return self.sizer.excess(content, lambda: section_of(self.document, span))

    def plan(self, draft: Draft) -> Plan:
        """Return the plan by which a draft is cut, for those who ask why."""
        return self._planned(draft, draft.span(self.document))[0]

    def _planned(self, draft: Draft, span: Span) -> tuple[Plan, list[Part]]:
        """Plan parts with sums of sizes, measure them whole, plan again where one is too large.

        The last plan leaves every unit to itself.
        """
        document, sizer = self.document, self.sizer
        frame = Frame.of(document, draft, span, sizer, keeps_atoms=self.opener.keep_atoms)
        prefix = self._longest_prefix(draft)
        rounding = int(bool(prefix) and not sizer.is_exact)
        most = limit = sizer.max_size - prefix - rounding
        for slack in (0, 1, 1, sizer.max_size):
            plan = Plan(self, draft, frame, most, limit, slack)
            parts, excesses = zip(*plan.parts(), strict=True)
            if not any(excesses):
                break
            limit = max(limit - max(excesses) - limit // _SHRINKING, sizer.max_size // _LEAST_SHARE)
        return plan, list(parts)

    def _longest_prefix(self, draft: Draft) -> int:
        """Return the size of the longest prefix of the sections in a draft."""
        if self.sizer.prefix is None:
            return 0
        first = self.document.section_at(draft.first).index
        last = self.document.section_at(draft.end - 1).index
        sections = self.document.sections[first : last + 1]
        return max(self.sizer.length(self.sizer.prefix_of(s.section_path)) for s in sections)


def _refined(units: list[Unit], finer: list[Unit]) -> list[Unit]:
    """Return the finer units of a block up to where one ends with one of the others, then those."""
    numbers = {unit.span.end: number for number, unit in enumerate(units, 1)}
    count = next(n for n, unit in enumerate(finer, 1) if unit.span.end in numbers)
    return finer[:count] + units[numbers[finer[count - 1].span.end] :]


@dataclass(frozen=True, slots=True)
class Plan:
    """Plans the parts of one draft.

    Attributes:
        splitter: the document, and how to split it.
        draft: its blocks.
        frame: what is repeated around parts.
        most: the size that a content may have.
        limit: the size to plan with, at first the same.
        slack: by how much the size of every unit is overestimated.
    """

    splitter: Splitter
    draft: Draft
    frame: Frame
    most: int
    limit: int
    slack: int

    def parts(self) -> Iterator[tuple[Part, int]]:
        """Yield the parts, and by how much each came out too large."""
        for number, (first, last) in enumerate(self._cut()):
            yield self._part(number, first, last)

    def rows(self) -> Iterator[PackedRow]:
        """Yield oversize atoms, each by itself, and what is between them, cut by least cost."""
        room, minimum = self.limit - self.frame.repeated, self.splitter.config.min_content
        found = enumerate(self._led_in(self._units()))
        for _, run in groupby(found, key=lambda item: item[1].oversize_reason and item[0]):
            units = [unit for _, unit in run]
            row = self._row(units)
            yield PackedRow(units, row, room, least_cost_cuts(row, room, minimum))

    def _cut(self) -> Iterator[tuple[Unit, Unit]]:
        """Yield the first and the last unit of each part."""
        for row in self.rows():
            for part in row.parts:
                yield row.units[part[0]], row.units[part[-1]]

    def _units(self) -> list[Unit]:
        units: list[Unit] = []
        headings: list[int] = []
        for position in range(self.draft.first, self.draft.end):
            if self.splitter.document.top[position].kind is BlockKind.HEADING:
                headings.append(position)
            elif headings:
                units += self._below(headings, position)
                headings = []
            else:
                units += self._units_of(position)
        return units + self._alone(headings)

    def _alone(self, headings: Sequence[int]) -> list[Unit]:
        return [u for p in headings for u in self.splitter.opener.units(p, self.limit)]

    def _below(self, headings: Sequence[int], position: int) -> list[Unit]:
        """Return the units of a block, the first one with those headings before it that fit."""
        document, length = self.splitter.document, self.splitter.sizer.length
        units = self._units_of(position)
        first_size = self._size(units[0].span.start, units[0])
        least = 0 if units[0].oversize_reason else min(first_size, _SMALLEST_FIRST_UNIT)
        start = end = document.start_of(position)
        size, kept = 0, len(headings)
        while kept:
            begin = max(document.start_of(headings[kept - 1]), self.frame.start)
            if self.most - (longer := length(document.text[begin:end])) < least:
                break
            start, size, kept = begin, longer, kept - 1
        if start < end and least and self._size(start, units[0]) > self.limit:
            rounding = int(not self.splitter.sizer.is_exact)
            room = max(self.limit - size - rounding, (self.most - size) // _LEAST_SHARE)
            finer = self.splitter.opener.units(position, room)
            if self.splitter.opener.keep_atoms or not finer[0].oversize_reason:
                units = _refined(units, finer)
            least = 0 if units[0].oversize_reason else least
        while start < end and least and self._size(start, units[0]) > self.most:
            kept += 1
            start = document.start_of(headings[kept]) if kept < len(headings) else end
        if start == end:
            return self._alone(headings) + units
        first = document.source.trim(start, end) or units[0].span
        below = units[0].reaching(first.start, units[0].cost, BlockKind.HEADING)
        return [*self._alone(headings[:kept]), below, *units[1:]]

    def _units_of(self, position: int) -> list[Unit]:
        """Return the units of a block that stand below the stack, if they can be cut for that."""
        opener = self.splitter.opener
        room = max(self.limit - self.frame.repeated, self.most // _LEAST_SHARE)
        units = opener.units(position, room)
        is_cut = opener.keep_atoms or not any(unit.oversize_reason for unit in units)
        return units if is_cut else opener.units(position, self.most)

    def _size(self, start: int, unit: Unit) -> int:
        """Return the size of a unit with what stands before it from an offset on."""
        text = self.splitter.document.text[start : unit.span.end]
        return self.splitter.sizer.length(text + unit.repeats.tail)

    def _led_in(self, units: list[Unit]) -> Iterator[Unit]:
        """Join lead-ins with the first unit after them where both fit together."""
        left = units[0]
        for right in units[1:]:
            if leads_in(self.splitter.document, left, right) and self._fit_together(left, right):
                left = right.reaching(left.span.start, left.cost, left.opens)
            else:
                yield left
                left = right
        yield left

    def _fit_together(self, left: Unit, right: Unit) -> bool:
        if right.oversize_reason:
            return False
        text = self.splitter.document.text[left.span.start : right.span.end] + right.repeats.tail
        repeated = self.frame.repeated if self.frame.is_continued(left) else 0
        return self.splitter.sizer.length(text) <= self.limit - repeated

    def _row(self, units: Sequence[Unit]) -> Row:
        """Return what to plan with: sizes include what is repeated, but for the stack."""
        splitter, frame = self.splitter, self.frame
        text, length = splitter.document.text, splitter.sizer.length
        begins = [unit.span.start for unit in units]
        ends = [unit.span.end for unit in units]
        if not splitter.sizer.is_exact:
            sizes = [length(text[a:b]) for a, b in zip(begins, ends, strict=True)]
            tiles = (length(text[a:b]) for a, b in pairwise(begins))
            begins = list(accumulate(tiles, initial=0))
            ends = [begin + size for begin, size in zip(begins, sizes, strict=True)]
        for number, unit in enumerate(units):
            begins[number] += self.slack * number - length(unit.repeats.lead)
            ends[number] += self.slack * (number + 1) + length(unit.repeats.tail)
            if not frame.is_continued(unit):
                begins[number] += frame.repeated
        costs = (
            parting_cost(splitter.document, a, b, splitter.strategy) for a, b in pairwise(units)
        )
        is_first = units[0].span.start == frame.start
        return Row(
            begins=list(accumulate(reversed(begins), min))[::-1],
            ends=list(accumulate(ends, max)),
            costs=[0, *costs],
            headings=max(0, frame.headings - frame.repeated) if is_first else 0,
        )

    def excess(self, first: Unit, last: Unit) -> int:
        """Return by how much a part with these units would be over the limit."""
        part, _ = self._part(0, first, last)
        return self.splitter.excess(part.span, part.shown.content)

    def _part(self, number: int, first: Unit, last: Unit) -> tuple[Part, int]:
        """Make a part: with all that is repeated, or as much of it as fits."""
        span = Span(first.span.start, last.span.end)
        contents = self.frame.contents(first, last)
        shown = whole = next(contents)
        excess = planned = self.splitter.excess(span, whole.content)
        for shown in contents if excess else ():
            excess = self.splitter.excess(span, shown.content)
            if not excess:
                break
        reason = first.oversize_reason if excess else None
        part = Part(span, whole if reason else shown, number, self.frame.size, reason)
        return part, 0 if first.oversize_reason else planned
