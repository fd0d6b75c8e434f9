"""semantic-text-splitter, which is written in Rust and parses with pulldown-cmark."""

from __future__ import annotations

from collections.abc import Iterator

from semantic_text_splitter import MarkdownSplitter

from benchmarks.chunkers.timed import Timed

PACKAGES = ("semantic-text-splitter",)


def timed(size: int) -> Iterator[Timed]:
    """Yield the splitter for Markdown, with the offsets of its chunks."""
    chunk = MarkdownSplitter(size).chunk_indices
    yield Timed("semantic-text-splitter `MarkdownSplitter` (Rust)", chunk, parses=True)
