"""What a format of `split` is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from chunkana_core import HierarchicalChunkingResult


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write chunks.

    Attributes:
        render: makes what is written of a document, of the keys of front matter that are asked for,
            its name, and its chunks; runs in any process.
        write: writes what was made of all documents, in order.
        is_text: whether it may go to standard output.
        has_metadata: whether metadata is written, and so keys of front matter may be.
    """

    render: Callable[[Sequence[str], str, HierarchicalChunkingResult], Any]
    write: Callable[[Iterator[Any], BinaryIO], None]
    is_text: bool = True
    has_metadata: bool = False


def front_matter_of(result: HierarchicalChunkingResult, keys: Sequence[str]) -> dict[str, object]:
    """Return what the front matter of a document says under some keys."""
    data = result.front_matter if keys else {}
    return {key: data[key] for key in keys if key in data}


def write_bytes(rendered: Iterator[bytes], out: BinaryIO) -> None:
    """Write one document after the other."""
    out.writelines(rendered)
