"""What each hit of a document adds to those before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunkana_core import Span
from chunkana_retrieval.hits import Hit
from chunkana_retrieval.reading.cutting import open_fence


@dataclass(frozen=True, slots=True)
class Piece:
    """What a hit adds to those before it in the document.

    Attributes:
        span: the part of the hit's range that no hit before it covers.
        hit: the hit.
        found: the hits with their ranks: this one, and those whose ranges end in the piece and
            add nothing.
    """

    span: Span
    hit: Hit
    found: tuple[tuple[int, Hit], ...]

    @property
    def text(self) -> str:
        """The slice of the document."""
        return self.hit.text[self._left_out : self.span.end - self.hit.span.start]

    @property
    def lead(self) -> str:
        """The header rows or opening fence to repeat above the slice."""
        if not self._left_out:
            return self.hit.repeated
        if not self.hit.has_fences:
            return ""
        fence = open_fence(self.hit.repeated + self.hit.text[: self._left_out])
        return f"{fence.opening}\n" if fence else ""

    @property
    def signature(self) -> str:
        """The signature of the definition that the slice is from inside of, if it is repeated."""
        return "" if self._left_out else self.hit.signature

    @property
    def opened(self) -> int:
        """How many titles at the end of the path the slice says itself, if it is source code."""
        return 0 if self._left_out else self.hit.opened

    @property
    def _left_out(self) -> int:
        return self.span.start - self.hit.span.start


def pieces_of(hits: Sequence[Hit]) -> dict[str, list[Piece]]:
    """Return by document what each hit adds, in document order."""
    by_document: dict[str, list[tuple[int, Hit]]] = {}
    for rank, hit in enumerate(hits):
        by_document.setdefault(hit.document_id, []).append((rank, hit))
    return {document_id: _swept(found) for document_id, found in by_document.items()}


def _swept(found: list[tuple[int, Hit]]) -> list[Piece]:
    pieces: list[tuple[Span, list[tuple[int, Hit]]]] = []
    for rank, hit in sorted(found, key=lambda one: (one[1].span.start, -one[1].span.end)):
        start = max(hit.span.start, pieces[-1][0].end) if pieces else hit.span.start
        if start < hit.span.end:
            pieces.append((Span(start, hit.span.end), [(rank, hit)]))
        else:
            pieces[-1][1].append((rank, hit))
    return [Piece(span, hits[0][1], tuple(hits)) for span, hits in pieces]
