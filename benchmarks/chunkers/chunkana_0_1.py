"""Chunkana 0.1.6, the predecessor of this project; needs Python 3.12."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from chunkana import ChunkerConfig, MarkdownChunker

from benchmarks.chunkers.timed import Timed

PACKAGES = ("chunkana",)
_SMALLEST = 8  # chunks that are smaller than such a part of the limit are merged, as by default


def timed(size: int) -> Iterator[Timed]:
    """Yield its hierarchical chunking, which finds headings and fences by regular expressions."""
    logging.getLogger("chunkana").setLevel(logging.ERROR)  # it warns of much, on standard error
    config = ChunkerConfig(max_chunk_size=size, min_chunk_size=size // _SMALLEST, overlap_size=0)
    chunk = MarkdownChunker(config).chunk_hierarchical
    yield Timed("chunkana 0.1.6 `chunk_hierarchical`", chunk, _leaves)


def _leaves(result: Any) -> int:  # noqa: ANN401  # without types
    return len(result.get_flat_chunks())
