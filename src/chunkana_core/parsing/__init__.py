"""Markdown text to a flat list of blocks; the only package that knows markdown-it-py.

Only blocks are found: inline text is parsed for heading titles alone. `state` is what rules share,
`rules` are those that replace or wrap stock ones, `asking` makes a parser of them, and `titles`
are headings as plain text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import accumulate

from chunkana_core.blocks import Block, BlockKind
from chunkana_core.front_matter import mapping_title
from chunkana_core.parsing.asking import FRONT_MATTER, MARKDOWN, STOPS
from chunkana_core.parsing.state import State
from chunkana_core.parsing.titles import parsed_title
from chunkana_core.source import Source

_NON_SPACE = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class ParsedText:
    """A text, its blocks (each before what it contains), and its front matter's title or ""."""

    source: Source
    blocks: tuple[Block, ...]
    front_title: str


def parse(text: str) -> ParsedText:
    """Parse Markdown: CommonMark 0.31.2, GFM tables, footnotes, `$$` math, YAML front matter.

    Total over `str` and linear in its length. A leading BOM is skipped.
    """
    source = Source.of(text)
    state = State(source, MARKDOWN, STOPS)
    front_title = _front_matter(state)
    MARKDOWN.block.tokenize(state, state.line, state.lineMax)
    for place in state.unread:
        block = state.blocks[place]
        state.blocks[place] = replace(block, info=parsed_title(block.info, state.env))
    blocks = _without_blank_ones(text, state.blocks)
    if not blocks and text.strip():  # a BOM and nothing else
        blocks = (Block(BlockKind.PARAGRAPH, 0, 0, len(text), 0, 1),)
    return ParsedText(source, blocks, front_title)


def _front_matter(state: State) -> str:
    """Take front matter that YAML reads as a mapping, and return its title."""
    is_found = state.src.startswith("---") and FRONT_MATTER(state, 0, state.lineMax, False)
    found = mapping_title(state.dropped.content) if is_found else ""
    if found is None:
        state.blocks.clear()
        state.line = 0
    return found or ""


def _without_blank_ones(text: str, blocks: list[Block]) -> tuple[Block, ...]:
    """Leave out blocks of nothing but white space, such as paragraphs of a wide space."""
    first_spaces = (b for b in blocks if text[b.start].isspace())
    blank = {b.index for b in first_spaces if not _NON_SPACE.search(text, b.start, b.end)}
    if not blank:
        return tuple(blocks)
    places = [*accumulate((b.index not in blank for b in blocks), initial=0)]
    kept = (b for b in blocks if b.index not in blank)
    return tuple(replace(b, index=places[b.index], after=places[b.after]) for b in kept)
