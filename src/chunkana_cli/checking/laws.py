"""Check the chunks of a document against the laws, as far as their fields allow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunkana_cli.checking.locations import indexable_text, is_exact, locate
from chunkana_cli.checking.records import ChunkRecord
from chunkana_cli.checking.trees import find_tree_violations, has_tree
from chunkana_cli.fences import leaves_fence_open
from chunkana_core import (
    Chunk,
    ChunkConfig,
    InvariantValidator,
    Source,
    ValidationResult,
    Violation,
    validate_content_coverage,
    validate_no_dangling_headers,
)
from chunkana_core.extending import Document, Format

_MIN_LIMIT = 32  # the smallest `max_chunk_size` that `ChunkConfig` accepts
_UNLIMITED = 10**9
_MARKDOWN = "markdown"  # the only format in which fences are markup
_LAWS_WITHOUT_LOCATION = {"exact", "size"}  # checked without the location of a chunk


@dataclass(frozen=True, slots=True)
class Findings:
    """The result of checking the chunks of a document.

    Attributes:
        violations: the violations in chunk order; their `chunk_id` is the `key` of a record.
        unchecked: the laws that could not be checked.
        coverage: the share of the document's lines that the chunks contain, 0.0 to 1.0.
    """

    violations: list[Violation]
    unchecked: list[str]
    coverage: float


def find_violations(
    records: Sequence[ChunkRecord],
    document: Document,
    limit: int | None,
    formats: Sequence[Format] = (),
) -> Findings:
    """Check the chunks of a document.

    Args:
        records: the chunks, in document order.
        document: the document of the chunks.
        limit: the largest size in characters, None if it is unknown.
        formats: formats of the chunks in addition to the built-in ones.
    """
    source, located = document.text, locate(records, document.text)
    text = indexable_text(records, document)
    unchecked = _unchecked_laws(records, located, limit)
    found = [*_exact_violations(records, source), *_size_violations(records, limit)]
    coverage = 0.0
    if "lossless" in unchecked:
        found += _violations_by_content(records, source)
    else:
        config = ChunkConfig(max_chunk_size=_assumed_limit(records) if limit is None else limit)
        validator = InvariantValidator(config, formats=formats)
        outcome = _check_located(validator, located, document, text)
        found += (one for one in outcome.errors if one.law not in _LAWS_WITHOUT_LOCATION)
        found += _open_fences_elsewhere(records, located)
        coverage = outcome.coverage
    if "tree" not in unchecked:
        found += find_tree_violations(located, source, formats)
    if coverage < 1.0:  # only located chunks are counted so far; find the lines of the rest
        recall = validate_content_coverage(records, text)
        found, coverage = [*recall.errors, *found], recall.coverage
    violations = sorted(found, key=lambda violation: int(violation.chunk_id or 0))
    return Findings(violations, unchecked, coverage)


def _unchecked_laws(
    records: Sequence[ChunkRecord], located: Sequence[ChunkRecord], limit: int | None
) -> list[str]:
    """Return the laws that cannot be checked because the chunks lack fields."""
    have_spans = any(record.span is not None for record in records)
    are_linked = have_spans and has_tree(records) and len(located) == len(records)
    is_checked = {
        "size": limit is not None,
        "lossless": have_spans or not records,
        "tree": are_linked,
    }
    return [law for law, is_known in is_checked.items() if not is_known]


def _exact_violations(records: Sequence[ChunkRecord], source: str) -> Iterator[Violation]:
    for record in records:
        if not is_exact(record, source):
            yield Violation("exact", record.key, _inexact_message(record))
        if record.text not in record.content:
            yield Violation("exact", record.key, "has a content that does not contain its text")


def _inexact_message(record: ChunkRecord) -> str:
    if record.span is None:
        return "has a text that is not in the document"
    start, end = record.span
    return f"differs from the document at {start}-{end}"


def _size_violations(records: Sequence[ChunkRecord], limit: int | None) -> Iterator[Violation]:
    for record in records:
        if limit is not None and record.size > limit and not record.may_be_oversize:
            message = f"has {record.size} characters, over the limit of {limit}"
            yield Violation("size", record.key, message)


def _check_located(
    validator: InvariantValidator, located: Sequence[ChunkRecord], document: Document, text: str
) -> ValidationResult:
    """Check chunks with a known location with the validator of the core."""
    chunks = _to_chunks(located, text)
    if text == document.text:  # the document need not be parsed again
        return validator.check(chunks, document)
    return validator.validate(chunks, text)


def _open_fences_elsewhere(
    records: Sequence[ChunkRecord], located: Sequence[ChunkRecord]
) -> Iterator[Violation]:
    """Yield the open fences of chunks with an unknown location."""
    keys = {record.key for record in located}
    yield from _open_fences([record for record in records if record.key not in keys])


def _violations_by_content(records: Sequence[ChunkRecord], source: str) -> Iterator[Violation]:
    """Yield the violations found in contents alone: dangling headings and open fences."""
    yield from validate_no_dangling_headers(_to_chunks(records, source)).errors
    yield from _open_fences(records[:-1] if leaves_fence_open(source) else records)


def _open_fences(records: Sequence[ChunkRecord]) -> Iterator[Violation]:
    for record in records:
        if record.format == _MARKDOWN and leaves_fence_open(record.content):
            yield Violation("fence", record.key, "opens a fence that it does not close")


def _to_chunks(records: Sequence[ChunkRecord], text: str) -> list[Chunk]:
    source = Source.of(text)
    return [record.to_chunk(source, record.key) for record in records]


def _assumed_limit(records: Sequence[ChunkRecord]) -> int:
    """Return a limit to assume for chunks whose limit is unknown.

    For chunks of Chunkana, it is the size of the largest chunk, so that only a heading too long for
    its text may end a chunk; for chunks of another tool, it is larger than any chunk.
    """
    if not all("section_id" in record.metadata for record in records):
        return _UNLIMITED
    sizes = (record.size for record in records if not record.may_be_oversize)
    return max(_MIN_LIMIT, max(sizes, default=0))
