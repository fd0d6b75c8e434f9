"""What is measured of pieces, by one rule for all tools: against a parse of the document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from chunkana_cli.comparing.splitters import Piece
from chunkana_cli.fences import leaves_fence_open
from chunkana_core import validate_content_coverage
from chunkana_core.extending import BlockKind, parse_document

_MARKDOWN = "markdown"
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Measured:
    """What a tool made of a document, or of several.

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
        definitions_parted: definitions, or values of JSON, that fit and are whole in no chunk.
        lines_lost: the share of the document's lines in no chunk; of several documents the mean, in
            which each counts by its characters.
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
    definitions_parted: int
    lines_lost: float

    @classmethod
    def total(cls, parts: Sequence[tuple[int, Measured]]) -> Measured:
        """Add up what a tool made of documents, each given with its number of characters."""
        counts = {
            field.name: sum(getattr(found, field.name) for _, found in parts)
            for field in fields(cls)
        }
        lost = sum(characters * found.lines_lost for characters, found in parts)
        characters = sum(characters for characters, _ in parts)
        counts["largest"] = max(found.largest for _, found in parts)
        return cls(**counts | {"lines_lost": lost / max(1, characters)})

    @property
    def faults(self) -> int:
        """How many chunks, headings, tables and definitions are not as they should be."""
        return (
            self.over_limit
            + self.false_headings
            + self.offsets_wrong
            + self.fences_broken
            + self.tables_parted
            + self.definitions_parted
        )


@dataclass(frozen=True, slots=True)
class Truth:
    """What a parse says of a document.

    Attributes:
        text: the document.
        headings: the titles of its headings, a title as often as it stands there.
        is_open: whether it leaves its last fence open.
        tables: each one's header row, and its other rows.
        definitions: the texts of definitions, or of values of JSON; of Markdown none.
        format: the name of its format, plain text where it is not valid as its own.
    """

    text: str
    headings: tuple[str, ...]
    is_open: bool
    tables: tuple[tuple[str, frozenset[str]], ...]
    definitions: tuple[str, ...] = ()
    format: str = _MARKDOWN

    @classmethod
    def of(cls, text: str, form: str = _MARKDOWN) -> Truth:
        """Parse a document."""
        if form != _MARKDOWN:
            document = parse_document(text, form)
            spans = (document.trimmed_run(s.first, s.stop) for s in document.sections[1:])
            texts = tuple(text[span.start : span.end] for span in spans)
            return cls(
                text, (), is_open=False, tables=(), definitions=texts, format=document.traits.name
            )
        blocks = parse_document(text).blocks
        # Those in quotes and lists too: a tool is free to find them.
        headings = tuple(_key(b.info) for b in blocks if b.kind is BlockKind.HEADING)
        tables = [_lines(text[b.start : b.end]) for b in blocks if b.kind is BlockKind.TABLE]
        rows = tuple((lines[0], frozenset(lines[2:])) for lines in tables)
        return cls(text, headings, leaves_fence_open(text), rows)


def measure(pieces: Sequence[Piece], truth: Truth, limit: int) -> Measured:
    """Measure what a tool made of a document."""
    sizes = [len(piece.content) for piece in pieces]
    is_markdown = truth.format == _MARKDOWN
    claimed = [set(_claimed(piece)) for piece in pieces if is_markdown]
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
        fences_broken=_broken_fences(pieces, truth) if is_markdown else 0,
        tables_parted=sum(_has_parted_table(piece, truth) for piece in pieces),
        definitions_parted=_parted_definitions(pieces, truth, limit),
        lines_lost=1 - validate_content_coverage(pieces, truth.text).coverage,
    )


def _is_right(piece: Piece, text: str) -> bool | None:
    if piece.start is None:
        return None
    return piece.start >= 0 and text.startswith(piece.text, piece.start)


def _claimed(piece: Piece) -> Iterator[str]:
    """Yield what a chunk says is a heading: in its metadata, or by starting with it.

    It is asked of Markdown alone.
    """
    for heading in piece.headings:
        yield _key(_plain(heading))
    blocks = parse_document(piece.content).top
    for block in blocks:
        if block.kind is not BlockKind.HEADING:
            break
        yield _key(block.info)


def _plain(title: str) -> str:
    """Return a title without its markup, as a parser reads it."""
    blocks = parse_document(f"# {' '.join(title.split())}").top
    return blocks[0].info if len(blocks) == 1 else title


def _key(title: str) -> str:
    return " ".join(title.split())


def _broken_fences(pieces: Sequence[Piece], truth: Truth) -> int:
    """Count the chunks that end in a fence; one that the document leaves open is none of theirs."""
    count = sum(leaves_fence_open(piece.content) for piece in pieces)
    return count - (truth.is_open and count > 0)


def _parted_definitions(pieces: Sequence[Piece], truth: Truth, limit: int) -> int:
    shown = "\0".join(_folded(piece.content) for piece in pieces)
    fitting = [text for text in truth.definitions if len(text) <= limit]
    return sum(_folded(text) not in shown for text in fitting)


def _folded(text: str) -> str:
    """Return a text without white space, which tools may write anew."""
    return "".join(text.split())


def _has_parted_table(piece: Piece, truth: Truth) -> bool:
    lines = set(_lines(piece.content))
    return any(header not in lines and lines & rows for header, rows in truth.tables)


def _lines(text: str) -> list[str]:
    """Return lines without the white space and markers that containers put before them."""
    lines = (" ".join(line.split()).lstrip("> ") for line in _LINE_END.split(text))
    return [line for line in lines if line]
