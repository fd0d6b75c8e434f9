"""The IPython extension: `%load_ext chunkana_view`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chunkana_core import Chunk, HierarchicalChunkingResult
from chunkana_view.rendering import chunk_fragment, result_fragment

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


def load_ipython_extension(ipython: InteractiveShell) -> None:
    """Show results and chunks as HTML tables in a notebook; IPython calls it on `%load_ext`."""
    if ipython.display_formatter is not None:
        formatter = ipython.display_formatter.formatters["text/html"]
        formatter.for_type(HierarchicalChunkingResult, result_fragment)
        formatter.for_type(Chunk, chunk_fragment)
