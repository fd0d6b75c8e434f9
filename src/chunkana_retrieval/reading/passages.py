"""Passages: what is read of a document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chunkana_core import Span
from chunkana_retrieval.hits import Cells, Path

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
    path: Path
    score: float
    chunk_ids: tuple[str, ...]
    text: str
    lines: tuple[Lines, ...] | None = None
    cells: Cells | None = None
    similarity: float | None = None
    bm25: float | None = None

    def format_lines(self) -> str:
        """Return the ranges of lines as text, adjacent ones joined; "" if they are not known.

        >>> passage = Passage("tea.md", (), 1, 9, (), 1.0, (), "", lines=((1, 2), (3, 4), (8, 9)))
        >>> passage.format_lines()
        '1-4, 8-9'
        """
        joined = list[Lines]()
        for first, last in self.lines or ():
            if joined and first <= joined[-1][1] + 1:
                joined[-1] = joined[-1][0], last
            else:
                joined.append((first, last))
        return ", ".join(f"{first}-{last}" for first, last in joined)

    def metadata(self) -> dict[str, object]:
        """Return the metadata of the passage for a framework's document, without unknown values."""
        first_cell, last_cell = self.cells or (None, None)
        metadata = {
            "spans": [[span.start, span.end] for span in self.spans],
            "path": json.dumps(self.path, ensure_ascii=False),
            "chunk_ids": list(dict.fromkeys(self.chunk_ids)),
            "start_line": self.start_line,
            "end_line": self.end_line,
            "lines": self.lines and [[*lines] for lines in self.lines],
            "cell": first_cell,
            "cell_end": last_cell,
            "similarity": self.similarity,
            "bm25": self.bm25,
        }
        return {key: value for key, value in metadata.items() if value is not None}


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


def common_prefix(paths: Sequence[Path]) -> Path:
    """Return the longest common prefix of paths."""
    first, last = min(paths), max(paths)
    same = next(
        (n for n, pair in enumerate(zip(first, last, strict=False)) if len({*pair}) > 1), None
    )
    return first[:same]
