"""Counts of a document, by which a strategy is selected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.outline import ROOT, Section
from chunkana_core.text.source import Source


@dataclass(frozen=True, slots=True)
class ContentAnalysis:
    """Counts of a document, including nested blocks, except headings in containers.

    Attributes:
        total_lines: the number of lines, including a last line without a line ending.
        code_ratio: the share of code points in code blocks, 0.0 to 1.0.
        max_header_depth: the deepest heading level, 0 without headings.
        has_preamble: whether there is text before the first heading.
    """

    total_chars: int
    total_lines: int
    code_ratio: float
    code_block_count: int
    table_count: int
    list_count: int
    header_count: int
    max_header_depth: int
    has_preamble: bool


def analyze(
    source: Source, blocks: Sequence[Block], code: Sequence[Block], sections: Sequence[Section]
) -> ContentAnalysis:
    """Return the counts of a parsed document.

    Args:
        source: the text.
        blocks: all blocks.
        code: the outermost code blocks.
        sections: the outline.
    """
    counts = Counter([block.kind for block in blocks])
    ends_in_newline = source.line_starts[-1] == len(source.text)
    return ContentAnalysis(
        total_chars=len(source.text),
        total_lines=len(source.line_starts) - ends_in_newline,
        code_ratio=sum([block.end - block.start for block in code]) / max(1, len(source.text)),
        code_block_count=len(code),
        table_count=counts[BlockKind.TABLE],
        list_count=counts[BlockKind.LIST],
        header_count=len(sections) - 1,
        max_header_depth=max([section.level for section in sections]),
        has_preamble=len(sections) > 1 and sections[ROOT].has_body,
    )
