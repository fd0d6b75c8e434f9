"""What a format of `split` is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from chunkana_core import HierarchicalChunkingResult


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write chunks.

    Attributes:
        render: makes what is written of a document, by its name; runs in any process.
        write: writes what was made of all documents, in order.
        is_text: whether it may go to standard output.
    """

    render: Callable[[str, HierarchicalChunkingResult], Any]
    write: Callable[[Iterator[Any], BinaryIO], None]
    is_text: bool = True


def write_bytes(rendered: Iterator[bytes], out: BinaryIO) -> None:
    """Write one document after the other."""
    out.writelines(rendered)
