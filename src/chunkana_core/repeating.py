"""Atoms in several parts: fences opened and closed again, header rows repeated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from chunkana_core.blocks import Block, BlockKind
from chunkana_core.cutting import MISREAD, Cutter, Piece, line_spans
from chunkana_core.fast_init import fast_init
from chunkana_core.parsing import parse
from chunkana_core.source import BOM, Span

_FENCE = re.compile(r"(`{3,}|~{3,})")
_MATH_FENCE = re.compile(r"(\$\$)")
_NOT_PREFIX = re.compile(r"[^>\s]")
_MARKERS = re.compile(r"(?:[ \t]*(?:>|(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t])|\[\^[^\]]+\]:))*[ \t]*")
_INDENT = re.compile(r"[ \t>]*")
_SPACES = re.compile(r"[ \t]*")
_FOOTNOTE = re.compile(r"\[\^[^\]]+\]:[ \t]*")
_FOOTNOTE_INDENT = 4
# What a cut costs: the lines of an atom belong together more than blocks and items do.
_AFTER_BLANK_LINE = 8
_BETWEEN_LINES = 12
_AT_FENCE = 400  # between a fence or the header rows and the first or last line
_IN_HEADER = 800  # between the row of a table's header and the rule below it
_HEADER_LINES = 2  # of a table


@fast_init
@dataclass(frozen=True, slots=True)
class Repeats:
    """What a part's content has around its text where the part starts or ends inside an atom.

    Attributes:
        lead: goes before the text of a part that starts with the unit.
        tail: goes after the text of a part that ends with it.
        start: the offset of what the lead repeats.
    """

    lead: str = ""
    tail: str = ""
    start: int | None = None


NO_REPEATS = Repeats()


def repeated_lines(cutter: Cutter, block: Block) -> list[tuple[Piece, Repeats]]:
    """Cut code, math or a table into lines, and lines over the limit into words.

    Markers of containers in lines above it are pieces of their own. Nothing is returned where the
    fence alone leaves no room for what is between.
    """
    above = Span(cutter.span.start, max(cutter.span.start, block.start))
    markers = [(piece, NO_REPEATS) for piece in cutter.words(above)]
    cutter = replace(cutter, span=Span(above.end, cutter.span.end))
    wrapping = _wrapping(cutter, block)
    around = cutter.sizer.length(wrapping.lead + wrapping.inside + wrapping.tail)
    if around and cutter.limit - around < cutter.sizer.length(wrapping.tail[1:]):
        return []  # a cut inside the fence itself would not leave one
    is_table = block.kind is BlockKind.TABLE
    pieces = list(_lines(replace(cutter, limit=max(1, cutter.limit - around)), is_table=is_table))
    repeated: list[tuple[Piece, Repeats]] = []
    for number, piece in enumerate(pieces, 1):
        start = piece.span.start
        lead = wrapping.lead if number > (_HEADER_LINES if is_table else 1) else ""
        if cutter.source.line_start(start) < start:  # the rest of a line
            lead = "" if is_table else lead + wrapping.inside
        tail = wrapping.tail if number < len(pieces) else ""
        repeated.append((piece, Repeats(lead, tail, cutter.span.start if lead else None)))
    return markers + repeated


@dataclass(frozen=True, slots=True)
class _Wrapping:
    """What is repeated of an atom: before and after a part, and before the rest of a cut line."""

    lead: str = ""
    tail: str = ""
    inside: str = ""


def _wrapping(cutter: Cutter, block: Block) -> _Wrapping:
    source, length = cutter.source, cutter.sizer.length
    most = min(cutter.sizer.max_size // 2, cutter.limit * 3 // 4)  # and room for something else
    lines = (source.text[s.start : s.end] for s in line_spans(source, cutter.span))
    line = next(lines)
    if block.kind is BlockKind.TABLE:
        markers = _MARKERS.match(line) if block.depth else None
        end = markers.end() if markers else 0
        header = f"{_prefix(line[:end])}{line[end:]}\n{next(lines)}\n"
        size, limit = length(header), cutter.limit
        cuts_rows = any(limit - size < length(row) <= limit for row in lines)
        return _Wrapping() if size > most or cuts_rows else _Wrapping(header)
    if block.kind is BlockKind.INDENTED_CODE:
        indent = (_INDENT if block.depth else _SPACES).match(line)
        inside = indent[0] if indent else ""
        return _Wrapping(inside=inside if length(inside) <= most else "")
    regex = _MATH_FENCE if block.kind is BlockKind.MATH else _FENCE
    before, fence, info = regex.split(line, maxsplit=1)
    prefix = _prefix(before)
    lead, tail = f"{prefix}{fence}{info}\n", f"\n{prefix}{fence}"
    if block.kind is BlockKind.MATH or length(lead + tail) > most:
        lead = f"{prefix}{fence}\n"
    return _Wrapping(lead, tail, prefix)


def _lines(cutter: Cutter, *, is_table: bool) -> Iterator[Piece]:
    """Yield the lines of an atom, and those over the limit in runs of words.

    The first line belongs to markers above it and to the second line, the last line of code to the
    one before it, and a table's header rows to its first row.
    """
    source, spans = cutter.source, list(line_spans(cutter.source, cutter.span))
    bound = dict.fromkeys((0, 1, _HEADER_LINES if is_table else len(spans) - 1), _AT_FENCE)
    bound |= {1: _IN_HEADER} if is_table else {}
    previous_end = cutter.span.start
    for index, line in enumerate(spans):
        is_after_blank = source.line_at(line.start) > source.line_at(previous_end) + 1
        cost = _AFTER_BLANK_LINE if is_after_blank else _BETWEEN_LINES
        cost = bound.get(index, cost)
        previous_end = line.end
        for number, piece in enumerate(cutter.words(line)):
            yield Piece(piece.span, piece.cost % MISREAD if number else cost)


def has_fence(text: str, start: int = 0, end: int | None = None) -> bool:
    """Tell whether a stretch of text may hold a fence."""
    return text.find("```", start, end) >= 0 or text.find("~~~", start, end) >= 0


def missing_fence(content: str) -> str:
    """Return the line that closes the fence which a content leaves open, "" if it leaves none."""
    fence = _open_fence(content)
    if fence is None:
        return ""
    before, marker, _ = _FENCE.split(content[fence.start : fence.end], maxsplit=1)
    lines = (f"\n{start}{marker}" for start in ("", _prefix(before), f"{_prefix(before)} "))
    return next((line for line in lines if not leaves_fence_open(content + line)), "")


def leaves_fence_open(text: str) -> bool:
    """Tell whether a text ends inside a fenced code block."""
    return _open_fence(text) is not None


def _open_fence(text: str) -> Block | None:
    blocks = parse(text).blocks if has_fence(text) else ()
    return blocks[-1] if blocks and blocks[-1].is_open else None


def _prefix(before: str) -> str:
    """Return what stands before a fence or row, with markers of items and footnotes as spaces."""
    indented = _FOOTNOTE.sub(" " * _FOOTNOTE_INDENT, before.removeprefix(BOM))
    return _NOT_PREFIX.sub(" ", indented)
