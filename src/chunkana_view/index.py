"""What an index of pages shows: each document with its sizes, and headings to search."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from chunkana_core import HierarchicalChunkingResult
from chunkana_view.display_text import on_one_line, title_of
from chunkana_view.page import searchable_leaves
from chunkana_view.trees import outline

_MOST_CHARACTERS = 4_000_000  # of all texts; an index with more would be slow to open
Heading = tuple[str, str]  # its title, and the id of the first chunk of its section


@dataclass(frozen=True, slots=True)
class Entry:
    """A page in an index.

    Attributes:
        file: the name of its file, beside the index.
        name: what its document is called.
        title: what the document says its title is, on one line; "" where it says none.
        format: the name of the document's format.
        strategy: the name of the strategy that chunked, "" for a document without text.
        limit: the largest size of a chunk.
        characters: the length of the document.
        chunks: how many chunks the page shows.
        over_limit: how many of them are over the limit.
        headings: of the document, each with the id of the chunk that it is in.
        leaves: what the index's script reads of the chunks worth embedding.
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
        """Return the entry of a result whose page is in a file."""
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
        """Its address, as seen from the index."""
        return address_of(self.file)


def address_of(file: str) -> str:
    """Return the address of a file in the same folder, which cannot be taken for another place's.

    >>> address_of("a b:c.html")
    './a%20b%3Ac.html'
    """
    return f"./{quote(os.fsencode(file), safe='')}"


def collect_entries(entries: Iterable[Entry]) -> list[Entry]:
    """Return entries by the names of their documents, folder by folder, whatever their case.

    Where the documents are too long for an index that has their texts, the entries have none.
    """
    collected: list[Entry] = []
    characters = 0
    for entry in entries:
        characters += entry.characters
        is_long = characters > _MOST_CHARACTERS
        if is_long and characters - entry.characters <= _MOST_CHARACTERS:
            collected = [replace(one, leaves=[]) for one in collected]
        collected.append(replace(entry, leaves=[]) if is_long else entry)
    return sorted(collected, key=lambda entry: (entry.name.casefold().split("/"), entry.name))


def is_askable(entries: Sequence[Entry]) -> bool:
    """Tell whether collected entries have their texts, for questions."""
    return sum(entry.characters for entry in entries) <= _MOST_CHARACTERS


def index_details(entries: Sequence[Entry]) -> list[dict[str, object]]:
    """Return what the index's script reads, JSON-able, one for each entry."""
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
