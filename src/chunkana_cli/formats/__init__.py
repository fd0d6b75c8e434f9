"""How `split` writes chunks; a module for each kind of format, and one table of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
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


# Where they are, not what they are: pyarrow takes longer to load than the others to run.
_MODULES = {"jsonl": "jsonl", "text": "text", "markdown": "markdown", "parquet": "parquet"}


def find_format(name: str) -> Format:
    """Return a format by its name.

    Raises:
        ImportError: if it needs a package that is not installed; says what to install.
    """
    module = import_module(f"{__name__}.{_MODULES[name]}")
    found = module.FORMAT
    assert isinstance(found, Format)  # noqa: S101  # for mypy
    return found


def write_bytes(rendered: Iterator[bytes], out: BinaryIO) -> None:
    """Write one document after the other."""
    out.writelines(rendered)
