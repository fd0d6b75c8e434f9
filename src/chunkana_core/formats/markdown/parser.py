"""Markdown to a flat list of blocks, and to a `Document`.

Only blocks are found: inline text is parsed for heading titles alone.
"""

from __future__ import annotations

import re
from collections.abc import Container
from itertools import accumulate

from msgspec.structs import replace

from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.document import Document
from chunkana_core.formats.markdown.containers import find_containers, wrap
from chunkana_core.formats.markdown.front_matter import mapping_title
from chunkana_core.formats.markdown.grammar import MARKDOWN, Grammar
from chunkana_core.formats.markdown.state import State
from chunkana_core.formats.markdown.titles import rendered_title
from chunkana_core.text.source import Source

_NON_SPACE = re.compile(r"\S")


def parse_markdown(text: str) -> Document:
    r"""Parse Markdown: CommonMark 0.31.2, GFM tables, footnotes, `$$` math, YAML front matter.

    Total over `str` and linear in its length. A leading BOM is skipped.

    >>> [block.kind.value for block in parse_markdown("# Tea\n\n- hot\n").top]
    ['heading', 'list']
    """
    source = Source.of(text)
    return Document.of(source, *_parse(source, MARKDOWN))


def parse_blocks(text: str, grammar: Grammar = MARKDOWN) -> tuple[Block, ...]:
    """Return the blocks of Markdown, each before what it contains."""
    return _parse(Source.of(text), grammar)[0]


def _parse(source: Source, grammar: Grammar) -> tuple[tuple[Block, ...], str]:
    """Return the blocks of a text, and the title that its front matter gives or "".

    Markers of no container are Markdown: then the text is read again, with the others alone. They
    may no longer be a container's then, and are Markdown, too.
    """
    blocks, front_title = _read(source, grammar, None)
    found = find_containers(source.text, blocks)
    for is_last in (False, True):
        if found.is_complete:
            break
        marker_lines = frozenset[int]() if is_last else found.marker_lines
        blocks, front_title = _read(source, grammar, marker_lines)
        found = find_containers(source.text, blocks)
    return wrap(blocks, found.pairs) if found.pairs else blocks, front_title


def _read(
    source: Source, grammar: Grammar, marker_lines: Container[int] | None
) -> tuple[tuple[Block, ...], str]:
    """Return the blocks of a text, and the title that its front matter gives or "".

    Directives, elements and shortcodes are their opening and closing blocks here.
    """
    text = source.text
    state = State(source, grammar.parser, grammar.chains, marker_lines)
    front_title = _front_matter(state, grammar)
    grammar.parser.block.tokenize(state, state.line, state.lineMax)
    for index in state.unparsed_titles:
        block = state.blocks[index]
        state.blocks[index] = replace(block, info=rendered_title(block.info, state.env))
    blocks = _without_blank_blocks(text, state.blocks)
    if not blocks and text.strip():  # a BOM and nothing else
        blocks = (Block(BlockKind.PARAGRAPH, 0, 0, len(text), 0, 1),)
    return blocks, front_title


def _front_matter(state: State, grammar: Grammar) -> str:
    """Add front matter if it is a YAML mapping, and return its title or ""."""
    if not state.src.startswith("---") or not grammar.front_matter(state, 0, state.lineMax, False):
        return ""
    title = mapping_title(state.discarded_token.content)
    if title is None:  # it is Markdown: a thematic break and what follows
        state.blocks.clear()
        state.line = 0
    return title or ""


def _without_blank_blocks(text: str, blocks: list[Block]) -> tuple[Block, ...]:
    """Leave out blocks of nothing but white space, such as paragraphs of a wide space."""
    begin_blank = (b for b in blocks if text[b.start].isspace())
    blank = {b.index for b in begin_blank if not _NON_SPACE.search(text, b.start, b.end)}
    if not blank:
        return tuple(blocks)
    indexes = [*accumulate((b.index not in blank for b in blocks), initial=0)]
    kept = (b for b in blocks if b.index not in blank)
    return tuple(replace(b, index=indexes[b.index], after=indexes[b.after]) for b in kept)
