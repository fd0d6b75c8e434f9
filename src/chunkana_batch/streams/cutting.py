"""Find where a stream may be cut: at a heading, or inside a section that is too large."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import islice, pairwise

from chunkana_core.extending import (
    LONGEST_SHORTCODE,
    Block,
    BlockKind,
    Window,
    WindowEnd,
    first_fence,
    require_number,
)

_BLANK_LINE = re.compile(r"(?:\r\n?+|\n)[ \t]*+(?:\r\n?+|\n)")
_SHORTCODE_STARTS = ("{{<", "{{%")
_MARKER_LINE = re.compile(r"\ufeff?(-{3,}|\+{3})[ \t]*+(?=[\r\n])")
_CLOSING_LINE = re.compile(r"[\r\n](?: {0,3}(?=-))?+(-{3,}+|\+{3}|\.{3})[ \t]*+(?=[\r\n])")
_LINE = re.compile(r"[^\r\n]+")
_HEADER_LINES = 2  # of a table: the header row and the delimiter row
_WORD = re.compile(r"(?<=[ \t])[^\W\d_]")  # a line that starts with a letter is a paragraph
_LONGEST_REPEATED = 1000  # characters of the lines that reopen a block


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """How much of a stream is read at once, in characters; memory use grows with these limits.

    Attributes:
        window: how many characters are read before they are chunked.
        look_ahead: how far to search for the end of a directive or of front matter; beyond it, the
            directive or front matter is treated as unclosed, with a `StreamWarning`.
        largest_section: how many characters are read to find a heading at which to cut; a larger
            section is chunked in parts of about this size, with a `StreamWarning`.

    Raises:
        ConfigurationError: if a limit is not a whole number of at least 1.
    """

    window: int = 1 << 18
    look_ahead: int = 1 << 20
    largest_section: int = 1 << 22

    def __post_init__(self) -> None:
        """Check every field."""
        for name in fields(self):
            require_number(name.name, getattr(self, name.name), 1, kind=int)


class Cut(WindowEnd, frozen=True, gc=False):
    """The end of a window: at a heading, inside a section, or inside a block.

    Attributes:
        heading: the heading at the cut, None if the cut is inside a section.
        closing: the line that closes the cut block in this window, "" for none.
        unclosed_directive: the offset of a directive that is treated as unclosed, -1 for none.
    """

    heading: Block | None = None
    closing: str = ""
    unclosed_directive: int = -1


@dataclass(frozen=True, slots=True)
class CutFinder:
    """Finds a cut in the text of a window while the rest of the stream is unknown.

    Attributes:
        window: the parsed window, of whole lines unless more text is not available.
        boundary: `merge_boundary_level`: chunks are not merged across headings down to this level.
        limits: the limits of the stream.
    """

    window: Window
    boundary: int
    limits: StreamLimits

    @property
    def text(self) -> str:
        """The text of the window, with its prefix."""
        return self.window.source.text

    @property
    def first(self) -> int:
        """The position of the first block after the prefix."""
        return len(self.window.state.sections) - 1

    def cut_at_heading(self) -> Cut | None:
        """Return a cut at the last heading that later text cannot affect, None if there is none.

        The chunks before such a heading are final, because

        - there is content between it and the previous heading, so that no heading is moved to it;
        - it is not the first heading, so that the text before the first heading is complete;
        - no construct that starts before it can still swallow it: math ends at a blank line, a
          shortcode after a maximum length, a directive or front matter within `look_ahead`.
        """
        top, directives = self.window.top, self.window.parsed.directives
        firsts = [p for p in range(len(top)) if top[p].level]
        if not firsts or self._awaits_front_matter(top):
            return None
        for position in range(len(top) - 1, max(firsts[0], self.first), -1):
            heading = top[position]
            if not 1 <= heading.level <= self.boundary or not self._is_settled(heading):
                continue
            directive = directives[heading.start]
            is_open = directive < heading.start
            if is_open and len(self.text) - directive <= self.limits.look_ahead:
                continue
            if _has_body(top, position):
                unclosed = directive if is_open else -1
                return Cut(heading.start, heading=heading, unclosed_directive=unclosed)
        return None

    def _is_settled(self, heading: Block) -> bool:
        """Return whether later text cannot turn a heading into a part of another block."""
        text = self.text
        if heading.start not in self.window.parsed.directives or heading.end >= len(text):
            return False
        has_shortcode = any(start in text for start in _SHORTCODE_STARTS)
        if has_shortcode and len(text) - heading.start < LONGEST_SHORTCODE:
            return False
        return "$$" not in text or _BLANK_LINE.search(text, heading.end) is not None

    def _awaits_front_matter(self, top: Sequence[Block]) -> bool:
        """Return whether the text may start with front matter that is closed later."""
        if top[0].kind is BlockKind.FRONT_MATTER or len(self.text) > self.limits.look_ahead:
            return False
        return front_matter_is_open(self.text)

    def cut_anywhere(self) -> Cut:
        """Return a cut in the second half of the text: between blocks, else lines, else words."""
        top, start = self.window.top, self.window.start
        blank = len(self.text[start:]) - len(self.text[start:].lstrip())
        earliest = start + max(blank, (len(self.text) - start) // 2)
        pairs = pairwise(top[self.first :])
        starts = [block.start for before, block in pairs if before.kind is not BlockKind.HEADING]
        last = top[-1]
        if last.kind is BlockKind.LIST:
            starts += [b.start for b in self.window.parsed.blocks[last.index :] if b.depth == 1]
        if starts and starts[-1] > earliest:
            return Cut(starts[-1])
        line = self.window.source.line_start(len(self.text) - 1)
        if line > earliest:
            opening, closing = self._repeated_lines(last)
            return Cut(line, opening, last.start, closing=closing)
        words = [match.start() for match in _WORD.finditer(self.text, earliest + 1)]
        end = len(self.text.rstrip("\r"))  # the LF of a CRLF may follow
        return Cut(words[-1] if words else max(end, earliest + 1))

    def _repeated_lines(self, block: Block) -> tuple[str, str]:
        """Return the lines that reopen a cut block, and the line that closes it, or ""."""
        found = islice(_LINE.finditer(self.text, block.start, block.end), _HEADER_LINES)
        lines, end = [line[0].rstrip() for line in found], self.window.line_end(block.start)
        if block.kind is BlockKind.FENCED_CODE:
            marker = first_fence(lines[0])
            opening = lines[0] if len(lines[0]) <= _LONGEST_REPEATED else marker
            return opening + end, marker + end
        if block.kind is BlockKind.TABLE and sum(map(len, lines)) <= _LONGEST_REPEATED:
            return "".join(line + end for line in lines), ""
        if block.kind is BlockKind.HTML:
            return lines[0][:_LONGEST_REPEATED] + end, ""
        return "", ""


def _has_body(top: Sequence[Block], position: int) -> bool:
    """Return whether there is content between a heading and the previous heading."""
    before = (top[p] for p in range(position - 1, -1, -1))
    return next(block for block in before if block.is_content or block.level).is_content


def front_matter_is_open(text: str) -> bool:
    """Return whether a text starts with an opening line of front matter that no line closes."""
    opening = _MARKER_LINE.match(text)
    if opening is None:
        return False
    closings = opening[1] if opening[1].startswith("+") else (opening[1], "...")
    lines = _CLOSING_LINE.finditer(text, opening.end())
    return not any(line[1].startswith(closings) for line in lines)
