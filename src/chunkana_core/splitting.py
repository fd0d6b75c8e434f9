"""Drafts to parts: what does not fit is cut where it costs least, under its repeated headings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from chunkana_core.binding import glue, parting_cost
from chunkana_core.blocks import BlockKind
from chunkana_core.config import ChunkConfig
from chunkana_core.document import Document
from chunkana_core.drafts import Draft
from chunkana_core.headings import LARGEST_SHARE
from chunkana_core.opening import Opener, Unit
from chunkana_core.placing import section_of
from chunkana_core.planning import Planner, Stretch
from chunkana_core.repeating import missing_fence, reserve_for_fences
from chunkana_core.sizing import Sizer
from chunkana_core.source import Span
from chunkana_core.strategies.base import BaseStrategy

_AFTER_STACK = "\n\n"
_SMALLEST_FIRST_UNIT = 16  # in less room than that, nothing follows its headings


@dataclass(frozen=True, slots=True)
class Part:
    """A chunk's text and content.

    Attributes:
        span: the exact text.
        content: the text, with what is repeated around it.
        first_line_at: the offset of the first source line in the content.
        split_index: its number among the parts of its draft, None if that is whole.
        original_size: the size of the whole draft, None if that is whole.
        oversize_reason: why it is over the limit, None where it is not.
    """

    span: Span
    content: str
    first_line_at: int
    split_index: int | None = None
    original_size: int | None = None
    oversize_reason: str | None = None


def split_draft(
    document: Document, draft: Draft, sizer: Sizer, config: ChunkConfig, strategy: BaseStrategy
) -> list[Part]:
    """Return a draft as parts within the limit, or as they are allowed to be over it."""
    span = draft.span(document)
    if span is None:
        return []
    text = document.text[span.start : span.end]
    section = section_of(document, span)
    if sizer.fits(text, section):
        return [Part(span, text, span.start)]
    tolerant = replace(sizer, max_size=int(sizer.max_size * (1 + config.oversize_tolerance)))
    if tolerant.fits(text, section):
        return [Part(span, text, span.start, oversize_reason="within_tolerance")]
    frame = _Frame.of(document, draft, sizer)
    parts = list(_Splitter(document, draft, span, frame, config, strategy).parts())
    if len(parts) == 1:
        return parts
    size = sizer.length(text)
    return [replace(p, split_index=i, original_size=size) for i, p in enumerate(parts)]


@dataclass(frozen=True, slots=True)
class _Frame:
    """What a draft's parts have to fit into.

    Attributes:
        sizer: the measure.
        limit: the size of a part's content.
        headings: how many headings the draft starts with, before other blocks.
        stack: those of them that continuing parts repeat, outermost first.
        repeated: the size of these.
        has_stray_fences: whether a part may have to close a fence that is none in the document.
    """

    sizer: Sizer
    limit: int
    headings: int
    stack: tuple[Span, ...]
    repeated: int
    has_stray_fences: bool

    @property
    def room(self) -> int:
        """The size that is left beside the stack."""
        return self.limit - self.repeated - (self.sizer.rounding if self.repeated else 0)

    @classmethod
    def of(cls, document: Document, draft: Draft, sizer: Sizer) -> _Frame:
        limit = sizer.max_size
        if sizer.prefix:
            sections = {document.section_at(p) for p in range(draft.first, draft.end)}
            limit = min(sizer.limit(section.section_path) for section in sections)
        reserve = min(limit // 4, reserve_for_fences(document, draft))
        limit -= reserve
        headings = 0 if draft.is_bare(document) else _leading_headings(document, draft)
        stack = tuple(document.trimmed_block(p) for p in range(draft.first, draft.first + headings))
        while stack and sizer.length(stack_text(document, stack)) > limit // LARGEST_SHARE:
            stack = stack[1:]
        repeated = sizer.length(stack_text(document, stack) + _AFTER_STACK) if stack else 0
        return cls(sizer, limit, headings, stack, repeated, reserve > 0)


def _leading_headings(document: Document, draft: Draft) -> int:
    kinds = groupby(draft.blocks(document), key=lambda block: block.kind)
    kind, blocks = next(kinds)
    return len(list(blocks)) if kind is BlockKind.HEADING else 0


def stack_text(document: Document, stack: Sequence[Span]) -> str:
    """Return the repeated headings as they stand in the source."""
    return document.text[stack[0].start : stack[-1].end] if stack else ""


@dataclass(frozen=True, slots=True)
class _Splitter:
    """Splits one draft."""

    document: Document
    draft: Draft
    span: Span
    frame: _Frame
    config: ChunkConfig
    strategy: BaseStrategy

    def parts(self) -> Iterator[Part]:
        """Yield the parts: oversize atoms by themselves, what is between them by least cost."""
        units = glue(
            self.document, list(self._units()), self.frame.sizer, self.frame.limit, self.frame.room
        )
        for _, run in groupby(
            enumerate(units), key=lambda item: item[1].oversize_reason and item[0]
        ):
            row = [unit for _, unit in run]
            for part in self._plan(row):
                yield self._part(row[part[0]], row[part[-1]])

    def _units(self) -> Iterator[Unit]:
        frame, first = self.frame, self.draft.first
        body = first + frame.headings
        start = self.document.start_of(first)
        yield from self._opener(frame.limit).units(range(first, body), start)
        begin = self.document.start_of(body) if frame.headings else start
        before = self.document.text[self.span.start : max(begin, self.span.start)]
        room = frame.limit - frame.sizer.length(before) - frame.sizer.rounding
        room = min(room, frame.room) if room >= _SMALLEST_FIRST_UNIT else frame.room
        yield from self._first_units(body, begin, room)
        rest = range(body + 1, self.draft.end)
        yield from self._opener(frame.room).units(rest, self.document.start_of(body + 1))

    def _first_units(self, position: int, start: int, room: int) -> list[Unit]:
        """Open the block after the headings, so that it begins with what fits below them."""
        block = range(position, position + 1)
        units = list(self._opener(room).units(block, start))
        is_cut_short = any(unit.oversize_reason for unit in units) and not self._keeps_atoms
        return list(self._opener(self.frame.room).units(block, start)) if is_cut_short else units

    @property
    def _keeps_atoms(self) -> bool:
        return self.config.atomic_blocks == "keep"

    def _opener(self, limit: int) -> Opener:
        return Opener(self.document, self.frame.sizer, limit, self._keeps_atoms)

    def _plan(self, row: list[Unit]) -> list[range]:
        frame, length = self.frame, self.frame.sizer.length
        is_first = row[0].span.start == self.span.start
        stretches = []
        before: Unit | None = None
        for unit in row:
            cost = parting_cost(self.document, before, unit, self.strategy) if before else 0
            around = unit.repeats.lead + unit.repeats.tail
            stretches.append(Stretch(unit.span, cost, length(around) if around else 0))
            before = unit
        planner = Planner(
            self.document.source,
            frame.sizer,
            frame.room,
            self.config.min_content,
            frame.repeated if is_first else 0,
        )
        headings = self._headings_size() if is_first else 0
        return planner.plan(stretches, headings, lambda p: self._fits(row[p[0]], row[p[-1]]))

    def _headings_size(self) -> int:
        body = self.document.start_of(self.draft.first + self.frame.headings)
        return self.frame.sizer.length(self.document.text[self.span.start : body])

    def _fits(self, first: Unit, last: Unit) -> bool:
        span = Span(first.span.start, last.span.end)
        content = self._content(first, last, self._stack(first))
        return self.frame.sizer.fits(content, section_of(self.document, span))

    def _part(self, first: Unit, last: Unit) -> Part:
        """Make a part: with the whole stack, or as much of it as fits."""
        span = Span(first.span.start, last.span.end)
        section = section_of(self.document, span)
        whole = stack = self._stack(first)
        content = self._content(first, last, stack)
        fits = self.frame.sizer.fits(content, section)
        while stack and not fits:
            stack = stack[1:]
            content = self._content(first, last, stack)
            fits = self.frame.sizer.fits(content, section)
        if not fits and first.oversize_reason:
            stack, content = whole, self._content(first, last, whole)
        start = stack[0].start if stack else span.start
        return Part(span, content, start, oversize_reason=None if fits else first.oversize_reason)

    def _stack(self, first: Unit) -> tuple[Span, ...]:
        is_continued = first.span.start != self.span.start and first.opens is not BlockKind.HEADING
        return self.frame.stack if is_continued else ()

    def _content(self, first: Unit, last: Unit, stack: tuple[Span, ...]) -> str:
        text = self.document.text[first.span.start : last.span.end]
        body = first.repeats.lead + text + last.repeats.tail
        content = stack_text(self.document, stack) + _AFTER_STACK + body if stack else body
        if not self.frame.has_stray_fences:
            return content
        closed = content + missing_fence(content)
        return closed if self.frame.sizer.length(closed) <= self.frame.sizer.max_size else content
