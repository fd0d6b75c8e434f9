"""Validation of chunks against the laws; two checks take chunks of any tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol, cast

from chunkana_core.arguments import require_each, require_type
from chunkana_core.checking.coverage import line_recall
from chunkana_core.config import ChunkConfig
from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.traits import FormatTraits
from chunkana_core.drafting.headings import largest_stack
from chunkana_core.errors import InvariantViolationError
from chunkana_core.formats.markdown.parser import parse_blocks
from chunkana_core.formats.markdown.rule_table import BlockRule
from chunkana_core.formats.registry import MARKDOWN, Format
from chunkana_core.splitting.draft_units import SMALLEST_FIRST_UNIT
from chunkana_core.splitting.repeats import leaves_fence_open, missing_fence
from chunkana_core.tree.builder import parse_chunked
from chunkana_core.tree.chunks import Chunk
from chunkana_core.tree.leaves import code_blocks
from chunkana_core.violations import ValidationResult, Violation

_MARKDOWN = MARKDOWN.name
_MIN_COVERAGE = 0.95  # of the source's lines


class HasContent(Protocol):
    """Any object with a `content`."""

    @property
    def content(self) -> str:
        """The text of the chunk."""


def validate_content_coverage(chunks: Sequence[HasContent], text: str) -> ValidationResult:
    """Check that at least 95 % of the source's lines are in the chunks; see `line_recall`.

    A violation has the law `coverage` and no chunk id.

    Raises:
        InputTypeError: if `text` or the `content` of a chunk is not a str.
    """
    require_type("text", text, str)
    coverage = line_recall(_contents(chunks), text)
    if coverage >= _MIN_COVERAGE:
        return ValidationResult(coverage=coverage)
    share = f"{coverage:.1%} of the source's longer lines"
    message = f"the chunks hold {share}, less than {_MIN_COVERAGE:.0%}"
    error = Violation("coverage", None, message)
    return ValidationResult(valid=False, errors=(error,), coverage=coverage)


def validate_no_dangling_headers(chunks: Sequence[HasContent]) -> ValidationResult:
    """Check that no chunk but the last ends with a heading, by parsing the contents as Markdown.

    Chunks of this package in other formats are treated as having no headings. A heading at the end
    of a chunk is allowed if the next chunk starts with a heading of the same level or above, since
    its section is empty then, and if all chunks contain only headings. Violations have the law
    `heading`; a chunk without a `chunk_id` is named by its position, from "0" on.

    Raises:
        InputTypeError: if the `content` of a chunk is not a str.
    """
    rows = [
        [block for block in parse_blocks(content) if not block.depth]
        if getattr(chunk, "format", _MARKDOWN) == _MARKDOWN
        else []
        for content, chunk in zip(_contents(chunks), chunks, strict=True)
    ]
    if all(block.kind is BlockKind.HEADING for row in rows for block in row):
        return ValidationResult()
    errors = tuple(
        _heading_violation(_id_or_position(chunks[position], position), row[-1])
        for position, (row, following) in enumerate(pairwise(rows))
        if row and _dangles(row[-1], following)
    )
    return ValidationResult(not errors, errors)


@dataclass(frozen=True, slots=True)
class InvariantValidator:
    """Validates chunks of this package against the laws.

    Attributes:
        config: the options with which the chunks were made.
        strict: whether to raise violations as an error.
        formats: user-defined formats that the chunks may have.
        plugins: user-defined block rules with which the chunks were made.
    """

    config: ChunkConfig
    strict: bool = False
    formats: Iterable[Format] = field(default=(), kw_only=True)
    plugins: Iterable[BlockRule] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        """Check the types."""
        require_type("config", self.config, ChunkConfig)
        require_type("strict", self.strict, bool)

    def validate(self, chunks: Sequence[Chunk], text: str) -> ValidationResult:
        """Validate the leaves among the chunks of one document.

        Violations have the laws `exact`, `lossless`, `size`, `heading` and `fence`. A dangling
        heading that is too long to stay with its text is a warning.

        Args:
            chunks: the chunks of one document, in order.
            text: the text that was chunked; for a notebook, the text of the file.

        Raises:
            InputTypeError: if `text` is not a str, or a chunk is not a `Chunk`.
            InvariantViolationError: if `strict` is set and there are errors.
        """
        chunks = require_each("chunks", chunks, Chunk)
        require_type("text", text, str)
        return self.check(chunks, parse_chunked(chunks, text, self.formats, self.plugins))

    def check(
        self, chunks: Sequence[Chunk], document: Document, reserved: str = ""
    ) -> ValidationResult:
        """Validate the leaves among the chunks of a parsed document; see `validate`.

        `reserved` is the text that a framework puts in front of what is embedded.
        """
        text, leaves = document.text, [chunk for chunk in chunks if chunk.is_leaf]
        errors, warnings = list(_loss_violations(leaves, text)), list[Violation]()
        for leaf in leaves:
            errors += self._leaf_violations(document, leaf, reserved)
        for violation, position in _dangling_headings(document, leaves):
            is_too_long = self._are_headings_too_long(document, position)
            (warnings if is_too_long else errors).append(violation)
        if self.strict and errors:
            raise InvariantViolationError(tuple(errors))
        coverage = line_recall([leaf.content for leaf in leaves], text)
        return ValidationResult(not errors, tuple(errors), tuple(warnings), coverage)

    def _leaf_violations(
        self, document: Document, leaf: Chunk, reserved: str
    ) -> Iterator[Violation]:
        size, limit = self.config.size_of(reserved + leaf.embedded), self.config.max_chunk_size
        if document.text[leaf.span.start : leaf.span.end] != leaf.text:
            yield Violation("exact", leaf.chunk_id, "differs from the source at its span")
        if size > limit and leaf.oversize_reason is None:
            message = f"has size {size}, over the limit of {limit}"
            yield Violation("size", leaf.chunk_id, message)
        touched = document.positions(leaf.span)
        is_markup = document.is_markup(touched.start, touched.stop)
        if is_markup and self._leaves_fence_open(document, leaf, reserved):
            yield Violation("fence", leaf.chunk_id, "opens a fence that it does not close")

    def _leaves_fence_open(self, document: Document, leaf: Chunk, reserved: str) -> bool:
        """Return whether a leaf opens a fence that the source closes and the leaf could close."""
        if not _opens_fence(leaf, document.traits):
            return False
        if not document.top:
            return True
        is_open = _is_open_in_source(document, leaf)
        return not (is_open or self._cannot_close(document, leaf, reserved))

    def _cannot_close(self, document: Document, leaf: Chunk, reserved: str) -> bool:
        """Return whether a cut opens a fence in a leaf that has no room for a closing fence."""
        if document.block_at(leaf.span.end - 1).kind is BlockKind.FENCED_CODE:
            return False
        closed = leaf.content + missing_fence(leaf.content, document.traits)
        return self.config.size_of(reserved + closed) > self.config.max_chunk_size

    def _are_headings_too_long(self, document: Document, position: int) -> bool:
        """Return whether the headings around a block are too long to stay with the text after them.

        They are if they are longer than a header stack may be, or leave no room for text next to a
        context of half the limit.
        """
        first = end = position
        while first and document.top[first - 1].kind is BlockKind.HEADING:
            first -= 1
        while end < len(document.top) and not document.top[end].is_content:
            end += 1
        start, stop = document.start_of(first), document.start_of(end)
        after = document.text[stop : document.start_of(min(end + 1, len(document.top)))]
        body = stop + len(after) - len(after.lstrip())
        limit, size_of = self.config.max_chunk_size, self.config.size_of
        room = limit // 2 - SMALLEST_FIRST_UNIT
        is_over = size_of(document.text[start:body]) > room
        return is_over or size_of(document.text[start:stop]) > largest_stack(limit)


def _contents(chunks: Sequence[HasContent]) -> list[str]:
    """Return the contents of chunks; raise an InputTypeError for a chunk without one."""
    require_type("chunks", chunks, Sequence, "a list, each an object with a content")
    contents = []
    for number, chunk in enumerate(chunks):
        content: object = getattr(chunk, "content", None)
        require_type(f"chunks[{number}].content", content, str)
        contents.append(cast("str", content))
    return contents


def _loss_violations(leaves: Sequence[Chunk], text: str) -> Iterator[Violation]:
    """Yield a violation for each text that is in no leaf, or in two."""
    end = 0
    for leaf in leaves:
        if leaf.span.start < end:
            yield Violation("lossless", leaf.chunk_id, "overlaps the one before it")
        yield from _lost_text(text, end, leaf.span.start)
        end = max(end, leaf.span.end)
    yield from _lost_text(text, end, len(text))


def _lost_text(text: str, start: int, end: int) -> Iterator[Violation]:
    """Yield a violation if the text between two offsets is not only white space."""
    if lost := text[start:end].strip():
        start = text.index(lost, start)
        message = f"the text at {start}-{start + len(lost)} is in no chunk"
        yield Violation("lossless", None, message)


def _opens_fence(leaf: Chunk, traits: FormatTraits) -> bool:
    # A BOM inside the document is text, but at the start of a content it is skipped.
    readings = (leaf.content, f"\n{leaf.content}")[: 1 + bool(leaf.span.start)]
    return all(leaves_fence_open(reading, traits) for reading in readings)


def _is_open_in_source(document: Document, leaf: Chunk) -> bool:
    """Return whether a leaf ends with code whose fence is not closed in the source either.

    In a notebook, this may be any cell.
    """
    code = code_blocks(document, leaf.span)
    if any(block.is_open and not block.depth for block in code):
        return True
    if not code or not code[-1].is_open:
        return False
    return not document.text[code[-1].end : leaf.span.end].strip("> \t\r\n")


def _dangling_headings(
    document: Document, leaves: Sequence[Chunk]
) -> Iterator[tuple[Violation, int]]:
    """Yield a violation for each dangling heading, with the position of the heading."""
    for leaf in leaves[:-1] if document.top and not document.is_only_headings else ():
        position = document.positions(leaf.span)[-1]
        heading, following = document.top[position], document.top[position + 1 :][:1]
        if _dangles(heading, following):
            yield _heading_violation(leaf.chunk_id, heading), position


def _dangles(block: Block, following: Sequence[Block]) -> bool:
    """Return whether a block is a heading of a section that is not empty."""
    if block.kind is not BlockKind.HEADING or not following:
        return False
    return following[0].kind is not BlockKind.HEADING or following[0].level > block.level


def _heading_violation(chunk_id: str, heading: Block) -> Violation:
    return Violation("heading", chunk_id, f"ends with the heading {heading.info!r}")


def _id_or_position(chunk: HasContent, position: int) -> str:
    chunk_id: object = getattr(chunk, "chunk_id", None)
    return chunk_id if isinstance(chunk_id, str) and chunk_id else str(position)
