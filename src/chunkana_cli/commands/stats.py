"""`chunkana stats`: show statistics of the chunks of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby, pairwise
from statistics import median

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chunkana_cli.inputs.batch import AUTO, Batch
from chunkana_cli.inputs.files import InputError
from chunkana_cli.inputs.tables import is_table_of_chunks, read_rows
from chunkana_cli.options import (
    AsJson,
    Jobs,
    epilog,
    reads_documents,
    workers_of,
)
from chunkana_cli.output.output import open_console, progress_bar, write_json
from chunkana_cli.output.screen import list_rows, new_table
from chunkana_cli.streams import format_count, on_one_line
from chunkana_core import ChunkConfig, Context, HierarchicalChunkingResult
from chunkana_core.extending import FieldReader

EPILOG = epilog(
    "stats docs",
    "stats docs --max-chunk-size 500 --jobs auto",
    "stats chunks.jsonl",
    "stats --json *.md",
)
_BINS = 10  # of a histogram, up to the limit
_BAR = 40  # columns, for the fullest bin
_BESIDE_BAR = 20  # columns, for sizes and counts
_NARROW = 72  # columns; a narrower table would cut numbers
_COLUMNS = ("characters", "chunks", "min", "median", "p90", "max", "oversize")
_MOST_OVERSIZE = 10  # rows
_MOST_FILES = 100  # rows
_ROW = FieldReader.of("table")


@reads_documents()
def stats(
    batch: Batch,
    *,
    as_json: AsJson = False,
    jobs: Jobs = "1",
    config: ChunkConfig,
    context: Context | None,
) -> None:
    """Show statistics of the chunks of files.

    Sizes in characters, content types, and chunks over the limit with their reasons, by file and in
    total. A file that split wrote as jsonl or parquet is not chunked again; its chunks are counted.
    """
    workers, limit = workers_of(jobs), config.max_chunk_size
    may_be_tables = batch.names if batch.input_format == AUTO else ()
    tables = [*filter(is_table_of_chunks, may_be_tables)]
    found = [stats for name in tables for stats in _read_stats(name, batch)]
    names = [name for name in batch.names if name not in tables]
    with progress_bar(len(names)) as progress:
        documents = batch.documents(names)
        found += batch.chunk(
            config, workers, FileStats.of, progress, context=context, documents=documents
        )
    if as_json:
        rows, total = [file.to_dict(limit) for file in found], FileStats.total(found).to_dict(limit)
        write_json({"max_chunk_size": limit, "files": rows, "total": total})
    elif found:
        with open_console() as console:
            show_stats(found, limit, console)


def _read_stats(name: str, batch: Batch) -> list[FileStats]:
    """Return the statistics of each document in a table of chunks; report an unreadable table."""
    try:
        return [*FileStats.of_table(row for _, row in read_rows(name))]
    except InputError as error:
        batch.report_failure(str(error))
    except KeyError as error:
        batch.report_failure(f"{name}: is not a table of chunks: it has no column {error}")
    return []


@dataclass(frozen=True, slots=True)
class Oversize:
    """A chunk over the limit, with its reason."""

    file: str
    chunk_id: str
    start_line: int
    end_line: int
    size: int
    reason: str


@dataclass(frozen=True, slots=True)
class FileStats:
    """The statistics of a document, or of several.

    Attributes:
        file: the name of the document, "" for several.
        characters: the length of the source; for a table of chunks, the end of the last chunk.
        sizes: the sizes of all chunks, ascending.
        kinds: the number of chunks of each content type.
        oversize: the chunks over the limit.
    """

    file: str
    characters: int
    sizes: tuple[int, ...]
    kinds: Counter[str]
    oversize: tuple[Oversize, ...]

    @classmethod
    def of(cls, name: str, result: HierarchicalChunkingResult) -> FileStats:
        """Return the statistics of a chunked document."""
        return cls._of_rows(name, len(result.text), [*map(_ROW.values, result.get_leaves())])

    @classmethod
    def of_table(cls, rows: Iterable[Mapping[str, object]]) -> Iterator[FileStats]:
        """Yield the statistics of each document in a table of chunks sorted by document.

        Raises:
            KeyError: if a column is missing.
        """
        for name, group in groupby(rows, lambda row: str(row["file"] or row["document_id"])):
            chunks = [row for row in group if row["error"] is None]
            file = cls._of_rows(name, 0, chunks)
            end = max((_to_int(row["end_char"]) for row in chunks), default=0)
            yield replace(file, characters=end)

    @classmethod
    def _of_rows(
        cls, name: str, characters: int, rows: Sequence[Mapping[str, object]]
    ) -> FileStats:
        oversize = tuple(
            Oversize(
                name,
                str(row["chunk_id"]),
                _to_int(row["start_line"]),
                _to_int(row["end_line"]),
                _to_int(row["size"]),
                str(row["oversize_reason"]),
            )
            for row in rows
            if row["oversize_reason"] is not None
        )
        sizes = tuple(sorted(_to_int(row["size"]) for row in rows))
        kinds = Counter(str(row["content_type"]) for row in rows)
        return cls(name, characters, sizes, kinds, oversize)

    @classmethod
    def total(cls, parts: Sequence[FileStats]) -> FileStats:
        """Return the statistics of several documents together."""
        kinds = sum((part.kinds for part in parts), Counter[str]())
        sizes = tuple(sorted(size for part in parts for size in part.sizes))
        oversize = tuple(chunk for part in parts for chunk in part.oversize)
        return cls("", sum(part.characters for part in parts), sizes, kinds, oversize)

    @property
    def spread(self) -> dict[str, float]:
        """The smallest, median, 90th percentile and largest size; empty without chunks."""
        if not self.sizes:
            return {}
        middle = median(self.sizes)
        ninetieth = self.sizes[-(-9 * len(self.sizes) // 10) - 1]  # the nearest rank
        return {"min": self.sizes[0], "median": middle, "p90": ninetieth, "max": self.sizes[-1]}

    def histogram(self, limit: int) -> list[tuple[int, int | None, int]]:
        """Return the smallest size, the largest size and the number of chunks of each bin.

        The last bin contains the chunks over the limit; its largest size is None.
        """
        edges = [limit * i // _BINS for i in range(_BINS + 1)]
        bins = [
            (low + 1, high, sum(low < size <= high for size in self.sizes))
            for low, high in pairwise(edges)
        ]
        return [*bins, (limit + 1, None, sum(size > limit for size in self.sizes))]

    def to_dict(self, limit: int) -> dict[str, object]:
        """Return the statistics as values for JSON."""
        return {
            **({"file": self.file} if self.file else {}),
            "characters": self.characters,
            "chunks": len(self.sizes),
            "sizes": self.spread,
            "kinds": dict(self.kinds.most_common()),
            "oversize": [asdict(chunk) for chunk in self.oversize],
            "histogram": [
                {"from": low, "to": high, "chunks": count}
                for low, high, count in self.histogram(limit)
            ],
        }


def _to_int(value: object) -> int:
    return value if isinstance(value, int) else 0


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
        list_rows(((name, _numbers(stats)) for name, stats in rows), console)
    else:
        table = new_table("file", _COLUMNS)
        for name, stats in rows:
            style = "bold" if stats is total else ""
            table.add_row(Text(name), *_numbers(stats).values(), style=style)
        console.print(table, "")
    if total.sizes:
        console.print(Text("Sizes", style="bold cyan"))
        console.print(_histogram(total, limit, min(_BAR, max(1, console.width - _BESIDE_BAR))), "")
        console.print(Text("Kinds", style="bold cyan"))
        kinds = (f"{kind} {count:,}" for kind, count in total.kinds.most_common())
        console.print(Text(", ".join(kinds)))
        console.print()
    _show_oversize(total, console)


def _numbers(stats: FileStats) -> dict[str, str]:
    """Return the numbers of a row by column."""
    spread = [f"{size:,.0f}" for size in stats.spread.values()] or ["-"] * 4
    counts = f"{stats.characters:,}", f"{len(stats.sizes):,}"
    return dict(zip(_COLUMNS, (*counts, *spread, f"{len(stats.oversize):,}"), strict=True))


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
        place = f"{on_one_line(chunk.file)}:{chunk.start_line}-{chunk.end_line}"
        console.print(Text(f"  {chunk.size:,}  {place}  {chunk.reason}", style="dim"))
    if len(largest) > _MOST_OVERSIZE:
        console.print(Text(f"  … and {len(largest) - _MOST_OVERSIZE:,} more", style="dim"))
