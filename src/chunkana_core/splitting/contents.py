"""Contents of parts: their text with repeated headings, fences, rows and container lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.drafts import Draft
from chunkana_core.drafting.headings import largest_stack
from chunkana_core.sizing import Sizer
from chunkana_core.splitting.repeats import has_fence, missing_fence
from chunkana_core.splitting.units import Unit
from chunkana_core.text.source import Span

_FENCED_CODE = BlockKind.FENCED_CODE


class Content(Struct, frozen=True, gc=False):
    """The content of a part.

    Attributes:
        text: the part's text with the text repeated before and after it.
        start: the offset in the document of the first source line in the content.
        end: the offset in the document after the last source line in the content.
        text_offset: the offset in the content where the part's own text starts.
    """

    text: str
    start: int
    end: int
    text_offset: int = 0


class HeaderStack(Struct, frozen=True, gc=False):
    """Repeated headings with the blank line after them, and the offset of the first heading."""

    text: str
    start: int


class ContentWriter(Struct, frozen=True):
    """Writes the contents of the parts of one draft.

    Attributes:
        document: the document.
        span: the span of the draft.
        stacks: the header stacks that continuing parts may repeat; each has one outermost heading
            less than the one before.
        stack_size: the size of the first stack.
        headings_size: the size of all headings at the start of the draft.
        keep_atoms: whether fenced code is never cut.
    """

    document: Document
    span: Span
    stacks: Sequence[HeaderStack]
    stack_size: int
    headings_size: int
    keep_atoms: bool

    @classmethod
    def of(cls, draft: Draft, sizes: DocumentSizes, *, keep_atoms: bool) -> ContentWriter:
        """Return the writer of a draft; header stacks are at most a third of the limit."""
        document, sizer = sizes.document, sizes.sizer
        span = draft.span(document)
        headings = [] if draft.is_bare(document) else _leading_headings(document, draft)
        stacks = _stacks(document, headings, sizer)
        stack_size = sizer.length(stacks[0].text) if stacks else 0
        headings_size = sizes.of_span(span.start, headings[-1].end) if headings else 0
        return cls(document, span, stacks, stack_size, headings_size, keep_atoms)

    def continues(self, first: Unit) -> bool:
        """Return whether a part that starts with a unit continues a section."""
        starts_section = first.starts is BlockKind.HEADING and self.document.top[first.first].level
        return first.span.start > self.span.start and not starts_section

    def contents(self, first: Unit, last: Unit) -> Iterator[Content]:
        """Yield the possible contents of a part, each with less repeated text than the last."""
        text, lead = self.document.text[first.span.start : last.span.end], first.repeats.lead
        body = lead + text + last.repeats.tail
        end = last.span.end if last.repeats.end is None else last.repeats.end
        for stack in self.stacks if self.continues(first) else ():
            whole = stack.text + body
            closing = self._closing_fence(whole, first, last)
            yield Content(whole + closing, stack.start, end, len(stack.text) + len(lead))
        start = first.span.start if first.repeats.start is None else first.repeats.start
        closing = self._closing_fence(body, first, last)
        yield Content(body + closing, start, end, len(lead))
        if closing:
            yield Content(body, start, end, len(lead))

    def _closing_fence(self, content: str, first: Unit, last: Unit) -> str:
        """Return the line that closes a fence left open only because of the cut, "" for none."""
        is_whole = self._is_whole(first, last) or not has_fence(content)
        if is_whole or not self._may_leave_fence_open(first, last):
            return ""
        block = self.document.block_at(last.span.end - 1)
        is_open = block.is_open and not last.repeats.tail
        return "" if is_open else missing_fence(content, self.document.traits)

    def _may_leave_fence_open(self, first: Unit, last: Unit) -> bool:
        """Return whether a part may open a fence that it does not close.

        Whole fenced code blocks close their fences. In other blocks, text that looks like a fence
        may be cut off from its closing line.
        """
        document, start, end = self.document, first.span.start, last.span.end
        if not document.is_markup(first.first, last.stop):
            return False
        return has_fence(first.repeats.lead + last.repeats.tail) or any(
            has_fence(document.text, max(block.start, start), min(block.end, end))
            for block in document.top[first.first : last.stop]
            if not (self.keep_atoms and block.kind is _FENCED_CODE)
        )

    def _is_whole(self, first: Unit, last: Unit) -> bool:
        """Return whether a part consists of whole top-level blocks."""
        document = self.document
        starts_block = document.top[first.first].start >= first.span.start
        return (
            starts_block and not document.text[last.span.end : document.start_of(last.stop)].strip()
        )


def _leading_headings(document: Document, draft: Draft) -> list[Span]:
    stop = draft.first
    while stop < draft.stop and document.top[stop].level:
        stop += 1
    return [document.heading_span(position) for position in range(draft.first, stop)]


def _stacks(document: Document, headings: Sequence[Span], sizer: Sizer) -> list[HeaderStack]:
    """Return the innermost headings within a third of the limit, then ever fewer of them."""
    stacks: list[HeaderStack] = []
    blank_line = 2 * document.source.line_ending(headings[-1].end) if headings else ""
    for first in reversed(range(len(headings))):
        text = _stack_text(document, headings[first:])
        if sizer.length(text) > largest_stack(sizer.max_size):
            break
        stacks.append(HeaderStack(text + blank_line, headings[first].start))
    return stacks[::-1]


def _stack_text(document: Document, stack: Sequence[Span]) -> str:
    """Return repeated headings as in the source, without anchors and comments before them."""
    text = document.text[stack[0].start : stack[0].end]
    for before, heading in pairwise(stack):
        gap = document.text[before.end : heading.start]
        text += gap if gap.isspace() else 2 * document.source.line_ending(before.end)
        text += document.text[heading.start : heading.end]
    return text
