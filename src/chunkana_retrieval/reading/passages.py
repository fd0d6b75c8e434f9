"""Hits laid out for reading: in order, joined where they touch, each passage under its path."""

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
_BETWEEN_TITLES = " > "
_JSON = "json"
_BLANK = re.compile(r"\s*+")
_Path = tuple[str, ...]
Lines = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to read, of one document.

    Attributes:
        document_id: of the document.
        spans: the ranges of the document that are in the text, in order and disjoint.
        start_line: the line, from 1, in which the first span starts; None if it is not known.
        end_line: the line in which the last span ends; None if it is not known.
        path: the titles above all of it, outermost first.
        score: of the best hit in it.
        chunk_ids: the node ids of the hits in it, in document order.
        text: what to read: the titles above, the slices of the document, `…` for what is left out
            between them, and the header rows and fences that the slices need.
        lines: the first and the last line of each span, in the same order; None if they are not
            known.
        cells: of a notebook, of which lines are none of its file's, the numbers, from 1, of the
            first and the last cell of the hits in it; None if they are not known.
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

    def metadata(self) -> dict[str, object]:
        """Return what a framework's document says of it; what is not known is left out."""
        said: dict[str, object] = {
            "spans": [[span.start, span.end] for span in self.spans],
            "path": json.dumps(self.path, ensure_ascii=False),
            "chunk_ids": list(dict.fromkeys(self.chunk_ids)),
        }
        if self.start_line is not None:
            said |= {"start_line": self.start_line, "end_line": self.end_line}
        if self.lines is not None:
            said["lines"] = [[*lines] for lines in self.lines]
        if self.cells is not None:
            said["cell"], said["cell_end"] = self.cells
        return said


def shared_metadata(
    found: Iterable[tuple[str, Mapping[str, object]]],
) -> dict[str, dict[str, object]]:
    """Return by document what all metadata have in common that were found of it.

    Args:
        found: ids of documents with metadata of theirs.
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
    """Pieces that are read as one slice of the document.

    Attributes:
        pieces: in order.
        text: the exact slice.
        above: the titles of the first piece's path that the text does not start with.
    """

    pieces: tuple[Piece, ...]
    text: str
    above: _Path

    @classmethod
    def of(cls, pieces: Sequence[Piece], text: str) -> _Slice:
        """Find which titles are to be said."""
        path, opened = pieces[0].hit.path, pieces[0].opened
        if pieces[0].hit.format == _JSON:  # elements do not say their numbers
            return cls(tuple(pieces), text, _common([piece.hit.path for piece in pieces]))
        above = path[: len(path) - opened] if opened else titles_above(path, text)
        return cls(tuple(pieces), text, above)

    @property
    def span(self) -> Span:
        """The range of the text."""
        return Span(self.pieces[0].span.start, self.pieces[-1].span.end)

    def read(self, before: Collection[_Path]) -> str:
        """Return the text with the header rows, the fences and the signature that it needs.

        Args:
            before: the paths of what is read before it; their signatures are not repeated.
        """
        first = self.pieces[0]
        text = first.lead + self.text
        fence = open_fence(text) if first.hit.has_fences else None
        if fence:
            return f"{text}\n{fence.closing}"
        is_repeated = first.signature and first.hit.path not in before
        return f"{first.signature}{OMISSION}{text}" if is_repeated else text

    @property
    def paths(self) -> frozenset[_Path]:
        """The paths of its pieces."""
        return frozenset(piece.hit.path for piece in self.pieces)

    def continues(self, passage: Sequence[_Slice]) -> bool:
        """Tell whether the slices of a passage say under which titles this one stands."""
        first, last = self.pieces[0], passage[-1].pieces[-1].hit.path
        has_heading = self.above != first.hit.path
        is_sibling = has_heading and self.above == passage[0].above
        is_same = bool(first.signature) and first.hit.path == last
        return is_sibling or is_same or self.above == last


@dataclass(frozen=True, slots=True)
class Layout:
    """Lays out hits.

    Attributes:
        texts: of documents, by their ids; None where only the hits' texts are known, and
            neighbours stay apart.
    """

    texts: Mapping[str, str] | None
    _sources: dict[str, Source] = field(default_factory=dict, repr=False, compare=False)

    def passages(
        self, hits: Sequence[Hit], filled: Collection[tuple[str, Span]] = ()
    ) -> list[Passage]:
        """Return what to read for hits, documents in the order of their best hit.

        Args:
            hits: the best first.
            filled: gaps between hits to show as well, each with its document's id.
        """
        texts = self.texts or {}
        for document_id in {hit.document_id for hit in hits}.intersection(texts):
            if document_id not in self._sources:
                self._sources[document_id] = Source.of(texts[document_id])
        return [_passage(slices, self._sources) for slices in self._groups(hits, filled)]

    def text(self, hits: Sequence[Hit], filled: Collection[tuple[str, Span]] = ()) -> str:
        """Return the texts of these passages as they are handed over."""
        return BLANK_LINE.join(map(_written, self._groups(hits, filled)))

    def gaps(self, hits: Sequence[Hit]) -> Iterator[tuple[Span, Piece]]:
        """Yield what is left out between hits of a document, each with the piece that follows.

        Without texts nothing is known to be left out.
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


def _written(slices: Sequence[_Slice]) -> str:
    """Return the text of a passage."""
    titles = _BETWEEN_TITLES.join(" ".join(title.split()) for title in slices[0].above)
    read, paths = list[str](), set[_Path]()
    for one in slices:
        read.append(one.read(paths))
        paths |= one.paths
    text = OMISSION.join(read)
    return f"{titles}{BLANK_LINE}{text}" if titles else text


def _passage(slices: Sequence[_Slice], sources: Mapping[str, Source]) -> Passage:
    pieces = [*chain.from_iterable(one.pieces for one in slices)]
    found = [*chain.from_iterable(piece.found for piece in pieces)]
    document_id = pieces[0].hit.document_id
    source = sources.get(document_id)
    firsts, lasts = zip(*(_lines(one, source) for one in slices), strict=True)
    lines = [(a, b) for a, b in zip(firsts, lasts, strict=True) if a is not None and b is not None]
    return Passage(
        document_id,
        tuple(one.span for one in slices),
        firsts[0],
        lasts[-1],
        _common([piece.hit.path for piece in pieces]),
        min(found, key=lambda one: one[0])[1].score,
        tuple(hit.node_id for _, hit in found),
        _written(slices),
        tuple(lines) if len(lines) == len(slices) else None,
        _cells(pieces[0].hit, pieces[-1].hit),
    )


def _cells(first: Hit, last: Hit) -> Cells | None:
    """Return the cells from those of one hit to those of another."""
    return (first.cells[0], last.cells[1]) if first.cells and last.cells else None


def _lines(one: _Slice, source: Source | None) -> tuple[int | None, int | None]:
    """Return the lines in which a slice starts and ends."""
    first, last = one.pieces[0], one.pieces[-1]
    return (
        _line(first.hit, first.span.start, source),
        _line(last.hit, last.span.end - 1, source),
    )


def _line(hit: Hit, offset: int, source: Source | None) -> int | None:
    """Return the line of the document that holds an offset in a hit."""
    if source is not None:
        return source.line_at(offset)
    if hit.start_line is None:
        return None
    return hit.start_line + Source.of(hit.text).line_at(offset - hit.span.start) - 1


def _common(paths: Sequence[_Path]) -> _Path:
    """Return the titles that all paths start with."""
    first, last = min(paths), max(paths)
    same = next(
        (n for n, pair in enumerate(zip(first, last, strict=False)) if len({*pair}) > 1), None
    )
    return first[:same]
