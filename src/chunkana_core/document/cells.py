"""The cells of a notebook: their offsets in its text, and the cell lines of a span."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from msgspec import Struct

from chunkana_core.text.source import Source, Span

_START, _FIRST = attrgetter("start"), attrgetter("first")


class Cell(Struct, frozen=True, gc=False):
    """A cell of a notebook that is not blank.

    Attributes:
        number: its number among all cells of the notebook, from 1.
        start: the offset of its text in the text of the notebook.
        first: the position of its first block.
        stop: the position after its last block.
        is_markup: whether it is a Markdown cell.
        has_definitions: whether it contains definitions, which are sections.
    """

    number: int
    start: int
    first: int
    stop: int
    is_markup: bool
    has_definitions: bool


class CellLines(Struct, frozen=True, gc=False):
    """The lines of a span, numbered in its cells; all None in documents without cells.

    Attributes:
        cell: the number of its first cell.
        cell_start_line: its first line, from 1 in that cell.
        cell_end: the number of its last cell.
        cell_end_line: its last line, from 1 in the last cell.
    """

    cell: int | None = None
    cell_start_line: int | None = None
    cell_end: int | None = None
    cell_end_line: int | None = None


_NO_LINES = CellLines()


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a notebook, in order; empty for other documents."""

    cells: tuple[Cell, ...] = ()

    def lines(self, source: Source, span: Span) -> CellLines:
        """Return the lines of a span, numbered in the cells that contain them."""
        if not self.cells:
            return _NO_LINES
        ends = []
        for offset in (span.start, span.end - 1):
            cell = self.cells[max(0, bisect_right(self.cells, offset, key=_START) - 1)]
            ends += [cell.number, source.line_at(offset) - source.line_at(cell.start) + 1]
        return CellLines(*ends)

    def are_markup(self, first: int, stop: int) -> bool:
        """Return whether all cells of a run of blocks are Markdown cells; True without cells."""
        return not self.cells or all(cell.is_markup for cell in self._touched_cells(first, stop))

    def cell_with_definitions(self, position: int) -> Cell | None:
        """Return the cell that contains a block if the cell contains definitions, else None."""
        found = next(self._touched_cells(position, position + 1), None)
        return found if found and found.has_definitions else None

    def edges(self, first: int, stop: int) -> list[int]:
        """Return the positions inside a run where a cell with definitions starts or ends."""
        touched = self._touched_cells(first, stop) if self.cells else ()
        edges = [
            edge for cell in touched if cell.has_definitions for edge in (cell.first, cell.stop)
        ]
        return [edge for edge in edges if first < edge < stop]

    def _touched_cells(self, first: int, stop: int) -> Iterator[Cell]:
        """Yield the cells that a run of blocks touches."""
        begin = max(0, bisect_right(self.cells, first, key=_FIRST) - 1)
        end = bisect_left(self.cells, stop, begin, key=_FIRST)
        return (self.cells[index] for index in range(begin, end))


NO_CELLS = Cells()
