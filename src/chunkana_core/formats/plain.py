"""Plain text to a `Document`: paragraphs separated by blank lines."""

from __future__ import annotations

from collections.abc import Iterator

from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.traits import FormatTraits
from chunkana_core.text.source import Source, Span

TRAITS = FormatTraits("text", has_introductions=True)


def parse_text(text: str) -> Document:
    r"""Parse plain text: paragraphs without markup and without sections.

    >>> [block.kind.value for block in parse_text("# Tea\n\n- hot\n").top]
    ['paragraph', 'paragraph']
    """
    source = Source.of(text)
    blocks = [
        Block(BlockKind.PARAGRAPH, 0, span.start, span.end, index, index + 1)
        for index, span in enumerate(_paragraphs(source))
    ]
    return Document.of_sections(source, blocks, (), TRAITS)


def _paragraphs(source: Source) -> Iterator[Span]:
    """Yield the spans of consecutive lines that are not blank."""
    text, start = source.text, None
    for first, stop in zip(source.line_starts, [*source.line_starts[1:], len(text)], strict=True):
        is_blank = not text[first:stop].strip()
        if is_blank and start is not None:
            yield Span(start, first)
        start = None if is_blank else first if start is None else start
    if start is not None:
        yield Span(start, len(text))
