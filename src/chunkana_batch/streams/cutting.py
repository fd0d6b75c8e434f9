"""Where a stream may be cut: at headings before which nothing depends on what follows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import islice, pairwise

from msgspec import Struct

from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.errors import require_number
from chunkana_core.formats.markdown.parser import Stretch
from chunkana_core.formats.markdown.state import LONGEST_SHORTCODE
from chunkana_core.text.cutting import line_spans
from chunkana_core.text.source import BOM, Source, Span

_BLANK_LINE = re.compile(r"(?:\r\n?+|\n)[ \t]*+(?:\r\n?+|\n)")
_SHORTCODE_STARTS = ("{{<", "{{%")
_MARKER_LINE = re.compile(r"(-{3,}|\+{3})[ \t]*+(?=[\r\n])")
_FENCE = re.compile(r"`{3,}|~{3,}")
_HEADER_LINES = 2  # of a table
_WORD = re.compile(r"(?<=[ \t])[^\W\d_]")  # which starts no block but a paragraph
_LONGEST_REPEATED = 1000  # characters of a line that a block is opened with again


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """How much of a stream is read at once, in characters; memory grows with these.

    Attributes:
        window: how much is read before chunks are made of it.
        look_ahead: how far what closes a directive or front matter is looked for; beyond it, they
            are taken for unclosed, and a `StreamWarning` says so.
        largest_section: how much is read in all to find a heading at which the text may be parted;
            a larger section is planned in parts of about this size, and a `StreamWarning` says so.

    Raises:
        ConfigurationError: for anything but whole numbers of at least 1.
    """

    window: int = 1 << 18
    look_ahead: int = 1 << 20
    largest_section: int = 1 << 22

    def __post_init__(self) -> None:
        """Check every field."""
        for name in fields(self):
            require_number(name.name, getattr(self, name.name), 1)


class Cut(Struct, frozen=True, gc=False):
    """Where a window ends.

    Attributes:
        offset: in the text of the window.
        heading: the heading there, None where a section is parted.
        opening: the lines with which the next window opens the block again that is parted.
        closing: the line that closes it in this window.
        opened: the offset at which that block starts.
        unclosed: where a directive starts that is taken for unclosed, -1 for none.
    """

    offset: int
    heading: Block | None = None
    opening: str = ""
    closing: str = ""
    opened: int = 0
    unclosed: int = -1


@dataclass(frozen=True, slots=True)
class Cutter:
    """Finds where a text may be cut of which more is to come.

    Attributes:
        text: the headings around it, and then whole lines of the document.
        stretch: how it is read.
        start: the offset after those headings.
        first: the position of the first block that is not one of those headings.
        boundary: the deepest level of headings that no chunk is merged across.
        limits: how far to look.
    """

    text: str
    stretch: Stretch
    start: int
    first: int
    boundary: int
    limits: StreamLimits

    def cut_at_heading(self) -> Cut | None:
        """Return the last cut before which nothing depends on what follows, None if there is none.

        The block before such a heading has a body, so that no heading is carried across it; a
        heading is above it, so that what is before the first one is known as such; and what is
        looked ahead for is found or given up: the end of math at a blank line, of a shortcode some
        way below, of a directive within the limit.
        """
        top = [block for block in self.stretch.blocks if not block.depth]
        firsts = [p for p in range(len(top)) if top[p].level]
        if not firsts or self._awaits_front_matter(top):
            return None
        for position in range(len(top) - 1, max(firsts[0], self.first), -1):
            heading = top[position]
            if not 1 <= heading.level <= self.boundary or not self._is_settled(heading):
                continue
            unclosed = self.stretch.directives[heading.start]
            is_unclosed = unclosed < heading.start
            if is_unclosed and len(self.text) - unclosed <= self.limits.look_ahead:
                continue
            if _has_body(top, position):
                unclosed = unclosed if is_unclosed else -1
                return Cut(heading.start, heading, unclosed=unclosed)
        return None

    def _is_settled(self, heading: Block) -> bool:
        """Tell whether a block is a heading outside of containers whatever follows."""
        text = self.text
        if heading.start not in self.stretch.directives or heading.end >= len(text):
            return False
        has_shortcode = any(start in text for start in _SHORTCODE_STARTS)
        if has_shortcode and len(text) - heading.start < LONGEST_SHORTCODE:
            return False
        return "$$" not in text or _BLANK_LINE.search(text, heading.end) is not None

    def _awaits_front_matter(self, top: Sequence[Block]) -> bool:
        """Tell whether the text starts with what may be the opening of front matter."""
        if top[0].kind is BlockKind.FRONT_MATTER or len(self.text) > self.limits.look_ahead:
            return False
        return front_matter_is_open(self.text)

    def cut_anywhere(self) -> Cut:
        """Return a cut at a block or, in the second half of the text, inside one."""
        top, source = [b for b in self.stretch.blocks if not b.depth], Source.of(self.text)
        blank = len(self.text[self.start :]) - len(self.text[self.start :].lstrip())
        least = self.start + max(blank, (len(self.text) - self.start) // 2)
        pairs = pairwise(top[self.first :])
        starts = [block.start for before, block in pairs if not before.level]
        last = top[-1]
        if last.kind is BlockKind.LIST:
            starts += [b.start for b in self.stretch.blocks[last.index :] if b.depth == 1]
        if starts and starts[-1] > least:
            return Cut(starts[-1])
        line = source.line_start(len(self.text) - 1)
        if line > least:
            return Cut(line, None, *_repeated_lines(source, last), last.start)
        words = [match.start() for match in _WORD.finditer(self.text, least + 1)]
        end = len(self.text.rstrip("\r"))  # the LF of a CRLF may follow
        return Cut(words[-1] if words else max(end, least + 1))


def _has_body(top: Sequence[Block], position: int) -> bool:
    """Tell whether there is content between a heading and the one before it."""
    before = (top[p] for p in range(position - 1, -1, -1))
    return next(block for block in before if block.is_content or block.level).is_content


def _repeated_lines(source: Source, block: Block) -> tuple[str, str]:
    """Return the lines that open a parted block again, and the one that closes it."""
    spans = islice(line_spans(source, Span(block.start, block.end)), _HEADER_LINES)
    lines = [source.text[span.start : span.end] for span in spans]
    end = single_line_end(source, block.start)
    if block.kind is BlockKind.FENCED_CODE:
        fence = _FENCE.search(lines[0])
        marker = fence[0] if fence else ""
        opening = lines[0] if len(lines[0]) <= _LONGEST_REPEATED else marker
        return opening + end, marker + end
    if block.kind is BlockKind.TABLE and sum(map(len, lines)) <= _LONGEST_REPEATED:
        return "".join(line + end for line in lines), ""
    if block.kind is BlockKind.HTML:
        return lines[0][:_LONGEST_REPEATED] + end, ""
    return "", ""


def single_line_end(source: Source, offset: int) -> str:
    """Return what ends a line, LF in place of CR, with which an LF after it would be one end."""
    ending = source.line_ending(offset)
    return "\n" if ending == "\r" else ending


def front_matter_is_open(text: str) -> bool:
    """Tell whether a text starts with an opening line of front matter that no line closes."""
    start = len(BOM) * text.startswith(BOM)
    opening = _MARKER_LINE.match(text, start)
    if opening is None:
        return False
    ends = r"\+{3}" if opening[1].startswith("+") else rf"(?: {{0,3}}{opening[1]}-*+|\.\.\.)"
    return re.search(rf"[\r\n]{ends}[ \t]*+(?=[\r\n])", text[opening.end() :]) is None
