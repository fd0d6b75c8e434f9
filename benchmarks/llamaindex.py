"""Print how fast `MarkdownHierarchyNodeParser` is beside the node parsers of LlamaIndex.

All make LlamaIndex nodes of the same texts and are timed in turn, in one process, in processor
time. Only the ratios say much: they are medians over the rounds, and depend on the machine far
less than the times do. The others do less for their time: they look for lines that start with `#`
or for sentences, and do not parse.

`SentenceSplitter` and `HierarchicalNodeParser` count tokens. Here both count words and punctuation
marks, with a regular expression: it needs no download, and is faster than a model's tokenizer. Of
LlamaIndex's own defaults, sizes among them, nothing else is changed.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median

from llama_index.core import Document
from llama_index.core.node_parser import (
    HierarchicalNodeParser,
    MarkdownNodeParser,
    NodeParser,
    SentenceSplitter,
)
from llama_index.core.schema import BaseNode
from llama_index.core.utils import set_global_tokenizer

from chunkana_llamaindex import MarkdownHierarchyNodeParser

if __name__ == "__main__":
    # Python looks first in the folder of the script, where `langchain.py` would pass for another
    # package. With the project's root there instead, the other benchmark can be imported.
    sys.path[0] = str(Path(__file__).parents[1])

from benchmarks.run import documents, interleaved, joined, machine, print_table, ratio

_Task = Callable[[str], object]

_MAX_CHUNK_SIZE = 1000
_TOKEN = re.compile(r"\w+|[^\w\s]")
_OURS, _MARKDOWN = "MarkdownHierarchyNodeParser", "MarkdownNodeParser"
_ROUNDS = 7
_STEPS = {250_000: 7, 500_000: 5, 1_000_000: 3}  # size: rounds
_LARGE_STEPS = {2_000_000: 3, 4_000_000: 3}  # too large for the other
_QUICK_STEPS = {125_000: 1, 250_000: 1}
_QUICK_LARGE_STEPS = {500_000: 1}


def tokens(text: str) -> list[str]:
    """Return the words and punctuation marks of a text."""
    return _TOKEN.findall(text)


def parsers() -> dict[str, NodeParser]:
    """Return what is timed."""
    set_global_tokenizer(tokens)  # before the others are made, which would load tiktoken's
    return {
        _OURS: MarkdownHierarchyNodeParser(max_chunk_size=_MAX_CHUNK_SIZE),
        _MARKDOWN: MarkdownNodeParser(),
        "SentenceSplitter": SentenceSplitter(),
        "HierarchicalNodeParser": HierarchicalNodeParser.from_defaults(),
    }


def parse(parser: NodeParser, text: str) -> list[BaseNode]:
    """Parse a text as a reader gives it: in a document with a file name."""
    return parser.get_nodes_from_documents([Document(text=text, metadata={"file_name": "a.md"})])


def tasks() -> dict[str, _Task]:
    """Return what is timed, as functions of a text."""
    return {name: partial(parse, parser) for name, parser in parsers().items()}


def speed(texts: Sequence[str], rounds: int) -> None:
    """Print how fast each parser is on many documents."""
    size = sum(map(len, texts))
    counts = {
        name: sum(len(parse(parser, text)) for text in texts) for name, parser in parsers().items()
    }
    times = interleaved(tasks(), texts, rounds)
    print_table(
        f"Speed on {len(texts):,} documents: {size:,} characters, {rounds} rounds",
        ("", "nodes", "nodes per second", "characters per second", f"time, {_OURS} = 1"),
        (
            (
                name,
                f"{counts[name]:,}",
                f"{counts[name] / median(took):,.0f}",
                f"{size / median(took):,.0f}",
                f"{ratio(times, name, _OURS):.2f}",
            )
            for name, took in times.items()
        ),
    )


def growth(texts: Sequence[str], steps: dict[int, int], large_steps: dict[int, int]) -> None:
    """Print how speed changes with the size of one document; the mix of texts stays the same.

    `MarkdownNodeParser` hashes the whole document for each of its nodes, so that its time grows
    with the size times the number of nodes, and so with the square of the size.
    """
    timed = {name: task for name, task in tasks().items() if name in (_OURS, _MARKDOWN)}
    other = MarkdownNodeParser()

    def rows() -> Iterable[Sequence[str]]:
        for size, rounds in (steps | large_steps).items():
            text = joined(texts, size)
            measured = timed if size in steps else {_OURS: timed[_OURS]}
            times = interleaved(measured, [text], rounds)
            cells = [f"{value:,.0f}" for value in (size, size / median(times[_OURS]))]
            if _MARKDOWN in times:
                cells.append(f"{size / median(times[_MARKDOWN]):,.0f}")
                cells.append(f"{len(parse(other, text)):,}")
                cells.append(f"{ratio(times, _MARKDOWN, _OURS):.2f}")
            yield *cells, *["not run"] * (5 - len(cells))

    per_second = (f"{name}, per second" for name in timed)
    head = ("characters", *per_second, "nodes of the latter", "time of the latter, ours = 1")
    print_table("Growth of one document", head, rows())


def run(*, quick: bool) -> None:
    """Print all tables."""
    print(machine())
    print(f"- beside: llama-index-core {version('llama-index-core')}", flush=True)
    texts = documents()
    speed(texts[::4] if quick else texts, 3 if quick else _ROUNDS)
    if quick:
        growth(texts[::4], _QUICK_STEPS, _QUICK_LARGE_STEPS)
    else:
        growth(texts[::4], _STEPS, _LARGE_STEPS)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Compare the speed of parsers for LlamaIndex.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller documents")
    run(quick=parser.parse_args().quick)


if __name__ == "__main__":
    main()
