"""Which laws chunks break; those that need offsets are left out where there are none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunkana_cli.checking.given import Given
from chunkana_cli.checking.trees import tree_errors
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
# By what the core's sentences say.
_SAID = {
    "is not what stands": "exact",
    "has size": "size",
    "opens a fence": "fence",
    "overlaps": "lossless",
    "is in no chunk": "lossless",
    "ends with the heading": "heading",
}
_OF_A_CHUNK = re.compile(r"chunk (\d+):? (.*)", re.DOTALL)


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
    if chunks and all(chunk.span is not None for chunk in chunks):
        placed = [chunk for chunk in chunks if _is_in(chunk, source)]
        leaves = _as_leaves(placed, source)
        found += _by_offsets(placed, leaves, source, _limit(chunks, limit))
        if len(placed) == len(chunks):
            found += (Violation("tree", c, m) for c, m in tree_errors(placed, leaves, source))
    else:
        found += _by_contents(chunks, source)
    return sorted(found, key=lambda v: v.chunk.number if v.chunk else 0)


def _exactness(chunks: Sequence[Given], source: str) -> Iterator[Violation]:
    for chunk in chunks:
        if chunk.span is not None and source[slice(*chunk.span)] != chunk.text:
            start, end = chunk.span
            message = f"its text is not what stands at {start}-{end} of the document"
            yield Violation("exact", chunk, message)
        if chunk.text not in chunk.content:
            yield Violation("exact", chunk, "its content does not hold its text")


def _size(chunks: Sequence[Given], limit: int | None) -> Iterator[Violation]:
    for chunk in chunks:
        if limit is not None and len(chunk.content) > limit and not _may_be_oversize(chunk):
            yield Violation("size", chunk, f"has {len(chunk.content)} characters, over {limit}")


def _coverage(chunks: Sequence[Given], source: str) -> Iterator[Violation]:
    for error in validate_content_coverage(chunks, source).errors:
        yield Violation("coverage", None, f"{error}, of the document's lines")


def _by_offsets(
    chunks: Sequence[Given], leaves: Sequence[Chunk], source: str, limit: int
) -> Iterator[Violation]:
    """Yield what the core finds in chunks whose places are known."""
    validator = InvariantValidator(ChunkConfig(max_chunk_size=limit))
    for error in validator.validate(leaves, source).errors:
        law = next(law for said, law in _SAID.items() if said in error)
        match = _OF_A_CHUNK.fullmatch(error)
        if law not in {"exact", "size"}:  # said above, of all chunks
            if match is None:
                yield Violation(law, None, _renamed(error, chunks))
            else:
                yield Violation(law, chunks[int(match[1])], match[2])


def _renamed(error: str, chunks: Sequence[Given]) -> str:
    """Put a chunk's name where its number among the leaves is."""
    return re.sub(r"(?<=before )chunk (\d+)", lambda m: chunks[int(m[1])].name, error)


def _by_contents(chunks: Sequence[Given], source: str) -> Iterator[Violation]:
    """Yield what can be found by what chunks show alone."""
    for error in validate_no_dangling_headers(chunks).errors:
        match = _OF_A_CHUNK.fullmatch(error)
        assert match is not None, error  # noqa: S101  # of the core's own wording
        yield Violation("heading", chunks[int(match[1])], match[2])
    is_open = leaves_fence_open(source)
    for chunk in chunks if not is_open else chunks[:-1]:
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


def _is_in(chunk: Given, source: str) -> bool:
    start, end = chunk.span or (0, 0)
    return 0 <= start < end <= len(source)


def _may_be_oversize(chunk: Given) -> bool:
    return bool(chunk.metadata.get("oversize_reason"))


def _limit(chunks: Sequence[Given], limit: int | None) -> int:
    """Return the limit, or what it was at the least."""
    sizes = (len(chunk.content) for chunk in chunks if not _may_be_oversize(chunk))
    return max(_LEAST_LIMIT, max(sizes, default=0)) if limit is None else limit
