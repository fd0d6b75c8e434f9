"""What a part shows: its text, below repeated headings, between repeated fences and rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from chunkana_core.blocks import BlockKind
from chunkana_core.document import Document
from chunkana_core.drafts import Draft
from chunkana_core.fast_init import fast_init
from chunkana_core.headings import LARGEST_SHARE
from chunkana_core.opening import Unit
from chunkana_core.repeating import has_fence, missing_fence
from chunkana_core.sizing import Sizer
from chunkana_core.source import Span

_AFTER_STACK = "\n\n"


class Shown(NamedTuple):
    """A part's content.

    Attributes:
        content: the text, with what is repeated around it.
        start: the offset in the document of the first source line in it.
        text_offset: where in the content the text starts.
    """

    content: str
    start: int
    text_offset: int


@fast_init
@dataclass(frozen=True, slots=True)
class Frame:
    """What the parts of one draft have around their texts.

    Attributes:
        document: the document.
        start: where the draft's text starts.
        size: the size of that text.
        stack: the headings that continuing parts repeat, outermost first.
        headings: the size of all headings that the draft starts with.
        repeated: the size of the stack and what follows it.
        has_stray_fences: whether a part may open a fence that is none in the document.
    """

    document: Document
    start: int
    size: int
    stack: tuple[Span, ...]
    headings: int
    repeated: int
    has_stray_fences: bool

    @classmethod
    def of(
        cls, document: Document, draft: Draft, span: Span, sizer: Sizer, *, keeps_atoms: bool
    ) -> Frame:
        """Look at a draft: a stack over a third of the limit loses its outermost headings."""
        leading = () if draft.is_bare(document) else _leading_headings(document, draft)
        headings = sizer.length(document.text[span.start : leading[-1].end]) if leading else 0
        largest = sizer.max_size // LARGEST_SHARE
        fitting = (s for s in _shorter(leading) if sizer.length(_slice(document, s)) <= largest)
        stack = next(fitting, ())
        repeated = sizer.length(_slice(document, stack) + _AFTER_STACK) if stack else 0
        # Whole blocks of code have their fences; what else looks like one may lose its end.
        has_stray_fences = has_fence(document.text, span.start, span.end) and any(
            has_fence(document.text, block.start, block.end)
            for block in draft.blocks(document)
            if not (keeps_atoms and block.kind is BlockKind.FENCED_CODE)
        )
        size = sizer.length(document.text[span.start : span.end])
        return cls(document, span.start, size, stack, headings, repeated, has_stray_fences)

    def is_continued(self, first: Unit) -> bool:
        """Tell whether a part that starts with a unit continues a section."""
        return first.span.start > self.start and first.opens is not BlockKind.HEADING

    def contents(self, first: Unit, last: Unit) -> Iterator[Shown]:
        """Yield what a part may show, with less and less that is repeated."""
        text, lead = self.document.text[first.span.start : last.span.end], first.repeats.lead
        body = lead + text + last.repeats.tail
        for stack in _shorter(self.stack) if self.is_continued(first) else ():
            above = _slice(self.document, stack) + _AFTER_STACK
            content = above + body + self._closing(above + body, first, last)
            yield Shown(content, stack[0].start, len(above) + len(lead))
        start = first.span.start if first.repeats.start is None else first.repeats.start
        yield Shown(body + self._closing(body, first, last), start, len(lead))
        if self.has_stray_fences:
            yield Shown(body, start, len(lead))

    def _closing(self, content: str, first: Unit, last: Unit) -> str:
        """Return the end of a fence that a part opens only because it was cut out."""
        if not self.has_stray_fences or self._is_whole(Span(first.span.start, last.span.end)):
            return ""
        block = self.document.block_at(last.span.end - 1)
        is_open = block.is_open and not last.repeats.tail
        return "" if is_open else missing_fence(content)

    def _is_whole(self, span: Span) -> bool:
        """Tell whether a span holds none but whole blocks of the document."""
        document, positions = self.document, self.document.positions(span)
        begins = document.top[positions.start].start >= span.start
        return begins and not document.text[span.end : document.start_of(positions.stop)].strip()


def _leading_headings(document: Document, draft: Draft) -> tuple[Span, ...]:
    positions = range(draft.first, draft.end)
    leading = takewhile(lambda p: document.top[p].level, positions)
    return tuple(document.trimmed_block(position) for position in leading)


def _shorter(stack: tuple[Span, ...]) -> Iterator[tuple[Span, ...]]:
    """Yield a stack, and what is left of it as outermost headings are dropped."""
    return (stack[dropped:] for dropped in range(len(stack)))


def _slice(document: Document, stack: Sequence[Span]) -> str:
    """Return repeated headings as they stand in the source."""
    return document.text[stack[0].start : stack[-1].end] if stack else ""
