"""Where text may be cut inside a block: after sentences, between words, between code points."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from chunkana_core.fast_init import fast_init
from chunkana_core.sizing import Sizer
from chunkana_core.source import Source, Span

# What a cut costs; see packing. A cut between blocks costs least, one inside a word most.
LINE = 10
INNER_LINE = 15  # inside an element of HTML
SENTENCE = 20
LINE_OF_SENTENCE = 40
WORD = 60
CODE_POINT = 200
MISREAD = 1000  # the rest would be read as another block

_SENTENCE_END = re.compile(
    r"""(?<![.!?…])[.!?…]++["'»”’)\]*_`]*+(?=\s)  # an end in most scripts
    |[。！？…]++["'」』”’）]*+  # in Chinese and Japanese, where no space follows
    |(?:\ \ |\\)(?=[\r\n])  # a hard line break (CommonMark 0.31.2 §6.7)
    """,
    re.VERBOSE,
)
_HARD_BREAKS = (" ", "\\")
# Tags that start no HTML block unless they are alone on their line (CommonMark 0.31.2 §4.6).
_INLINE_TAGS = "a|abbr|b|br|cite|code|del|em|i|img|ins|kbd|mark|q|s|small|span|strong|sub|sup|u"
_OPENS_A_BLOCK = re.compile(
    r"""[ ]{4}|[ ]{0,3}\t|[ ]{0,3}(?:
        [#]{1,6}(?:\s|$)|>|`{3}|~{3}|\$\$|\|
        |<(?:[!?]|[A-Za-z/][^<>]*+>[ \t]*(?:[\r\n]|$)|/?(?!(?:INLINE)\b)[A-Za-z])
        |(?:[-+*]|[0-9]{1,9}[.)])(?:\s|$)
        |(?:[-_*][ \t]*){3,}(?:[\r\n]|$)|=+[ \t]*(?:[\r\n]|$)
        |\[[^\]]+\]:
    )""".replace("INLINE", _INLINE_TAGS),
    re.VERBOSE,
)
_LOOKAHEAD = 160  # code points: openers are short, but runs of their markers may be long
# A line that makes a heading or a table of the line before it.
_UNDERLINE = re.compile(r"[\r\n][ \t>]*+(?:=++|[-:|][-:| \t]*+)[ \t]*+(?![^\r\n])")
_CLAUSE_ENDS = "，、；："
_JOINERS = "\u200d\ufe0e\ufe0f"
_TRIED_WORDS = 8  # how many words back a cut may go to find a rest that reads as text


@fast_init
@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text inside a block, and what the cut before it costs."""

    span: Span
    cost: int


@dataclass(frozen=True, slots=True)
class Cutter:
    """Cuts the text of one block.

    Attributes:
        source: the document's text.
        span: the block's own.
        sizer: measures pieces.
        limit: the size of the largest piece.
        safe_from: the offset from which no line that follows makes the rest a heading or a table.
    """

    source: Source
    span: Span
    sizer: Sizer
    limit: int
    safe_from: int

    @classmethod
    def of(cls, source: Source, span: Span, sizer: Sizer, limit: int) -> Cutter:
        """Prepare to cut a block."""
        safe_from = span.start
        for underline in _UNDERLINE.finditer(source.text, span.start, span.end):
            safe_from = underline.start() + 1
        return cls(source, span, sizer, max(1, limit), safe_from)

    def sentences(self) -> Iterator[Piece]:
        """Divide a paragraph into sentences, and those over the limit into runs of words."""
        text, start = self.source.text, self.span.start
        for match in _SENTENCE_END.finditer(text, self.span.start, self.span.end):
            following = self.source.trim(match.end(), self.span.end)
            if following is None:
                break
            goes_on = text[following.start].islower() and not match[0].startswith(_HARD_BREAKS)
            if not goes_on and not self._is_misread(following.start):
                yield from self._fitting(Span(start, match.end()), SENTENCE)
                start = following.start
        yield from self._fitting(Span(start, self.span.end), SENTENCE)

    def lines(self) -> Iterator[Piece]:
        """Divide a block into lines, and those over the limit into runs of words."""
        text = self.source.text
        for line in line_spans(self.source, self.span):
            tag = text[line.start : line.end].lstrip()
            is_inner = tag.startswith("</") or text[line.start].isspace()
            is_misread = opens_a_block(text, line.start) and not tag.startswith("<")
            cost = INNER_LINE if is_inner else LINE
            yield from self._fitting(line, cost + MISREAD if is_misread else cost)

    def words(self, span: Span) -> Iterator[Piece]:
        """Divide a stretch into the longest runs of words within the limit, greedily."""
        start, cost = span.start, WORD
        while start < span.end:
            stop = self.sizer.longest(self.source.text, start, span.end, self.limit)
            end, next_cost = (stop, WORD) if stop == span.end else self._cut(start, stop)
            piece = self.source.trim(start, end)
            if piece is not None:
                yield Piece(piece, cost)
            following = self.source.trim(end, span.end)
            start, cost = (following.start if following else span.end), next_cost

    def _fitting(self, span: Span, cost: int) -> Iterator[Piece]:
        trimmed = self.source.trim(span.start, span.end)
        if trimmed is None:
            return
        if self._fits(trimmed):
            yield Piece(trimmed, cost)
            return
        lines = [line.start for line in line_spans(self.source, trimmed)]
        starts = [start for start in lines[1:] if not self._is_misread(start)]
        for start, end in pairwise([trimmed.start, *starts, trimmed.end]):
            line = self.source.trim(start, end) or trimmed
            for number, piece in enumerate(self.words(line)):
                yield Piece(piece.span, piece.cost if number else cost)
            cost = LINE_OF_SENTENCE

    def _fits(self, span: Span) -> bool:
        return self.sizer.length(self.source.text[span.start : span.end]) <= self.limit

    def _cut(self, start: int, stop: int) -> tuple[int, int]:
        """Return the best offset for a cut after start and up to stop, and its cost."""
        ends = list(islice(_word_ends(self.source.text, start, stop), _TRIED_WORDS))
        for end in ends:
            following = self.source.trim(end, self.span.end)
            if following is None or not self._is_misread(following.start):
                return end, WORD
        if ends:
            return ends[0], WORD + MISREAD
        for end in range(stop, max(start, stop - _TRIED_WORDS), -1):
            if not self._is_misread(end) and not _is_joined(self.source.text[end]):
                return end, CODE_POINT
        return stop, CODE_POINT + MISREAD

    def _is_misread(self, offset: int) -> bool:
        return offset < self.safe_from or opens_a_block(self.source.text, offset)


def opens_a_block(text: str, offset: int) -> bool:
    """Tell whether text from an offset would be read as something else than a paragraph."""
    return _OPENS_A_BLOCK.match(text, offset, offset + _LOOKAHEAD) is not None


def line_spans(source: Source, span: Span) -> Iterator[Span]:
    """Yield the lines of a span that are not blank, without what ends them."""
    start, line = span.start, source.line_at(span.start)
    while start < span.end:
        starts = source.line_starts
        end = min(span.end, starts[line] if line < len(starts) else span.end)
        trimmed = source.trim(start, end)
        if trimmed is not None:
            yield trimmed
        start, line = end, line + 1


def _word_ends(text: str, start: int, stop: int) -> Iterator[int]:
    """Yield where words end between two offsets, the last first, then the end of a clause."""
    head = text[start:stop]
    if text[stop].isspace() or head[-1].isspace():
        head = head.rstrip()
        if head:
            yield start + len(head)
    while len(parts := head.rsplit(None, 1)) > 1:
        head = parts[0]
        yield start + len(head)
    clause = max(head.rfind(mark) for mark in _CLAUSE_ENDS)
    if clause > len(head) // 2:
        yield start + clause + 1


def _is_joined(char: str) -> bool:
    """Tell whether a code point belongs with the one before it."""
    return char in _JOINERS or unicodedata.combining(char) != 0
