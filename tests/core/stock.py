"""What stock markdown-it-py, with the core's plugins and limits, says of a text."""

from __future__ import annotations

import re
import sys
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

import yaml
from markdown_it import MarkdownIt
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from chunkana_core.extending import BlockRule
from tests.core import stock_containers
from tests.core.stock_containers import StockBlock

READINGS = 4  # of a text, while there are markers of no container
BOM = "\ufeff"
DEEPEST = 100
_OF_PLUGIN = "of a plugin"  # as the markup of its blocks
ATOMS = frozenset({"fenced_code", "indented_code", "math", "table"})
KINDS = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "list_item",
    "blockquote_open": "block_quote",
    "fence": "fenced_code",
    "code_block": "indented_code",
    "table_open": "table",
    "math_block": "math",
    "math_block_label": "math",
    "html_block": "html",
    "hr": "thematic_break",
    "definition": "link_definition",
    "footnote_reference_open": "footnote",
    "admonition_open": "container",
    "container_marker": "marker",
    "front_matter": "front_matter",
}


class StockPlugin(NamedTuple):
    """A plugin that the stock parser has, too, and the type of the token that its blocks start."""

    rule: BlockRule
    token_type: str


# Those with which texts are read; a variable, for every law asks for the blocks of texts.
_PLUGINS: ContextVar[tuple[StockPlugin, ...]] = ContextVar("plugins", default=())
_LINE_END = re.compile(r"\r\n?|\n")
_LEAD = re.compile(  # of a heading: anchors and comments
    r"\ufeff?(?:\s*(?:<!--(?:(?!-->).)*-->"
    r"|<a\s(?:[^<>]*\s)?(?:id|name)\s*=\s*[^<>\s][^<>]*>(?:\s*</a\s*>)?))+\s*",
    re.DOTALL | re.IGNORECASE,
)
_LONGEST_LEAD = 400


def line_starts(text: str) -> list[int]:
    """Return the offset of every line; CR, LF and CRLF end one."""
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


def line_at(starts: list[int], offset: int) -> int:
    """Return the number, from 1, of the line that holds an offset."""
    return bisect_right(starts, offset)


@contextmanager
def with_plugins(plugins: Sequence[StockPlugin]) -> Iterator[None]:
    """Read texts with plugins."""
    token = _PLUGINS.set(tuple(plugins))
    try:
        yield
    finally:
        _PLUGINS.reset(token)


def stock_blocks(text: str) -> tuple[StockBlock, ...]:
    """Return all blocks of a text, each before what it contains, however deep."""
    return _all_blocks(text, _PLUGINS.get())


@lru_cache(maxsize=4)
def _all_blocks(text: str, _plugins: tuple[StockPlugin, ...]) -> tuple[StockBlock, ...]:
    return _read(text, 100_000)[1]


def limited_blocks(text: str) -> tuple[StockBlock, ...] | None:
    """Return all blocks of a text, or None where some lie deeper than the parser's limit."""
    return _limited_blocks(text, _PLUGINS.get())


@lru_cache(maxsize=4)
def _limited_blocks(text: str, _plugins: tuple[StockPlugin, ...]) -> tuple[StockBlock, ...] | None:
    try:
        tokens, blocks = _read(text, DEEPEST)
    except IndexError:  # some rules read past the end of a text
        return None
    if any(token.level >= DEEPEST - 1 for token in tokens):
        return None
    return blocks


def limited_tokens(text: str) -> list[Token]:
    """Return the tokens of a text, as the stock parser makes them with the parser's limit."""
    return _parse(_parser(DEEPEST, _PLUGINS.get()), text)


@lru_cache
def title_parser() -> MarkdownIt:
    """Return the stock parser with what titles may have in them."""
    md = MarkdownIt("commonmark").enable("strikethrough")
    return md.use(footnote_plugin).use(dollarmath_plugin)


def top(blocks: tuple[StockBlock, ...]) -> list[StockBlock]:
    """Return the document's own blocks."""
    return [block for block in blocks if block.depth == 0]


class _StringLoader(yaml.CSafeLoader):
    """The safe loader, to which all scalars are strings, and `<<` is a key like any other."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Merge nothing."""


def _text(loader: _StringLoader, node: yaml.ScalarNode) -> str:
    return str(loader.construct_scalar(node))


for _tag in ("int", "bool", "float", "timestamp", "null", "binary", "merge", "value"):
    _StringLoader.add_constructor(f"tag:yaml.org,2002:{_tag}", _text)


def is_mapping(front_matter: str) -> bool:
    """Tell whether YAML's safe loader reads a mapping, values of whatever kind."""
    try:
        return isinstance(yaml.load(front_matter, _StringLoader), dict)  # noqa: S506 - it is safe
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, OverflowError, RecursionError):
        return False


def open_fences(content: str) -> list[Token]:
    """Return the code fences that a text opens and does not close; a container's end closes one."""
    ended = content.rstrip("\r\n") + "\n"
    last = len(re.findall(r"\r\n?|\n", content.rstrip())) + 1
    fences = [t for t in _read(ended, 100_000)[0] if t.type == "fence" and not _is_closed(t)]
    return [t for t in fences if t.map and t.map[1] >= last]


def _read(text: str, deepest: int) -> tuple[list[Token], tuple[StockBlock, ...]]:
    """Return tokens and blocks; markers that are no container's are read as Markdown."""
    lines: frozenset[int] | None = None
    for number in range(1, READINGS + 1):
        tokens = _tokens(text, deepest, lines)
        blocks = [*_blocks(text, tokens)]
        pairs = stock_containers.pairs(blocks)
        used = frozenset(blocks[i].line for pair in pairs for i in (pair.first, pair.last))
        markers = [b for b in blocks if b.kind == "marker" and b.markup.startswith((":", "{"))]
        if number == READINGS or all(block.line in used for block in markers):
            break
        lines = used
    return tokens, tuple(stock_containers.wrapped(blocks, pairs))


def _tokens(text: str, deepest: int, marker_lines: frozenset[int] | None) -> list[Token]:
    body = _with_toml_as_yaml(text.removeprefix(BOM))
    env: dict[str, object] = {"marker_lines": marker_lines}
    with _room_to_recurse():
        tokens = _parse(_parser(deepest, _PLUGINS.get()), body, env)
        if any(t.type == "front_matter" for t in tokens) and not _is_front_matter(tokens[0]):
            tokens = _parse(_parser(deepest, _PLUGINS.get(), front_matter=False), body, env)
    return tokens


def _with_toml_as_yaml(body: str) -> str:
    """Return a text whose TOML front matter is YAML of as many lines."""
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", body)
    ends = [n for n, line in enumerate(lines) if re.fullmatch(r"\+\+\+[ \t]*[\r\n]*", line)]
    if len(ends) < 2 or ends[0]:
        return body
    try:
        tomllib.loads("\n".join(line.rstrip("\r\n") for line in lines[1 : ends[1]]))
    except ValueError:
        return body
    yaml_lines = ["---\n", *["a: b\n"] * (ends[1] - 1), "---\n"]
    return "".join((*yaml_lines, *lines[ends[1] + 1 :]))


def _parse(parser: MarkdownIt, body: str, env: dict[str, object] | None = None) -> list[Token]:
    """Return the tokens of a text; lines are markers of containers if the environment says so."""
    try:
        return parser.parse(body, {**(env or {})})
    except IndexError:  # some rules read past the end of a text
        return parser.parse(body + "\n", {**(env or {})})


def _is_front_matter(first: Token) -> bool:
    """Tell whether YAML reads it; the plugin also takes some first lines of lists for it."""
    return first.type == "front_matter" and is_mapping(first.content)


@lru_cache
def _parser(
    deepest: int, plugins: tuple[StockPlugin, ...], *, front_matter: bool = True
) -> MarkdownIt:
    md = MarkdownIt("commonmark", {"maxNesting": deepest, "inline_definitions": True})
    md.enable("table").use(footnote_plugin, move_to_end=False)
    md.use(dollarmath_plugin, allow_blank_lines=False)
    md.use(admon_plugin)
    interrupted = ["paragraph", "reference", "blockquote", "list"]
    marker = stock_containers.marker
    md.block.ruler.before("fence", "container_marker", marker, {"alt": interrupted})
    if front_matter:
        md.use(front_matter_plugin)
    for plugin in plugins:
        assert plugin.rule.plugin
        plugin.rule.plugin(md)
    for rule in md.block.ruler.__rules__:
        if rule.name == "admonition":
            rule.fn = stock_containers.with_body(rule.fn)
        rule.fn = _with_whole_map(rule.fn)
    md.core.ruler.enableOnly(["normalize", "block"])
    return md


def _with_whole_map(rule: RuleFuncBlockType) -> RuleFuncBlockType:
    """Return a rule whose token ends where the parser goes on; plugins may leave out a last line.

    No rule does of those that are in use; that for `:::` containers does.
    """

    def with_whole_map(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
        count = len(state.tokens)
        is_found = rule(state, start, end, silent)
        if is_found and len(state.tokens) > count and state.tokens[count].map:
            state.tokens[count].map = [start, state.line]
        return is_found

    return with_whole_map


@contextmanager
def _room_to_recurse() -> Iterator[None]:
    """Let the stock parser, which recurses over nested blocks, go as deep as tests need."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 40_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _blocks(text: str, tokens: list[Token]) -> Iterator[StockBlock]:
    found: list[StockBlock] = []
    for block in _own_blocks(text, tokens):
        lead = block.start
        while block.kind == "heading" and not block.depth and found:
            before = found[-1]
            is_lead = not before.depth and before.kind in {"paragraph", "html"}
            is_lead = is_lead and block.line_start - before.start <= _LONGEST_LEAD
            if not is_lead or not _LEAD.fullmatch(text[before.start : before.end]):
                break
            lead = found.pop().start
        found.append(replace(block, start=lead))
    found = _with_lines_of_plugins(text, found)
    # Paragraphs and code of nothing but white space; there is nothing to chunk.
    return (block for block in found if not text[block.start : block.end].isspace())


def _own_blocks(text: str, tokens: list[Token]) -> Iterator[StockBlock]:
    starts = [*line_starts(text), len(text)]
    of_plugins = {plugin.token_type: plugin.rule.kind.value for plugin in _PLUGINS.get()}
    kinds = KINDS | of_plugins
    for number, token in enumerate(tokens):
        kind = kinds.get(token.type)
        if kind is None or token.map is None:
            continue
        first, last = token.map
        start, end = starts[first], starts[min(last, len(starts) - 1)]
        level = int(token.tag[1]) if kind == "heading" else 0
        markup = (tokens[number + 1] if kind == "heading" else token).content
        if token.type in of_plugins:
            markup = _OF_PLUGIN
        is_closed = kind != "container" and (token.type != "fence" or _is_closed(token))
        yield StockBlock(kind, token.level, first, start, start, end, level, markup, is_closed)
        if token.type == "admonition_open":  # whose opening is a line of its own
            stop, opening = starts[first + 1], token.markup
            yield StockBlock("marker", token.level + 1, first, start, start, stop, markup=opening)


def _with_lines_of_plugins(text: str, blocks: list[StockBlock]) -> list[StockBlock]:
    """Return blocks with the lines of plugins' containers that are in no block inside these."""
    made: list[StockBlock] = []
    closings: dict[int, list[StockBlock]] = {}  # by the number of the block after them
    for number, block in enumerate(blocks):
        made += closings.pop(number, [])
        if block.kind != "container" or block.markup != _OF_PLUGIN:
            made.append(block)
            continue
        inside = [*takewhile(lambda b: b.depth > block.depth, blocks[number + 1 :])]  # noqa: B023
        lines = [n for n in line_starts(text) if block.start <= n < block.end]
        second = [*lines[1:], block.end][0]
        opening = [
            *_marker(text, block, block.start, min([b.start for b in inside], default=second))
        ]
        closing = [*_marker(text, block, max([b.end for b in inside], default=second), block.end)]
        made += [replace(block, is_closed=bool(closing)), *opening]
        closings[number + 1 + len(inside)] = [*closing, *closings.get(number + 1 + len(inside), [])]
    return [*made, *(closing for last in closings.values() for closing in last)]


def _marker(text: str, container: StockBlock, start: int, end: int) -> Iterator[StockBlock]:
    """Yield the lines of a stretch that are not blank as one block, if there are any."""
    starts = [*line_starts(text), len(text)]
    lines = [*pairwise(n for n in starts if start <= n <= end)]
    shown = [(a, b) for a, b in lines if text[a:b].strip("> \t\r\n")]
    if shown:
        line = starts.index(shown[0][0])
        first, last = shown[0][0], shown[-1][1]
        yield StockBlock("marker", container.depth + 1, line, first, first, last)


def _is_closed(fence: Token) -> bool:
    """Tell whether a fence has a closing line: one that is not part of its content."""
    first, last = fence.map or (0, 0)
    content_lines = fence.content.count("\n") + (not fence.content.endswith("\n"))
    return last - first - 1 > (content_lines if fence.content else 0)
