"""Overlap: the ends of neighbouring leaves, for metadata alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunkana_core.hierarchy import Leaf
from chunkana_core.sizing import Sizer


@dataclass(frozen=True, slots=True)
class Overlap:
    """Finds what stands before and after a leaf.

    Attributes:
        text: the document.
        leaves: in document order.
        sizer: measures the overlap.
        size: the most of it, 0 for none.
    """

    text: str
    leaves: Sequence[Leaf]
    sizer: Sizer
    size: int

    def around(self, index: int) -> tuple[str, str]:
        """Return the end of the leaf before and the start of the one after, under one parent.

        Both are cut at a word boundary; "" where there is no such leaf, or not a word fits.
        """
        if not self.size:
            return "", ""
        return self._end_of(index, index - 1), self._start_of(index, index + 1)

    def _end_of(self, index: int, before: int) -> str:
        if not self._is_beside(index, before):
            return ""
        span = self.leaves[before].span
        start = self.sizer.longest_end(self.text, span.start, span.end, self.size)
        while span.start < start < span.end and not self.text[start - 1].isspace():
            start += 1
        return self.text[start : span.end].lstrip()

    def _start_of(self, index: int, after: int) -> str:
        if not self._is_beside(index, after):
            return ""
        span = self.leaves[after].span
        end = self.sizer.longest(self.text, span.start, span.end, self.size)
        while span.start < end < span.end and not self.text[end].isspace():
            end -= 1
        return self.text[span.start : end].rstrip()

    def _is_beside(self, index: int, neighbour: int) -> bool:
        if not 0 <= neighbour < len(self.leaves):
            return False
        return self.leaves[neighbour].place.node == self.leaves[index].place.node
