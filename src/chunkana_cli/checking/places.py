"""Where chunks stand in their document: where they say, else where their texts are found."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from chunkana_cli.checking.given import Given
from chunkana_core import BlockKind, Document

Place = tuple[int, int]
_INK = re.compile(r"[^\r\n]")


def places_of(chunks: Sequence[Given], source: str) -> Iterator[Place | None]:
    """Yield each chunk's offsets; None where they are none of the document's, or it has none.

    A chunk without offsets is looked for after the one before it, so that of texts that stand
    there several times, each is another one.
    """
    before = (0, 0)
    for chunk in chunks:
        place = chunk.span or _found(chunk.text, source, before)
        if place is not None and not 0 <= place[0] < place[1] <= len(source):
            place = None
        before = place or before
        yield place


def placed(chunks: Sequence[Given], source: str) -> list[Given]:
    """Return the chunks that stand in the document, each with its offsets."""
    places = zip(chunks, places_of(chunks, source), strict=True)
    return [replace(chunk, span=place) for chunk, place in places if place is not None]


def is_exact(chunk: Given, source: str) -> bool:
    """Tell whether a chunk's text stands where the chunk says, or anywhere if it does not say."""
    if chunk.span is None:
        return chunk.text in source
    start, end = chunk.span
    stands = source[start:end] if 0 <= start <= end else ""
    if chunk.is_adapted and stands:
        before, found, after = chunk.text.partition(stands)
        return bool(found) and _is_repeated(before, source) and _is_repeated(after, source)
    return stands == chunk.text


def indexed(chunks: Sequence[Given], source: str) -> str:
    """Return a document, blank where our adapters rightly leave out what is not worth indexing.

    Those are headings without text, link definitions and front matter. Of other chunks it is the
    whole document.
    """
    if not (chunks and all(chunk.is_adapted for chunk in chunks)):
        return source
    starts = sorted(place[0] for place in places_of(chunks, source) if place is not None)
    ends = sorted(place[1] for place in places_of(chunks, source) if place is not None)
    parts: list[str] = []
    end = 0
    for block in Document.parse(source).top:
        is_held = bisect_left(starts, block.end) > bisect_right(ends, block.start)
        if not is_held and (not block.is_content or block.kind is BlockKind.FRONT_MATTER):
            blank = _INK.sub(" ", source[block.start : block.end])
            parts += (source[end : block.start], blank)
            end = block.end
    return "".join((*parts, source[end:]))


def _found(text: str, source: str, before: Place) -> Place | None:
    """Return where a text stands next to what is before it; else where it comes next."""
    if not text:
        return None
    start = source.find(text, before[1])
    if start < 0 or source[before[1] : start].strip():  # unless the two overlap
        start = source.find(text, before[0])
    return None if start < 0 else (start, start + len(text))


def _is_repeated(around: str, source: str) -> bool:
    """Tell whether what is around a text is lines of the document, or closes a fence."""
    lines = (line.strip() for line in around.splitlines())
    return all(not line.strip("`~") or line in _lines_of(source) for line in lines)


@lru_cache(maxsize=1)
def _lines_of(source: str) -> frozenset[str]:
    return frozenset(line.strip() for line in source.splitlines())
