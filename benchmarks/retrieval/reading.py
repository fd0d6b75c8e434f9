"""What a reader is handed over for a budget that counts all of it, found by words alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.printing import print_table
from benchmarks.retrieval.metrics import BUDGETS, overlap
from benchmarks.retrieval.ours import SIZES
from benchmarks.retrieval.questions import Collection
from benchmarks.retrieval.ranking import Words, ranked
from chunkana_core import Chunk, ChunkConfig, Context, MarkdownChunker, Span
from chunkana_retrieval import Hit, LexicalEntry, LexicalIndex, assemble, propagate_hits

Ranges = list[tuple[int, Span]]
_CANDIDATES = 60
_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Leaf:
    """A chunk, and the number of its document."""

    document: int
    chunk: Chunk


def leaves(collection: Collection, size: int) -> list[Leaf]:
    """Return the chunks of all documents, as `ChunkanaSplitter` makes them."""
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=size, atomic_blocks="split"), Context())
    return [
        Leaf(number, chunk)
        for number, text in enumerate(collection.texts)
        for chunk in chunker.chunk_hierarchical(text.text).get_flat_chunks()
    ]


def as_embedded(order: Sequence[Leaf], budget: int) -> Iterator[tuple[int, Span]]:
    """Yield the ranges in chunks that are handed over as they are embedded, the last one cut."""
    left = budget
    for leaf in order:
        span = leaf.chunk.span
        before = len(leaf.chunk.embedded) - len(leaf.chunk.content) + leaf.chunk.text_offset
        shown = min(len(span), left - before)
        if shown > 0:
            yield leaf.document, Span(span.start, span.start + shown)
        left -= len(leaf.chunk.embedded) + len(_BETWEEN)


def readings(
    collection: Collection, found: Sequence[Leaf], words: Words
) -> Iterator[tuple[str, Callable[[int, int], Ranges]]]:
    """Yield ways to search and read: the ranges of documents for a question and a budget."""
    texts = [leaf.chunk.embedded for leaf in found]
    order = ranked(words.scores(texts, [question.text for question in collection.questions]))
    yield "chunks", lambda asked, budget: [*as_embedded([found[n] for n in order[asked]], budget)]
    index = LexicalIndex(LexicalEntry.of_chunk(leaf.chunk, str(leaf.document)) for leaf in found)
    hits = {
        (str(leaf.document), leaf.chunk.chunk_id): Hit.of_chunk(leaf.chunk, 0, str(leaf.document))
        for leaf in found
    }
    sources = {str(number): text.text for number, text in enumerate(collection.texts)}

    def assembled(asked: int, budget: int) -> Ranges:
        best = propagate_hits(index.search(collection.questions[asked].text, _CANDIDATES))
        chosen = [replace(hits[hit.document_id, hit.node_id], score=hit.score) for hit in best]
        passages = assemble(chosen, budget, sources=sources)
        return [(int(passage.document_id), span) for passage in passages for span in passage.spans]

    yield "assembled", assembled


def print_readings(collection: Collection, words: Words) -> None:
    """Print the recall of each way, at every size and budget."""

    def rows() -> Iterator[Sequence[str]]:
        for size in SIZES:
            for name, read in readings(collection, leaves(collection, size), words):
                recalls = (
                    np.mean([
                        overlap(question, read(asked, budget)).recall
                        for asked, question in enumerate(collection.questions)
                    ])
                    for budget in BUDGETS
                )  # fmt: skip
                yield name, str(size), *(f"{recall:.3f}" for recall in recalls)

    head = ("read", "size", *(f"recall within {budget:,}" for budget in BUDGETS))
    print_table("Words alone, everything handed over counted", head, rows())
