"""Print statistics of chunks as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chunkana_cli.screen.naming import format_count
from chunkana_cli.screen.visible import on_one_line
from chunkana_cli.stats import FileStats

_BAR = 40  # columns, for the fullest bin
_BESIDE_BAR = 20  # columns, for sizes and counts
_NARROW = 72  # columns; a narrower table would cut numbers
_COLUMNS = ("characters", "chunks", "min", "median", "p90", "max", "oversize")
_MOST_OVERSIZE = 10  # rows
_MOST_FILES = 100  # rows


def show_stats(files: Sequence[FileStats], limit: int, console: Console) -> None:
    """Print a table by file, then the sizes, kinds and oversize chunks of all files."""
    total = FileStats.total(files)
    rows = [(on_one_line(stats.file), stats) for stats in files[:_MOST_FILES]]
    if len(files) > _MOST_FILES:
        more = FileStats.total(files[_MOST_FILES:])
        rows.append((f"… and {format_count(len(files) - _MOST_FILES, 'more file')}", more))
    if len(files) != 1:
        rows.append((format_count(len(files), "file"), total))
    if console.width < _NARROW:
        _list_rows(rows, console)
    else:
        console.print(_table_of(rows, total), "")
    if total.sizes:
        console.print(Text("Sizes", style="bold cyan"))
        console.print(_histogram(total, limit, min(_BAR, max(1, console.width - _BESIDE_BAR))), "")
        console.print(Text("Kinds", style="bold cyan"))
        kinds = (f"{kind} {count:,}" for kind, count in total.kinds.most_common())
        console.print(Text(", ".join(kinds)))
        console.print()
    _show_oversize(total, console)


def _table_of(rows: Sequence[tuple[str, FileStats]], total: FileStats) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("file", overflow="fold")
    for name in _COLUMNS:
        table.add_column(name, justify="right")
    for name, stats in rows:
        table.add_row(Text(name), *_numbers(stats), style="bold" if stats is total else "")
    return table


def _list_rows(rows: Sequence[tuple[str, FileStats]], console: Console) -> None:
    for name, stats in rows:
        numbers = zip(_COLUMNS, _numbers(stats), strict=True)
        console.print(Text(name, style="bold"))
        console.print(Text(", ".join(f"{column} {number}" for column, number in numbers)))
        console.print()


def _numbers(stats: FileStats) -> list[str]:
    spread = [f"{size:,.0f}" for size in stats.spread.values()] or ["-"] * 4
    counts = f"{stats.characters:,}", f"{len(stats.sizes):,}"
    return [*counts, *spread, f"{len(stats.oversize):,}"]


def _histogram(total: FileStats, limit: int, longest: int) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(justify="right")
    table.add_column(justify="right")
    table.add_column(no_wrap=True)
    rows = total.histogram(limit)
    most = max(count for *_, count in rows)
    for low, high, count in rows:
        sizes = f"over {low - 1:,}" if high is None else f"{low:,}-{high:,}"
        table.add_row(sizes, f"{count:,}", Text("█" * -(-count * longest // most), style="cyan"))
    return table


def _show_oversize(total: FileStats, console: Console) -> None:
    console.print(Text("Over the limit", style="bold cyan"))
    reasons = Counter(chunk.reason for chunk in total.oversize)
    reasons_text = ", ".join(f"{reason} {count:,}" for reason, count in reasons.most_common())
    console.print(Text(reasons_text or "none"))
    largest = sorted(total.oversize, key=lambda chunk: -chunk.size)
    for chunk in largest[:_MOST_OVERSIZE]:
        place = f"{on_one_line(chunk.file)}:{chunk.lines[0]}-{chunk.lines[1]}"
        console.print(Text(f"  {chunk.size:,}  {place}  {chunk.reason}", style="dim"))
    if len(largest) > _MOST_OVERSIZE:
        console.print(Text(f"  … and {len(largest) - _MOST_OVERSIZE:,} more", style="dim"))
