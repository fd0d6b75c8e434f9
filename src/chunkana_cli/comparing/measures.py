"""What is measured of pieces, by one rule for all tools: against a CommonMark parse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunkana_cli.comparing.splitters import Piece
from chunkana_cli.fences import leaves_fence_open
from chunkana_core import BlockKind, parse_markdown, validate_content_coverage

_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Measured:
    """What a tool made of a document.

    Attributes:
        chunks: how many there are.
        largest: the size of the largest one.
        over_limit: how many are larger than was asked for.
        headings_found: headings of the document that start a chunk or are in a chunk's metadata.
        false_headings: what is taken for a heading, in either place, and is none.
        offsets_right: chunks that stand where they say.
        offsets_wrong: chunks that do not.
        offsets_absent: chunks that say nothing of it.
        fences_broken: chunks that open a code fence and do not close it.
        tables_parted: chunks with rows of a table whose header row they do not show.
        lines_lost: the share of the document's lines in no chunk.
    """

    chunks: int
    largest: int
    over_limit: int
    headings_found: int
    false_headings: int
    offsets_right: int
    offsets_wrong: int
    offsets_absent: int
    fences_broken: int
    tables_parted: int
    lines_lost: float


@dataclass(frozen=True, slots=True)
class Truth:
    """What a parse says of a document.

    Attributes:
        text: the document.
        headings: the titles of its headings, a title as often as it stands there.
        is_open: whether it leaves its last fence open.
        tables: each one's header row, and its other rows.
    """

    text: str
    headings: tuple[str, ...]
    is_open: bool
    tables: tuple[tuple[str, frozenset[str]], ...]

    @classmethod
    def of(cls, text: str) -> Truth:
        """Parse a document."""
        blocks = parse_markdown(text).blocks
        # Those in quotes and lists too: a tool is free to find them.
        headings = tuple(_key(b.info) for b in blocks if b.kind is BlockKind.HEADING)
        tables = [_lines(text[b.start : b.end]) for b in blocks if b.kind is BlockKind.TABLE]
        rows = tuple((lines[0], frozenset(lines[2:])) for lines in tables)
        return cls(text, headings, leaves_fence_open(text), rows)


def measure(pieces: Sequence[Piece], truth: Truth, limit: int) -> Measured:
    """Measure what a tool made of a document."""
    sizes = [len(piece.content) for piece in pieces]
    claimed = [set(_claimed(piece)) for piece in pieces]
    known = set(truth.headings)
    found = set().union(*claimed)
    right = [_is_right(piece, truth.text) for piece in pieces]
    return Measured(
        chunks=len(pieces),
        largest=max(sizes, default=0),
        over_limit=sum(size > limit for size in sizes),
        headings_found=sum(heading in found for heading in truth.headings),
        false_headings=len(found - known - {""}),
        offsets_right=right.count(True),
        offsets_wrong=right.count(False),
        offsets_absent=right.count(None),
        fences_broken=_broken_fences(pieces, truth),
        tables_parted=sum(_has_parted_table(piece, truth) for piece in pieces),
        lines_lost=1 - validate_content_coverage(pieces, truth.text).coverage,
    )


def _is_right(piece: Piece, text: str) -> bool | None:
    if piece.start is None:
        return None
    return piece.start >= 0 and text.startswith(piece.text, piece.start)


def _claimed(piece: Piece) -> Iterator[str]:
    """Yield what a chunk says is a heading: in its metadata, or by starting with it."""
    for heading in piece.headings:
        yield _key(_plain(heading))
    blocks = parse_markdown(piece.content).top
    for block in blocks:
        if block.kind is not BlockKind.HEADING:
            break
        yield _key(block.info)


def _plain(title: str) -> str:
    """Return a title without its markup, as a parser reads it."""
    blocks = parse_markdown(f"# {' '.join(title.split())}").top
    return blocks[0].info if len(blocks) == 1 else title


def _key(title: str) -> str:
    return " ".join(title.split())


def _broken_fences(pieces: Sequence[Piece], truth: Truth) -> int:
    """Count the chunks that end in a fence; one that the document leaves open is none of theirs."""
    count = sum(leaves_fence_open(piece.content) for piece in pieces)
    return count - (truth.is_open and count > 0)


def _has_parted_table(piece: Piece, truth: Truth) -> bool:
    lines = set(_lines(piece.content))
    return any(header not in lines and lines & rows for header, rows in truth.tables)


def _lines(text: str) -> list[str]:
    """Return lines without the white space and markers that containers put before them."""
    lines = (" ".join(line.split()).lstrip("> ") for line in _LINE_END.split(text))
    return [line for line in lines if line]
