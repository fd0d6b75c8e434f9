"""Sizes of ranges of one document's text by the length function, each measured once."""

from __future__ import annotations

from msgspec import Struct, field

from chunkana_core.document.document import Document
from chunkana_core.sizing import Sizer
from chunkana_core.text.source import Span


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
    _sums: list[tuple[int, int]] = field(default_factory=list)

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
        if not self._sums:
            self._sums.extend(self._cumulative())
        return self.sizer.overhead + self._sums[stop - 1][1] - self._sums[first][0]

    def _cumulative(self) -> list[tuple[int, int]]:
        """Return for each block the cumulative sizes of the text up to its start and to its end."""
        document, overhead = self.document, self.sizer.overhead
        sums: list[tuple[int, int]] = []
        end_size = last_end = 0
        for position in range(len(document.top)):
            span = document.trimmed_run(position, position + 1)
            start_size = end_size + (self.of_gap(last_end, span.start) if sums else 0)
            end_size = start_size + self.of_span(span.start, span.end) - overhead
            last_end = span.end
            sums.append((start_size, end_size))
        return sums
