"""A document, cut by every tool that is installed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from chunkana_cli.comparing.measures import Measured, Truth, measure
from chunkana_cli.comparing.splitters import SPLITTERS, Splitter
from chunkana_cli.reading.documents import Document
from chunkana_core import ChunkConfig


@dataclass(frozen=True, slots=True)
class Comparison:
    """What tools made of a document.

    Attributes:
        name: the document's.
        truth: what a parse says of it.
        limit: of every tool, in characters.
        measured: by tool, those that are installed.
    """

    name: str
    truth: Truth
    limit: int
    measured: Mapping[Splitter, Measured]

    @classmethod
    def of(cls, document: Document, config: ChunkConfig) -> Comparison:
        """Cut and measure."""
        limit = config.max_chunk_size
        truth = Truth.of(document.text, document.format)
        cut = ((tool, tool.pieces(document, config)) for tool in _tools(document.format))
        measured = {
            tool: measure(pieces, truth, limit) for tool, pieces in cut if pieces is not None
        }
        return cls(document.name, truth, limit, measured)

    @property
    def missing(self) -> list[Splitter]:
        """The tools that are not installed."""
        tools = _tools(self.truth.format)
        return [splitter for splitter in tools if splitter not in self.measured]

    def to_dict(self) -> dict[str, object]:
        """Return all of it as JSON takes it."""
        tools = [{"name": tool.name, **asdict(found)} for tool, found in self.measured.items()]
        return {
            "file": self.name,
            "characters": len(self.truth.text),
            "headings": len(self.truth.headings),
            "tables": len(self.truth.tables),
            "definitions": len(self.truth.definitions),
            "max_chunk_size": self.limit,
            "tools": tools,
            "missing": [{"name": tool.name, "install": tool.install} for tool in self.missing],
        }


def _tools(form: str) -> list[Splitter]:
    """Return the tools that are meant for a format."""
    return [tool for tool in SPLITTERS if tool.is_for(form)]
