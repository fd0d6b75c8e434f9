"""The state of the block parser, and the chains of rules that it calls."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from markdown_it.utils import EnvType
from msgspec.structs import replace

from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.formats.markdown.titles import anchor_before, plain_title, split_attributes
from chunkana_core.text.source import BOM, Source

MAX_NESTING = 100  # levels of containers; a list and its item are two
MAX_INDENT = 3  # columns; a line that is indented more is indented code
TAB_STOP = 4  # columns
_INDENTATION = re.compile(r"[ \t]*")
# Characters of anchors and comments in a heading's block; more would displace content.
_MAX_LEAD = 400
_ANCHOR_KINDS = frozenset({BlockKind.PARAGRAPH, BlockKind.HTML})
_SHORTCODE_CLOSING = re.compile(r"\{\{[<%][ \t]*+/[ \t]*+([\w./-]++)")
LONGEST_SHORTCODE = 1 << 16
"""The number of characters within which the closing tag of a shortcode is searched for."""
_PLACEHOLDER = Block(BlockKind.OPAQUE, 0, 0, 0, 0, 0)

RuleFunction: TypeAlias = "Callable[[State, int, int, bool], bool]"
"""A block rule of markdown-it-py, called with the state, a line, the container's end, and `silent`.

It returns whether a block starts at the line. Unless `silent`, it also adds the block and sets
`state.line` to the line after the block.
"""


@dataclass(frozen=True, slots=True)
class LineRules:
    """Rules that may start a block at a line, in the order in which they are called.

    Attributes:
        by_first_character: the rules for lines that start with a character.
        any_line: the rules for lines that start with any other character.
    """

    by_first_character: Mapping[str, Sequence[RuleFunction]]
    any_line: Sequence[RuleFunction]


@dataclass(frozen=True, slots=True)
class RuleChain:
    """Rules that may start a block, in the order in which they are called.

    Attributes:
        rules: the rules for most lines.
        by_next_character: the rules for lines whose next line starts with a character.
        indented: the rules for lines indented by more than `MAX_INDENT`.
        first_characters: the characters of lines with rules in `rules`.
    """

    rules: LineRules
    by_next_character: Mapping[str, LineRules]
    indented: Sequence[RuleFunction]
    first_characters: Container[str]

    def ask(self, state: State, start: int, end: int, silent: bool) -> bool:
        """Call the rules for a line until one finds a block, and return whether one did."""
        if state.sCount[start] - state.blkIndent > MAX_INDENT:
            rules = self.indented
        else:
            src, begins, shifts = state.src, state.bMarks, state.tShift
            following = src[begins[start + 1] + shifts[start + 1]]
            line_rules = self.by_next_character.get(following, self.rules)
            first_character = src[begins[start] + shifts[start]]
            rules = line_rules.by_first_character.get(first_character, line_rules.any_line)
        for rule in rules:  # noqa: SIM110 - `any` needs a generator, which takes a frame of the stack
            if rule(state, start, end, silent):
                return True
        return False


class State(StateBlock):
    """The parser's state, to which rules add blocks instead of tokens.

    Lines in `src` keep their line ends, so that `$` bounds regexes.

    Attributes:
        source: the original text.
        chains: by interruptible block ("paragraph", "list"), the rules whose blocks interrupt it.
        blocks: the blocks so far, in pre-order.
        unparsed_titles: the indexes of headings whose text is parsed at the end.
        unused_indexes: the reserved indexes without a block.
        line_offsets: the offsets of the source's lines, and of its end.
        discarded_token: the token that stock rules write to, which is never read.
        unclosed_math: the last range of lines found not to close a `$$` block.
        lazy_lines: how many lines were checked for being lazy continuation lines of a block quote
            since the last top-level heading.
        last_lazy_line: the last of these lines.
        lazy_start: the line of that heading.
        marker_lines: the offsets of the lines that may be markers of containers; None for all.
        shortcode_ends: by the name of a shortcode, the offsets where the text closes it;
            None before the first is asked for.
    """

    def __init__(
        self,
        source: Source,
        md: MarkdownIt,
        chains: Mapping[str, RuleChain],
        marker_lines: Container[int] | None = None,
        env: EnvType | None = None,
    ) -> None:
        # The lines are found below, faster than in stock.
        super().__init__("", md, {} if env is None else env, [])
        text = _normalized(source.text)
        is_as_long = len(text) == len(source.text)
        starts = source.line_starts if is_as_long else Source.of(text).line_starts
        self.src = src = text + "\n"  # so that every line ends in a character
        count = len(starts) - (not text[starts[-1] :].strip(" \t"))  # as stock counts them
        ends = [start - 1 for start in (*starts[1:], len(src))]
        self.lineMax = count
        self.bMarks = [*starts[:count], len(text)]
        self.eMarks = [*ends[:count], len(text)]
        self.tShift = [
            0 if src[start] not in " \t" else _indentation_length(src, start)
            for start in self.bMarks
        ]
        self.sCount = self.tShift[:]
        if "\t" in text:
            indents = (src[a : a + n] for a, n in zip(self.bMarks, self.tShift, strict=True))
            self.sCount = [len(indent.expandtabs(TAB_STOP)) for indent in indents]
        self.bsCount = [0] * len(self.bMarks)
        self.source, self.chains = source, chains
        self.blocks: list[Block] = []
        self.unparsed_titles: list[int] = []
        self.unused_indexes: list[int] = []
        self.line_offsets = [*source.line_starts, len(source.text)]
        self.discarded_token = Token("", "", 0)
        self.unclosed_math = range(0)
        self.lazy_lines = self.last_lazy_line = self.lazy_start = 0
        self.marker_lines = marker_lines
        self.shortcode_ends: dict[str, list[int]] | None = None

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Change the nesting level without making a token."""
        self.level += nesting
        return self.discarded_token

    def getLines(self, begin: int, end: int, indent: int, keepLastLF: bool) -> str:  # noqa: N802, N803
        """Return "", since the content of tokens is never read."""
        return ""

    def text_between(self, begin: int, end: int) -> str:
        """Return the text of lines, without the indentation of their container."""
        return super().getLines(begin, end, self.blkIndent, False)

    def first_character(self, line: int) -> str:
        """Return the first character of a line after its indentation; of a blank line, LF."""
        return self.src[self.bMarks[line] + self.tShift[line]]

    def line_text(self, line: int) -> str:
        """Return a line without its indentation."""
        return self.src[self.bMarks[line] + self.tShift[line] : self.eMarks[line]]

    def closes_shortcode(self, name: str, line: int) -> bool:
        """Return whether a shortcode is closed at a line, or not too far below it."""
        if self.shortcode_ends is None:
            self.shortcode_ends = _shortcode_ends(self.src)
        ends, start = self.shortcode_ends.get(name, []), self.bMarks[line]
        index = bisect_left(ends, start)
        return index < len(ends) and ends[index] < start + LONGEST_SHORTCODE

    def add_leaf(
        self, kind: BlockKind, start: int, level: int = 0, info: str = "", is_open: bool = False
    ) -> None:
        """Add a leaf block, from a line up to the current one."""
        index, begin, end = len(self.blocks), self.line_offsets[start], self.line_offsets[self.line]
        block = Block(kind, self.level, begin, end, index, index + 1, level, info, is_open)
        self.blocks.append(block)

    def add_heading(self, start: int, level: int, content: str) -> None:
        """Add a heading; a title that may need link definitions is parsed at the end.

        Anchors and comments directly before it are part of the block.
        """
        text, own_anchor = split_attributes(content)
        title = plain_title(text)
        begin, anchor = self._pop_anchors(self.line_offsets[start])
        if not self.level:
            self.lazy_lines = 0
            self.last_lazy_line = self.lazy_start = start
        if title is None:
            self.unparsed_titles.append(len(self.blocks))
        self.add_leaf(BlockKind.HEADING, start, level, text if title is None else title)
        anchor, lead = own_anchor or anchor, self.line_offsets[start] - begin
        if anchor or lead:
            self.blocks[-1] = replace(self.blocks[-1], start=begin, anchor=anchor, lead=lead)

    def _pop_anchors(self, start: int) -> tuple[int, str]:
        """Remove the blocks of anchors and comments before a top-level heading.

        Returns their start and their last id, or the start of the heading and "" without any.
        """
        begin, last_id = start, ""
        while self.blocks and not self.level:
            block = self.blocks[-1]
            if block.kind not in _ANCHOR_KINDS or block.depth or start - block.start > _MAX_LEAD:
                break
            found = anchor_before(self.source.text[block.start : block.end])
            if found is None:
                break
            begin, last_id = block.start, last_id or found
            self.blocks.pop()
        return begin, last_id

    def open_container(self) -> int:
        """Reserve and return the index of a container block, before the blocks of its content."""
        self.blocks.append(_PLACEHOLDER)
        return len(self.blocks) - 1

    def close_container(
        self, kind: BlockKind, start: int, index: int, info: str = "", is_open: bool = False
    ) -> None:
        """Set the container block at an index, from a line up to the current one."""
        begin, end = self.line_offsets[start], self.line_offsets[self.line]
        after = len(self.blocks)
        self.blocks[index] = Block(kind, self.level, begin, end, index, after, 0, info, is_open)

    def close_with_markers(self, start: int, index: int, info: str) -> None:
        """Set the container block at an index, with blocks of its opening and closing lines.

        These are the lines at its start and end that are in no inner block. If the first line is in
        an inner block, there is no opening line, and the container is a block quote.
        """
        first, line = index + 2, start + 1
        if first < len(self.blocks):
            line = bisect_left(self.line_offsets, self.blocks[first].start)
        is_marked = line > start
        self.level += 1
        if is_marked:
            self._put_marker(start, line, index + 1)
        else:
            self.unused_indexes.append(index + 1)
        while first < len(self.blocks):
            line = bisect_left(self.line_offsets, self.blocks[first].end)
            first = self.blocks[first].after
        while line < self.line and self.isEmpty(line):
            line += 1
        is_closed = line < self.line
        if is_closed:
            self._put_marker(line, self.line, self.open_container())
        self.level -= 1
        kind = BlockKind.CONTAINER if is_marked else BlockKind.BLOCK_QUOTE
        self.close_container(kind, start, index, info, is_marked and not is_closed)

    def _put_marker(self, start: int, stop: int, index: int) -> None:
        """Set the block of the lines that open or close a container at an index."""
        while self.isEmpty(stop - 1):
            stop -= 1
        begin, end = self.line_offsets[start], self.line_offsets[stop]
        self.blocks[index] = Block(BlockKind.MARKER, self.level, begin, end, index, index + 1)

    def discard_blocks(self, index: int) -> None:
        """Remove the blocks from an index on."""
        if index < len(self.blocks):
            del self.blocks[index:]
            self.unparsed_titles = [title for title in self.unparsed_titles if title < index]
            self.unused_indexes = [i for i in self.unused_indexes if i < index]


class PluginState(State):
    """The state of a parser with users' rules, which may read lines and the tokens they push."""

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Add a token, and return it."""
        self.discarded_token = StateBlock.push(self, ttype, tag, nesting)
        return self.discarded_token

    def getLines(self, begin: int, end: int, indent: int, keepLastLF: bool) -> str:  # noqa: N802, N803
        """Return the text of lines."""
        return StateBlock.getLines(self, begin, end, indent, keepLastLF)


def _indentation_length(src: str, start: int) -> int:
    """Return the number of spaces and tabs at an offset."""
    spaces = _INDENTATION.match(src, start)
    return spaces.end() - start if spaces else 0


def _normalized(text: str) -> str:
    """Return a text without BOM and with NULs and line ends replaced as CommonMark requires."""
    text = text.removeprefix(BOM).replace("\0", "\ufffd")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _shortcode_ends(text: str) -> dict[str, list[int]]:
    """Return the offsets of the closing tags of shortcodes, by name."""
    ends: dict[str, list[int]] = {}
    for found in _SHORTCODE_CLOSING.finditer(text):
        ends.setdefault(found[1], []).append(found.start())
    return ends
