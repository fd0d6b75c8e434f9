"""Print how fast `ChunkanaSplitter` is beside the splitters that LangChain has for Markdown.

All make LangChain documents of the same texts, 1,000 characters each at most, without overlap, and
are timed in turn, in one process. Only the ratios say much: they are medians over the rounds, and
depend on the machine far less than the times do. The other splitters do less for their time: they
search for separators or for lines that start with `#`, and do not parse.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median

from langchain_core.documents import Document
from langchain_text_splitters import (
    Language,
    MarkdownHeaderTextSplitter,
    MarkdownTextSplitter,
    RecursiveCharacterTextSplitter,
    TextSplitter,
)

from chunkana_langchain import ChunkanaSplitter

if __name__ == "__main__":
    # Python looks first in the folder of the script, where this file would pass for the package
    # `langchain`. With the project's root there instead, the other benchmark can be imported.
    sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.run import documents, interleaved, joined, machine, print_table, ratio

_Task = Callable[[str], object]

_CHUNK_SIZE = 1000
_OURS = "ChunkanaSplitter"
_ROUNDS = 9
_STEPS = {250_000: 7, 1_000_000: 5, 4_000_000: 3}  # size: rounds
_QUICK_STEPS = {250_000: 1, 1_000_000: 1}


def tasks() -> dict[str, _Task]:
    """Return what is timed."""
    recursive = RecursiveCharacterTextSplitter.from_language(
        Language.MARKDOWN, chunk_size=_CHUNK_SIZE, chunk_overlap=0
    )
    headers = MarkdownHeaderTextSplitter([("#" * n, f"Header {n}") for n in range(1, 7)])
    return {
        _OURS: splitting(ChunkanaSplitter(chunk_size=_CHUNK_SIZE)),
        "RecursiveCharacterTextSplitter for Markdown": splitting(recursive),
        "MarkdownTextSplitter": splitting(
            MarkdownTextSplitter(chunk_size=_CHUNK_SIZE, chunk_overlap=0)
        ),
        "MarkdownHeaderTextSplitter, sections of any size": headers.split_text,
        "the same, its sections split by the recursive one": lambda text: recursive.split_documents(
            headers.split_text(text)
        ),
    }


def splitting(splitter: TextSplitter) -> _Task:
    """Return a task that splits a text as a loader gives it: in a document with a source."""

    def split(text: str) -> object:
        return splitter.split_documents([Document(page_content=text, metadata={"source": "a.md"})])

    return split


def speed(texts: Sequence[str], rounds: int) -> None:
    """Print how fast each splitter is on many documents."""
    size = sum(map(len, texts))
    times = interleaved(tasks(), texts, rounds)
    print_table(
        f"Speed on {len(texts):,} documents: {size:,} characters, {rounds} rounds",
        ("", "characters per second", f"time, {_OURS} = 1"),
        (
            (task, f"{size / median(took):,.0f}", f"{ratio(times, task, _OURS):.2f}")
            for task, took in times.items()
        ),
    )


def growth(texts: Sequence[str], steps: dict[int, int]) -> None:
    """Print how speed changes with the size of one document; the mix of texts stays the same."""
    speeds: dict[str, list[float]] = {name: [] for name in tasks()}
    for size, rounds in steps.items():
        for name, took in interleaved(tasks(), [joined(texts, size)], rounds).items():
            speeds[name].append(size / median(took))

    def rows() -> Iterable[Sequence[str]]:
        for name, found in speeds.items():
            yield name, *(f"{value:,.0f}" for value in found), f"{found[-1] / found[0]:.2f}"

    head = ("", *(f"{size:,} characters" for size in steps), "last / first")
    print_table("Growth of one document, characters per second", head, rows())


def run(*, quick: bool) -> None:
    """Print all tables."""
    packages = ("langchain-core", "langchain-text-splitters")
    print(machine())
    print(f"- beside: {', '.join(f'{name} {version(name)}' for name in packages)}", flush=True)
    texts = documents()
    speed(texts[::4] if quick else texts, 3 if quick else _ROUNDS)
    growth(texts[::4], _QUICK_STEPS if quick else _STEPS)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Compare the speed of splitters for LangChain.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller documents")
    run(quick=parser.parse_args().quick)


if __name__ == "__main__":
    main()
