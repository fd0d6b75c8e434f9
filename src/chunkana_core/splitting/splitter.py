"""Drafts to parts: what does not fit is cut where it costs least, under its repeated headings."""

from __future__ import annotations

from itertools import chain

from msgspec import Struct, structs

from chunkana_core.config import ChunkConfig
from chunkana_core.context.context import ContextWriter, WrittenContext
from chunkana_core.document.location import Location, locate, section_path
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.drafts import Draft
from chunkana_core.drafting.strategies import BaseStrategy
from chunkana_core.splitting.contents import Content, ContentWriter
from chunkana_core.splitting.draft_units import DraftUnits
from chunkana_core.splitting.plans import Plan
from chunkana_core.splitting.units import Unit, UnitMaker
from chunkana_core.text.source import Span

_PLANS = 3  # how many are made, in less and less room, before every unit is left to itself
_SHRINKING = 16  # the next plan's limit is smaller by this part of it, and by the excess


class Part(Struct, frozen=True, gc=False):
    """A chunk's text, content and context.

    Attributes:
        span: the exact text.
        location: where it belongs.
        content: what is read.
        context: what is embedded before it, and the size of both.
        split_index: its number among the parts of its draft, None if that is whole.
        original_size: the size of the whole draft, None if that is whole.
        oversize_reason: why it is over the limit, None where it is not.
    """

    span: Span
    location: Location
    content: Content
    context: WrittenContext
    split_index: int | None = None
    original_size: int | None = None
    oversize_reason: str | None = None


class Splitter(Struct, frozen=True):
    """Splits the drafts of a document.

    Attributes:
        sizes: of stretches of the document.
        contexts: writes contexts, and knows how much room they leave.
        config: how to split.
        strategy: adds to what cuts cost.
    """

    sizes: DocumentSizes
    contexts: ContextWriter
    config: ChunkConfig
    strategy: BaseStrategy

    def split(self, draft: Draft) -> list[Part]:
        """Return a draft as parts within the limit, or as they are allowed to be over it."""
        span = draft.span(self.sizes.document)
        location = locate(self.sizes.document, span, draft.first, draft.stop)
        excess = self._excess(draft, span, self.contexts.room(location.section_path.path))
        if excess <= self._tolerated:
            content = Content(self.sizes.document.text[span.start : span.end], span.start)
            reason = "within_tolerance" if excess else None
            if (part := self._part(span, location, content, reason)) is not None:
                return [part]
        parts, _ = self.planned(draft)
        if len(parts) == 1:
            return parts
        size = self.sizes.of_blocks(draft.first, draft.stop)
        return [
            structs.replace(part, split_index=number, original_size=size)
            for number, part in enumerate(parts)
        ]

    def planned(self, draft: Draft) -> tuple[list[Part], Plan]:
        """Return the parts of a draft that is over the limit, and the plan by which it is cut.

        Plans are made of sums of sizes, then the contents are measured. Where one is too large,
        the next plan has less room; the last one leaves every unit to itself.
        """
        keep_atoms, full_room = self.config.atomic_blocks == "keep", self.contexts.full_room
        contents = ContentWriter.of(draft, self.sizes, keep_atoms=keep_atoms)
        room = limit = self.room(draft)
        maker = UnitMaker(
            self.sizes, keep_atoms, full_room - room, by_syntax=self.config.code_cuts == "syntax"
        )
        for attempt in range(_PLANS + 1):
            plan = Plan(
                DraftUnits(draft, maker, contents, room, limit),
                self.strategy,
                self.config.min_content,
                rounding=int(attempt > 0 and self.sizes.sizer.is_exact),
                is_apart=attempt == _PLANS,
            )
            parts, excesses = zip(*(self.part(contents, *p) for p in plan.parts()), strict=True)
            if not any(excesses):
                break
            least = self.sizes.sizer.max_size // 2
            limit = max(limit - max(excesses) - limit // _SHRINKING, least)
        return list(parts), plan

    def part(self, contents: ContentWriter, first: Unit, last: Unit) -> tuple[Part, int]:
        """Return the part from one unit to another, and by how much it is over the limit.

        The part has all that is repeated, or as much of it as fits; it is over the limit where all
        would be too much, unless it is an oversize atom.
        """
        span = Span(first.span.start, last.span.end)
        location = locate(self.sizes.document, span, first.first, last.stop)
        variants = contents.contents(first, last)
        content = whole = next(variants)
        for content in chain([whole], variants):
            if (part := self._part(span, location, content, None)) is not None:
                is_planned = content is whole or first.oversize_reason is not None
                return part, 0 if is_planned else self.contexts.excess(whole.text)
        if first.oversize_reason:
            return self._oversize(span, location, whole, first.oversize_reason), 0
        return self._oversize(span, location, content, None), self.contexts.excess(whole.text)

    def _part(
        self, span: Span, location: Location, content: Content, reason: str | None
    ) -> Part | None:
        """Return a part with as much of its context as fits.

        None is returned where its content alone does not fit, without a reason for that.
        """
        context = self.contexts.fit(span, location.section_path.path, content.text)
        if context is not None:
            return Part(span, location, content, context)
        return self._oversize(span, location, content, reason) if reason else None

    def _oversize(
        self, span: Span, location: Location, content: Content, reason: str | None
    ) -> Part:
        context = self.contexts.oversize(location.section_path.path, content.text)
        return Part(span, location, content, context, oversize_reason=reason)

    def room(self, draft: Draft) -> int:
        """Return the size that the contents of a draft may have beside their contexts."""
        return self.contexts.room(section_path(self.sizes.document, draft.first, draft.stop).path)

    @property
    def _tolerated(self) -> int:
        """By how much a section that is kept whole may be over the limit."""
        return int(self.sizes.sizer.max_size * self.config.oversize_tolerance)

    def _excess(self, draft: Draft, span: Span, room: int) -> int:
        """Return by how much a draft is over the room for its content, 0 if it fits.

        What is clearly too large by the sum of its blocks' sizes is not measured whole.
        """
        if self.sizes.sizer.is_exact:
            return max(0, span.end - span.start - room)
        size = self.sizes.of_blocks(draft.first, draft.stop)
        if room < size <= room + max(room // 4, self._tolerated):
            size = self.sizes.of_span(span.start, span.end)
        return max(0, size - room)
