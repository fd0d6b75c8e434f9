"""Check the chunks of a document against the laws, as far as their fields allow.

Chunks are located in their document by their offsets, otherwise by searching for their texts.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from chunkana_cli.fences import leaves_fence_open
from chunkana_cli.validating.records import ChunkRecord
from chunkana_core import (
    Chunk,
    ChunkConfig,
    HierarchyBuilder,
    InvariantValidator,
    Source,
    Violation,
    validate_content_coverage,
    validate_no_dangling_headers,
)
from chunkana_core.extending import Document, Format

Offsets = tuple[int, int]
Findings = tuple[list[Violation], list[str], float]
_NOT_LINE_END = re.compile(r"[^\r\n]")
_MIN_LIMIT = 32  # the smallest `max_chunk_size` that `ChunkConfig` accepts
_UNLIMITED = 10**9
_MARKDOWN = "markdown"  # the only format in which fences are markup
_LAWS_WITHOUT_LOCATION = {"exact", "size"}  # checked without the location of a chunk
_LINKS = ("parent_id", "prev_sibling_id", "next_sibling_id")


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

    Returns:
        The violations in chunk order, whose `chunk_id` is the `key` of a record; the laws that
        could not be checked; the share of the document's lines that the chunks contain.
    """
    source, offsets = document.text, list(_find_offsets(records, document.text))
    located = [replace(r, span=at) for r, at in zip(records, offsets, strict=True) if at]
    text = _indexable_text(records, document, [at for at in offsets if at])
    unchecked = _unchecked_laws(records, located, limit)
    found = [*_exact_violations(records, source), *_size_violations(records, limit)]
    coverage = 0.0
    if "lossless" in unchecked:
        found += _violations_by_content(records, source)
    else:
        config = ChunkConfig(max_chunk_size=_assumed_limit(records) if limit is None else limit)
        validator, chunks = InvariantValidator(config, formats=formats), _to_chunks(located, text)
        is_parsed = text == source
        outcome = (
            validator.check(chunks, document) if is_parsed else validator.validate(chunks, text)
        )
        found += (one for one in outcome.errors if one.law not in _LAWS_WITHOUT_LOCATION)
        keys = {record.key for record in located}
        found += _open_fences([record for record in records if record.key not in keys])
        coverage = outcome.coverage
    if "tree" not in unchecked:
        found += _tree_violations(located, source, formats)
    if coverage < 1.0:  # only located chunks are counted so far; find the lines of the rest
        recall = validate_content_coverage(records, text)
        found, coverage = [*recall.errors, *found], recall.coverage
    return sorted(found, key=lambda one: int(one.chunk_id or 0)), unchecked, coverage


def _unchecked_laws(
    records: Sequence[ChunkRecord], located: Sequence[ChunkRecord], limit: int | None
) -> list[str]:
    """Return the laws that cannot be checked because the chunks lack fields."""
    have_spans = any(record.span is not None for record in records)
    are_linked = have_spans and _have_tree(records) and len(located) == len(records)
    is_checked = {
        "size": limit is not None,
        "lossless": have_spans or not records,
        "tree": are_linked,
    }
    return [law for law, is_known in is_checked.items() if not is_known]


def _exact_violations(records: Sequence[ChunkRecord], source: str) -> Iterator[Violation]:
    for record in records:
        if not _is_exact(record, source):
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


def _have_tree(records: Sequence[ChunkRecord]) -> bool:
    """Return whether all chunks have an id and a parent."""
    return all(record.chunk_id and "parent_id" in record.metadata for record in records)


def _tree_violations(
    records: Sequence[ChunkRecord], source: str, formats: Sequence[Format] = ()
) -> Iterator[Violation]:
    """Yield a violation for each repeated id; if ids are unique, for each wrong link.

    The links are compared with a tree that is built from the spans of the chunks.
    """
    counts = Counter(record.chunk_id for record in records)
    if len(counts) == len(records):
        yield from _link_violations(records, source, formats)
    for record in records:
        if counts[record.chunk_id] > 1:
            yield Violation("tree", record.key, "has the id of another chunk")


def _link_violations(
    records: Sequence[ChunkRecord], source: str, formats: Sequence[Format]
) -> Iterator[Violation]:
    document = Source.of(source)
    leaves = [record.to_chunk(document, record.chunk_id) for record in records]
    result = HierarchyBuilder(formats=formats).build(leaves, source)
    links = {chunk.chunk_id: chunk.links for chunk in result.chunks}
    for record in records:
        for name in _LINKS:
            stated, actual = record.metadata.get(name), getattr(links[record.chunk_id], name)
            if stated != actual:
                yield Violation("tree", record.key, f"has the {name} {stated!r}, not {actual!r}")


def _is_exact(record: ChunkRecord, source: str) -> bool:
    """Return whether a chunk's text is at its offsets, or anywhere if it has no offsets."""
    if record.span is None:
        return record.text in source
    start, end = record.span
    found = source[start:end] if 0 <= start <= end else ""
    if record.is_adapted and found:
        before, middle, after = record.text.partition(found)
        return bool(middle) and _repeats_lines(before, source) and _repeats_lines(after, source)
    return found == record.text


def _indexable_text(
    records: Sequence[ChunkRecord], document: Document, spans: Sequence[Offsets]
) -> str:
    """Return a document's text with blanks for what the adapters do not index.

    Not indexed is what a reader does not see: comments, bare tags, link reference definitions,
    front matter. If any chunk was not made by an adapter, return the whole text.
    """
    if not (records and all(record.is_adapted for record in records)):
        return document.text
    source = document.text
    starts, ends = sorted(start for start, _ in spans), sorted(end for _, end in spans)
    parts: list[str] = []
    end = 0
    for position, block in enumerate(document.top):
        is_covered = bisect_left(starts, block.end) > bisect_right(ends, block.start)
        if not is_covered and not document.is_readable(position):
            blank = _NOT_LINE_END.sub(" ", source[block.start : block.end])
            parts += (source[end : block.start], blank)
            end = block.end
    return "".join((*parts, source[end:]))


def _find_offsets(records: Sequence[ChunkRecord], source: str) -> Iterator[Offsets | None]:
    """Yield the offsets of each chunk, None if they are invalid or its text is not found.

    A chunk without offsets is searched for after the previous chunk, so that chunks with the same
    text get different offsets.
    """
    previous = (0, 0)
    for record in records:
        offsets = record.span or _find_text(record.text, source, previous)
        if offsets is not None and not 0 <= offsets[0] < offsets[1] <= len(source):
            offsets = None
        previous = offsets or previous
        yield offsets


def _find_text(text: str, source: str, previous: Offsets) -> Offsets | None:
    """Return the offsets of a text directly after the previous chunk, else at its next place."""
    if not text:
        return None
    start = source.find(text, previous[1])
    if start < 0 or source[previous[1] : start].strip():  # else the two overlap
        start = source.find(text, previous[0])
    return None if start < 0 else (start, start + len(text))


def _repeats_lines(text: str, source: str) -> bool:
    """Return whether a text consists only of lines of the document and closing fences."""
    lines = (line.strip() for line in text.splitlines())
    return all(not line.strip("`~") or line in _stripped_lines(source) for line in lines)


@lru_cache(maxsize=1)
def _stripped_lines(source: str) -> frozenset[str]:
    return frozenset(line.strip() for line in source.splitlines())
