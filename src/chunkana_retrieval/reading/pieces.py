"""Pieces: the disjoint parts into which the overlapping hits of a document are divided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunkana_core import Span
from chunkana_retrieval.hits import Hit
from chunkana_retrieval.reading.cutting import open_fence


@dataclass(frozen=True, slots=True)
class Piece:
    """The part of a hit that no earlier hit in the document covers.

    Attributes:
        span: the range of the piece in the document.
        hit: the hit.
        ranked: the hit with its rank, and the hits with their ranks that earlier pieces and this
            piece cover completely.
    """

    span: Span
    hit: Hit
    ranked: tuple[tuple[int, Hit], ...]

    @property
    def text(self) -> str:
        """The slice of the document."""
        return self.hit.text[self._omitted : self.span.end - self.hit.span.start]

    @property
    def repeated(self) -> str:
        """The table header rows or opening fence to repeat before the slice."""
        if not self._omitted:
            return self.hit.repeated
        if not self.hit.has_fences:
            return ""
        fence = open_fence(self.hit.repeated + self.hit.text[: self._omitted])
        return f"{fence.opening}\n" if fence else ""

    @property
    def signature(self) -> str:
        """The signature of a definition to repeat before the slice, "" for none."""
        return "" if self._omitted else self.hit.signature

    @property
    def opened(self) -> int:
        """The number of titles at the end of the path that the slice contains itself, see `Hit`."""
        return 0 if self._omitted else self.hit.opened

    @property
    def _omitted(self) -> int:
        """The number of characters at the start of the hit that earlier hits cover."""
        return self.span.start - self.hit.span.start


def pieces_of(hits: Sequence[Hit]) -> dict[str, list[Piece]]:
    """Return the pieces of hits by document id, in document order."""
    by_document: dict[str, list[tuple[int, Hit]]] = {}
    for rank, hit in enumerate(hits):
        by_document.setdefault(hit.document_id, []).append((rank, hit))
    return {document_id: _divide(ranked) for document_id, ranked in by_document.items()}


def _divide(ranked: list[tuple[int, Hit]]) -> list[Piece]:
    """Return the disjoint pieces of a document's hits, given with their ranks."""
    pieces: list[tuple[Span, list[tuple[int, Hit]]]] = []
    for rank, hit in sorted(ranked, key=lambda one: (one[1].span.start, -one[1].span.end)):
        start = max(hit.span.start, pieces[-1][0].end) if pieces else hit.span.start
        if start < hit.span.end:
            pieces.append((Span(start, hit.span.end), [(rank, hit)]))
        else:
            pieces[-1][1].append((rank, hit))
    return [Piece(span, hits[0][1], tuple(hits)) for span, hits in pieces]
