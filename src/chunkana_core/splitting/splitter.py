"""Split drafts into parts: a draft that does not fit is cut where it costs least."""

from __future__ import annotations

from itertools import chain

from msgspec import Struct, structs

from chunkana_core.config import ChunkConfig
from chunkana_core.context.context import ContextWriter, WrittenContext
from chunkana_core.document.location import Location, locate
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.drafts import Draft
from chunkana_core.drafting.headings import HeaderStack, stack_before
from chunkana_core.drafting.strategies import BaseStrategy
from chunkana_core.splitting.contents import Content, ContentWriter
from chunkana_core.splitting.draft_units import DraftUnits
from chunkana_core.splitting.plans import CutPlanner
from chunkana_core.splitting.units import Unit, UnitMaker
from chunkana_core.text.source import Span

_MAX_PLANS = 3  # plans with ever lower limits, before every unit becomes a part of its own
_SHRINK_DIVISOR = 16  # the limit of the next plan is 1/16 lower, in addition to the largest excess


class Part(Struct, frozen=True, gc=False):
    """The text, content and context of a future chunk.

    Attributes:
        span: the span of its text.
        location: its location in the outline.
        content: its text with repeated text.
        context: the context to embed before the content, and the size of both.
        split_index: its number among the parts of its draft, None if the draft is not split.
        original_size: the size of the whole draft, None if the draft is not split.
        oversize_reason: the reason why it is over the limit, None if it is not.
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
        sizes: the sizes of ranges of the document.
        contexts: writes contexts, and returns the limits that they leave for contents.
        config: the options.
        strategy: adds to the costs of cuts.
    """

    sizes: DocumentSizes
    contexts: ContextWriter
    config: ChunkConfig
    strategy: BaseStrategy

    def split(self, draft: Draft) -> tuple[list[Part], CutPlanner | None]:
        """Return the parts of a draft, and the planner of its cuts, None if it fits whole.

        The parts are within the limit except where a part may be oversize.
        """
        if (whole := self._whole(draft)) is not None:
            return [whole], None
        parts, planner = self._plan_parts(draft)
        if len(parts) == 1:
            return parts, planner
        size = self.sizes.of_blocks(draft.first, draft.stop)
        numbered = [
            structs.replace(part, split_index=number, original_size=size)
            for number, part in enumerate(parts)
        ]
        return numbered, planner

    def _whole(self, draft: Draft) -> Part | None:
        """Return a draft as one part, None if it has to be split."""
        document, contexts = self.sizes.document, self.contexts
        span = draft.span(document)
        stack = stack_before(self.sizes, draft) or HeaderStack("", span.start)
        added = self.sizes.sizer.added_size(stack.text)
        if self._excess(draft, span, contexts.content_limit - added) > self._tolerance:
            return None
        location = locate(document, span, draft.first, draft.stop)
        limit = contexts.content_limit_in(location.section_path.path)
        excess = self._excess(draft, span, limit - added)
        if excess > self._tolerance:
            return None
        text = stack.text + document.text[span.start : span.end]
        content = Content(text, stack.start, span.end, len(stack.text))
        return self._part(span, location, content, "within_tolerance" if excess else None)

    def _plan_parts(self, draft: Draft) -> tuple[list[Part], CutPlanner]:
        """Return the parts of a draft that is over the limit, and the planner of its cuts.

        Plans use estimated sizes. The contents are then measured; if one is too large, the next
        plan has a lower limit. In the last plan, every unit is a part of its own.
        """
        keep_atoms = self.config.atomic_blocks == "keep"
        by_syntax = self.config.code_cuts == "syntax"
        contents = ContentWriter.of(draft, self.sizes, keep_atoms=keep_atoms)
        content_limit = planned_limit = self.contexts.content_limit_of(draft.first, draft.stop)
        context_size = self.contexts.content_limit - content_limit
        maker = UnitMaker(self.sizes, keep_atoms, context_size, by_syntax)
        for attempt in range(_MAX_PLANS + 1):
            planner = CutPlanner(
                DraftUnits(draft, maker, contents, content_limit, planned_limit),
                self.strategy,
                self.config.min_content,
                unit_margin=int(attempt > 0 and self.sizes.sizer.is_exact),
                is_unpacked=attempt == _MAX_PLANS,
            )
            parts, excesses = zip(*(self.part(contents, *p) for p in planner.parts()), strict=True)
            if not any(excesses):
                break
            lower = planned_limit - max(excesses) - planned_limit // _SHRINK_DIVISOR
            planned_limit = max(lower, self.sizes.sizer.max_size // 2)
        return list(parts), planner

    def part(self, contents: ContentWriter, first: Unit, last: Unit) -> tuple[Part, int]:
        """Return the part from one unit to another, and the excess of its size over the limit.

        The part has as much of its repeated text as fits. The excess is that of the part with all
        repeated text; it is 0 for an oversize atom.
        """
        span = Span(first.span.start, last.span.end)
        location = locate(self.sizes.document, span, first.first, last.stop)
        variants = contents.contents(first, last)
        content = whole = next(variants)
        is_far_over = first.oversize_reason is not None and self._is_far_over(span)
        for content in () if is_far_over else chain([whole], variants):
            if (part := self._part(span, location, content, None)) is not None:
                is_expected = content is whole or first.oversize_reason is not None
                return part, 0 if is_expected else self.contexts.excess(whole.text)
        if first.oversize_reason:
            return self._oversize(span, location, whole, first.oversize_reason), 0
        return self._oversize(span, location, content, None), self.contexts.excess(whole.text)

    def _is_far_over(self, span: Span) -> bool:
        """Return whether a text alone is certainly over the limit."""
        size, limit = self.sizes.of_span(span.start, span.end), self.contexts.content_limit
        return size > limit + self.sizes.sizer.margin(2)

    def _part(
        self, span: Span, location: Location, content: Content, reason: str | None
    ) -> Part | None:
        """Return a part with as much of its context as fits.

        Returns None if the content alone does not fit and there is no reason that allows it.
        """
        context = self.contexts.fit(span, location, content.text)
        if context is not None:
            return Part(span, location, content, context)
        return self._oversize(span, location, content, reason) if reason else None

    def _oversize(
        self, span: Span, location: Location, content: Content, reason: str | None
    ) -> Part:
        context = self.contexts.oversize(span, location, content.text)
        return Part(span, location, content, context, oversize_reason=reason)

    @property
    def _tolerance(self) -> int:
        """The excess over the limit that a draft may have without being split."""
        return int(self.sizes.sizer.max_size * self.config.oversize_tolerance)

    def _excess(self, draft: Draft, span: Span, limit: int) -> int:
        """Return the excess of a draft over the limit of its content, 0 if it fits.

        A draft that is clearly too large by the sum of its blocks' sizes is not measured whole.
        """
        if self.sizes.sizer.is_exact:
            return max(0, span.end - span.start - limit)
        size = self.sizes.of_blocks(draft.first, draft.stop)
        if limit < size <= limit + max(limit // 8, self._tolerance):
            size = self.sizes.of_span(span.start, span.end)
        return max(0, size - limit)
