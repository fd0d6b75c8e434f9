"""The tools: each is a method whose docstring tells a model what it is for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from chunkana_core import ChunkanaError
from chunkana_mcp.results import (
    Documents,
    Excerpt,
    FoundPassage,
    Outline,
    Outlines,
    Passages,
)
from chunkana_retrieval import Found, Index, Passage, ReadingOptions, SearchOptions
from chunkana_retrieval.index import matching_names, parse_lines

EmbedQuestion = Callable[[str], Sequence[float]]
_HITS = 60  # leaves that a search finds
_PAGE = 500  # documents that `list` returns
_MOST_OUTLINES, _MOST_SECTIONS = 50, 200  # that `outline` returns
_Document = Annotated[str, Field(description="the name of a document, as `list` returns it")]
_Budget = Annotated[int, Field(ge=1, le=1_000_000, description="the most characters to return")]
_Pattern = Annotated[
    str, Field(description="a document, a folder, or a pattern of names: * matches all, / too")
]
_Filters = Annotated[
    dict[str, str | int | float | bool] | None,
    Field(description='metadata of the texts, such as {"format": "python"} or {"kind": "class"}'),
]


@dataclass(slots=True)
class IndexTools:
    """The tools of a server, which search and read the index in a folder; none of them writes.

    Attributes:
        folder: the folder of the index; if another index is put there, that one is read.
        embed_question: returns the vector of a question; None for a search by words alone.

    Raises:
        FileNotFoundError: if there is no index.
        IndexFileError: for an index of another format, or a damaged one.
    """

    folder: Path
    embed_question: EmbedQuestion | None = None
    _index: Index = field(init=False)

    def __post_init__(self) -> None:
        """Open the index."""
        self._index = Index.load(self.folder)

    @contextmanager
    def reading(self) -> Iterator[Index]:
        """Return the index, and raise what goes wrong as the errors of tools."""
        try:
            if self._index.is_replaced:
                self._index = Index.load(self.folder)
            yield self._index
        except (ChunkanaError, OSError) as error:
            raise ToolError(str(error)) from error

    def search(
        self,
        query: Annotated[str, Field(description="a question, or words to find")],
        budget: _Budget = 6000,
        documents: _Pattern = "*",
        filters: _Filters = None,
    ) -> Passages:
        """Find the passages that answer a question, the best first.

        Each has its document, its lines and the titles that it is under. The result has at most
        `budget` characters.
        """
        options = SearchOptions(fetch_k=_HITS)
        vector = self.embed_question(query) if self.embed_question else None
        with self.reading() as index:
            names = None if documents == "*" else matching_names(documents, index.document_ids())
            found = index.search(query, options, vector=vector, where=filters, documents=names)
        return _within_budget(found if vector else found.without_weak_words(), budget)

    def read(
        self,
        document: _Document,
        section: Annotated[str, Field(description="a section, as `outline` returns it")] = "",
        lines: Annotated[str, Field(description="such as 12-30")] = "",
        budget: _Budget = 20_000,
    ) -> Excerpt:
        """Return the exact text of a section with its subsections, or of lines, or of a document.

        A text of more than `budget` characters ends earlier, and tells which lines to read next.
        """
        with self.reading() as index:
            found = index.read(document, section=section, lines=parse_lines(lines))
        return Excerpt.of(document, found, budget)

    def outline(self, document: _Pattern) -> Outlines:
        """Return the sections of a document, or of each document in a folder, with their lines.

        Sections are headings in documentation, definitions in source code, and keys in data.
        """
        with self.reading() as index:
            names = matching_names(document, index.document_ids())
            shown = names[:_MOST_OUTLINES]
            outlines = [
                Outline.of(name, index.outline(name), _MOST_SECTIONS // len(shown))
                for name in shown
            ]
        return Outlines(outlines=outlines, left_out=len(names) - len(shown))

    def list_documents(
        self,
        pattern: _Pattern = "*",
        start: Annotated[int, Field(ge=0, description="how many names to leave out")] = 0,
    ) -> Documents:
        """Return the names of documents, at most 500 at once."""
        with self.reading() as index:
            names = matching_names(pattern, index.document_ids())
        return Documents(documents=names[start : start + _PAGE], total=len(names))


def _within_budget(found: Found, budget: int) -> Passages:
    """Return the passages of a search whose JSON fits into a budget.

    Raises:
        ToolError: if none fits.
    """

    def counted(passage: Passage) -> str:
        return FoundPassage.of(passage).to_json()

    around = len(Passages(passages=[]).to_json())
    passages = found.passages(ReadingOptions(max(budget - around, 0)), counted)
    if found.hits and not passages:
        least = found.least_budget(counted) + around
        raise ToolError(f"budget is {budget}; the best passage needs at least {least}")
    return Passages(passages=[FoundPassage.of(one) for one in passages])
