"""Split documents with every installed tool, and compare the measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from chunkana_batch import DocumentError
from chunkana_cli.comparing.measures import Measurement, Reference, measure
from chunkana_cli.comparing.splitters import SPLITTERS, Splitter
from chunkana_cli.reading.batch import Batch
from chunkana_cli.reading.documents import Document, report_misnamed
from chunkana_core import ChunkConfig


@dataclass(frozen=True, slots=True)
class ComparedDocument:
    """The measurements of all installed tools on a document.

    Attributes:
        name: the name of the document.
        format: the name of the format that it was parsed in.
        characters: the length of the text.
        headings: the number of headings.
        tables: the number of tables.
        definitions: the number of code definitions or JSON values.
        measurements: the measurement of each installed tool.
    """

    name: str
    format: str
    characters: int
    headings: int
    tables: int
    definitions: int
    measurements: Mapping[Splitter, Measurement]

    @classmethod
    def of(cls, document: Document, config: ChunkConfig) -> ComparedDocument:
        """Split and measure a document."""
        reference = Reference.of(document.text, document.format)
        valid = replace(document, format=reference.format)
        cut = ((tool, tool.pieces(valid, config)) for tool in tools_for(reference.format))
        return cls(
            document.name,
            reference.format,
            len(document.text),
            len(reference.headings),
            len(reference.tables),
            len(reference.definitions),
            {
                tool: measure(pieces, reference, config.max_chunk_size)
                for tool, pieces in cut
                if pieces is not None
            },
        )

    def to_dict(self) -> dict[str, object]:
        """Return the measurements as values for JSON."""
        return {
            "file": self.name,
            "format": self.format,
            "characters": self.characters,
            "headings": self.headings,
            "tables": self.tables,
            "definitions": self.definitions,
            "tools": _tools_dict(self.measurements),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of the same tools on one or more documents.

    Attributes:
        tools: the tools for the formats of the documents, installed or not.
        documents: the compared documents, at least one.
        limit: the largest size for every tool, in characters.
    """

    tools: tuple[Splitter, ...]
    documents: tuple[ComparedDocument, ...]
    limit: int

    @property
    def formats(self) -> list[str]:
        """The names of the documents' formats."""
        return list(dict.fromkeys(document.format for document in self.documents))

    @property
    def measurements(self) -> dict[Splitter, Measurement]:
        """The measurement of each installed tool over all documents."""
        return {
            tool: Measurement.total(
                [(one.characters, one.measurements[tool]) for one in self.documents]
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
            "characters": sum(document.characters for document in self.documents),
            "headings": sum(document.headings for document in self.documents),
            "tables": sum(document.tables for document in self.documents),
            "definitions": sum(document.definitions for document in self.documents),
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
    misnamed: list[tuple[str, str]] = []
    for done, document in enumerate(documents, 1):
        try:
            compared = ComparedDocument.of(document, config)
        except DocumentError as error:
            batch.report_failure(str(error))
            continue
        if compared.format != document.format:
            misnamed.append((document.name, document.format))
        groups.setdefault(tools_for(compared.format), []).append(compared)
        if progress is not None:
            progress(done)
    report_misnamed(misnamed)
    return [
        Comparison(tools, tuple(group), config.max_chunk_size) for tools, group in groups.items()
    ]


def comparisons_to_dict(comparisons: Sequence[Comparison], limit: int) -> dict[str, object]:
    """Return all files and the totals of each comparison as values for JSON."""
    return {
        "max_chunk_size": limit,
        "files": [one.to_dict() for group in comparisons for one in group.documents],
        "totals": [group.to_dict() for group in comparisons],
    }


def tools_for(form: str) -> tuple[Splitter, ...]:
    """Return the tools that apply to a format."""
    return tuple(tool for tool in SPLITTERS if tool.is_for(form))


def _tools_dict(measurements: Mapping[Splitter, Measurement]) -> list[dict[str, object]]:
    return [{"name": tool.name, **asdict(found)} for tool, found in measurements.items()]
