"""The bare parse, and Chunkana without a framework."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.chunkers.timed import Timed
from benchmarks.run import bare_parse
from chunkana_core import ChunkConfig, HierarchicalChunkingResult, MarkdownChunker

PACKAGES = ()
BARE = "markdown-it-py, the bare parse"


def timed(size: int) -> Iterator[Timed]:
    """Yield the bare parse, to which all times are relative, and the whole hierarchy."""
    yield Timed(BARE, bare_parse(), count=None, parses=True)
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=size))
    yield Timed("Chunkana `chunk_hierarchical`", chunker.chunk_hierarchical, _leaves, parses=True)


def _leaves(result: HierarchicalChunkingResult) -> int:
    return len(result.get_leaves())
