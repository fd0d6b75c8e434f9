"""Hits to assemble: of documents as they are chunked, of made Markdown, and of any ranges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from hypothesis import strategies as st

from chunkana_core import ChunkConfig, MarkdownChunker, Span
from chunkana_retrieval import Hit, Passage, assemble
from tests.strategies import any_markdown

Measure = Callable[[str], float]


class Search(NamedTuple):
    """Documents, whether `assemble` is given them, and hits in them, the best first."""

    sources: dict[str, str]
    is_joined: bool
    hits: list[Hit]

    def assemble(self, budget: float, length: Measure = len) -> list[Passage]:
        """Return what to read."""
        return assemble(self.hits, budget, length, self.sources if self.is_joined else None)


def leaves(text: str, max_chunk_size: int = 100, document_id: str = "a.md") -> list[Hit]:
    """Return the leaves of a document as hits, in order; small ones stay apart."""
    config = ChunkConfig(max_chunk_size=max_chunk_size, min_chunk_size=0, atomic_blocks="split")
    chunks = MarkdownChunker(config).chunk(text)
    return [Hit.of_chunk(chunk, 1 / (n + 1), document_id) for n, chunk in enumerate(chunks)]


@st.composite
def searches(draw: st.DrawFn) -> Search:
    """Make documents and hits: leaves of two sizes, and ranges that are no chunks."""
    sources = {name: draw(any_markdown()) for name in draw(st.sampled_from(["a", "ab"]))}
    hits: list[Hit] = []
    for name, text in sources.items():
        for size in (40, 120):
            hits += leaves(text, size, name)
        for _ in range(draw(st.integers(0, 2)) if text else 0):
            start = draw(st.integers(0, len(text) - 1))
            end = draw(st.integers(start + 1, len(text)))
            path = draw(st.lists(st.sampled_from(["A", "B"]), max_size=3))
            hits.append(
                Hit("?", 0.5, None, name, span=Span(start, end), path=tuple(path),
                    text=text[start:end], start_line=1)
            )  # fmt: skip
    found = draw(st.lists(st.sampled_from(hits), max_size=8)) if hits else []
    return Search(
        sources, draw(st.booleans()), [replace(hit, score=-float(n)) for n, hit in enumerate(found)]
    )


def shown(passages: Sequence[Passage]) -> set[tuple[str, int]]:
    """Return the characters of documents that passages show."""
    return {
        (passage.document_id, offset)
        for passage in passages
        for span in passage.spans
        for offset in range(span.start, span.end)
    }


def found(hits: Sequence[Hit]) -> set[tuple[str, int]]:
    """Return the characters of documents that hits are."""
    return {(hit.document_id, n) for hit in hits for n in range(hit.span.start, hit.span.end)}


def handed_over(passages: Sequence[Passage]) -> str:
    return "\n\n".join(passage.text for passage in passages)


def said(source: Mapping[str, str], characters: set[tuple[str, int]]) -> set[tuple[str, int]]:
    """Return the characters that are no white space."""
    return {(name, n) for name, n in characters if not source[name][n].isspace()}
