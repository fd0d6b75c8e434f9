"""The source text, spans of offsets in it, and its line numbers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from msgspec import Struct

BOM = "\ufeff"
_LINE_FEED = re.compile(r"\n")
LINE_ENDING = re.compile(r"\r\n?|\n")  # CommonMark 0.31.2 §2.1; never str.splitlines()
NON_SPACE = re.compile(r"\S")  # \s matches as str.isspace()


class Span(Struct, frozen=True, gc=False):
    """A range of code points of the unmodified source, from `start` up to but excluding `end`."""

    start: int
    end: int

    def __len__(self) -> int:
        """Return the number of code points."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Source:
    """The unmodified text of a document, or of a part of it, and the offsets of its lines.

    Lines end in CR, LF or CRLF. The arguments and results of methods are offsets and line numbers
    of the document.

    Attributes:
        text: the text.
        line_starts: the offsets in this text at which its lines start.
        start: the offset in the document where a part starts.
        lines_before: the number of the document's lines before a part.
    """

    text: str = field(repr=False)
    line_starts: Sequence[int] = field(repr=False, compare=False)
    start: int = 0
    lines_before: int = 0

    @classmethod
    def of(cls, text: str) -> Source:
        """Return the source of a text."""
        ending = LINE_ENDING if "\r" in text else _LINE_FEED
        return cls(text, [0, *[found.end() for found in ending.finditer(text)]])

    def slice(self, span: Span) -> str:
        """Return the text of a span."""
        return self.text[span.start - self.start : span.end - self.start]

    def line_at(self, offset: int) -> int:
        """Return the number, from 1, of the line at an offset."""
        return bisect_right(self.line_starts, offset - self.start) + self.lines_before

    def line_start(self, offset: int) -> int:
        """Return the offset where the line at an offset starts."""
        line = bisect_right(self.line_starts, offset - self.start)
        return self.line_starts[line - 1] + self.start

    def line_ending(self, offset: int) -> str:
        """Return the line ending after an offset: CR, LF or CRLF; LF if there is none."""
        found = LINE_ENDING.search(self.text, offset - self.start)
        return found[0] if found else "\n"

    def trim(self, start: int, end: int) -> Span | None:
        """Return a range without surrounding white space, None if it is blank.

        The indentation of the first line that is not blank is included if the range contains the
        start of this line.
        """
        if self.start:
            own = Source(self.text, self.line_starts).trim(start - self.start, end - self.start)
            return own and Span(own.start + self.start, own.end + self.start)
        text, begin = self.text, start
        if start >= end or text[start].isspace():
            first = NON_SPACE.search(text, start, end)
            if first is None:
                return None
            line = self.line_start(first.start())
            begin = line if line >= start else first.start()
        while text[end - 1].isspace():
            end -= 1
        return Span(begin, end)
