"""Contents of parts: their text with repeated headings, fences, rows and container lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.drafts import Draft
from chunkana_core.drafting.headings import HeaderStack, header_stacks, repeated_headings
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


class ContentWriter(Struct, frozen=True):
    """Writes the contents of the parts of one draft.

    Attributes:
        document: the document.
        span: the span of the draft.
        stacks: by the index of a section, the header stacks that parts which continue it may
            repeat; each has one outermost heading less than the one before.
        stack_sizes: by the index of a section, the size of its first stack.
        headings_size: the size of all headings at the start of the draft.
        starts_inside: whether the draft starts inside a section, after its heading.
        keep_atoms: whether fenced code is never cut.
    """

    document: Document
    span: Span
    stacks: Mapping[int, Sequence[HeaderStack]]
    stack_sizes: Mapping[int, int]
    headings_size: int
    starts_inside: bool
    keep_atoms: bool

    @classmethod
    def of(cls, draft: Draft, sizes: DocumentSizes, *, keep_atoms: bool) -> ContentWriter:
        """Return the writer of a draft; header stacks are at most a third of the limit."""
        document, span, first = sizes.document, draft.span(sizes.document), draft.first
        stacks = _stacks_by_section(sizes, draft)
        stack_sizes = {
            index: sizes.sizer.added_size(found[0].text) for index, found in stacks.items() if found
        }
        body = first
        while stacks and document.top[body].level:
            body += 1
        end = document.trimmed_block(body - 1).end if body > first else span.start
        headings_size = sizes.of_span(span.start, end) if body > first else 0
        starts_inside = document.section_at(first).first < first
        return cls(document, span, stacks, stack_sizes, headings_size, starts_inside, keep_atoms)

    def continues(self, first: Unit) -> bool:
        """Return whether a part that starts with a unit continues a section."""
        starts_section = first.starts is BlockKind.HEADING and self.document.top[first.first].level
        is_later = self.starts_inside or first.span.start > self.span.start
        return is_later and not starts_section

    def stack_size(self, position: int) -> int:
        """Return the size of the header stack of parts that continue the section of a block."""
        return self.stack_sizes.get(self.document.section_at(position).index, 0)

    def repeated_size(self, first: Unit) -> int:
        """Return the size of the header stack of a part that starts with a unit."""
        return self.stack_size(first.first) if self.continues(first) else 0

    @property
    def largest_stack_size(self) -> int:
        """The size of the largest header stack."""
        return max(self.stack_sizes.values(), default=0)

    def contents(self, first: Unit, last: Unit) -> Iterator[Content]:
        """Yield the possible contents of a part, each with less repeated text than the last."""
        text, lead = self.document.text[first.span.start : last.span.end], first.repeats.lead
        body = lead + text + last.repeats.tail
        stacks = self.stacks.get(self.document.section_at(first.first).index, ())
        end = last.span.end if last.repeats.end is None else last.repeats.end
        for stack in stacks if self.continues(first) else ():
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


def _stacks_by_section(sizes: DocumentSizes, draft: Draft) -> dict[int, list[HeaderStack]]:
    """Return the header stacks of each section that has a body in a draft, by its index."""
    document = sizes.document
    sections = [
        run.section
        for run in document.runs(draft.first, draft.stop)
        if document.has_content(max(run.first, draft.first), min(run.stop, draft.stop))
    ]
    return {
        section.index: header_stacks(sizes, repeated_headings(document, draft, section))
        for section in sections
    }
