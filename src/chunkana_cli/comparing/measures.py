"""Measure the pieces of any tool against a reference parse of the document."""

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
class Measurement:
    """The counts of a tool's chunks and faults on a document, or on several.

    Attributes:
        chunks: the number of chunks.
        largest: the size of the largest chunk.
        over_limit: the number of chunks over the limit.
        headings_found: headings of the document that start a chunk or are in a chunk's metadata.
        false_headings: texts in either place that are not headings of the document.
        offsets_right: chunks whose text is at their offset.
        offsets_wrong: chunks whose text is not at their offset.
        offsets_absent: chunks without an offset.
        fences_broken: chunks that open a code fence and do not close it.
        tables_parted: chunks with rows of a table but without its header row.
        definitions_parted: code definitions or JSON values that fit the limit but are not complete
            in any chunk.
        lines_lost: the share of the document's lines that are in no chunk; for several documents
            the mean, weighted by their characters.
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
    def total(cls, parts: Sequence[tuple[int, Measurement]]) -> Measurement:
        """Add up the measurements of documents, given as pairs of a length and a measurement."""
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
        """The number of all faults except lost lines."""
        return (
            self.over_limit
            + self.false_headings
            + self.offsets_wrong
            + self.fences_broken
            + self.tables_parted
            + self.definitions_parted
        )


@dataclass(frozen=True, slots=True)
class Reference:
    """The reference parse of a document, against which tools are measured.

    Attributes:
        text: the text of the document.
        headings: the titles of all headings, with repetitions.
        is_open: whether the last fence of the document is not closed.
        tables: the header row and the other rows of each table.
        definitions: the texts of code definitions or JSON values; none for Markdown.
        format: the name of the format; plain text if the document is not valid in its own.
    """

    text: str
    headings: tuple[str, ...]
    is_open: bool
    tables: tuple[tuple[str, frozenset[str]], ...]
    definitions: tuple[str, ...] = ()
    format: str = _MARKDOWN

    @classmethod
    def of(cls, text: str, form: str = _MARKDOWN) -> Reference:
        """Parse a document."""
        if form != _MARKDOWN:
            document = parse_document(text, form)
            spans = (document.trimmed_run(s.first, s.stop) for s in document.sections[1:])
            texts = tuple(text[span.start : span.end] for span in spans)
            return cls(
                text, (), is_open=False, tables=(), definitions=texts, format=document.traits.name
            )
        blocks = parse_document(text).blocks
        # Headings in quotes and lists are included: a tool may find them.
        headings = tuple(_key(b.info) for b in blocks if b.kind is BlockKind.HEADING)
        tables = [_lines(text[b.start : b.end]) for b in blocks if b.kind is BlockKind.TABLE]
        rows = tuple((lines[0], frozenset(lines[2:])) for lines in tables)
        return cls(text, headings, leaves_fence_open(text), rows)


def measure(pieces: Sequence[Piece], reference: Reference, limit: int) -> Measurement:
    """Measure the pieces of a document; `limit` is in characters."""
    sizes = [len(piece.content) for piece in pieces]
    is_markdown = reference.format == _MARKDOWN
    claimed = [set(_claimed_headings(piece)) for piece in pieces if is_markdown]
    known = set(reference.headings)
    found = set().union(*claimed)
    right = [_is_offset_right(piece, reference.text) for piece in pieces]
    return Measurement(
        chunks=len(pieces),
        largest=max(sizes, default=0),
        over_limit=sum(size > limit for size in sizes),
        headings_found=sum(heading in found for heading in reference.headings),
        false_headings=len(found - known - {""}),
        offsets_right=right.count(True),
        offsets_wrong=right.count(False),
        offsets_absent=right.count(None),
        fences_broken=_count_open_fences(pieces, reference) if is_markdown else 0,
        tables_parted=sum(_has_cut_table(piece, reference) for piece in pieces),
        definitions_parted=_count_cut_definitions(pieces, reference, limit),
        lines_lost=1 - validate_content_coverage(pieces, reference.text).coverage,
    )


def _is_offset_right(piece: Piece, text: str) -> bool | None:
    if piece.start is None:
        return None
    return piece.start >= 0 and text.startswith(piece.text, piece.start)


def _claimed_headings(piece: Piece) -> Iterator[str]:
    """Yield the headings in the metadata and at the start of a Markdown chunk."""
    for heading in piece.headings:
        yield _key(_plain(heading))
    blocks = parse_document(piece.content).top
    for block in blocks:
        if block.kind is not BlockKind.HEADING:
            break
        yield _key(block.info)


def _plain(title: str) -> str:
    """Return a title without Markdown markup."""
    blocks = parse_document(f"# {' '.join(title.split())}").top
    return blocks[0].info if len(blocks) == 1 else title


def _key(title: str) -> str:
    return " ".join(title.split())


def _count_open_fences(pieces: Sequence[Piece], reference: Reference) -> int:
    """Count the chunks with an unclosed fence, except for the unclosed fence of the document."""
    count = sum(leaves_fence_open(piece.content) for piece in pieces)
    return count - (reference.is_open and count > 0)


def _count_cut_definitions(pieces: Sequence[Piece], reference: Reference, limit: int) -> int:
    shown = "\0".join(_without_spaces(piece.content) for piece in pieces)
    fitting = [text for text in reference.definitions if len(text) <= limit]
    return sum(_without_spaces(text) not in shown for text in fitting)


def _without_spaces(text: str) -> str:
    """Return a text without white space, which tools may change."""
    return "".join(text.split())


def _has_cut_table(piece: Piece, reference: Reference) -> bool:
    lines = set(_lines(piece.content))
    return any(header not in lines and lines & rows for header, rows in reference.tables)


def _lines(text: str) -> list[str]:
    """Return the lines of a text without indentation and block quote markers."""
    lines = (" ".join(line.split()).lstrip("> ") for line in _LINE_END.split(text))
    return [line for line in lines if line]
