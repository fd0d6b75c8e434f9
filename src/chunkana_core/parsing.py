"""Markdown text to a flat list of blocks; the only file that knows markdown-it-py.

Only block tokens are made: inline text is parsed for heading titles alone. The rules that replace
or wrap those of markdown-it-py and its plugins yield the same blocks, but for what is deeper than
`MAX_NESTING`, which stock rules let swallow the rest of the document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, cast

import yaml
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from chunkana_core.blocks import Block, BlockKind
from chunkana_core.source import BOM, Source

MAX_NESTING = 100  # levels of containers; a list and its item are two
_LONGEST_PARSED_TITLE = 1000  # inline parsing is not linear; longer titles keep their markup
_NOT_LITERAL = re.compile(r"[\\`*_~\[\]<>&!$\n]")
_SPACES = re.compile(r"\s+")

_Rule = Callable[[StateBlock, int, int, bool], bool]
_StateRule = Callable[["_State", int, int, bool], bool]

_KINDS: dict[str, BlockKind] = {
    "heading_open": BlockKind.HEADING,
    "paragraph_open": BlockKind.PARAGRAPH,
    "bullet_list_open": BlockKind.LIST,
    "ordered_list_open": BlockKind.LIST,
    "list_item_open": BlockKind.LIST_ITEM,
    "blockquote_open": BlockKind.BLOCK_QUOTE,
    "fence": BlockKind.FENCED_CODE,
    "code_block": BlockKind.INDENTED_CODE,
    "table_open": BlockKind.TABLE,
    "math_block": BlockKind.MATH,
    "math_block_label": BlockKind.MATH,
    "html_block": BlockKind.HTML,
    "hr": BlockKind.THEMATIC_BREAK,
    "definition": BlockKind.LINK_DEFINITION,
    "footnote_reference_open": BlockKind.FOOTNOTE,
    "front_matter": BlockKind.FRONT_MATTER,
    "opaque": BlockKind.OPAQUE,
}


@dataclass(frozen=True, slots=True)
class ParsedText:
    """What the parser finds in a text.

    Attributes:
        source: the text and its lines.
        blocks: its blocks in document order, each before what it contains.
        front_title: the `title` of the front matter, "" where there is none.
    """

    source: Source
    blocks: tuple[Block, ...]
    front_title: str


def parse(text: str) -> ParsedText:
    """Parse Markdown: CommonMark 0.31.2, GFM tables, footnotes, `$$` math, YAML front matter.

    Total over `str` and linear in its length. A leading BOM is skipped.
    """
    source = Source.of(text)
    body = text.removeprefix(BOM).replace("\0", "\ufffd")
    if "\r" in body:
        body = body.replace("\r\n", "\n").replace("\r", "\n")
    state = _State(body, _MARKDOWN, {}, [])
    _MARKDOWN.block.tokenize(state, 0, state.lineMax)
    blocks = tuple(_blocks(source, state))
    if not blocks and text.strip():  # a BOM and nothing else
        blocks = (Block(BlockKind.PARAGRAPH, 0, 0, len(text), 0, 1),)
    return ParsedText(source, blocks, state.front_title)


class _Mark(Token):
    """A token of which only what becomes a block is kept."""

    __slots__ = ("inline",)

    def __init__(self, kind: str, tag: str, level: int) -> None:
        self.type = kind
        self.tag = tag
        self.level = level
        self.info = ""
        self.map = None
        self.inline: Token | None = None


class _State(StateBlock):
    """The parser's state; keeps the tokens that become blocks and drops the others."""

    def __init__(
        self, src: str, md: MarkdownIt, env: dict[str, object], tokens: list[Token]
    ) -> None:
        super().__init__(src, md, env, tokens)
        self.marks: list[_Mark] = []
        self.dropped = Token("", "", 0)
        self.untitled: _Mark | None = None
        self.front_title = ""
        self.no_math_before = 0

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Keep a token if a block is made of it."""
        if nesting < 0:
            self.level -= 1
            return self.dropped
        level = self.level
        if nesting > 0:
            self.level = level + 1
        if ttype in _KINDS:
            mark = _Mark(ttype, tag, level)
            self.marks.append(mark)
            self.untitled = mark if ttype == "heading_open" else None
            return mark
        if self.untitled is not None:
            self.untitled.inline = inline = Token(ttype, tag, nesting)
            self.untitled = None
            return inline
        return self.dropped


def _opaque(state: _State, start: int, end: int, silent: bool) -> bool:
    """Take all that is left of a container that lies too deep."""
    if silent or state.level < MAX_NESTING:
        return False
    line = last = start + 1
    while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        line += 1
        if not state.isEmpty(line - 1):
            last = line
    state.line = last
    state.push("opaque", "", 0).map = [start, last]
    return True


_OPENS_NOTHING_ELSE = re.compile(r"[^\s#>\-+*_`~<\[|:$=0-9]")
_UNDERLINES_OR_DELIMITS = frozenset("-=|:")
_MAY_INTERRUPT = frozenset("#>+*_`~<[0123456789")


def _plain_paragraph(state: _State, start: int, end: int, silent: bool) -> bool:
    """Take a paragraph that visibly is one, without asking every rule about every line."""
    first = state.bMarks[start] + state.tShift[start]
    if silent or state.is_code_block(start) or not _OPENS_NOTHING_ELSE.match(state.src, first):
        return False
    rules = state.md.block.ruler.getRules("paragraph")
    parent, state.parentType = state.parentType, "paragraph"
    line = start + 1
    plain = True
    while line < state.lineMax and not state.isEmpty(line):
        if state.sCount[line] >= 0 and state.sCount[line] - state.blkIndent <= 3:
            char = state.src[state.bMarks[line] + state.tShift[line]]
            plain = char not in _UNDERLINES_OR_DELIMITS
            if not plain or (
                char in _MAY_INTERRUPT
                and any(rule(state, line, state.lineMax, True) for rule in rules)
            ):
                break
        line += 1
    state.parentType = parent
    if plain:
        state.line = line
        state.push("paragraph_open", "p", 0).map = [start, line]
    return plain


def _front_matter(rule: _Rule, state: _State, start: int, end: int, silent: bool) -> bool:
    """Take front matter that YAML reads as a mapping; anything else is Markdown."""
    if silent or start or state.level or not state.src.startswith("---"):
        return False
    if not rule(state, start, end, silent):
        return False
    title = _mapping_title(state.marks[-1].content)
    if title is None:
        state.marks.pop()
        state.line = start
        return False
    state.front_title = title
    return True


def _mapping_title(text: str) -> str | None:
    """Return the `title` of a YAML mapping ("" if it has none), None if it is no mapping.

    The text is composed, not constructed: no tag is resolved and no alias expanded.
    """
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):  # all that bad YAML raises
        return None
    if not isinstance(node, yaml.MappingNode):
        return None
    titles = (value.value for key, value in node.value if key.value == "title")
    title = next(titles, "")
    return title.strip() if isinstance(title, str) else ""


def _math(rule: _Rule, state: _State, start: int, end: int, silent: bool) -> bool:
    """Take a `$$` block, looking through lines without a closing `$$` only once."""
    if not state.src.startswith("$$", state.bMarks[start] + state.tShift[start]):
        return False
    if start < state.no_math_before:
        return rule(state, start, start + 1, silent)
    if rule(state, start, end, silent):
        return True
    line = start + 1
    while line < end and not state.isEmpty(line):
        line += 1
    state.no_math_before = line
    return False


def _footnote(rule: _Rule, state: _State, start: int, end: int, silent: bool) -> bool:
    """Take a footnote's definition, with its body in place."""
    if not state.src.startswith("[^", state.bMarks[start] + state.tShift[start]):
        return False
    if silent:
        return rule(state, start, end, silent)
    count = len(state.marks)
    mark = _Mark("footnote_reference_open", "", state.level)
    state.marks.append(mark)
    if not rule(state, start, end, silent):
        del state.marks[count:]
        return False
    mark.map = [start, state.line]
    return True


def _parser() -> MarkdownIt:
    md = MarkdownIt("commonmark", {"maxNesting": 1 << 30, "inline_definitions": True})
    md.enable("table").use(front_matter_plugin).use(footnote_plugin, move_to_end=False)
    md.use(dollarmath_plugin, allow_blank_lines=False)
    ruler = md.block.ruler
    stock = dict(zip(ruler.get_active_rules(), ruler.getRules(""), strict=True))
    ruler.at("front_matter", _rule(partial(_front_matter, stock["front_matter"])))
    ruler.at("math_block", _rule(partial(_math, stock["math_block"])))
    footnote = _rule(partial(_footnote, stock["footnote_def"]))
    ruler.at("footnote_def", footnote, {"alt": ["paragraph", "reference"]})
    ruler.before("front_matter", "plain_paragraph", _rule(_plain_paragraph))
    ruler.before("plain_paragraph", "opaque", _rule(_opaque))
    ruler.getRules("")  # compiled here, so that threads find it ready
    return md


def _rule(rule: _StateRule) -> _Rule:
    return cast(_Rule, rule)  # every state that these parsers meet is a _State


def _titles() -> MarkdownIt:
    md = MarkdownIt("commonmark").enable("strikethrough")
    return md.use(footnote_plugin).use(dollarmath_plugin)


_MARKDOWN = _parser()
_TITLES = _titles()
_TEXT = frozenset({"text", "text_special", "code_inline", "math_inline", "math_inline_double"})


def _blocks(source: Source, state: _State) -> Iterator[Block]:
    """Turn the kept tokens into blocks, leaving out those of nothing but white space."""
    starts = [*source.line_starts, len(source.text)]
    placed: list[tuple[_Mark, int, int]] = []
    for mark in state.marks:
        first, last = mark.map or (0, 0)
        start, end = starts[first], starts[last]
        if mark.type != "paragraph_open" or not source.text[start:end].isspace():
            placed.append((mark, start, end))
    for index, after in enumerate(_subtree_ends(placed)):
        mark, start, end = placed[index]
        kind = _KINDS[mark.type]
        level = int(mark.tag[1]) if kind is BlockKind.HEADING else 0
        info = _title(mark, state) if level else mark.info.strip()
        yield Block(kind, mark.level, start, end, index, after, level, info)


def _subtree_ends(placed: list[tuple[_Mark, int, int]]) -> list[int]:
    """Return, for each token, the index of the first later one at its depth or less."""
    ends = [len(placed)] * len(placed)
    following = [len(placed)]  # by depth, going backwards: the next token that deep or less
    for index in range(len(placed) - 1, -1, -1):
        depth = placed[index][0].level
        ends[index] = following[min(depth, len(following) - 1)]
        following[depth:] = [following[-1]] * max(0, depth - len(following))
        following.append(index)
    return ends


def _title(mark: _Mark, state: _State) -> str:
    """Render a heading's text to plain text."""
    content = mark.inline.content if mark.inline else ""
    if len(content) <= _LONGEST_PARSED_TITLE and _NOT_LITERAL.search(content):
        tokens: list[Token] = []
        _TITLES.inline.parse(content, _TITLES, state.env, tokens)
        content = _plain_text(tokens)
    return _SPACES.sub(" ", content).strip()


def _plain_text(tokens: list[Token]) -> str:
    parts = []
    for token in tokens:
        if token.type in _TEXT:
            parts.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "image":
            parts.append(_plain_text(token.children or []))
    return "".join(parts)
