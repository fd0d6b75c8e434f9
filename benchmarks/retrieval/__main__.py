"""Measure retrieval with chunks of Chunkana and of other splitters for Markdown.

Run as `python -m benchmarks.retrieval FOLDER`. The folder has documents, `corpus/*.md`, and
`questions.jsonl`, with an object on each line: `doc`, `question`, `kind`, and `spans`, the exact
character ranges of the answer. All documents are searched together, by embeddings of
all-MiniLM-L6-v2, by BM25, and by both. Hits are read in order until a budget is full; the budget
counts either all text given to the reader, or characters of the source only. Brackets contain the
95 % confidence interval of a difference, from 10,000 resamples of the questions.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from benchmarks.printing import machine
from benchmarks.retrieval import ours, peers
from benchmarks.retrieval.embeddings import Embeddings
from benchmarks.retrieval.measuring import Bench, Outcomes
from benchmarks.retrieval.metrics import COUNTED
from benchmarks.retrieval.passages import Chunker, Passages, passages
from benchmarks.retrieval.questions import Collection, load, without_headings
from benchmarks.retrieval.report import Report, print_chunks

_ROOT = Path(__file__).parents[2]
_FOLDER = Path(os.environ.get("CHUNKANA_SHARED", _ROOT.parent / "shared")) / "retrieval"
_CACHE = _ROOT / ".embeddings.sqlite"
_PACKAGES = ("langchain-text-splitters", "llama-index-core", "semantic-text-splitter", "chonkie")
_NO_SIZE = 0  # for chunkers without a size
_READING = f"{ours.SPLITTER}, propagated, assembled"


def systems() -> Iterator[tuple[str, int, Chunker]]:
    """Yield every chunker at every size."""
    for chunkers, sizes in (
        (ours.OURS, ours.SIZES),
        (peers.PEERS, peers.SIZES),
        (peers.UNSIZED, (_NO_SIZE,)),
    ):
        for name, chunker in chunkers.items():
            yield from ((name, size, chunker) for size in sizes)


def plain_systems() -> Iterator[tuple[str, int, Chunker]]:
    """Yield the chunkers to compare on documents without headings, at every size."""
    chunkers = {name: ours.OURS[name] for name in ours.PLAIN}
    chunkers[peers.RECURSIVE] = peers.recursive
    for name, chunker in chunkers.items():
        yield from ((name, size, chunker) for size in ours.SIZES)


def measured(bench: Bench, chosen: Iterator[tuple[str, int, Chunker]]) -> Report:
    """Measure systems and Chunkana's assembly, and print the chunks that each system makes."""
    outcomes, made = Outcomes(), dict[tuple[str, int], Passages]()
    for size in ours.SIZES:
        outcomes |= bench.measure_reading(_READING, size)
    for name, size, chunker in chosen:
        found = made[name, size] = passages(chunker, bench.collection.texts, size)
        outcomes |= bench.measure(name, size, found)
    print_chunks(made)
    kinds = [question.kind for question in bench.collection.questions]
    rivals = {name for name, _ in made if name not in ours.OURS}
    return Report(outcomes, rivals, kinds)


def run(collection: Collection, embeddings: Embeddings | None) -> None:
    """Run all measurements and print them."""
    print(machine(_PACKAGES))
    print(f"- {len(collection.texts)} documents, {len(collection.questions)} questions")
    print(f"- BM25: bm25s {version('bm25s')}, of the words that `words_of` returns")
    report = measured(Bench(collection, embeddings), systems())
    for counted in COUNTED:
        report.print_best(counted)
    report.print_kinds()
    report.print_sizes()
    print("\n## Without headings")
    report = measured(Bench(without_headings(collection), embeddings), plain_systems())
    report.print_best("handed over")


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description="Measure what chunks are worth for retrieval.")
    parser.add_argument(
        "folder", nargs="?", type=Path, default=_FOLDER, help="what to ask, of what"
    )
    parser.add_argument("--words-only", action="store_true", help="BM25 alone: embed nothing")
    parser.add_argument("--embeddings", type=Path, default=_CACHE, help="where they are kept")
    given = parser.parse_args()
    run(load(given.folder), None if given.words_only else Embeddings(given.embeddings))


if __name__ == "__main__":
    main()
