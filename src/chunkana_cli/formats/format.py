"""What a format of `split` is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from chunkana_batch.rows import FIELDS
from chunkana_core import HierarchicalChunkingResult


@dataclass(frozen=True, slots=True)
class RowOptions:
    """What is written of each chunk, in formats of rows.

    Attributes:
        fields: names of fields, in their order.
        front_matter_keys: keys of front matter to copy into the metadata.
    """

    fields: tuple[str, ...] = tuple(FIELDS)
    front_matter_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowFormat:
    """What formats with a row for each chunk can do besides.

    Attributes:
        select: returns the rows of some numbers, of the rows of a document.
        read: yields the rows of each document from a file, by how many rows each has, in order;
            those of which the flag is false are passed over.
    """

    select: Callable[[Any, Sequence[int]], Any]
    read: Callable[[Path, Iterable[tuple[int, bool]]], Iterator[Any]]


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write chunks.

    Attributes:
        name: by which `--format` knows it.
        suffixes: of files of it, the usual one first.
        render: makes what is written of a document, of the options, its name and its chunks; runs
            in any process.
        write: writes what was made of all documents, in order, to a file.
        is_text: whether it may go to standard output, and be compressed.
        rows: for formats with a row for each chunk, else None.
    """

    name: str
    suffixes: tuple[str, ...]
    render: Callable[[RowOptions, str, HierarchicalChunkingResult], Any]
    write: Callable[[RowOptions, Iterator[Any], BinaryIO], None]
    is_text: bool = True
    rows: RowFormat | None = None


def write_lines(_options: RowOptions, rendered: Iterator[Sequence[bytes]], out: BinaryIO) -> None:
    """Write one document after the other."""
    for lines in rendered:
        out.writelines(lines)
