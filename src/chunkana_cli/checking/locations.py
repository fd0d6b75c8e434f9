"""Locate chunks in their document: by their offsets, otherwise by searching for their texts."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from chunkana_cli.checking.records import ChunkRecord
from chunkana_core.extending import Document

Offsets = tuple[int, int]
_NOT_LINE_END = re.compile(r"[^\r\n]")


def locate(records: Sequence[ChunkRecord], source: str) -> list[ChunkRecord]:
    """Return the chunks that are found in the document, with their offsets."""
    offsets = zip(records, _find_offsets(records, source), strict=True)
    return [replace(record, span=found) for record, found in offsets if found is not None]


def is_exact(record: ChunkRecord, source: str) -> bool:
    """Return whether a chunk's text is at its offsets, or anywhere if it has no offsets."""
    if record.span is None:
        return record.text in source
    start, end = record.span
    found = source[start:end] if 0 <= start <= end else ""
    if record.is_adapted and found:
        before, middle, after = record.text.partition(found)
        return bool(middle) and _repeats_lines(before, source) and _repeats_lines(after, source)
    return found == record.text


def indexable_text(records: Sequence[ChunkRecord], document: Document) -> str:
    """Return a document's text with blanks for what the adapters do not index.

    Not indexed is what a reader does not see: comments, bare tags, link reference definitions,
    front matter. If any chunk was not made by an adapter, return the whole text.
    """
    if not (records and all(record.is_adapted for record in records)):
        return document.text
    source = document.text
    spans = [found for found in _find_offsets(records, source) if found is not None]
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
