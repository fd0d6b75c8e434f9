"""Which laws chunks break; those that cannot be told are left out, and named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunkana_cli.checking.given import Given
from chunkana_cli.checking.places import indexed, is_exact, placed
from chunkana_cli.checking.trees import has_tree, tree_errors
from chunkana_cli.fences import leaves_fence_open
from chunkana_core import (
    Chunk,
    ChunkConfig,
    InvariantValidator,
    SectionPath,
    Source,
    Span,
    validate_content_coverage,
    validate_no_dangling_headers,
)

LAWS = ("exact", "lossless", "size", "heading", "fence", "tree", "coverage")
_LEAST_LIMIT = 32
_NO_LIMIT = 10**9
# By how the core's sentences on a chunk start; what they quote of a document comes later.
_SAID = {
    "its text is not what stands": "exact",
    "has size": "size",
    "opens a fence": "fence",
    "overlaps": "lossless",
    "ends with the heading": "heading",
}
_OF_A_CHUNK = re.compile(r"chunk (\d+):? (.*)", re.DOTALL)
_OF_NO_CHUNK = "lossless"  # what the core says of no chunk is that a text is in none


@dataclass(frozen=True, slots=True)
class Violation:
    """A law that is broken.

    Attributes:
        law: one of LAWS.
        chunk: which one breaks it, None for all together.
        message: how.
    """

    law: str
    chunk: Given | None
    message: str


def violations_of(chunks: Sequence[Given], source: str, limit: int | None) -> list[Violation]:
    """Return what is wrong with the chunks of a document, in their order.

    Args:
        chunks: of one document, in its order.
        source: its text.
        limit: the largest size in characters; None where it is not known.
    """
    found = [*_exactness(chunks, source), *_size(chunks, limit), *_coverage(chunks, source)]
    unchecked = not_checked(chunks, source, limit)
    if "lossless" in unchecked:
        found += _by_contents(chunks, source)
    else:
        found += _by_places(chunks, source, limit)
    if "tree" not in unchecked:
        standing = placed(chunks, source)
        errors = tree_errors(standing, _as_leaves(standing, source), source)
        found += (Violation("tree", chunk, message) for chunk, message in errors)
    return sorted(found, key=lambda v: v.chunk.number if v.chunk else 0)


def not_checked(chunks: Sequence[Given], source: str, limit: int | None) -> list[str]:
    """Return the laws of which these chunks do not say enough to be held against them."""
    are_placed = any(chunk.span is not None for chunk in chunks)
    is_tree = are_placed and has_tree(chunks) and len(placed(chunks, source)) == len(chunks)
    told = {"size": limit is not None, "lossless": are_placed or not chunks, "tree": is_tree}
    return [law for law, is_told in told.items() if not is_told]


def _exactness(chunks: Sequence[Given], source: str) -> Iterator[Violation]:
    for chunk in chunks:
        if not is_exact(chunk, source):
            yield Violation("exact", chunk, _not_exact(chunk))
        if chunk.text not in chunk.content:
            yield Violation("exact", chunk, "its content does not hold its text")


def _not_exact(chunk: Given) -> str:
    if chunk.span is None:
        return "its text is nowhere in the document"
    start, end = chunk.span
    return f"its text is not what stands at {start}-{end} of the document"


def _size(chunks: Sequence[Given], limit: int | None) -> Iterator[Violation]:
    for chunk in chunks:
        if limit is not None and len(chunk.content) > limit and not _may_be_oversize(chunk):
            yield Violation("size", chunk, f"has {len(chunk.content)} characters, over {limit}")


def _coverage(chunks: Sequence[Given], source: str) -> Iterator[Violation]:
    for error in validate_content_coverage(chunks, indexed(chunks, source)).errors:
        yield Violation("coverage", None, f"{error}, of the document's lines")


def _by_places(chunks: Sequence[Given], source: str, limit: int | None) -> Iterator[Violation]:
    """Yield what the core finds in chunks whose places are known; of the others, what they show."""
    standing = placed(chunks, source)
    config = ChunkConfig(max_chunk_size=_limit(chunks, limit))
    text = indexed(chunks, source)
    for error in InvariantValidator(config).validate(_as_leaves(standing, text), text).errors:
        match = _OF_A_CHUNK.fullmatch(error)
        if match is None:
            yield Violation(_OF_NO_CHUNK, None, _renamed(error, standing))
        elif (law := _law(match[2])) not in {"exact", "size"}:  # said above, of all chunks
            yield Violation(law, standing[int(match[1])], match[2])
    numbers = {chunk.number for chunk in standing}
    yield from _open_fences([chunk for chunk in chunks if chunk.number not in numbers])


def _law(sentence: str) -> str:
    return next(law for said, law in _SAID.items() if sentence.startswith(said))


def _renamed(error: str, chunks: Sequence[Given]) -> str:
    """Put a chunk's name where its number among the leaves is."""
    return re.sub(r"(?<=before )chunk (\d+)", lambda m: chunks[int(m[1])].name, error)


def _by_contents(chunks: Sequence[Given], source: str) -> Iterator[Violation]:
    """Yield what can be found by what chunks show alone."""
    for error in validate_no_dangling_headers(chunks).errors:
        match = _OF_A_CHUNK.fullmatch(error)
        assert match is not None, error  # noqa: S101  # of the core's own wording
        yield Violation("heading", chunks[int(match[1])], match[2])
    yield from _open_fences(chunks[:-1] if leaves_fence_open(source) else chunks)


def _open_fences(chunks: Sequence[Given]) -> Iterator[Violation]:
    for chunk in chunks:
        if leaves_fence_open(chunk.content):
            yield Violation("fence", chunk, "opens a fence that it does not close")


def _as_leaves(chunks: Sequence[Given], source: str) -> list[Chunk]:
    """Return what the core checks, each with its number among them for an id."""
    text = Source.of(source)
    return [
        Chunk(
            source=text,
            span=Span(*(chunk.span or (0, 0))),
            content=chunk.content,
            start_line=1,
            end_line=1,
            text_start_line=1,
            text_end_line=1,
            chunk_id=str(number),
            section_id="",
            section=SectionPath(),
            strategy="",
            content_type="text",
            size=len(chunk.content),
            oversize_reason="said" if _may_be_oversize(chunk) else None,
        )
        for number, chunk in enumerate(chunks)
    ]


def _may_be_oversize(chunk: Given) -> bool:
    return bool(chunk.metadata.get("oversize_reason"))


def _limit(chunks: Sequence[Given], limit: int | None) -> int:
    """Return the limit; where it is not known, what it was at the least, or more than any.

    The largest chunk tells it of ours alone, which may end with a heading too long to be carried.
    """
    if limit is None and not all("section_id" in chunk.metadata for chunk in chunks):
        return _NO_LIMIT
    sizes = (len(chunk.content) for chunk in chunks if not _may_be_oversize(chunk))
    return max(_LEAST_LIMIT, max(sizes, default=0)) if limit is None else limit
