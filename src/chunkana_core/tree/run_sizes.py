"""Sizes of runs of leaves, computed from the sizes of the leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple, Self

from msgspec import Struct

from chunkana_core.context.context import CONTEXT_SEPARATOR
from chunkana_core.sizing import Sizer
from chunkana_core.text.source import Span
from chunkana_core.tree.chunks import Chunk


class RunSize(NamedTuple):
    """The size of a run of leaves, which may be off by one unit for each of some leaves."""

    units: int
    estimated_leaves: int

    def longer(self, added: RunSize) -> RunSize:
        """Return the size of the run with another one behind it."""
        leaves = self.estimated_leaves + added.estimated_leaves
        return RunSize(self.units + added.units, leaves)


class RunSizes(Struct, frozen=True):
    """Sizes of runs of leaves, computed from the sizes of the leaves.

    The size of a leaf's text is the size of what is embedded less the sizes of what is embedded
    before and after the text, such as its context, which many leaves have in common.

    Attributes:
        text: the text of the document.
        sizer: the length function.
        sizes_up_to: the size of the text up to the start and up to the end of each leaf.
    """

    text: str
    sizer: Sizer
    sizes_up_to: Mapping[int, RunSize]

    @classmethod
    def of(cls, text: str, leaves: Sequence[Chunk], sizer: Sizer) -> Self:
        """Return the sizes of a document's leaves; together the leaves contain all of its text."""
        if sizer.is_exact:
            ends = chain.from_iterable((leaf.span.start, leaf.span.end) for leaf in leaves)
            return cls(text, sizer, {end: RunSize(end, 0) for end in ends})
        sizes: dict[int, RunSize] = {}
        units = end = 0
        for number, leaf in enumerate(leaves):
            units += sizer.added_size(text[end : leaf.span.start])
            sizes[leaf.span.start] = RunSize(units, number)
            around = map(sizer.added_size, _embedded_around_text(leaf))
            units += leaf.size - sizer.overhead - sum(around)
            end = leaf.span.end
            sizes[end] = RunSize(units, number + 1)
        return cls(text, sizer, sizes)

    def between(self, start: int, end: int) -> RunSize:
        """Return the size that the text between two starts or ends of leaves adds to a run."""
        before, whole = self.sizes_up_to[start], self.sizes_up_to[end]
        leaves = whole.estimated_leaves - before.estimated_leaves
        return RunSize(whole.units - before.units, leaves)

    def of_span(self, span: Span) -> RunSize:
        """Return the size of the text from the start of one leaf to the end of another."""
        return self.between(span.start, span.end).longer(RunSize(self.sizer.overhead, 0))

    def measured_near(self, limit: int, size: RunSize, span: Span) -> RunSize:
        """Return the size of a span, measured if the given one is too close to a limit to tell."""
        if abs(size.units - limit) > size.estimated_leaves:
            return size
        return RunSize(self.sizer.length(self.text[span.start : span.end]), 0)


def _embedded_around_text(leaf: Chunk) -> list[str]:
    """Return what is embedded around the text of a leaf: paragraphs of context, repeated text."""
    content, start = leaf.content, leaf.text_offset
    context = leaf.context.split(CONTEXT_SEPARATOR) if leaf.context else []
    paragraphs = [paragraph + CONTEXT_SEPARATOR for paragraph in context]
    return [*paragraphs, content[:start], content[start + len(leaf.span) :]]
