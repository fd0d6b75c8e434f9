"""Markdown to a flat list of blocks, and to a `Document`.

Inline Markdown is parsed only in heading titles.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, compress, takewhile
from typing import NamedTuple

from markdown_it.utils import EnvType
from msgspec.structs import replace

from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.paths import short_title
from chunkana_core.document.traits import FormatTraits, MergeRule
from chunkana_core.formats.markdown.containers import (
    Pair,
    find_containers,
    open_directives,
    wrap,
)
from chunkana_core.formats.markdown.front_matter import front_matter_title
from chunkana_core.formats.markdown.grammar import (
    MARKDOWN,
    Grammar,
    grammar_of,
    require_plugins,
)
from chunkana_core.formats.markdown.rule_table import BlockRule
from chunkana_core.formats.markdown.state import State
from chunkana_core.formats.markdown.titles import (
    Definitions,
    heading_sections,
    html_title,
    rendered_title,
)
from chunkana_core.text.source import NON_SPACE, Source

_MAX_PASSES = 4  # of the parser over a text that has markers without a container
_TOML_MARKER = re.compile(r"^\+{3}[ \t]*+$", re.MULTILINE)


class _PassResult(NamedTuple):
    """The result of one pass of the parser.

    Attributes:
        blocks: the blocks, without container blocks.
        pairs: the opening and closing blocks of containers.
        front_title: the title from front matter or HTML, "" for none.
        env: the environment of the parser.
    """

    blocks: tuple[Block, ...]
    pairs: Sequence[Pair]
    front_title: str
    env: EnvType


def parse_markdown(text: str, plugins: Iterable[BlockRule] = ()) -> Document:
    r"""Parse Markdown: CommonMark 0.31.2, GFM tables, footnotes, `$$` math, front matter.

    Accepts any `str`, in linear time. A leading BOM is skipped.

    Args:
        text: the text.
        plugins: the user's block rules, in addition to the built-in ones.

    Raises:
        ConfigurationError: for plugins with a rule that would never be called.

    >>> [block.kind.value for block in parse_markdown("# Tea\n\n- hot\n").top]
    ['heading', 'list']
    """
    source, rules = Source.of(text), require_plugins(plugins)
    blocks, title = _parse(source, grammar_of(rules))
    sections = heading_sections([block for block in blocks if not block.depth])
    return Document.of(source, blocks, sections, traits_of(rules), title)


class ParsedWindow(NamedTuple):
    """A parsed window of a document.

    Attributes:
        blocks: the blocks of the window.
        title: the title from front matter or HTML before the first heading, "" for none.
        directives: by the offset of each top-level heading, the offset of the outermost directive
            that is open there; the length of the text if none is. A heading is omitted if it is a
            heading only in some passes (see `_passes`).
        redefined: the labels in titles of earlier windows that are first defined here, with
            the lines of these titles.
    """

    blocks: tuple[Block, ...]
    title: str
    directives: Mapping[int, int]
    redefined: Sequence[tuple[str, int]]


def parse_window(source: Source, definitions: Definitions) -> ParsedWindow:
    """Parse a window of a document, and add its link definitions and footnotes to `definitions`."""
    passes = [*_passes(source, MARKDOWN, definitions)]
    first, *others = [open_directives(source.text, result.blocks) for result in passes]
    directives = {
        start: min([directive, *(other[start] for other in others)])
        for start, directive in first.items()
        if all(start in other for other in others)
    }
    blocks, pairs, title, env = passes[-1]
    redefined = [*definitions.add(env)]
    return ParsedWindow(wrap(blocks, pairs) if pairs else blocks, title, directives, redefined)


def parse_blocks(text: str, plugins: tuple[BlockRule, ...] = ()) -> tuple[Block, ...]:
    """Return the blocks of Markdown in pre-order."""
    return _parse(Source.of(text), grammar_of(plugins))[0]


def parse_titled_blocks(text: str, plugins: tuple[BlockRule, ...]) -> tuple[tuple[Block, ...], str]:
    """Return the blocks of Markdown, and the title from front matter or HTML, "" for none."""
    return _parse(Source.of(text), grammar_of(plugins))


TRAITS = FormatTraits("markdown", MergeRule.SMALL, has_headings=True, parse_markup=parse_blocks)


def traits_of(plugins: tuple[BlockRule, ...]) -> FormatTraits:
    """Return the format traits of Markdown with plugins."""
    if not plugins:
        return TRAITS
    return dataclasses.replace(TRAITS, parse_markup=partial(parse_blocks, plugins=plugins))


def _parse(source: Source, grammar: Grammar) -> tuple[tuple[Block, ...], str]:
    """Return the blocks of a text, and the title from front matter or HTML, "" for none."""
    *_, (blocks, pairs, front_title, _) = _passes(source, grammar)
    return wrap(blocks, pairs) if pairs else blocks, front_title


def _passes(
    source: Source, grammar: Grammar, definitions: Definitions | None = None
) -> Iterator[_PassResult]:
    """Yield the results of the passes of the parser over a text; the last one is final.

    A marker without a container is ordinary Markdown, so that the text is parsed again with only
    the other markers as markers. This may leave further markers without a container. The effect of
    a marker ends at the next heading outside containers.
    """
    marker_lines, titles = None, dict[str, str | None]()
    for _ in range(_MAX_PASSES):
        env = definitions.environment() if definitions else {}
        blocks, front_title = _parse_once(source, grammar, marker_lines, env, titles)
        found = find_containers(source.text, blocks)
        yield _PassResult(blocks, found.pairs, front_title, env)
        if found.is_complete:
            break
        marker_lines = found.marker_lines


def _parse_once(
    source: Source,
    grammar: Grammar,
    marker_lines: Container[int] | None,
    env: EnvType,
    titles: dict[str, str | None],
) -> tuple[tuple[Block, ...], str]:
    """Return the blocks of a text, and the title from front matter or HTML, "" for none.

    Directives, elements and shortcodes are their opening and closing blocks here. The titles of
    front matter are cached in `titles` for the next pass.
    """
    text = source.text
    state = grammar.state_type(source, grammar.parser, grammar.chains, marker_lines, env)
    front_title = _front_matter(state, grammar, titles)
    grammar.parser.block.tokenize(state, state.line, state.lineMax)
    for index in state.unparsed_titles:
        block = state.blocks[index]
        title, anchor = rendered_title(block.info, state.env)
        state.blocks[index] = replace(block, info=title, anchor=anchor or block.anchor)
    blocks = _without_blank_blocks(text, state.blocks, state.unused_indexes)
    if not blocks and text.strip():  # a BOM and nothing else
        blocks = (Block(BlockKind.PARAGRAPH, 0, 0, len(text), 0, 1),)
    return blocks, front_title or _html_title(text, blocks)


def _html_title(text: str, blocks: Sequence[Block]) -> str:
    """Return the text of an `<h1>` before the first Markdown heading, "" if there is none."""
    before = takewhile(lambda block: not block.level or block.depth, blocks)
    html = (block for block in before if block.kind is BlockKind.HTML and not block.depth)
    titles = (html_title(text[block.start : block.end]) for block in html)
    return next(filter(None, titles), "")


def _front_matter(state: State, grammar: Grammar, titles: dict[str, str | None]) -> str:
    """Add front matter if it is a YAML mapping or a TOML document, and return its title or ""."""
    is_toml = state.src.startswith("+++")
    is_yaml = state.src.startswith("---")
    if not (
        (is_yaml and grammar.front_matter(state, 0, state.lineMax, False))
        or (is_toml and _add_toml(state))
    ):
        return ""
    content = state.discarded_token.content
    if content not in titles:
        titles[content] = front_matter_title(content, is_toml=is_toml)
    title = titles[content]
    if title is None:  # it is Markdown: such as a thematic break and what follows
        state.blocks.clear()
        state.line = 0
    return short_title(title or "")


def _add_toml(state: State) -> bool:
    """Add TOML front matter, between two lines of `+++`, if the text starts with such a line."""
    opening = _TOML_MARKER.match(state.src)
    closing = _TOML_MARKER.search(state.src, opening.end()) if opening else None
    if opening is None or closing is None:
        return False
    state.discarded_token.content = state.src[opening.end() : closing.start()]
    state.line = state.src.count("\n", 0, closing.end()) + 1
    state.add_leaf(BlockKind.FRONT_MATTER, 0)
    return True


def _without_blank_blocks(
    text: str, blocks: list[Block], unused: Sequence[int]
) -> tuple[Block, ...]:
    """Leave out blocks of nothing but white space, such as paragraphs of a wide space."""
    begin_blank = [block for block in blocks if text[block.start].isspace()]
    blank = {b.index for b in begin_blank if not NON_SPACE.search(text, b.start, b.end)}
    if not blank and not unused:
        return tuple(blocks)
    blank.update(unused)
    is_kept = [index not in blank for index in range(len(blocks))]
    indexes = [*accumulate(is_kept, initial=0)]
    kept = compress(blocks, is_kept)
    return tuple(replace(b, index=indexes[b.index], after=indexes[b.after]) for b in kept)
