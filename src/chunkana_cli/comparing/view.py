"""Tools side by side, on the screen."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chunkana_cli.comparing.comparison import Comparison
from chunkana_cli.comparing.measures import Measured
from chunkana_cli.naming import counted
from chunkana_cli.visible import on_one_line

# What is shown, and whether anything but 0 is bad.
_ROWS: dict[str, tuple[Callable[[Measured], str], bool]] = {
    "chunks": (lambda m: f"{m.chunks:,}", False),
    "largest chunk": (lambda m: f"{m.largest:,}", False),
    "over the limit": (lambda m: f"{m.over_limit:,}", True),
    "headings found": (lambda m: f"{m.headings_found:,}", False),
    "false headings": (lambda m: f"{m.false_headings:,}", True),
    "offsets right": (lambda m: f"{m.offsets_right:,}", False),
    "offsets wrong": (lambda m: f"{m.offsets_wrong:,}", True),
    "offsets absent": (lambda m: f"{m.offsets_absent:,}", True),
    "fences broken": (lambda m: f"{m.fences_broken:,}", True),
    "tables parted": (lambda m: f"{m.tables_parted:,}", True),
    "definitions parted": (lambda m: f"{m.definitions_parted:,}", True),
    "lines lost": (lambda m: f"{m.lines_lost:.1%}" if m.lines_lost else "0", True),
}

_MARKDOWNS = {"headings found", "false headings", "fences broken", "tables parted"}
_NARROW = 80  # columns, below which the table would cut names


def show_comparison(comparison: Comparison, console: Console) -> None:
    """Print a table of what was measured, and what could not be."""
    console.print(Text(_heading(comparison)))
    console.print()
    if console.width < _NARROW:
        _list_tools(comparison, console)
    else:
        console.print(_side_by_side(comparison))
    for splitter in comparison.missing:
        console.print(Text(f"{splitter.name} is not installed: pip install {splitter.install}"))


def _side_by_side(comparison: Comparison) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column()
    for splitter in comparison.measured:
        table.add_column(splitter.name, justify="right", max_width=12)
    for label, (cell, is_bad) in _rows(comparison).items():
        cells = [cell(found) for found in comparison.measured.values()]
        table.add_row(label, *(Text(c, "red" if is_bad and c != "0" else "") for c in cells))
    return table


def _list_tools(comparison: Comparison, console: Console) -> None:
    for splitter, found in comparison.measured.items():
        console.print(Text(splitter.name, style="bold"))
        cells = (f"{label} {cell(found)}" for label, (cell, _) in _rows(comparison).items())
        console.print(Text(", ".join(cells)))
        console.print()


def _rows(comparison: Comparison) -> dict[str, tuple[Callable[[Measured], str], bool]]:
    """Return what is shown of a document of its format."""
    is_markdown = comparison.truth.format == "markdown"
    left_out = {"definitions parted"} if is_markdown else _MARKDOWNS
    return {label: row for label, row in _ROWS.items() if label not in left_out}


def _heading(comparison: Comparison) -> str:
    truth = comparison.truth
    size, headings = counted(len(truth.text), "character"), counted(len(truth.headings), "heading")
    tables = counted(len(truth.tables), "table")
    if truth.format != "markdown":
        headings, tables = truth.format, counted(len(truth.definitions), "definition")
    name, limit = on_one_line(comparison.name), f"limit {comparison.limit:,} characters"
    return f"{name}: {size}, {headings}, {tables}; {limit}"
