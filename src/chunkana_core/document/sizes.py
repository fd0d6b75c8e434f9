"""Sizes of ranges of one document's text by the length function, each measured once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct, field

from chunkana_core.document.document import Document
from chunkana_core.sizing import Sizer
from chunkana_core.text.source import Span


class SizeSum(NamedTuple):
    """The size of the text before a span, and of the text up to its end."""

    before: int
    up_to_end: int


class DocumentSizes(Struct, frozen=True):
    """Sizes of ranges of a document's text, in units of the length function.

    If the length function is not additive, the size of a run of blocks is an estimate: the sum of
    the sizes of the blocks and of the white space between them, less the overhead of each.

    Attributes:
        document: the document.
        sizer: the length function and the limit.
    """

    document: Document
    sizer: Sizer
    _spans: dict[tuple[int, int], int] = field(default_factory=dict)
    _block_sums: list[SizeSum] = field(default_factory=list)

    def of_span(self, start: int, end: int) -> int:
        """Return the size of the text between two offsets."""
        if self.sizer.is_exact:
            return end - start
        size = self._spans.get((start, end))
        if size is None:
            size = self._spans[start, end] = self.sizer.length(self.document.text[start:end])
        return size

    def of_gap(self, start: int, end: int) -> int:
        """Return the size that white space between two texts adds, if the sizer is not exact."""
        return self.sizer.added_size(self.document.text[start:end])

    def of_joined(self, left: Span, right: Span) -> int:
        """Return the sum of the sizes of two spans and the gap between them.

        Later, `of_span` of the joined span returns this sum.
        """
        size = self.of_span(left.start, left.end) + self.of_span(right.start, right.end)
        size += self.of_gap(left.end, right.start) - self.sizer.overhead
        return self._spans.setdefault((left.start, right.end), size)

    def of_blocks(self, first: int, stop: int) -> int:
        """Return the size of a run of blocks, without surrounding white space."""
        if self.sizer.is_exact:
            span = self.document.trimmed_run(first, stop)
            return span.end - span.start
        if not self._block_sums:
            trimmed_run, positions = self.document.trimmed_run, range(len(self.document.top))
            self._block_sums.extend(self.sums(trimmed_run(p, p + 1) for p in positions))
        sums = self._block_sums
        return self.sizer.overhead + sums[stop - 1].up_to_end - sums[first].before

    def sums(self, spans: Iterable[Span]) -> Iterator[SizeSum]:
        """Yield the size of the text before each span and up to its end, from the first span on.

        The sizes of spans and gaps are added, less the overhead of each.
        """
        size, end = 0, None
        for span in spans:
            before = size if end is None else size + self.of_gap(end, span.start)
            size = before + self.of_span(span.start, span.end) - self.sizer.overhead
            end = span.end
            yield SizeSum(before, size)
