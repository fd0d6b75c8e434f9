"""The demonstration: chunk documents, ask a question, merge what is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from chunkana_cli.demo.auto_merge import Passage, merge_leaves
from chunkana_cli.demo.question import pick_question
from chunkana_cli.reading.documents import Document, report_fallbacks
from chunkana_cli.searching.search import FoundChunk, Index
from chunkana_core import ChunkConfig, Chunker, Context, HierarchicalChunkingResult, MergeTree


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How to search and merge.

    Attributes:
        hits: the most leaves to find.
        max_parent_size: of what they may merge into.
    """

    hits: int
    max_parent_size: int


@dataclass(frozen=True, slots=True)
class Chunked:
    """A document and what became of it.

    Attributes:
        document: as it was read.
        result: its chunks.
        tree: what may merge.
    """

    document: Document
    result: HierarchicalChunkingResult
    tree: MergeTree


@dataclass(frozen=True, slots=True)
class Demo:
    """All that the demonstration shows.

    Attributes:
        chunked: the documents.
        seconds: what it took to chunk them.
        config: how they were chunked.
        question: as it was asked.
        hits: the leaves that were found, the best first.
        passages: what to read for them, each with the index of its document, the best first.
    """

    chunked: tuple[Chunked, ...]
    seconds: float
    config: ChunkConfig
    question: str
    hits: list[FoundChunk]
    passages: list[tuple[int, Passage]]


def run_demo(
    documents: Sequence[Document], question: str | None, retrieval: Retrieval, config: ChunkConfig
) -> Demo:
    """Chunk documents, search them and merge.

    Args:
        documents: one or more, of which at least one has text.
        question: None for one about the first document.
        retrieval: how to search and merge.
        config: how to chunk.
    """
    start = perf_counter()
    chunker = Chunker(config, Context())
    results = [chunker.chunk_hierarchical(document.text, document.format) for document in documents]
    seconds = perf_counter() - start
    report_fallbacks(documents, results)
    trees = [result.merge_tree(retrieval.max_parent_size) for result in results]
    if question is None:
        title = results[0].chunks[0].title if results[0].chunks else ""
        question = pick_question(Index.of(results[:1]), trees[0], title, retrieval.hits)
    hits = Index.of(results).search(question, retrieval.hits)
    chunked = tuple(map(Chunked, documents, results, trees))
    return Demo(chunked, seconds, config, question, hits, _merged(trees, hits))


def _merged(trees: Sequence[MergeTree], hits: Sequence[FoundChunk]) -> list[tuple[int, Passage]]:
    """Merge within each document; rank the passages of all."""
    passages: list[tuple[int, Passage]] = []
    for index, tree in enumerate(trees):
        scores = {hit.chunk.chunk_id: hit.score for hit in hits if hit.document == index}
        passages += [(index, passage) for passage in merge_leaves(tree, scores)]
    return sorted(passages, key=lambda found: -found[1].score)
