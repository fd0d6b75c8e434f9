"""Chunk documents, search them and merge the hits into passages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from time import perf_counter

import chunkana_retrieval as retrieval  # whose index is loaded when it is used
from chunkana_cli.inputs.batch import Batch, Document
from chunkana_cli.output.screen import common_path
from chunkana_cli.streams import on_one_line
from chunkana_core import (
    Chunk,
    ChunkConfig,
    Context,
    HierarchicalChunkingResult,
    MergeNode,
    MergeTree,
)

_TRIALS = 20  # questions
_TOPIC_WORDS = 8


@dataclass(frozen=True, slots=True)
class MergedPassage:
    """A passage to read: a leaf that was hit, or a parent that replaced its children.

    Attributes:
        node: the leaf or parent.
        score: the best score of its hits.
        replaced: the number of children that the parent replaced, 0 for a leaf.
    """

    node: MergeNode
    score: float
    replaced: int = 0

    @property
    def text(self) -> str:
        """The content of a leaf, which may repeat headings, or the exact slice of a parent."""
        return self.node.chunk.content if self.node.is_leaf else self.node.text


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
        documents: the chunked documents; the id of a document in a hit is its index as a str.
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
    hits: Sequence[retrieval.Hit]
    passages: Sequence[tuple[int, MergedPassage]]

    def chunk_of(self, hit: retrieval.Hit) -> Chunk:
        """Return the leaf that was hit."""
        leaves = self.documents[int(hit.document_id)].tree.leaves
        return next(leaf.chunk for leaf in leaves if leaf.node_id == hit.node_id)

    def scores(self, document: int) -> dict[str, float]:
        """Return the scores of the leaves that were hit in a document, by their ids."""
        hits = (hit for hit in self.hits if hit.document_id == str(document))
        return {hit.node_id: hit.score for hit in hits}


def run_demo(  # noqa: PLR0913  # what to search, and four options
    batch: Batch,
    documents: Sequence[Document],
    config: ChunkConfig,
    *,
    question: str | None,
    count: int,
    max_parent_size: int,
) -> DemoRun:
    """Chunk documents, search them and merge.

    Args:
        batch: chunks the documents, and reports failures.
        documents: the documents, of which at least one has text.
        config: the chunking options.
        question: the question, None to choose one about the first document.
        count: the maximum number of hits.
        max_parent_size: the maximum size of a parent that may replace its children.
    """
    start = perf_counter()
    chunked = [*batch.chunk_documents(config, Context(), documents)]
    seconds = perf_counter() - start
    batch.require_any()
    shown = tuple(
        ChunkedDocument(document, result, result.merge_tree(max_parent_size))
        for document, result in chunked
    )
    if question is None:
        question = pick_question(shown[0].result, shown[0].tree, count)
    hits = find_hits([result for _, result in chunked], question, count)
    by_document: dict[int, list[retrieval.Hit]] = {}
    for hit in hits:
        by_document.setdefault(int(hit.document_id), []).append(hit)
    passages = [
        (index, passage)
        for index in sorted(by_document)
        for passage in merge_leaves(shown[index].tree, by_document[index])
    ]
    passages.sort(key=lambda found: -found[1].score)
    return DemoRun(shown, seconds, config, question, hits, passages)


def pick_question(result: HierarchicalChunkingResult, tree: MergeTree, count: int) -> str:
    """Return a question about a large section, if possible one whose hits merge into a parent.

    Args:
        result: the chunks of the document, whose title is no topic if there are others.
        tree: the merge tree of the document.
        count: the number of hits to merge.
    """
    title = on_one_line(result.chunks[0].title if result.chunks else "")
    topics = (topic for topic in _topics(tree) if topic != title)
    questions = [f"What about {topic}?" for topic in islice(topics, _TRIALS)]
    for question in questions:
        passages = merge_leaves(tree, find_hits([result], question, count))
        if passages and not passages[0].node.is_leaf:
            return question
    return questions[0] if questions else f"What about {title}?"


def _topics(tree: MergeTree) -> Iterator[str]:
    """Yield the titles of parents, the largest first, then titles or first words of leaves."""
    seen = {""}
    for node in sorted(tree.nodes, key=lambda node: (node.is_leaf, -len(node.span))):
        topic = on_one_line("".join(common_path(leaves_under(tree, node))[-1:]))
        if node.is_leaf and not topic:
            topic = " ".join(on_one_line(node.text).split()[:_TOPIC_WORDS])
        if topic not in seen:
            seen.add(topic)
            yield topic


def search(
    results: Sequence[HierarchicalChunkingResult], question: str, options: retrieval.SearchOptions
) -> retrieval.Found:
    """Return the leaves of documents that have words of a question, without those by accident.

    The id of a document is its index as a str.
    """
    with retrieval.Index() as index:
        index.update_chunks({str(number): result for number, result in enumerate(results)})
        return index.search(question, options).without_weak_hits()


def find_hits(
    results: Sequence[HierarchicalChunkingResult], question: str, count: int
) -> list[retrieval.Hit]:
    """Return at most `count` leaves with their BM25 scores, the best first."""
    options = retrieval.SearchOptions("lexical", section_weight=0, document_weight=0, fetch_k=count)
    return [replace(hit, score=hit.bm25 or 0.0) for hit in search(results, question, options).hits]


def merge_leaves(tree: MergeTree, hits: Iterable[retrieval.Hit]) -> list[MergedPassage]:
    """Merge the leaves that were hit in a document into passages, the best first.

    A parent replaces its children if more than half of them are hits.
    """
    nodes = {node.node_id: node for node in tree.nodes}
    parents = {node_id: retrieval.Parent.of(node) for node_id, node in nodes.items()}
    found = (replace(hit, parent_id=parents[hit.node_id].parent_id) for hit in hits)
    merged = retrieval.merge_hits(found, parents)
    return [MergedPassage(nodes[one.node_id], one.score, one.merged_children) for one in merged]


def nearly_merged(
    tree: MergeTree, passages: Iterable[MergedPassage]
) -> list[tuple[MergeNode, int]]:
    """Return the parents with several hits, but too few to merge, and the number of hits."""
    counts = Counter(passage.node.parent_id for passage in passages)
    parents = ((tree.get(i), count) for i, count in counts.items() if i is not None and count > 1)
    return [(parent, count) for parent, count in parents if parent is not None]


def children_of(tree: MergeTree, node: MergeNode) -> list[MergeNode]:
    """Return the children of a node, in document order."""
    return [child for child in tree.nodes if child.parent_id == node.node_id]


def leaves_under(tree: MergeTree, node: MergeNode) -> list[Chunk]:
    """Return the leaves under a node, in document order."""
    span = node.span
    return [leaf.chunk for leaf in tree.leaves if span.start <= leaf.span.start < span.end]
