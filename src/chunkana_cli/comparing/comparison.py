"""Documents, cut by every tool that is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from chunkana_cli.comparing.measures import Measured, Truth, measure
from chunkana_cli.comparing.splitters import SPLITTERS, Splitter
from chunkana_cli.reading.documents import Document, report_fallback
from chunkana_core import ChunkConfig


@dataclass(frozen=True, slots=True)
class ComparedDocument:
    """What tools made of a document.

    Attributes:
        name: the document's.
        format: the name of the format that it was chunked in.
        characters: of its text.
        headings: how many it has.
        tables: how many it has.
        definitions: how many definitions, or values of JSON, it has.
        measured: by tool, those that are installed.
    """

    name: str
    format: str
    characters: int
    headings: int
    tables: int
    definitions: int
    measured: Mapping[Splitter, Measured]

    @classmethod
    def of(cls, document: Document, config: ChunkConfig) -> ComparedDocument:
        """Cut and measure a document."""
        truth = Truth.of(document.text, document.format)
        valid = replace(document, format=truth.format)
        cut = ((tool, tool.pieces(valid, config)) for tool in tools_for(truth.format))
        return cls(
            document.name,
            truth.format,
            len(document.text),
            len(truth.headings),
            len(truth.tables),
            len(truth.definitions),
            {
                tool: measure(pieces, truth, config.max_chunk_size)
                for tool, pieces in cut
                if pieces is not None
            },
        )

    def to_dict(self) -> dict[str, object]:
        """Return all of it as JSON takes it."""
        return {
            "file": self.name,
            "format": self.format,
            "characters": self.characters,
            "headings": self.headings,
            "tables": self.tables,
            "definitions": self.definitions,
            "tools": _tools_dict(self.measured),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the same tools made of documents.

    Attributes:
        tools: those that are meant for the formats of the documents, installed or not.
        documents: one or more.
        limit: of every tool, in characters.
    """

    tools: tuple[Splitter, ...]
    documents: tuple[ComparedDocument, ...]
    limit: int

    @property
    def formats(self) -> list[str]:
        """The names of the documents' formats."""
        return list(dict.fromkeys(document.format for document in self.documents))

    @property
    def measured(self) -> dict[Splitter, Measured]:
        """What was measured of all documents together, by tool, those that are installed."""
        return {
            tool: Measured.total([(one.characters, one.measured[tool]) for one in self.documents])
            for tool in self.tools
            if tool not in self.missing
        }

    @property
    def missing(self) -> list[Splitter]:
        """The tools that are not installed."""
        return [tool for tool in self.tools if tool not in self.documents[0].measured]

    def to_dict(self) -> dict[str, object]:
        """Return the totals as JSON takes them."""
        return {
            "formats": self.formats,
            "files": len(self.documents),
            "characters": sum(document.characters for document in self.documents),
            "headings": sum(document.headings for document in self.documents),
            "tables": sum(document.tables for document in self.documents),
            "definitions": sum(document.definitions for document in self.documents),
            "tools": _tools_dict(self.measured),
            "missing": [{"name": tool.name, "install": tool.install} for tool in self.missing],
        }


def compare_documents(
    documents: Iterable[Document],
    config: ChunkConfig,
    progress: Callable[[int], object] | None = None,
) -> list[Comparison]:
    """Cut documents; those that the same tools are meant for are one comparison.

    Of the first that is not valid as what it should be it is said that it is plain text.

    Args:
        documents: one or more.
        config: how to chunk; all tools have its limit.
        progress: is told how many documents are done.
    """
    groups: dict[tuple[Splitter, ...], list[ComparedDocument]] = {}
    has_fallback = False
    for done, document in enumerate(documents, 1):
        compared = ComparedDocument.of(document, config)
        has_fallback = has_fallback or report_fallback(
            document.name, document.format, compared.format
        )
        groups.setdefault(tools_for(compared.format), []).append(compared)
        if progress is not None:
            progress(done)
    return [
        Comparison(tools, tuple(group), config.max_chunk_size) for tools, group in groups.items()
    ]


def comparisons_to_dict(comparisons: Sequence[Comparison], limit: int) -> dict[str, object]:
    """Return each file, and the totals of those that the same tools are meant for."""
    return {
        "max_chunk_size": limit,
        "files": [one.to_dict() for group in comparisons for one in group.documents],
        "totals": [group.to_dict() for group in comparisons],
    }


def tools_for(form: str) -> tuple[Splitter, ...]:
    """Return the tools that are meant for a format."""
    return tuple(tool for tool in SPLITTERS if tool.is_for(form))


def _tools_dict(measured: Mapping[Splitter, Measured]) -> list[dict[str, object]]:
    return [{"name": tool.name, **asdict(found)} for tool, found in measured.items()]
