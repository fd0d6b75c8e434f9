"""Run the demonstration: chunk documents, search for a question, merge the hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from chunkana_cli.demo.auto_merge import Passage, merge_leaves
from chunkana_cli.demo.question import pick_question
from chunkana_cli.reading.batch import Batch
from chunkana_cli.reading.documents import Document
from chunkana_cli.search import FoundChunk, find_chunks
from chunkana_core import ChunkConfig, Context, HierarchicalChunkingResult, MergeTree


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The options of searching and merging.

    Attributes:
        hits: the maximum number of hits.
        max_parent_size: the maximum size of a parent that may replace its children.
    """

    hits: int
    max_parent_size: int


@dataclass(frozen=True, slots=True)
class ChunkedDocument:
    """A document with its chunks and merge tree.

    Attributes:
        document: the document.
        result: the chunks of the document.
        tree: the merge tree of the chunks.
    """

    document: Document
    result: HierarchicalChunkingResult
    tree: MergeTree


@dataclass(frozen=True, slots=True)
class DemoRun:
    """The results that the demonstration shows.

    Attributes:
        documents: the chunked documents.
        seconds: the duration of chunking.
        config: the chunking options.
        question: the question.
        hits: the leaves that were found, the best first.
        passages: pairs of the index of a document and a passage, the best first.
    """

    documents: tuple[ChunkedDocument, ...]
    seconds: float
    config: ChunkConfig
    question: str
    hits: list[FoundChunk]
    passages: list[tuple[int, Passage]]


def run_demo(
    batch: Batch,
    documents: Sequence[Document],
    question: str | None,
    retrieval: Retrieval,
    config: ChunkConfig,
) -> DemoRun:
    """Chunk documents, search them and merge.

    Args:
        batch: chunks the documents, and reports failures.
        documents: the documents, of which at least one has text.
        question: the question, None to choose one about the first document.
        retrieval: the options of searching and merging.
        config: the chunking options.
    """
    start = perf_counter()
    chunked = [*batch.chunk_documents(config, Context(), documents)]
    seconds = perf_counter() - start
    batch.require_any()
    results = [result for _, result in chunked]
    trees = [result.merge_tree(retrieval.max_parent_size) for result in results]
    if question is None:
        title = results[0].chunks[0].title if results[0].chunks else ""
        question = pick_question(results[0], trees[0], title, retrieval.hits)
    hits = find_chunks(results, question, retrieval.hits)
    shown = tuple(ChunkedDocument(*pair, tree) for pair, tree in zip(chunked, trees, strict=True))
    return DemoRun(shown, seconds, config, question, hits, _merged(trees, hits))


def _merged(trees: Sequence[MergeTree], hits: Sequence[FoundChunk]) -> list[tuple[int, Passage]]:
    """Merge the hits within each document, and sort all passages by score."""
    passages: list[tuple[int, Passage]] = []
    for index, tree in enumerate(trees):
        scores = {hit.chunk.chunk_id: hit.score for hit in hits if hit.document == index}
        passages += [(index, passage) for passage in merge_leaves(tree, scores)]
    return sorted(passages, key=lambda found: -found[1].score)
