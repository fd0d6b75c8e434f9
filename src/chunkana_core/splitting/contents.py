"""Contents of parts: the text, below repeated headings, between repeated fences and rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from msgspec import Struct

from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.drafts import Draft
from chunkana_core.drafting.headings import largest_stack
from chunkana_core.splitting.repeats import has_fence, missing_fence
from chunkana_core.splitting.units import Unit
from chunkana_core.text.source import Span


class Content(Struct, frozen=True, gc=False):
    """A part's content.

    Attributes:
        text: the part's text, with what is repeated around it.
        start: the offset in the document of the first source line in it.
        text_offset: where in the content the part's own text starts.
    """

    text: str
    start: int
    text_offset: int = 0


@dataclass(frozen=True, slots=True)
class ContentWriter:
    """Writes the contents of the parts of one draft.

    Attributes:
        document: the document.
        span: the draft's text.
        stack: the headings that continuing parts repeat, outermost first.
        after_stack: the blank line that follows it, of line ends as the headings' own.
        stack_size: the size of both.
        headings_size: the size of all headings that the draft starts with.
        may_cut_fences: whether a part may open a fence that is none in the document.
    """

    document: Document
    span: Span
    stack: tuple[Span, ...]
    after_stack: str
    stack_size: int
    headings_size: int
    may_cut_fences: bool

    @classmethod
    def of(cls, draft: Draft, sizes: DocumentSizes, *, keep_atoms: bool) -> ContentWriter:
        """Look at a draft: a stack over a third of the limit loses its outermost headings."""
        document, sizer = sizes.document, sizes.sizer
        span = draft.span(document)
        headings = () if draft.is_bare(document) else _leading_headings(document, draft)
        most = largest_stack(sizer.max_size)
        longer = (headings[first:] for first in range(len(headings) - 1, -1, -1))
        fitting = takewhile(lambda s: sizer.length(_slice(document, s)) <= most, longer)
        stack = max(fitting, key=len, default=())
        after_stack = 2 * document.source.line_ending(stack[-1].end) if stack else ""
        # Whole blocks of code have their fences; what else looks like one may lose its end.
        may_cut_fences = (
            document.traits.is_markup
            and has_fence(document.text, span.start, span.end)
            and any(
                has_fence(document.text, block.start, block.end)
                for block in draft.blocks(document)
                if not (keep_atoms and block.kind is BlockKind.FENCED_CODE)
            )
        )
        return cls(
            document,
            span,
            stack,
            after_stack,
            sizer.length(_slice(document, stack) + after_stack) if stack else 0,
            sizes.of_span(span.start, headings[-1].end) if headings else 0,
            may_cut_fences,
        )

    def continues(self, first: Unit) -> bool:
        """Tell whether a part that starts with a unit continues a section."""
        starts_section = first.starts is BlockKind.HEADING and self.document.top[first.first].level
        return first.span.start > self.span.start and not starts_section

    def contents(self, first: Unit, last: Unit) -> Iterator[Content]:
        """Yield the contents that a part may have, with less and less that is repeated."""
        text, lead = self.document.text[first.span.start : last.span.end], first.repeats.lead
        body = lead + text + last.repeats.tail
        for stack in _shorter(self.stack) if self.continues(first) else ():
            above = _slice(self.document, stack) + self.after_stack
            whole = above + body
            closing = self._closing_fence(whole, first, last)
            yield Content(whole + closing, stack[0].start, len(above) + len(lead))
        start = first.span.start if first.repeats.start is None else first.repeats.start
        yield Content(body + self._closing_fence(body, first, last), start, len(lead))
        if self.may_cut_fences:
            yield Content(body, start, len(lead))

    def _closing_fence(self, content: str, first: Unit, last: Unit) -> str:
        """Return the end of a fence that a part opens only because it was cut out."""
        is_markup = self.may_cut_fences and self.document.is_markup(first.first, last.stop)
        if not is_markup or self._is_whole(first, last):
            return ""
        block = self.document.block_at(last.span.end - 1)
        is_open = block.is_open and not last.repeats.tail
        return "" if is_open else missing_fence(content, self.document.traits)

    def _is_whole(self, first: Unit, last: Unit) -> bool:
        """Tell whether a part holds none but whole blocks of the document."""
        document = self.document
        starts_block = document.top[first.first].start >= first.span.start
        return (
            starts_block and not document.text[last.span.end : document.start_of(last.stop)].strip()
        )


def _leading_headings(document: Document, draft: Draft) -> tuple[Span, ...]:
    positions = range(draft.first, draft.stop)
    leading = takewhile(lambda position: document.top[position].level, positions)
    return tuple(document.heading_span(position) for position in leading)


def _shorter(stack: tuple[Span, ...]) -> Iterator[tuple[Span, ...]]:
    """Yield a stack, and what is left of it as outermost headings are dropped."""
    return (stack[dropped:] for dropped in range(len(stack)))


def _slice(document: Document, stack: Sequence[Span]) -> str:
    """Return repeated headings as they stand in the source, without what leads to each."""
    text = document.text[stack[0].start : stack[0].end] if stack else ""
    for before, heading in pairwise(stack):
        gap = document.text[before.end : heading.start]
        text += gap if gap.isspace() else 2 * document.source.line_ending(before.end)
        text += document.text[heading.start : heading.end]
    return text
