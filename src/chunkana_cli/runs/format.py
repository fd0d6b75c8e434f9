"""The type of an output format, and the options of those that write rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from chunkana_batch.rows import FIELDS
from chunkana_core import HierarchicalChunkingResult


@dataclass(frozen=True, slots=True)
class RowOptions:
    """The options of formats that write a row for each chunk.

    Attributes:
        fields: the names of the fields to write, in order.
        front_matter_keys: front matter keys to copy into the metadata.
    """

    fields: tuple[str, ...] = tuple(FIELDS)
    front_matter_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """An output format.

    Attributes:
        name: the value of `--format`.
        suffixes: the suffixes of files in this format, the usual one first.
        render: renders a document, from the options, its name and its chunks, as a list with an
            item for each row; called in worker processes.
        write: writes rendered documents, in order, to a file.
        read: for a format with a row for each chunk, yields the rows of documents from a file,
            given for each document, in order, its number of rows and whether to yield or skip them.
        is_text: whether the format may be written to standard output, and compressed.
    """

    name: str
    suffixes: tuple[str, ...]
    render: Callable[[RowOptions, str, HierarchicalChunkingResult], list[Any]]
    write: Callable[[RowOptions, Iterator[Any], BinaryIO], None]
    read: Callable[[Path, Iterable[tuple[int, bool]]], Iterator[Any]] | None = None
    is_text: bool = True
