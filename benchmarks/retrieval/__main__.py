"""Print what chunks are worth for retrieval: ours, and those of other splitters for Markdown.

Run as `python -m benchmarks.retrieval FOLDER`. The folder has documents, `corpus/*.md`, and
`questions.jsonl`, an object a line: `doc`, `question`, `kind`, and `spans`, the exact ranges of the
answer's characters. All documents are searched at once, by BM25, by embeddings of all-MiniLM-L6-v2,
and by both: scores divided by the question's best, BM25's weighted 0.3. Passages are taken in
order until a budget of characters is full, and the last is cut; what counts is their source text.
A difference is in brackets with the bounds that hold 95 % of 10,000 resamples of the questions.
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
from benchmarks.retrieval.measuring import BASES, Bench, Outcomes
from benchmarks.retrieval.misses import misses
from benchmarks.retrieval.passages import Chunker, Passages
from benchmarks.retrieval.questions import Collection, load, without_headings
from benchmarks.retrieval.ranking import Words
from benchmarks.retrieval.reading import print_readings
from benchmarks.retrieval.report import KINDS_AT, Report, chunks

_ROOT = Path(__file__).parents[2]
_FOLDER = Path(os.environ.get("CHUNKANA_SHARED", _ROOT.parent / "shared")) / "retrieval"
_CACHE = _ROOT / ".embeddings.sqlite"
_PACKAGES = ("langchain-text-splitters", "llama-index-core", "semantic-text-splitter", "chonkie")
_NO_SIZE = 0  # of chunkers that have none


def systems() -> Iterator[tuple[str, int, Chunker]]:
    """Yield every chunker at every size."""
    for chunkers, sizes in (
        (ours.OURS | ours.LABELLED, ours.SIZES),
        (peers.PEERS | peers.LABELLED, peers.SIZES),
        (peers.UNSIZED, (_NO_SIZE,)),
    ):
        for name, chunker in chunkers.items():
            yield from ((name, size, chunker) for size in sizes)


def plain_systems() -> Iterator[tuple[str, int, Chunker]]:
    """Yield what is compared on documents without headings."""
    chunkers = {name: ours.OURS[name] for name in ours.PLAIN}
    chunkers[peers.RECURSIVE] = peers.recursive
    for name, chunker in chunkers.items():
        yield from ((name, size, chunker) for size in ours.SIZES)


def measured(
    bench: Bench, chosen: Iterator[tuple[str, int, Chunker]]
) -> tuple[Outcomes, dict[tuple[str, int], Passages]]:
    """Return what systems find, and the passages that they find it among."""
    outcomes: Outcomes = {}
    made: dict[tuple[str, int], Passages] = {}
    for name, size, chunker in chosen:
        found = made[name, size] = bench.split(chunker, size)
        outcomes |= bench.measure(name, size, found)
    return outcomes, made


def compare(bench: Bench) -> None:
    """Print all tables on documents as they are."""
    outcomes, made = measured(bench, systems())
    kinds = [question.kind for question in bench.collection.questions]
    rivals = peers.PEERS | peers.UNSIZED
    report, labelled = Report(outcomes, rivals, kinds), Report(outcomes, peers.LABELLED, kinds)
    bases = [base for base in BASES if report.searches(base)]
    chunks(made)
    for base in bases:
        report.by_chunker(base, [*ours.OURS, *rivals])
        labelled.by_chunker(
            base, [*ours.LABELLED, *peers.LABELLED], ", the document's path in front of each text"
        )
    for base in bases:
        report.by_option(base, ours.OURS)
    report.by_kind(
        report.best(names, search, KINDS_AT)
        for base in bases
        for search in report.searches(base)
        for names in (ours.OURS, rivals)
    )
    report.every_size(bases)


def compare_plain(bench: Bench) -> None:
    """Print how we do on documents without headings."""
    outcomes, _ = measured(bench, plain_systems())
    kinds = [question.kind for question in bench.collection.questions]
    report = Report(outcomes, (peers.RECURSIVE,), kinds)
    bases = [base for base in BASES if report.searches(base)]
    print("\n## Without headings")
    for base in bases:
        report.by_chunker(base, [*ours.PLAIN, peers.RECURSIVE])
    report.every_size(bases)


def print_misses(bench: Bench, name: str, size: int, search: str) -> None:
    """Print which answers one of our systems misses, and why."""
    found = bench.split((ours.OURS | ours.LABELLED)[name], size).found
    scores = dict(bench.scores(found))
    for said in misses(bench.collection, found, scores[search], KINDS_AT):
        print(said)


def run(collection: Collection, words: Words, embeddings: Embeddings | None) -> None:
    """Print everything."""
    print(machine(_PACKAGES))
    print(f"- {len(collection.texts)} documents, {len(collection.questions)} questions")
    print(f"- BM25: bm25s {version('bm25s')}, {'' if words.is_stemmed else 'not '}stemmed")
    print_readings(collection, words)
    compare(Bench(collection, words, embeddings))
    compare_plain(Bench(without_headings(collection), words, embeddings))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure what chunks are worth for retrieval.")
    parser.add_argument(
        "folder", nargs="?", type=Path, default=_FOLDER, help="what to ask, of what"
    )
    parser.add_argument("--stem", action="store_true", help="stem words for BM25")
    parser.add_argument("--words-only", action="store_true", help="BM25 alone: embed nothing")
    parser.add_argument("--embeddings", type=Path, default=_CACHE, help="where they are kept")
    parser.add_argument(
        "--misses", nargs=3, metavar=("CHUNKER", "SIZE", "SEARCH"), help="print them, and no tables"
    )
    given = parser.parse_args()
    embeddings = None if given.words_only else Embeddings(given.embeddings)
    words = Words(is_stemmed=given.stem)
    if given.misses:
        name, size, search = given.misses
        print_misses(Bench(load(given.folder), words, embeddings), name, int(size), search)
    else:
        run(load(given.folder), words, embeddings)


if __name__ == "__main__":
    main()
