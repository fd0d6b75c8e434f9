"""Atoms in several parts: fences opened and closed again, header rows repeated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from chunkana_core.blocks import Block, BlockKind
from chunkana_core.cutting import MISREAD, Cutter, Piece, line_spans
from chunkana_core.document import Document
from chunkana_core.drafts import Draft
from chunkana_core.parsing import parse
from chunkana_core.planning import Planner, Stretch
from chunkana_core.source import BOM, Span

_FENCE = re.compile(r"`{3,}|~{3,}")
_NOT_PREFIX = re.compile(r"[^>\s]")
_MARKERS = re.compile(r"(?:[ \t]*(?:>|(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t])))*[ \t]*")
_LONGEST_CONTAINER = 5  # code points before a closing fence, a line ending included
_FOOTNOTE_INDENT = " " * 4
_INDENT = re.compile(r"[ \t>]*")
_BETWEEN_LINES = 5
_AFTER_BLANK_LINE = 1
_AT_FENCE = 400  # between a fence or the header rows and the first or last line


@dataclass(frozen=True, slots=True)
class Repeats:
    """What a part's content has around its text where the part starts or ends inside an atom.

    Attributes:
        lead: goes before the text of a part that starts with the unit.
        tail: goes after the text of a part that ends with it.
    """

    lead: str = ""
    tail: str = ""


def repeated_pieces(cutter: Cutter, block: Block) -> Iterable[tuple[Piece, Repeats]] | None:
    """Cut code, math or a table between its lines; None if its fence alone is too long to be."""
    wrapping = _wrapping(cutter, block)
    used = cutter.sizer.length(wrapping.lead + wrapping.inside + wrapping.tail)
    room = cutter.limit - used - cutter.sizer.rounding
    if used and room < cutter.sizer.length(wrapping.inside + wrapping.tail):
        return None  # a cut inside the fence itself would not leave one
    inside = replace(cutter, limit=max(1, room))
    return _pieces(inside, cutter.limit, wrapping, block.kind is BlockKind.TABLE)


@dataclass(frozen=True, slots=True)
class _Wrapping:
    """What is repeated of an atom: before and after a part, and before the rest of a cut line."""

    lead: str
    tail: str
    inside: str


def _wrapping(cutter: Cutter, block: Block) -> _Wrapping:
    lines = line_spans(cutter.source, cutter.span)
    first = next(lines, cutter.span)
    line = cutter.source.text[first.start : first.end]
    fits_twice = cutter.limit // 2
    if block.kind is BlockKind.TABLE:
        second = next(lines, first)
        delimiters = cutter.source.text[second.start : second.end]
        markers = _MARKERS.match(line) if block.depth else None
        end = markers.end() if markers else 0
        header = f"{_NOT_PREFIX.sub(' ', line[:end])}{line[end:]}\n{delimiters}\n"
        return _Wrapping(header if cutter.sizer.length(header) <= fits_twice else "", "", "")
    fence = _FENCE.search(line) if block.kind is BlockKind.FENCED_CODE else re.search(r"\$\$", line)
    if fence is None:
        indent = _INDENT.match(line)
        return _Wrapping("", "", indent[0] if indent else "")
    prefix = _prefix(fence)
    lead, tail = f"{prefix}{line[fence.start() :]}\n", f"\n{prefix}{fence[0]}"
    if block.kind is BlockKind.MATH or cutter.sizer.length(lead + tail) > fits_twice:
        lead = f"{prefix}{fence[0]}\n"
    return _Wrapping(lead, tail, prefix)


def _pieces(
    cutter: Cutter, limit: int, wrapping: _Wrapping, is_table: bool
) -> Iterator[tuple[Piece, Repeats]]:
    lines = _lines(cutter, is_table)
    stretches = [Stretch(piece.span, piece.cost) for piece in lines]
    planner = Planner(cutter.source, cutter.sizer, cutter.limit, 0)
    text = cutter.source.text

    def fits(part: range) -> bool:
        inside = text[lines[part[0]].span.start : lines[part[-1]].span.end]
        content = wrapping.lead + wrapping.inside + inside + wrapping.tail
        return cutter.sizer.length(content) <= limit

    parts = planner.plan(stretches, 0, fits)
    for part in parts:
        first, last = lines[part[0]], lines[part[-1]]
        starts_line = cutter.source.line_start(first.span.start) == first.span.start
        lead, tail = wrapping.lead, wrapping.tail
        if not starts_line:
            lead = "" if is_table else lead + wrapping.inside
        piece = Span(first.span.start, last.span.end)
        before = lead if part[0] else ""
        after = tail if part[-1] < len(lines) - 1 else ""
        if part[0] and after and _FENCE.search(text, piece.start, piece.end):
            content = before + text[piece.start : piece.end] + after
            after = "" if missing_fence(content) else after  # a cut line reads as closing fence
        yield Piece(piece, first.cost), Repeats(before, after)


def _lines(cutter: Cutter, is_table: bool) -> list[Piece]:
    """Return the lines of an atom, and those over the limit in runs of words."""
    source = cutter.source
    previous_end = cutter.span.start
    spans = list(line_spans(source, cutter.span))
    bound = {1, 2} if is_table else {1, len(spans) - 1}
    pieces: list[Piece] = []
    for index, line in enumerate(spans):
        is_after_blank = source.line_at(line.start) > source.line_at(previous_end) + 1
        cost = _AFTER_BLANK_LINE if is_after_blank else _BETWEEN_LINES
        previous_end = line.end
        words = list(cutter.words(line))
        pieces.append(Piece(words[0].span, _AT_FENCE if index in bound else cost))
        pieces += (Piece(piece.span, piece.cost % MISREAD) for piece in words[1:])
    return pieces


def reserve_for_fences(document: Document, draft: Draft) -> int:
    """Return how much room a part may need to close a fence that only reads as one when cut out.

    That is what looks like a fence inside HTML or at a cut in a line, or a fence whose closing
    line is indented for its container.
    """
    longest = 0
    for block in draft.blocks(document):
        text = document.text[block.start : block.end]
        if block.kind is not BlockKind.FENCED_CODE and ("```" in text or "~~~" in text):
            longest = max(longest, *(len(run) for run in _FENCE.findall(text)))
    return longest and longest + _LONGEST_CONTAINER


def missing_fence(content: str) -> str:
    """Return the line that closes the fence which a content leaves open, "" if it leaves none."""
    blocks = parse(content).blocks
    fence = _open_fence(content, blocks[-1]) if blocks else None
    if fence is None:
        return ""
    lines = [f"\n{prefix}{fence[0]}" for prefix in ("", _prefix(fence), _FOOTNOTE_INDENT)]
    closing = (line for line in lines if not leaves_fence_open(content + line))
    return next(closing, lines[-1])


def leaves_fence_open(text: str) -> bool:
    """Tell whether a text ends inside a fenced code block."""
    blocks = parse(text).blocks
    return bool(blocks) and is_open_fence(text, blocks[-1])


def is_open_fence(text: str, block: Block) -> bool:
    """Tell whether a block of a text is a fenced code block without a closing fence."""
    return _open_fence(text, block) is not None


def _open_fence(text: str, block: Block) -> re.Match[str] | None:
    if block.kind is not BlockKind.FENCED_CODE:
        return None
    first, *rest = re.split(r"[\r\n]+", text[block.start : block.end].rstrip())
    fence = _FENCE.search(first)
    last = rest[-1].strip(" \t>") if rest else ""
    is_closed = fence and last.startswith(fence[0]) and not last.strip(fence[0][0])
    return None if is_closed else fence


def _prefix(fence: re.Match[str]) -> str:
    """Return what stands before a fence, with the markers of list items turned to spaces."""
    return _NOT_PREFIX.sub(" ", fence.string[: fence.start()].removeprefix(BOM))
