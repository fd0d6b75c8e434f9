"""Plain text to a `Document`: titles, prose, and lines such as settings, records and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.traits import FormatTraits
from chunkana_core.text.source import Source, Span

TRAITS = FormatTraits("text")
_RULE = re.compile(r"[-=~_*#^+|: \t]+")  # a line below a title, or of a table
_SHORTEST_RULE = 3
_MAX_TITLE_LINES = 2
_COLUMN_GAP = re.compile(r"(?<=\S)(?: {2,}|\t)(?=\S)")
_LEAST_GAPS = 2
_OPENING_MARKS = "\"'“”‘’«»([{*_ \t"
_SENTENCE_ENDS = (".", "!", "?", ":", "。", "！", "？")
_LEAST_WRAPS = 0.6  # of the line ends in prose; the rest ends sentences, items and short lines
_LEAST_WORDS = 4  # in a line of prose, on average


def parse_text(text: str) -> Document:
    r"""Parse plain text: titles, prose and lines, without markup and without sections.

    A title, the column heads of a table too, is a `HEADING` of no level, so that it is not parted
    from the text below it. Prose is cut between sentences, other lines (`OPAQUE`) between lines.

    >>> [block.kind.value for block in parse_text("Tea\n===\n# Hot\n\nport = 1\nlog = 2\n").top]
    ['heading', 'paragraph', 'opaque']
    """
    source = Source.of(text)
    parts: list[tuple[BlockKind, Sequence[Span]]] = []
    for lines, following in pairwise([*_paragraphs(source), []]):
        stop = _title_stop(text, lines, following)
        if stop == len(lines) and not following:
            stop = 0  # there is no text below it
        if title := lines[:stop]:
            parts.append((BlockKind.HEADING, title))
        if body := lines[stop:]:
            parts.append((_kind(text, body), body))
    blocks = [
        Block(kind, 0, lines[0].start, lines[-1].end, index, index + 1)
        for index, (kind, lines) in enumerate(parts)
    ]
    return Document.of_sections(source, blocks, (), TRAITS)


def _paragraphs(source: Source) -> Iterator[list[Span]]:
    """Yield runs of consecutive lines that are not blank."""
    lines: list[Span] = []
    for start, end in pairwise([*source.line_starts, len(source.text)]):
        if source.text[start:end].strip():
            lines.append(Span(start, end))
        elif lines:
            yield lines
            lines = []
    if lines:
        yield lines


def _title_stop(text: str, lines: Sequence[Span], following: Sequence[Span]) -> int:
    """Return the number of lines of the title at the start of a paragraph, 0 for none.

    A title is one or two lines above a rule such as `=====`, also if there is a rule above them, or
    the column heads of a table that starts in the next line or the following paragraph.
    """
    first = int(_is_rule(text, lines[0]))
    for stop in range(first + 1, min(len(lines), first + _MAX_TITLE_LINES + 1)):
        if _is_rule(text, lines[stop]):
            last = text[lines[stop - 1].start : lines[stop - 1].end]
            return 0 if last.rstrip().endswith(".") else stop + 1
    if any(map(str.isdigit, text[lines[0].start : lines[0].end])) or not _has_columns(
        text, lines[0]
    ):
        return 0
    if len(lines) <= _MAX_TITLE_LINES and following and _has_columns(text, following[0]):
        return len(lines)
    return int(len(lines) > 1 and _has_columns(text, lines[1]))


def _is_rule(text: str, line: Span) -> bool:
    stripped = text[line.start : line.end].strip()
    return len(stripped) >= _SHORTEST_RULE and _RULE.fullmatch(stripped) is not None


def _has_columns(text: str, line: Span) -> bool:
    return len(_COLUMN_GAP.findall(text, line.start, line.end)) >= _LEAST_GAPS


def _kind(text: str, lines: Sequence[Span]) -> BlockKind:
    """Return `PARAGRAPH` for prose, whose lines are wrapped, `OPAQUE` for other lines.

    A line is wrapped if the first word of the next line, which starts with a letter and no
    sentence, would have made it longer than the longest line.
    """
    texts = [text[line.start : line.end].rstrip() for line in lines]
    width, words = max(map(len, texts)), sum(len(line.split()) for line in texts)
    wraps = 0
    for line, following in pairwise(texts):
        word = following.split(maxsplit=1)[0]
        is_inside = not line.endswith(_SENTENCE_ENDS) and word.lstrip(_OPENING_MARKS)[:1].isalpha()
        wraps += is_inside and len(line) + 1 + len(word) > width
    has_words = words >= _LEAST_WORDS * len(lines) or not texts[0].isascii()
    is_prose = wraps >= _LEAST_WRAPS * (len(lines) - 1) and has_words
    return BlockKind.PARAGRAPH if is_prose or len(lines) == 1 else BlockKind.OPAQUE
