"""The entries of an index of pages: each document with its sizes, headings and texts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from chunkana_core import HierarchicalChunkingResult
from chunkana_view.display_text import on_one_line, title_of
from chunkana_view.page import searchable_leaves
from chunkana_view.trees import outline

_MAX_CHARACTERS = 4_000_000  # of all texts in an index; a larger index would be slow to open
Heading = tuple[str, str]  # the title, and the id of the first chunk of the section


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry of a page in an index.

    Attributes:
        file: the file name of the page, in the folder of the index.
        name: the name of the document.
        title: the title of the document on one line, "" if it has none.
        format: the name of the document's format.
        strategy: the name of the strategy, "" for a document without text.
        limit: the largest size of a chunk.
        characters: the length of the document.
        chunks: the number of chunks in the page.
        over_limit: the number of chunks over the limit.
        headings: the headings of the document, each with the id of a chunk.
        leaves: the data of the indexable leaves for the search in the index's script.
    """

    file: str
    name: str
    title: str
    format: str
    strategy: str
    limit: int
    characters: int
    chunks: int
    over_limit: int
    headings: tuple[Heading, ...]
    leaves: list[dict[str, object]] = field(repr=False)

    @classmethod
    def of(cls, file: str, name: str, result: HierarchicalChunkingResult) -> Entry:
        """Return the entry of a result; `file` is the file name of its page."""
        leaves = result.get_leaves()
        headings = outline(result) if leaves else ()
        return cls(
            file,
            name,
            title_of(result.title),
            result.format,
            result.strategy_used if leaves else "",
            result.max_chunk_size,
            len(result.text),
            len(leaves),
            sum(leaf.size > result.max_chunk_size for leaf in leaves),
            tuple((row.title, on_one_line(leaves[row.first].chunk_id)) for row in headings),
            searchable_leaves(result),
        )

    @property
    def address(self) -> str:
        """The URL of the page, relative to the index."""
        return address_of(self.file)


def address_of(file: str) -> str:
    """Return the relative URL of a file in the same folder, quoted so that it cannot be absolute.

    >>> address_of("a b:c.html")
    './a%20b%3Ac.html'
    """
    return f"./{quote(os.fsencode(file), safe='')}"


def collect_entries(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries sorted by folder and name, ignoring case.

    If the texts of all documents are too long for an index, the entries have no leaves.
    """
    collected: list[Entry] = []
    characters = 0
    for entry in entries:
        characters += entry.characters
        is_long = characters > _MAX_CHARACTERS
        if is_long and characters - entry.characters <= _MAX_CHARACTERS:
            collected = [replace(one, leaves=[]) for one in collected]
        collected.append(replace(entry, leaves=[]) if is_long else entry)
    return sorted(collected, key=lambda entry: (entry.name.casefold().split("/"), entry.name))


def is_askable(entries: Sequence[Entry]) -> bool:
    """Return whether collected entries have their leaves, which searching needs."""
    return sum(entry.characters for entry in entries) <= _MAX_CHARACTERS


def index_details(entries: Sequence[Entry]) -> list[dict[str, object]]:
    """Return the data of each entry for the index's script, as values for JSON."""
    return [
        {
            "characters": entry.characters,
            "chunks": entry.chunks,
            "over_limit": entry.over_limit,
            "headings": entry.headings,
            "leaves": entry.leaves,
        }
        for entry in entries
    ]
