"""Layout of hits as passages: in document order, adjacent hits joined, titles above."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

from chunkana_core import Source, Span
from chunkana_retrieval.hits import Cells, Hit, titles_above
from chunkana_retrieval.reading.cutting import open_fence
from chunkana_retrieval.reading.pieces import Piece, pieces_of

BLANK_LINE = "\n\n"
OMISSION = f"{BLANK_LINE}…{BLANK_LINE}"
_TITLE_SEPARATOR = " > "
_JSON = "json"
_BLANK = re.compile(r"\s*+")
_Path = tuple[str, ...]
Lines = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to read, taken from one document.

    Attributes:
        document_id: the id of the document.
        spans: the ranges of the document that are in the text, disjoint and in document order.
        start_line: the line, from 1, in which the first span starts; None if it is not known.
        end_line: the line in which the last span ends; None if it is not known.
        path: the titles that the paths of all hits in the passage start with, outermost first.
        score: the score of the best hit in the passage.
        chunk_ids: the node ids of the hits in the passage, in document order.
        text: the titles above, the slices of the document, `…` for text omitted between them, and
            the header rows and fences that the slices need.
        lines: the first and the last line of each span, in the same order; None if they are not
            known.
        cells: the numbers, from 1, of the first and the last notebook cell of the passage, since
            the lines of a notebook are not those of its file; None if they are not known.
        similarity: the best similarity of a hit in the passage, see `Hit`.
        bm25: the best BM25 score of a hit in the passage, see `Hit`.
    """

    document_id: str
    spans: tuple[Span, ...]
    start_line: int | None
    end_line: int | None
    path: _Path
    score: float
    chunk_ids: tuple[str, ...]
    text: str
    lines: tuple[Lines, ...] | None = None
    cells: Cells | None = None
    similarity: float | None = None
    bm25: float | None = None

    def metadata(self) -> dict[str, object]:
        """Return the metadata of the passage for a framework's document, without unknown values."""
        metadata: dict[str, object] = {
            "spans": [[span.start, span.end] for span in self.spans],
            "path": json.dumps(self.path, ensure_ascii=False),
            "chunk_ids": list(dict.fromkeys(self.chunk_ids)),
        }
        if self.start_line is not None:
            metadata |= {"start_line": self.start_line, "end_line": self.end_line}
        if self.lines is not None:
            metadata["lines"] = [[*lines] for lines in self.lines]
        if self.cells is not None:
            metadata["cell"], metadata["cell_end"] = self.cells
        if self.similarity is not None:
            metadata["similarity"] = self.similarity
        if self.bm25 is not None:
            metadata["bm25"] = self.bm25
        return metadata


def shared_metadata(
    found: Iterable[tuple[str, Mapping[str, object]]],
) -> dict[str, dict[str, object]]:
    """Return by document id the metadata that all found chunks of the document share.

    Args:
        found: the document id and the metadata of each found chunk.
    """
    shared: dict[str, dict[str, object]] = {}
    for document_id, metadata in found:
        before = shared.setdefault(document_id, {**metadata})
        shared[document_id] = {
            key: value
            for key, value in before.items()
            if key in metadata and metadata[key] == value
        }
    return shared


@dataclass(frozen=True, slots=True)
class _Slice:
    """A contiguous slice of the document, covered by pieces of hits.

    Attributes:
        pieces: the pieces in document order.
        text: the exact slice.
        above: the titles of the first piece's path, without those that the text repeats at its
            start.
    """

    pieces: tuple[Piece, ...]
    text: str
    above: _Path

    @classmethod
    def of(cls, pieces: Sequence[Piece], text: str) -> _Slice:
        """Build a slice and determine the titles to show above its text."""
        path, opened = pieces[0].hit.path, pieces[0].opened
        if pieces[0].hit.format == _JSON:  # the text does not contain the indices of elements
            return cls(tuple(pieces), text, common_prefix([piece.hit.path for piece in pieces]))
        above = path[: len(path) - opened] if opened else titles_above(path, text)
        return cls(tuple(pieces), text, above)

    @property
    def span(self) -> Span:
        """The range of the slice in the document."""
        return Span(self.pieces[0].span.start, self.pieces[-1].span.end)

    def format(self, before: Collection[_Path]) -> str:
        """Return the text with the header rows, fences and signature that it needs.

        Args:
            before: the paths of the slices before it in the passage; their signatures are not
                repeated.
        """
        first = self.pieces[0]
        text = first.repeated + self.text
        fence = open_fence(text) if first.hit.has_fences else None
        if fence:
            return f"{text}\n{fence.closing}"
        is_repeated = first.signature and first.hit.path not in before
        return f"{first.signature}{OMISSION}{text}" if is_repeated else text

    @property
    def paths(self) -> frozenset[_Path]:
        """The paths of the pieces."""
        return frozenset(piece.hit.path for piece in self.pieces)

    def continues(self, passage: Sequence[_Slice]) -> bool:
        """Return whether this slice may follow a passage without its titles being repeated."""
        first, last = self.pieces[0], passage[-1].pieces[-1].hit.path
        has_heading = self.above != first.hit.path
        is_sibling = has_heading and self.above == passage[0].above
        is_same = bool(first.signature) and first.hit.path == last
        return is_sibling or is_same or self.above == last


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of hits as passages.

    Attributes:
        texts: the texts of the documents by id; None if only the texts of the hits are known, so
            that adjacent hits cannot be joined.
    """

    texts: Mapping[str, str] | None
    _sources: dict[str, Source] = field(default_factory=dict, repr=False, compare=False)

    def passages(
        self, hits: Sequence[Hit], filled: Collection[tuple[str, Span]] = ()
    ) -> list[Passage]:
        """Return the passages of hits, documents in the order of their best hit.

        Args:
            hits: the hits, the best first.
            filled: the gaps between hits to include, each with its document's id.
        """
        texts = self.texts or {}
        for document_id in {hit.document_id for hit in hits}.intersection(texts):
            if document_id not in self._sources:
                self._sources[document_id] = Source.of(texts[document_id])
        return [_passage(slices, self._sources) for slices in self._groups(hits, filled)]

    def count(self, hits: Sequence[Hit]) -> int:
        """Return the number of passages of hits."""
        return sum(1 for _ in self._groups(hits, ()))

    def text(self, hits: Sequence[Hit], filled: Collection[tuple[str, Span]] = ()) -> str:
        """Return the texts of the passages, joined by blank lines; for arguments see `passages`."""
        return BLANK_LINE.join(map(_format_passage, self._groups(hits, filled)))

    def gaps(self, hits: Sequence[Hit]) -> Iterator[tuple[Span, Piece]]:
        """Yield the gaps that are not blank between hits of a document, with the following piece.

        Without the texts of documents, no gaps are known.
        """
        if self.texts is None:
            return
        for document_id, pieces in pieces_of(hits).items():
            for before, after in pairwise(pieces):
                gap = Span(before.span.end, after.span.start)
                if not _is_blank(self.texts[document_id], gap):
                    yield gap, after

    def _groups(
        self, hits: Sequence[Hit], filled: Collection[tuple[str, Span]]
    ) -> Iterator[list[_Slice]]:
        """Yield the slices of each passage."""
        for document_id, pieces in pieces_of(hits).items():
            group: list[_Slice] = []
            for one in self._slices(document_id, pieces, filled):
                if group and (self.texts is None or not one.continues(group)):
                    yield group
                    group = []
                group.append(one)
            yield group

    def _slices(
        self, document_id: str, pieces: Sequence[Piece], filled: Collection[tuple[str, Span]]
    ) -> Iterator[_Slice]:
        if self.texts is None:
            yield from (_Slice.of([piece], piece.text) for piece in pieces)
            return
        text, runs = self.texts[document_id], [[pieces[0]]]
        for piece in pieces[1:]:
            gap = Span(runs[-1][-1].span.end, piece.span.start)
            if _is_blank(text, gap) or (document_id, gap) in filled:
                runs[-1].append(piece)
            else:
                runs.append([piece])
        for run in runs:
            yield _Slice.of(run, text[run[0].span.start : run[-1].span.end])


def _is_blank(text: str, gap: Span) -> bool:
    blank = _BLANK.match(text, gap.start, gap.end)
    return blank is not None and blank.end() == gap.end


def _format_passage(slices: Sequence[_Slice]) -> str:
    """Return the text of the passage that consists of slices."""
    titles = _TITLE_SEPARATOR.join(" ".join(title.split()) for title in slices[0].above)
    texts, paths = list[str](), set[_Path]()
    for one in slices:
        texts.append(one.format(paths))
        paths |= one.paths
    text = OMISSION.join(texts)
    return f"{titles}{BLANK_LINE}{text}" if titles else text


def _passage(slices: Sequence[_Slice], sources: Mapping[str, Source]) -> Passage:
    pieces = [*chain.from_iterable(one.pieces for one in slices)]
    ranked = [*chain.from_iterable(piece.ranked for piece in pieces)]
    document_id = pieces[0].hit.document_id
    source = sources.get(document_id)
    firsts, lasts = zip(*(_lines(one, source) for one in slices), strict=True)
    lines = [(a, b) for a, b in zip(firsts, lasts, strict=True) if a is not None and b is not None]
    return Passage(
        document_id,
        tuple(one.span for one in slices),
        firsts[0],
        lasts[-1],
        common_prefix([piece.hit.path for piece in pieces]),
        min(ranked, key=lambda one: one[0])[1].score,
        tuple(hit.node_id for _, hit in ranked),
        _format_passage(slices),
        tuple(lines) if len(lines) == len(slices) else None,
        _cells(pieces[0].hit, pieces[-1].hit),
        _best(hit.similarity for _, hit in ranked),
        _best(hit.bm25 for _, hit in ranked),
    )


def _best(scores: Iterable[float | None]) -> float | None:
    """Return the best of the scores that are known, None for none."""
    return max((score for score in scores if score is not None), default=None)


def _cells(first: Hit, last: Hit) -> Cells | None:
    """Return the first cell of one hit and the last cell of another, None if not known."""
    return (first.cells[0], last.cells[1]) if first.cells and last.cells else None


def _lines(one: _Slice, source: Source | None) -> tuple[int | None, int | None]:
    """Return the lines in which a slice starts and ends, None if not known."""
    first, last = one.pieces[0], one.pieces[-1]
    return (
        _line(first.hit, first.span.start, source),
        _line(last.hit, last.span.end - 1, source),
    )


def _line(hit: Hit, offset: int, source: Source | None) -> int | None:
    """Return the line of the document that contains an offset in a hit, None if not known."""
    if source is not None:
        return source.line_at(offset)
    if hit.start_line is None:
        return None
    return hit.start_line + Source.of(hit.text).line_at(offset - hit.span.start) - 1


def common_prefix(paths: Sequence[_Path]) -> _Path:
    """Return the longest common prefix of paths."""
    first, last = min(paths), max(paths)
    same = next(
        (n for n, pair in enumerate(zip(first, last, strict=False)) if len({*pair}) > 1), None
    )
    return first[:same]
