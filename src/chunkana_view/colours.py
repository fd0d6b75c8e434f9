"""Find the tokens of source code in chunks, which the page's script highlights.

The script highlights ranges of the text and adds no elements, so that a document stays text only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token
from pygments.util import ClassNotFound

from chunkana_core.extending import PROSE_FORMATS

KINDS = ("comment", "keyword", "name", "number", "string")  # each has its own colour
_LONGEST = 1_000_000  # code points; longer texts are not coloured, since not all lexers are linear
_TOKENS = (
    (Token.Comment, "comment"),
    (Token.Keyword, "keyword"),
    (Token.Name.Class, "name"),
    (Token.Name.Function, "name"),
    (Token.Name.Tag, "name"),  # keys of JSON
    (Token.Literal.Number, "number"),
    (Token.Literal.String, "string"),
)
Marks = list[int]  # triples, flattened: the index of a kind, the start and the end of a range


def marks_of(form: str, texts: Sequence[str], gaps: Sequence[str]) -> list[Marks]:
    """Return the ranges to colour in each chunk, with offsets in UTF-16 code units.

    Args:
        form: the name of the document's format; formats without colours have no marks.
        texts: the displayed texts of the chunks.
        gaps: the displayed text after each chunk.
    """
    marks: list[Marks] = [[] for _ in texts]
    whole = "".join(part for pair in zip(texts, gaps, strict=True) for part in pair)
    lexer = _lexer_of(form)
    if lexer is None or len(whole) > _LONGEST:
        return marks
    ends, position = [], 0
    for text, gap in zip(texts, gaps, strict=True):
        ends.append((position, position + len(text)))
        position += len(text) + len(gap)
    number = 0
    for kind, start, end in _ranges(lexer, whole):
        while number < len(ends) and ends[number][1] <= start:
            number += 1
        reached = number
        while reached < len(ends) and ends[reached][0] < end:
            first, last = max(start, ends[reached][0]), min(end, ends[reached][1])
            if first < last:
                marks[reached] += (kind, first - ends[reached][0], last - ends[reached][0])
            reached += 1
    return [_in_utf16(text, found) for text, found in zip(texts, marks, strict=True)]


def _lexer_of(form: str) -> Lexer | None:
    """Return the lexer of a format, None for a format without colours."""
    try:
        return None if form in PROSE_FORMATS else get_lexer_by_name(form)
    except ClassNotFound:  # the user's own format
        return None


def _ranges(lexer: Lexer, text: str) -> Iterator[tuple[int, int, int]]:
    """Yield the kind, start and end of the ranges to colour; join adjacent ranges of a kind."""
    last: tuple[int, int, int] | None = None
    for start, token, value in lexer.get_tokens_unprocessed(text):
        kind = _kind_of(token)
        if kind is None:
            continue
        if last and last[0] == kind and last[2] == start:
            last = (kind, last[1], start + len(value))
            continue
        if last:
            yield last
        last = (kind, start, start + len(value))
    if last:
        yield last


def _kind_of(token: object) -> int | None:
    return next((KINDS.index(name) for parent, name in _TOKENS if token in parent), None)


def _in_utf16(text: str, marks: Marks) -> Marks:
    """Convert the offsets of marks from code points to UTF-16 code units, as in JavaScript."""
    if text.isascii() or max(text) <= "\uffff":
        return marks
    units, found = [0], list(marks)
    for character in text:
        units.append(units[-1] + 1 + (character > "\uffff"))
    for index in range(len(marks)):
        if index % 3:
            found[index] = units[marks[index]]
    return found
