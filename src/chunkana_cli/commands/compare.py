"""`chunkana compare`: compare Chunkana with other splitters on files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from rich.console import Console
from rich.text import Text

from chunkana_batch import DocumentError
from chunkana_cli.comparing.measures import Measurement, Reference, measure
from chunkana_cli.comparing.splitters import SPLITTERS, Splitter
from chunkana_cli.inputs.batch import Batch, Document
from chunkana_cli.options import AsJson, epilog, reads_documents
from chunkana_cli.output.output import open_console, progress_bar, write_json
from chunkana_cli.output.screen import list_rows, new_table
from chunkana_cli.streams import format_count, on_one_line
from chunkana_core import ChunkConfig

EPILOG = epilog(
    "compare README.md",
    "compare docs src",
    "compare docs/guide.md --max-chunk-size 500 --atomic-blocks keep",
    "compare README.md --json",
)
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
_WIDTH = 100  # columns in a pipe
_NARROW = 80  # columns, below which the table would cut names
_COLUMN = 12  # columns of the widest column of a tool
_FEW = 12  # files; for more, only the totals are shown


@reads_documents()
def compare(
    batch: Batch,
    *,
    as_json: AsJson = False,
    config: ChunkConfig,
) -> None:
    """Split files with Chunkana and other tools, and compare the results.

    All tools use sizes in characters, the same --max-chunk-size, no overlap, and otherwise their
    defaults; all other options apply to Chunkana only. Tools that are not installed are listed.
    Headings, tables and fences are counted against a CommonMark parse. Files that the same tools
    apply to are added up.
    """
    documents = batch.nonempty_documents()
    with progress_bar(len(documents)) as progress:
        comparisons = compare_documents(batch, documents, config, progress)
    if as_json:
        found = {
            "max_chunk_size": config.max_chunk_size,
            "files": [one.to_dict() for group in comparisons for one in group.documents],
            "totals": [group.to_dict() for group in comparisons],
        }
        write_json(found)
    else:
        with open_console(_WIDTH) as console:
            show_comparisons(comparisons, config.max_chunk_size, console)


@dataclass(frozen=True, slots=True)
class ComparedDocument:
    """The measurements of all installed tools on a document.

    Attributes:
        name: the name of the document.
        format: the name of the format that it was parsed in.
        counts: the number of its characters, headings, tables, and code definitions or JSON values.
        measurements: the measurement of each installed tool.
    """

    name: str
    format: str
    counts: Mapping[str, int]
    measurements: Mapping[Splitter, Measurement]

    @classmethod
    def of(cls, document: Document, config: ChunkConfig) -> ComparedDocument:
        """Split and measure a document."""
        reference = Reference.of(document.text, document.format)
        valid = replace(document, format=reference.format)
        counts = {
            "characters": len(document.text),
            "headings": len(reference.headings),
            "tables": len(reference.tables),
            "definitions": len(reference.definitions),
        }
        cut = ((tool, tool.pieces(valid, config)) for tool in tools_for(reference.format))
        measurements = {
            tool: measure(pieces, reference, config.max_chunk_size)
            for tool, pieces in cut
            if pieces is not None
        }
        return cls(document.name, reference.format, counts, measurements)

    def to_dict(self) -> dict[str, object]:
        """Return the measurements as values for JSON."""
        tools = _tools_dict(self.measurements)
        return {"file": self.name, "format": self.format, **self.counts, "tools": tools}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of the same tools on one or more documents.

    Attributes:
        tools: the tools for the formats of the documents, installed or not.
        documents: the compared documents, at least one.
    """

    tools: tuple[Splitter, ...]
    documents: Sequence[ComparedDocument]

    @property
    def formats(self) -> list[str]:
        """The names of the documents' formats."""
        return list(dict.fromkeys(document.format for document in self.documents))

    @property
    def is_markdown(self) -> bool:
        """Whether all documents are Markdown."""
        return self.formats == ["markdown"]

    @property
    def counts(self) -> dict[str, int]:
        """The sums of the documents' counts."""
        total = Counter[str]()
        for document in self.documents:
            total.update(document.counts)
        return dict(total)

    @property
    def measurements(self) -> dict[Splitter, Measurement]:
        """The measurement of each installed tool over all documents."""
        return {
            tool: Measurement.total(
                [(one.counts["characters"], one.measurements[tool]) for one in self.documents]
            )
            for tool in self.tools
            if tool not in self.missing
        }

    @property
    def missing(self) -> list[Splitter]:
        """The tools that are not installed."""
        return [tool for tool in self.tools if tool not in self.documents[0].measurements]

    def to_dict(self) -> dict[str, object]:
        """Return the totals as values for JSON."""
        return {
            "formats": self.formats,
            "files": len(self.documents),
            **self.counts,
            "tools": _tools_dict(self.measurements),
            "missing": [{"name": tool.name, "install": tool.install} for tool in self.missing],
        }


def compare_documents(
    batch: Batch,
    documents: Iterable[Document],
    config: ChunkConfig,
    progress: Callable[[int], object] | None = None,
) -> list[Comparison]:
    """Compare tools on documents; return a comparison for each set of applicable tools.

    Documents that are not valid in their formats are split as plain text, and reported.

    Args:
        batch: counts the documents that cannot be chunked, which are reported.
        documents: the documents, at least one.
        config: the chunking options; its limit applies to all tools.
        progress: a function that is called with the number of documents done.
    """
    groups: dict[tuple[Splitter, ...], list[ComparedDocument]] = {}
    misnamed: list[str] = []
    for done, document in enumerate(documents, 1):
        try:
            compared = ComparedDocument.of(document, config)
        except DocumentError as error:
            batch.report_failure(str(error))
            continue
        if compared.format != document.format:
            misnamed.append(document.name)
        groups.setdefault(tools_for(compared.format), []).append(compared)
        if progress is not None:
            progress(done)
    batch.report_misnamed(misnamed)
    return [Comparison(tools, group) for tools, group in groups.items()]


def tools_for(form: str) -> tuple[Splitter, ...]:
    """Return the tools that apply to a format."""
    return tuple(tool for tool in SPLITTERS if tool.is_for(form))


def _tools_dict(measurements: Mapping[Splitter, Measurement]) -> list[dict[str, object]]:
    return [{"name": tool.name, **asdict(found)} for tool, found in measurements.items()]


def show_comparisons(comparisons: Sequence[Comparison], limit: int, console: Console) -> None:
    """Print a table for each group of documents, and the tools that are not installed."""
    for number, comparison in enumerate(comparisons):
        if number:
            console.print()
        console.print(Text(_heading(comparison, limit)))
        console.print()
        is_listed = 1 < len(comparison.documents) <= _FEW
        show = _show_lists if console.width < _NARROW else _show_tables
        show(comparison, console, is_listed=is_listed)
    missing = dict.fromkeys(tool for group in comparisons for tool in group.missing)
    for tool in missing:
        console.print(Text(f"{tool.name} is not installed: pip install {tool.install}"))


def _show_tables(comparison: Comparison, console: Console, *, is_listed: bool) -> None:
    """Print a column for each tool; if wanted, another table has a row for each file."""
    measurements = comparison.measurements
    names = [tool.name for tool in measurements]
    table = new_table("", names, _COLUMN)
    for label, (cell, is_bad) in _rows(comparison).items():
        cells = [cell(found) for found in measurements.values()]
        table.add_row(label, *(Text(c, "red" if is_bad and c != "0" else "") for c in cells))
    console.print(table)
    if is_listed:
        by_file = new_table("chunks / faults", names, _COLUMN)
        for document in comparison.documents:
            by_file.add_row(Text(on_one_line(document.name)), *_faults(document).values())
        console.print(Text(), by_file, sep="\n")


def _show_lists(comparison: Comparison, console: Console, *, is_listed: bool) -> None:
    """Print the numbers of each tool, and if wanted those of each file, below each other."""
    rows = _rows(comparison).items()
    list_rows(
        (
            (tool.name, {label: cell(found) for label, (cell, _) in rows})
            for tool, found in comparison.measurements.items()
        ),
        console,
    )
    if is_listed:
        console.print(Text("chunks / faults", style="bold"))
        for document in comparison.documents:
            cells = ", ".join(f"{name} {counts}" for name, counts in _faults(document).items())
            console.print(Text(f"{on_one_line(document.name)}: {cells}"))
        console.print()


def _faults(document: ComparedDocument) -> dict[str, str]:
    """Return the numbers of chunks and faults by the names of tools."""
    found = document.measurements.items()
    return {tool.name: f"{one.chunks:,} / {one.faults:,}" for tool, one in found}


def _rows(comparison: Comparison) -> dict[str, tuple[Callable[[Measurement], str], bool]]:
    """Return the rows of the table that apply to the formats of the documents."""
    ignored = {"definitions parted"} if comparison.is_markdown else _MARKDOWNS
    return {label: row for label, row in _ROWS.items() if label not in ignored}


def _heading(comparison: Comparison, limit: int) -> str:
    documents, formats, counts = (
        comparison.documents,
        ", ".join(comparison.formats),
        comparison.counts,
    )
    name, facts = on_one_line(documents[0].name), [formats]
    if len(documents) > 1:
        name, facts = f"{format_count(len(documents), 'file')} of {formats}", []
    nouns = ["definition"]
    if comparison.is_markdown:
        nouns, facts = ["heading", "table"], []
    size = format_count(counts["characters"], "character")
    facts = [size, *facts, *(format_count(counts[f"{noun}s"], noun) for noun in nouns)]
    return f"{name}: {', '.join(facts)}; limit {limit:,} characters"
