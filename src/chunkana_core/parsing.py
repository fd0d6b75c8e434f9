"""Markdown text to a flat list of blocks; the only file that knows markdown-it-py.

Only block tokens are made: inline text is parsed for heading titles alone. The rules that replace
or wrap those of markdown-it-py and its plugins find the same blocks in less time, but for what is
deeper than `MAX_NESTING`, which stock rules let swallow the rest of the document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from operator import add
from typing import Literal, cast

from markdown_it import MarkdownIt
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import MAX_AUTOCOMPLETED_CELLS
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from chunkana_core.blocks import Block, BlockKind
from chunkana_core.front_matter import mapping_title
from chunkana_core.source import BOM, Source

MAX_NESTING = 100  # levels of containers; a list and its item are two
_WIDEST_INDENT = 3  # of what is not indented code
_LOOKED_AT = 1000, 16  # lines, and times each, that are looked at for the ends of quotations
_LONGEST_PARSED_TITLE = 1000  # inline parsing is not linear; longer titles keep their markup
_MOST_MARKUP = 100  # characters; inline parsing is quadratic in these, too
_MAY_BE_MARKUP = re.compile(r"[\\`*_~\[<&$]")
_UNDERLINE = re.compile(r"(?:=++|-++)[ \t]*+$", re.MULTILINE)
_NON_SPACE = re.compile(r"\S")
_DELIMITS = frozenset("|:-")  # how the second line of a table starts

_Rule = Callable[["_State", int, int, bool], bool]

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
_FIRSTS = {  # with what a line starts for a rule to be asked; with anything where it is not here
    "blockquote": ">",
    "fence": "`~",
    "footnote_def": "[",
    "heading": "#",
    "hr": "*-_",
    "html_block": "<",
    "list": "*+-0123456789",
    "math_block": "$",
    "reference": "[",
    "code": "",  # asked by indentation,
    "front_matter": "",  # by place,
    "lheading": "",  # and by the rule for paragraphs
}
_MARKS = frozenset("=".join(_FIRSTS.values()))  # with what starts an underline


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
    body = text.removeprefix(BOM).replace("\0", "\ufffd")
    state = _State(body.replace("\r\n", "\n").replace("\r", "\n"), _MARKDOWN)
    front_title = _front_matter(state)
    _MARKDOWN.block.tokenize(state, state.line, state.lineMax)
    blocks = tuple(_blocks(source, state))
    if not blocks and text.strip():  # a BOM and nothing else
        blocks = (Block(BlockKind.PARAGRAPH, 0, 0, len(text), 0, 1),)
    return ParsedText(source, blocks, front_title)


class _Markdown(MarkdownIt):
    """A parser that leaves the targets of links as they are.

    What puts them into a normal form keeps every scheme that it has ever seen, and tables that
    threads may find half made.
    """

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link


class _Mark(Token):
    """A token with little in it; its content is read of front matter, headings and fences alone."""

    __slots__ = ()

    def __init__(self, kind: str, tag: str, level: int) -> None:
        self.type = kind
        self.tag = tag
        self.level = level
        self.info = ""
        self.map = None


class _State(StateBlock):
    """The parser's state; keeps the tokens that become blocks and drops the others."""

    def __init__(self, src: str, md: MarkdownIt) -> None:
        super().__init__("", md, {}, [])  # its lines are found below, without a loop over spaces
        self.src = src
        lines = src.split("\n")
        if not lines[-1].strip(" \t"):
            lines.pop()  # as stock does
        self.lineMax = len(lines)
        self.bMarks = [*accumulate([len(line) + 1 for line in lines], initial=0)]
        self.bMarks[-1] = len(src)
        self.eMarks = [*map(add, self.bMarks, map(len, lines)), len(src)]
        self.tShift = [*(len(line) - len(line.lstrip(" \t")) for line in lines), 0]
        indents = (line[:n].expandtabs(4) for line, n in zip(lines, self.tShift, strict=False))
        self.sCount = [*map(len, indents), 0] if "\t" in src else self.tShift[:]
        self.bsCount = [0] * len(self.bMarks)
        self.dropped = Token("", "", 0)
        self.no_math = range(0)  # lines of which none closes any
        self.looked_at = self.last_looked_at = 0  # lines, for the ends of quotations

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Keep a token if a block is made of it; the text of a heading is kept in its own."""
        if nesting < 0:
            self.level -= 1
            return self.dropped
        level = self.level
        self.level += nesting
        if ttype not in _KINDS:  # text, or part of a table
            is_title = self.tokens[-1].type == "heading_open"
            return self.tokens[-1] if is_title else self.dropped
        mark = _Mark(ttype, tag, level)
        self.tokens.append(mark)
        return mark

    def first_of(self, line: int) -> str:
        """Return the first character of a line after its indentation, a line end if it is blank."""
        first = self.bMarks[line] + self.tShift[line]
        return self.src[first : first + 1] or "\n"

    def text_of(self, line: int) -> str:
        """Return a line without its indentation."""
        return self.src[self.bMarks[line] + self.tShift[line] : self.eMarks[line]]

    def getLines(self, begin: int, end: int, indent: int, keepLastLF: bool) -> str:  # noqa: N802, N803
        """Cut out a heading; of other content say only whether no closing line comes after it."""
        if keepLastLF:
            return "" if end < self.line else "open"
        return super().getLines(begin, end, indent, keepLastLF)


def _front_matter(state: _State) -> str:
    """Take front matter that YAML reads as a mapping, and return its title."""
    is_found = state.src.startswith("---") and _FRONT_MATTER(state, 0, state.lineMax, False)
    title = mapping_title(state.tokens[0].content) if is_found else ""
    if title is None:
        state.tokens.clear()
        state.line = 0
    return title or ""


def _opaque(state: _State, start: int, end: int) -> bool:
    """Take all that is left of a container that lies too deep."""
    line = start + 1
    while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        line += 1
    while state.isEmpty(line - 1):
        line -= 1
    state.line = line
    state.push("opaque", "", 0).map = [start, line]
    return True


def _math(rule: _Rule, state: _State, start: int, end: int, silent: bool) -> bool:
    """Take a `$$` block, looking through lines that close none only once."""
    text, after = state.text_of(start), state.no_math.stop
    is_open = text.startswith("$$") and "$$" not in text[2:]
    if is_open and start in state.no_math and (after >= end or not state.text_of(after).strip()):
        return False
    if rule(state, start, end, silent):
        return True
    if is_open:
        line = start + 1
        while line < end and state.text_of(line).strip():
            line += 1
        state.no_math = range(start, line)
    return False


def _table(rule: _Rule, state: _State, start: int, end: int, silent: bool) -> bool:
    """Take a table without making its cells, unless its end depends on them."""
    if state.first_of(start + 1) not in _DELIMITS or not rule(state, start, end, True):
        return False
    if silent:
        return True
    terminators = state.md.block.ruler.getRules("blockquote")
    columns = 1 + state.src.count("|", state.bMarks[start], state.eMarks[start])
    line = start + 2
    while line < end and state.sCount[line] >= state.blkIndent and not state.is_code_block(line):
        first = state.first_of(line)
        if first == "\n" or any(stops(state, line, end, True) for stops in terminators):
            break
        if first.isspace() or columns * (line - start) > MAX_AUTOCOMPLETED_CELLS:
            return rule(state, start, end, False)
        line += 1
    state.line = line
    state.push("table_open", "table", 0).map = [start, line]
    return True


def _paragraph(state: _State, start: int, end: int, silent: bool) -> bool:
    """Take a paragraph or setext heading in one pass, where stock rules make one for each."""
    (interrupts,) = state.md.block.ruler.getRules("paragraph")
    parent, state.parentType = state.parentType, "paragraph"
    line, level, first = start + 1, 0, state.first_of(start + 1)
    while line < state.lineMax and first != "\n":
        following = state.first_of(line + 1)
        is_plain = first not in _MARKS and following not in _DELIMITS
        if not is_plain and 0 <= state.sCount[line] <= state.blkIndent + _WIDEST_INDENT:
            is_inside = state.sCount[line] >= state.blkIndent
            if is_inside and _UNDERLINE.match(state.src, state.bMarks[line] + state.tShift[line]):
                level = 1 if first == "=" else 2
                break
            if interrupts(state, line, state.lineMax, True):
                break
        line, first = line + 1, following
    state.parentType = parent
    state.line = line + bool(level)
    mark = state.push("heading_open" if level else "paragraph_open", f"h{level}", 0)
    mark.map = [start, state.line]
    if level:
        mark.content = state.getLines(start, line, state.blkIndent, False).strip()
    return True


def _ends_quote(rule: _Rule, state: _State, start: int, end: int, silent: bool) -> bool:
    """Tell whether a line without a mark ends a quotation.

    All that may go on with a paragraph is looked at, and in vain where no paragraph is open: again
    from each next mark. Where that was done too often, a line without a mark ends a quotation.
    """
    if state.parentType == "blockquote":
        state.looked_at += max(1, start - state.last_looked_at)
        state.last_looked_at = start
        least, times = _LOOKED_AT
        if state.looked_at > least + times * len(state.eMarks):
            return True
    return rule(state, start, end, silent)


def _dispatcher(rules: dict[str, _Rule]) -> _Rule:
    """Return a rule that asks only those that a line's indentation and first character admit."""
    by_first = {
        first: [rule for name, rule in rules.items() if first in _FIRSTS.get(name, first)]
        for first in (*_MARKS, "other")
    }
    code, others = [rules["code"]] if "code" in rules else [], by_first["other"]

    def dispatch(state: _State, start: int, end: int, silent: bool) -> bool:
        if state.level >= MAX_NESTING and not silent:
            return _opaque(state, start, end)
        is_code = state.sCount[start] - state.blkIndent > _WIDEST_INDENT
        for rule in code if is_code else by_first.get(state.first_of(start), others):
            if rule(state, start, end, silent):
                return True
        return False

    return dispatch


def _parser() -> tuple[MarkdownIt, _Rule]:
    """Return the block parser, and its rule for front matter, which applies but once."""
    md = _Markdown("commonmark", {"maxNesting": 1 << 30, "inline_definitions": True})
    md.enable("table").use(front_matter_plugin).use(footnote_plugin, move_to_end=False)
    md.use(dollarmath_plugin, allow_blank_lines=False)
    stock = md.block.ruler
    names = dict(zip(stock.getRules(""), stock.get_active_rules(), strict=True))
    rules: dict[str, _Rule] = {name: rule for rule, name in names.items()}
    rules["math_block"] = partial(_math, rules["math_block"])
    rules["table"] = partial(_table, rules["table"])
    rules["paragraph"] = _paragraph
    ruler: Ruler[_Rule] = Ruler()
    for chain in ("", "paragraph", "reference", "blockquote", "list"):
        dispatch = _dispatcher({names[r]: rules[names[r]] for r in stock.getRules(chain)})
        dispatch = partial(_ends_quote, dispatch) if chain == "blockquote" else dispatch
        # By a rule of the name "code" the state knows that there is indented code.
        ruler.push(chain or "code", dispatch, {"alt": [chain] if chain else []})
    ruler.getRules("")  # compiled here, for threads could find it half compiled
    md.block.ruler = cast("Ruler[Callable[[StateBlock, int, int, bool], bool]]", ruler)
    return md, rules["front_matter"]


_MARKDOWN, _FRONT_MATTER = _parser()
_TITLES = _Markdown("commonmark").enable("strikethrough")
_TITLES.use(footnote_plugin).use(dollarmath_plugin)
for _ruler in (_TITLES.inline.ruler, _TITLES.inline.ruler2):
    _ruler.getRules("")


def _blocks(source: Source, state: _State) -> Iterator[Block]:
    """Turn the kept tokens into blocks, leaving out those of nothing but white space."""
    text, starts = source.text, [*source.line_starts, len(source.text)]
    placed = ((t, starts[t.map[0]], starts[t.map[1]]) for t in state.tokens if t.map)
    kept = [p for p in placed if not text[p[1]].isspace() or _NON_SPACE.search(text, *p[1:])]
    afters = [len(kept)] * len(kept)
    around: list[int] = []  # what may hold the next one
    for index, (token, _, _) in enumerate(kept):
        while around and kept[around[-1]][0].level >= token.level:
            afters[around.pop()] = index
        around.append(index)
    for index, (token, start, end) in enumerate(kept):
        level = int(token.tag[1]) if token.type == "heading_open" else 0
        info = _title(token.content, state) if level else token.info.strip()
        is_open = token.type == "fence" and bool(token.content)
        kind, after = _KINDS[token.type], afters[index]
        yield Block(kind, token.level, start, end, index, after, level, info, is_open)


def _title(content: str, state: _State) -> str:
    """Render a heading's text to plain text."""
    is_short = len(content) <= _LONGEST_PARSED_TITLE
    if is_short and 0 < len(_MAY_BE_MARKUP.findall(content)) <= _MOST_MARKUP:
        tokens: list[Token] = []
        _TITLES.inline.parse(content, _TITLES, state.env, tokens)
        content = _plain_text(tokens)
    return " ".join(content.split())


def _plain_text(tokens: list[Token]) -> str:
    parts = []
    for token in tokens:
        if token.type == "image":
            parts.append(_plain_text(token.children or []))
        elif token.type != "html_inline":
            parts.append(" " if token.type.endswith("break") else token.content)
    return "".join(parts)
