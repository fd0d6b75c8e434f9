"""What the rules of the block parser share: where lines are, and the blocks found so far."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from chunkana_core.blocks import Block, BlockKind, new_block
from chunkana_core.parsing.titles import plain_title
from chunkana_core.source import BOM, Source

Rule: TypeAlias = "Callable[[State, int, int, bool], bool]"
_TAB = 4  # columns
_SPACES = re.compile(r"[ \t]*")
_TO_COME = Block(BlockKind.OPAQUE, 0, 0, 0, 0, 0)


class State(StateBlock):
    """The parser's state; rules add blocks to it, and nobody reads tokens.

    Attributes:
        stops: by what is being read, the rule that finds whether a line ends it.
        blocks: each before what it contains.
        unread: the places of headings whose text is still to be parsed.
        offsets: of the source's lines, and of its end.
        dropped: what stock rules write to instead of tokens.
        no_math: lines of which none closes any.
        looked_at: lines, for the ends of quotations, and the last of them.
    """

    def __init__(self, source: Source, md: MarkdownIt, stops: Mapping[str, Rule]) -> None:
        super().__init__("", md, {}, [])  # its lines are found below, without a loop over spaces
        text = source.text.removeprefix(BOM).replace("\0", "\ufffd")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        is_as_long = len(text) == len(source.text)
        starts = source.line_starts if is_as_long else Source.of(text).line_starts
        self.src = src = text + "\n"  # so that there is a character after every line
        count = len(starts) - (not text[starts[-1] :].strip(" \t"))  # as stock counts them
        ends = [start - 1 for start in (*starts[1:], len(src))]
        self.lineMax = count
        self.bMarks = [*starts[:count], len(text)]
        self.eMarks = [*ends[:count], len(text)]
        self.tShift = [
            0 if src[start] not in " \t" else _spaces(src, start) for start in self.bMarks
        ]
        self.sCount = self.tShift[:]
        if "\t" in text:
            indents = (src[a : a + n] for a, n in zip(self.bMarks, self.tShift, strict=True))
            self.sCount = [len(indent.expandtabs(_TAB)) for indent in indents]
        self.bsCount = [0] * len(self.bMarks)
        self.stops = stops
        self.blocks: list[Block] = []
        self.unread: list[int] = []
        self.offsets = [*source.line_starts, len(source.text)]
        self.dropped = Token("", "", 0)
        self.no_math = range(0)
        self.looked_at = self.last_looked_at = 0

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Make no token, but keep count of levels."""
        self.level += nesting
        return self.dropped

    def getLines(self, begin: int, end: int, indent: int, keepLastLF: bool) -> str:  # noqa: N802, N803
        """Return no content for tokens that nobody reads."""
        return ""

    def text_between(self, begin: int, end: int) -> str:
        """Return the text of lines, without the indentation of what holds them."""
        return super().getLines(begin, end, self.blkIndent, False)

    def first_of(self, line: int) -> str:
        """Return the first character of a line after its indentation, a line end if it is blank."""
        return self.src[self.bMarks[line] + self.tShift[line]]

    def text_of(self, line: int) -> str:
        """Return a line without its indentation."""
        return self.src[self.bMarks[line] + self.tShift[line] : self.eMarks[line]]

    def add(
        self, kind: BlockKind, start: int, level: int = 0, info: str = "", is_open: bool = False
    ) -> None:
        """Add a block that holds no others, from a line up to the current one."""
        place, begin, end = len(self.blocks), self.offsets[start], self.offsets[self.line]
        block = new_block(kind, self.level, begin, end, place, place + 1, level, info, is_open)
        self.blocks.append(block)

    def add_heading(self, start: int, level: int, content: str) -> None:
        """Add a heading; what may link to something that is defined below it is read at the end."""
        title = plain_title(content)
        if title is None:
            self.unread.append(len(self.blocks))
        self.add(BlockKind.HEADING, start, level, content if title is None else title)

    def open(self) -> int:
        """Make a place for a block before those that it holds."""
        self.blocks.append(_TO_COME)
        return len(self.blocks) - 1

    def close(self, kind: BlockKind, start: int, place: int) -> None:
        """Put a block, from a line up to the current one, in the place made for it."""
        begin, end, after = self.offsets[start], self.offsets[self.line], len(self.blocks)
        self.blocks[place] = new_block(kind, self.level, begin, end, place, after)


def _spaces(src: str, start: int) -> int:
    """Return how many spaces and tabs there are at an offset."""
    spaces = _SPACES.match(src, start)
    return spaces.end() - start if spaces else 0
