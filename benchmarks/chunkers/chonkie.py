"""Chonkie with its default rules: those for Markdown would have to be downloaded."""

from __future__ import annotations

from collections.abc import Iterator

from chonkie import RecursiveChunker

from benchmarks.chunkers.timed import Timed

PACKAGES = ("chonkie",)


def timed(size: int) -> Iterator[Timed]:
    """Yield the recursive chunker, which looks for line endings and punctuation marks."""
    yield Timed("chonkie `RecursiveChunker`", RecursiveChunker(chunk_size=size).chunk)
