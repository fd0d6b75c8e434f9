"""Cuts inside a block: between sentences, lines, words or code points."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from enum import Enum, auto
from functools import partial
from itertools import islice, pairwise

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.sizing import Sizer
from chunkana_core.text.markup import NO_TAGS, Tags
from chunkana_core.text.source import Source, Span

_SENTENCE = (  # a character class first, so that other text is skipped fast
    r"""[.!?…。！？\ \\](?:
    (?<=[.!?…])(?<![.!?…]{2})[.!?…]*+["'»”’)\]*_`]*+(?=\s)  # the end of a sentence in most scripts
    |(?<=[。！？…])[。！？…]*+["'」』”’）]*+  # in Chinese and Japanese, without a space after it
    |(?:(?<=\ )\ |(?<=\\))(?=[\r\n])  # a hard line break (CommonMark 0.31.2 §6.7)
    )"""
)
_SENTENCE_END = re.compile(_SENTENCE, re.VERBOSE)
_CODE_SENTENCE_END = re.compile(  # also an escaped line ending in a string
    _SENTENCE + r"|(?<!\\)(?:(?:\\r)?\\n)++", re.VERBOSE
)
_HARD_BREAKS = (" ", "\\")
# Tags that start an HTML block only if they are alone on a line (CommonMark 0.31.2 §4.6).
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
_LOOKAHEAD = 160  # code points; the start of a block is short, but runs of markers may be long
# A line that turns the line before it into a heading or a table header.
_UNDERLINE = re.compile(r"[\r\n][ \t>]*+(?:=++|[-:|][-:| \t]*+)[ \t]*+(?![^\r\n])")
# Scripts without spaces between words: Thai, Lao, Burmese, Khmer, kana and Han.
UNSPACED_SCRIPTS = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
)
LEAD_IN_ENDS = (":", "：")  # of a sentence that introduces what follows
_CLAUSE_ENDS = "，、；："
_JOINERS = "\u200d\ufe0e\ufe0f"
_MAX_WORDS_BACK = 8  # how many words back a cut may move so that the rest is not misread


class Boundary(Enum):
    """The kind of boundary before a piece of a block."""

    BLANK_LINE = auto()  # in code
    LINE = auto()  # of HTML, front matter or plain text
    ATOM_LINE = auto()  # of code, math or a table
    STATEMENT = auto()  # before a statement of code that is cut by its syntax
    INNER_STATEMENT = auto()  # before a statement inside a definition or another statement
    DEEP_STATEMENT = auto()  # before a statement inside two or more of these
    INSIDE_STATEMENT = auto()  # between the lines of one statement
    INNER_LINE = auto()  # inside an HTML element, or indented
    SENTENCE = auto()
    SENTENCE_LINE = auto()  # between the lines of a sentence that does not fit
    WORD = auto()
    CODE_POINT = auto()
    FENCE = auto()  # between a fence, header rows or a first line and the line next to it
    TABLE_HEADER = auto()  # between the header row and the delimiter row of a table


class Piece(Struct, frozen=True, gc=False):
    """A piece of a block's text between two possible cuts.

    Attributes:
        span: the span of its text.
        boundary: the boundary before it.
        is_misread: whether it would be parsed as another kind of block after a cut.
    """

    span: Span
    boundary: Boundary
    is_misread: bool = False


class WordCut(Struct, frozen=True, gc=False):
    """A cut after a word or inside one: its offset, and the properties of the `Piece` after it."""

    end: int
    boundary: Boundary = Boundary.WORD
    is_misread: bool = False


class Cutter(Struct, frozen=True):
    """Divides the text of one block into pieces.

    Attributes:
        source: the document's text.
        span: the span of the block.
        sizer: measures pieces.
        limit: the largest size of a piece.
        safe_from: the offset from which no later line turns the rest into a heading or a table.
        size_of: returns the size of the text between two offsets.
        tags: the HTML tags, at which cuts are preferred.
        is_markup: whether the rest after a cut may be misread as another block.
    """

    source: Source
    span: Span
    sizer: Sizer
    limit: int
    safe_from: int
    size_of: Callable[[int, int], int]
    tags: Tags = NO_TAGS
    is_markup: bool = True

    @classmethod
    def of(
        cls,
        source: Source,
        span: Span,
        sizer: Sizer,
        limit: int,
        size_of: Callable[[int, int], int] | None = None,
    ) -> Cutter:
        """Return the cutter of a block; `size_of` may cache sizes."""
        size_of = size_of or (lambda start, end: sizer.length(source.text[start:end]))
        safe_from = span.start
        for underline in _UNDERLINE.finditer(source.text, span.start, span.end):
            safe_from = underline.start() + 1
        return cls(source, span, sizer, max(1, limit), safe_from, size_of)

    def sentences(self, ends: re.Pattern[str] = _SENTENCE_END) -> Iterator[Piece]:
        """Divide a paragraph into sentences, and those over the limit into lines and words."""
        text, start = self.source.text, self.span.start
        for match in ends.finditer(text, self.span.start, self.span.end):
            following = self.source.trim(match.end(), self.span.end)
            if following is None:
                break
            goes_on = text[following.start].islower() and not match[0].startswith(_HARD_BREAKS)
            if not goes_on and not self._is_misread(following.start):
                yield from self.whole_or_lines(Span(start, match.end()), Boundary.SENTENCE)
                start = following.start
        yield from self.whole_or_lines(Span(start, self.span.end), Boundary.SENTENCE)

    def lines(self) -> Iterator[Piece]:
        """Divide a block into lines, and those over the limit at HTML tags and between words.

        A line that starts inside a tag is part of the line before it. In plain text, lines over the
        limit are divided into sentences.
        """
        if not self.is_markup:
            yield from self._text_lines()
            return
        text, tags = self.source.text, Tags.of(self.source.text, self.span.start, self.span.end)
        lines = [line.start for line in line_spans(self.source, self.span)]
        starts = [start for start in lines if not tags.is_inside(start)]
        least_depth = min(map(tags.depth, starts[1:]), default=0)
        cutter = replace(self, tags=tags)
        for start, end in pairwise([*starts, self.span.end]):
            line = text[start:end].lstrip()
            is_indented = not tags.starts and text[start].isspace()
            is_inner = line.startswith("</") or is_indented or tags.depth(start) > least_depth
            is_misread = opens_a_block(text, start) and not line.startswith("<")
            boundary = Boundary.INNER_LINE if is_inner else Boundary.LINE
            yield from cutter.whole_or_lines(Span(start, end), boundary, is_misread=is_misread)

    def _text_lines(self) -> Iterator[Piece]:
        """Divide plain text into lines.

        A cut after the first line, which may be the column heads of a table, is expensive.
        """
        for number, line in enumerate(line_spans(self.source, self.span)):
            is_indented = self.source.text[line.start].isspace()
            boundary = Boundary.INNER_LINE if is_indented else Boundary.LINE
            pieces = self._line_sentences(line, _SENTENCE_END)
            yield Piece(next(pieces).span, Boundary.FENCE if number == 1 else boundary)
            yield from pieces

    def code_sentences(self) -> Iterator[Piece]:
        """Divide code into lines, and those over the limit into sentences and words."""
        return self.code_lines(partial(self._line_sentences, ends=_CODE_SENTENCE_END))

    def _line_sentences(self, line: Span, ends: re.Pattern[str]) -> Iterator[Piece]:
        """Divide a line over the limit into sentences that end as given."""
        if self._fits(line):
            return iter([Piece(line, Boundary.LINE)])
        return replace(self, span=line).sentences(ends)

    def code_lines(
        self, divide: Callable[[Span], Iterator[Piece]] | None = None
    ) -> Iterator[Piece]:
        """Divide code into lines, and those over the limit between words or as given."""
        previous_end, line_at = self.span.start, self.source.line_at
        for line in line_spans(self.source, self.span):
            is_after_blank = line_at(line.start) > line_at(previous_end) + 1
            boundary = Boundary.BLANK_LINE if is_after_blank else Boundary.ATOM_LINE
            previous_end = line.end
            pieces = (divide or self.words)(line)
            yield Piece(next(pieces).span, boundary)
            yield from (Piece(piece.span, piece.boundary) for piece in pieces)

    def words(self, span: Span) -> Iterator[Piece]:
        """Divide a span greedily into the longest runs of words within the limit."""
        start, boundary, is_misread = span.start, Boundary.WORD, False
        size = self.size_of(span.start, span.end)
        if size <= self.limit and (trimmed := self.source.trim(span.start, span.end)):
            yield Piece(trimmed, boundary)
            return
        rate = size / max(1, span.end - span.start)
        while start < span.end:
            stop = self.sizer.longest(self.source.text, start, span.end, self.limit, rate)
            cut = WordCut(stop) if stop == span.end else self._word_cut(start, stop)
            trimmed = self.source.trim(start, cut.end)
            if trimmed is not None:
                yield Piece(trimmed, boundary, is_misread)
            following = self.source.trim(cut.end, span.end)
            start, boundary, is_misread = span.end, cut.boundary, cut.is_misread
            if following is not None:
                start = following.start

    def whole_or_lines(
        self, span: Span, boundary: Boundary, *, is_misread: bool = False
    ) -> Iterator[Piece]:
        """Yield a span as one piece or, if it does not fit, divided into its lines and words."""
        trimmed = self.source.trim(span.start, span.end)
        if trimmed is None:
            return
        if self._fits(trimmed):
            yield Piece(trimmed, boundary, is_misread)
            return
        lines = [line.start for line in line_spans(self.source, trimmed)]
        starts = [start for start in lines[1:] if not self._is_misread_or_inside(start)]
        for start, end in pairwise([trimmed.start, *starts, trimmed.end]):
            pieces = self.words(self.source.trim(start, end) or trimmed)
            yield Piece(next(pieces).span, boundary, is_misread)
            yield from pieces
            boundary, is_misread = Boundary.SENTENCE_LINE, False

    def _fits(self, span: Span) -> bool:
        return self.size_of(span.start, span.end) <= self.limit

    def _word_cut(self, start: int, stop: int) -> WordCut:
        """Return the best cut after `start` and at most at `stop`."""
        tag = self.tags.cut(start, stop)
        if tag is not None and (head := self.source.text[start:tag].rstrip()):
            return WordCut(start + len(head), Boundary.SENTENCE_LINE)
        ends = list(islice(_word_ends(self.source.text, start, stop), _MAX_WORDS_BACK))
        for end in ends:
            following = self.source.trim(end, self.span.end)
            if following is None or not self._is_misread(following.start):
                return WordCut(end)
        if ends:
            return WordCut(ends[0], is_misread=True)
        for end in range(stop, max(start, stop - _MAX_WORDS_BACK), -1):
            if not self._is_misread(end) and not _is_joined(self.source.text[end]):
                return WordCut(end, Boundary.CODE_POINT)
        return WordCut(stop, Boundary.CODE_POINT, is_misread=True)

    def _is_misread_or_inside(self, offset: int) -> bool:
        return self._is_misread(offset) or self.tags.is_inside(offset)

    def _is_misread(self, offset: int) -> bool:
        if not self.is_markup:
            return False
        return offset < self.safe_from or opens_a_block(self.source.text, offset)


def opens_a_block(text: str, offset: int) -> bool:
    """Return whether the text at an offset would start another block than a paragraph."""
    return _OPENS_A_BLOCK.match(text, offset, offset + _LOOKAHEAD) is not None


def line_spans(source: Source, span: Span) -> Iterator[Span]:
    """Yield the spans of the lines of a span that are not blank, without line endings."""
    start, line = span.start, source.line_at(span.start)
    while start < span.end:
        starts = source.line_starts
        end = min(span.end, starts[line] if line < len(starts) else span.end)
        trimmed = source.trim(start, end)
        if trimmed is not None:
            yield trimmed
        start, line = end, line + 1


def _word_ends(text: str, start: int, stop: int) -> Iterator[int]:
    """Yield the ends of words between two offsets from the last, then that of a CJK clause."""
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
    """Return whether a code point is a combining character or a joiner."""
    return char in _JOINERS or unicodedata.combining(char) != 0
