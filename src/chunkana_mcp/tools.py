"""The tools: each is a method whose docstring tells a model what it is for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from pydantic import Field

from chunkana_core import ChunkanaError, ConfigurationError
from chunkana_mcp.results import (
    Documents,
    Excerpt,
    FoundPassage,
    Outlines,
    Passages,
    Section,
    escape,
)
from chunkana_retrieval import Found, Index, Passage, ReadingOptions, SearchOptions
from chunkana_retrieval.index import matching_names, parse_lines

EmbedQuestion = Callable[[str], Sequence[float]]
_HITS = 60  # leaves that a search finds
_PAGE = 500  # documents that `list` returns
_MOST_OUTLINES, _MOST_SECTIONS = 50, 200  # that `outline` returns
_Document = Annotated[str, Field(description="the name of a document, as `list` returns it")]
# The JSON of no passages has 15 characters.
_Budget = Annotated[int, Field(ge=15, description="the most characters of the result, all in all")]
_Pattern = Annotated[str, Field(description="a document, a folder, or a pattern such as *.py")]
_Values = dict[str, str | int | float | bool]
_FILTERS = 'metadata that texts have, such as {"format": "python"} or {"kind": "class"}'


class IndexTools:
    """The tools of a server, which search and read the index in a folder; none of them writes.

    Args:
        folder: the folder of the index; if another index is put there, that one is read.
        embed_question: returns the vector of a question; None for a search by words alone.

    Raises:
        FileNotFoundError: if there is no index.
        IndexFileError: for an index of another format, or a damaged one.
    """

    def __init__(self, folder: Path, embed_question: EmbedQuestion | None = None) -> None:
        """Open the index."""
        self._folder, self._embed_question = folder, embed_question
        self._index = Index.load(folder)

    def search(
        self,
        query: Annotated[str, Field(description="a question, or words to find")],
        budget: _Budget = 6000,
        documents: _Pattern = "*",
        filters: Annotated[_Values | None, Field(description=_FILTERS)] = None,
    ) -> Passages:
        """Find the passages that answer a question, the best first. Start with this tool.

        Each passage has its document, its lines and the titles that it is under; `read` returns
        what is around it. Words that the documents use find more than others. Narrow a search by
        `documents` or `filters`.
        """
        vector = self._embed_question(query) if self._embed_question else None
        options = SearchOptions(fetch_k=_HITS)
        with self._reading() as index:
            names = None if documents == "*" else _matching_ids(documents, index)
            found = index.search(query, options, vector=vector, where=filters, documents=names)
            return _passages(found.without_weak_hits(), budget)

    def read(
        self,
        document: _Document,
        section: Annotated[str, Field(description="a section, as `outline` returns it")] = "",
        lines: Annotated[str, Field(description="such as 12-30")] = "",
        budget: _Budget = 20_000,
    ) -> Excerpt:
        """Return the exact text of a section with its subsections, or of lines, or of a document.

        Use it to read on around a passage that `search` found. What does not fit into the budget is
        left out after a line; read it by the lines in `left_out`.
        """
        with self._reading() as index:
            document_id = _ids_by_name(index).get(document, document)
            found = index.read(document_id, section=section, lines=parse_lines(lines))
            return Excerpt.of(document, found, budget)

    def outline(self, document: _Pattern) -> Outlines:
        """Return the sections of a document, or of each document in a folder, with their lines.

        Use it to see what documents are about, and how their sections are named. Sections are
        headings in documentation, definitions in source code, and keys in data.
        """
        with self._reading() as index:
            names = _matching_ids(document, index)
            shown = names[:_MOST_OUTLINES]
            found = [(name, one) for name in shown for one in Section.all_of(index.outline(name))]
        outermost = sorted(range(len(found)), key=lambda number: found[number][1].level)
        outlines: dict[str, list[Section]] = {name: [] for name in shown}
        for number in sorted(outermost[:_MOST_SECTIONS]):
            name, section = found[number]
            outlines[name].append(section)
        return Outlines(
            outlines=outlines,
            sections_left_out=max(len(found) - _MOST_SECTIONS, 0),
            documents_left_out=len(names) - len(shown),
        )

    def text(self, document: str) -> str:
        """Return the text of a document."""
        with self._reading() as index:
            return escape(index.read(_ids_by_name(index).get(document, document)).text)

    def list(
        self,
        pattern: _Pattern = "*",
        start: Annotated[int, Field(ge=0, description="how many names to leave out")] = 0,
    ) -> Documents:
        """Return the names of documents, at most 500 at once.

        Use it to find documents by their names; to find texts, use `search`.
        """
        with self._reading() as index:
            names = _matching_ids(pattern, index)
        return Documents(documents=names[start : start + _PAGE], total=len(names))

    @contextmanager
    def _reading(self) -> Iterator[Index]:
        """Return the index, and raise what goes wrong as errors for the client."""
        try:
            if self._index.is_replaced:
                self._index = Index.load(self._folder)
            yield self._index
        except (ChunkanaError, OSError) as error:
            raise ResourceNotFoundError(str(error)) from error


def _ids_by_name(index: Index) -> dict[str, str]:
    """Return the ids of all documents by their names, which are the ids without lone surrogates."""
    return {escape(one): one for one in index.document_ids()}


def _matching_ids(pattern: str, index: Index) -> list[str]:
    """Return the ids of the documents whose names match a pattern."""
    ids = _ids_by_name(index)
    return [ids[name] for name in matching_names(pattern, ids)]


def _passages(found: Found, budget: int) -> Passages:
    """Return the passages of a search whose JSON fits into a budget.

    Raises:
        ConfigurationError: if none fits.
    """

    def counted(passage: Passage) -> str:
        return FoundPassage.of(passage).to_json()

    around = len(Passages(passages=[]).to_json())
    passages = found.passages(ReadingOptions(budget - around), counted)
    if found.hits and not passages:
        least = found.least_budget(counted) + around
        raise ConfigurationError("budget", budget, f"at least {least}, for the best passage")
    return Passages(passages=[FoundPassage.of(one) for one in passages])
