"""Print comparisons of splitters as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chunkana_cli.comparing.comparison import Comparison
from chunkana_cli.comparing.measures import Measurement
from chunkana_cli.screen.naming import format_count
from chunkana_cli.screen.visible import on_one_line

# Each row: its label, the cell of a measurement, and whether a value other than 0 is a fault.
_ROWS: dict[str, tuple[Callable[[Measurement], str], bool]] = {
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
_FEW = 12  # files; for more, only the totals are shown


def show_comparisons(comparisons: Sequence[Comparison], console: Console) -> None:
    """Print a table for each group of documents, and the tools that are not installed."""
    for number, comparison in enumerate(comparisons):
        if number:
            console.print()
        _show(comparison, console)
    missing = dict.fromkeys(tool for group in comparisons for tool in group.missing)
    for tool in missing:
        console.print(Text(f"{tool.name} is not installed: pip install {tool.install}"))


def _show(comparison: Comparison, console: Console) -> None:
    console.print(Text(_heading(comparison)))
    console.print()
    is_listed = 1 < len(comparison.documents) <= _FEW
    if console.width < _NARROW:
        _list_tools(comparison, console)
        if is_listed:
            _list_files(comparison, console)
        return
    console.print(_side_by_side(comparison))
    if is_listed:
        console.print(Text(), _by_file(comparison), sep="\n")


def _side_by_side(comparison: Comparison) -> Table:
    measurements = comparison.measurements
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column()
    for splitter in measurements:
        table.add_column(splitter.name, justify="right", max_width=12)
    for label, (cell, is_bad) in _rows(comparison).items():
        cells = [cell(found) for found in measurements.values()]
        table.add_row(label, *(Text(c, "red" if is_bad and c != "0" else "") for c in cells))
    return table


def _by_file(comparison: Comparison) -> Table:
    """Return a table with a row for each file: the numbers of chunks and faults by tool."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("chunks / faults", overflow="fold")
    for splitter in comparison.measurements:
        table.add_column(splitter.name, justify="right", max_width=12)
    for document in comparison.documents:
        name = Text(on_one_line(document.name))
        table.add_row(
            name, *(Text(_format_counts(found)) for found in document.measurements.values())
        )
    return table


def _format_counts(found: Measurement) -> str:
    return f"{found.chunks:,} / {found.faults:,}"


def _list_tools(comparison: Comparison, console: Console) -> None:
    for splitter, found in comparison.measurements.items():
        console.print(Text(splitter.name, style="bold"))
        cells = (f"{label} {cell(found)}" for label, (cell, _) in _rows(comparison).items())
        console.print(Text(", ".join(cells)))
        console.print()


def _list_files(comparison: Comparison, console: Console) -> None:
    console.print(Text("chunks / faults", style="bold"))
    for document in comparison.documents:
        cells = (
            f"{tool.name} {_format_counts(found)}" for tool, found in document.measurements.items()
        )
        console.print(Text(f"{on_one_line(document.name)}: {', '.join(cells)}"))
    console.print()


def _rows(comparison: Comparison) -> dict[str, tuple[Callable[[Measurement], str], bool]]:
    """Return the rows of the table that apply to the formats of the documents."""
    ignored = {"definitions parted"} if _is_markdown(comparison) else _MARKDOWNS
    return {label: row for label, row in _ROWS.items() if label not in ignored}


def _is_markdown(comparison: Comparison) -> bool:
    return comparison.formats == ["markdown"]


def _heading(comparison: Comparison) -> str:
    documents, formats = comparison.documents, ", ".join(comparison.formats)
    name, facts = on_one_line(documents[0].name), [formats]
    if len(documents) > 1:
        name, facts = f"{format_count(len(documents), 'file')} of {formats}", []
    counts = {"definition": sum(document.definitions for document in documents)}
    if _is_markdown(comparison):
        facts = []
        headings = sum(document.headings for document in documents)
        counts = {"heading": headings, "table": sum(document.tables for document in documents)}
    size = format_count(sum(document.characters for document in documents), "character")
    facts = [size, *facts, *(format_count(number, noun) for noun, number in counts.items())]
    return f"{name}: {', '.join(facts)}; limit {comparison.limit:,} characters"
