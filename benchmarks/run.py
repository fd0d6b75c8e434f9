"""Measure the time and memory of chunking relative to a bare block parse.

The bare parse is stock markdown-it-py with its block rules only: no plugins, no inline parsing, no
conversion of its tokens. Both are timed alternately in one process, and targets limit the median of
their ratios, which depends on the machine far less than the times.
"""

from __future__ import annotations

import argparse
import gc
import resource
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from itertools import cycle
from statistics import median
from time import process_time

from markdown_it import MarkdownIt
from markdown_it.token import Token

from benchmarks.corpus import CORPUS, OWN_DOCUMENTS, ROOT
from benchmarks.printing import Target, machine, print_table, print_targets
from chunkana_core import ChunkConfig, MarkdownChunker

_Task = Callable[[str], object]
_Times = dict[str, list[float]]

_OWN_REPEATED = 8  # which gives about the size of the corpus

_BARE, _CHUNK, _WHOLE = "bare parse", "chunk", "chunk_hierarchical"
_METADATA = "chunk_hierarchical, every metadata dict"
_STEPS = {250_000: 15, 1_000_000: 7, 4_000_000: 3, 16_000_000: 3}  # size: rounds
_SHAPE_SIZES = (40_000, 160_000, 640_000)
_QUICK_PART = 4  # every n-th document
_MOST_WHOLE = 0.91  # times the bare parse
_QUICK_STEPS = {50_000: 3, 200_000: 3}
_QUICK_SHAPE_SIZES = (10_000, 40_000)
_SHAPES = {  # name: start of the text, repeated part
    "one list of tiny items": ("", "- a\n"),
    "lists nested 40 deep": ("", "".join("  " * depth + "- a\n" for depth in range(40))),
    "one line of words": ("", "word "),
    "one line without a space": ("", "x"),
    "one paragraph of short lines": ("", "word\n"),
    "many tiny sections": ("", "## A\n\nb\n\n"),
    "headings and nothing else": ("", "# A\n\n## B\n\n"),
    "one table": ("| a | b |\n|---|---|\n", "| 1 | 2 |\n"),
    "many tables": ("", "| a | b |\n|---|---|\n| 1 | 2 |\n\n"),
    "one code block": ("```\n", "x = 1\n\n"),
    "quotes nested 150 deep": ("", "> " * 150 + "a\n\n"),
    "one line of quote markers": ("", ">"),
    "link definitions": ("", "[a]: /b\n"),
}


def documents() -> list[str]:
    """Read the corpus next to the checkout, or the project's own documents without a corpus."""
    folder, times = (CORPUS, 1) if CORPUS.is_dir() else (OWN_DOCUMENTS, _OWN_REPEATED)
    return [path.read_bytes().decode() for path in sorted(folder.rglob("*.md"))] * times


def documents_name() -> str:
    """Return the name of what `documents` reads."""
    return "the corpus" if CORPUS.is_dir() else "the project's documents"


def joined(texts: Sequence[str], size: int) -> str:
    """Return a document of a size in characters: texts in turn, each below its own heading.

    Texts that would swallow the following text are left out: texts with an unclosed fence or
    comment, or with lists nested too deep for the bare parse.
    """
    parse = bare_parse()
    closed = [t for t in texts if parse(f"{t}\n\n# End\n")[-3:][0].type == "heading_open"]
    parts: list[str] = []
    left = size
    for number, text in enumerate(cycle(closed), 1):
        for part in (f"\n\n# Document {number}\n\n", text):
            parts.append(part[:left])
            left -= len(parts[-1])
        if not left:
            return "".join(parts)
    raise ValueError("no documents; allowed: one or more")


def shape(name: str, size: int) -> str:
    """Return a document of an odd shape."""
    start, unit = _SHAPES[name]
    return (start + unit * (size // len(unit) + 1))[:size]


def bare_parse() -> Callable[[str], list[Token]]:
    """Return the bare parse, to which all times are relative."""
    md = MarkdownIt("commonmark")
    md.core.ruler.enableOnly(["normalize", "block"])
    return md.parse


def tasks() -> dict[str, _Task]:
    """Return the tasks to time, by name."""
    chunker = MarkdownChunker()
    return {
        _BARE: bare_parse(),
        _CHUNK: chunker.chunk,
        _WHOLE: chunker.chunk_hierarchical,
        _METADATA: lambda text: [c.metadata for c in chunker.chunk_hierarchical(text).chunks],
    }


def seconds(task: _Task, texts: Iterable[str]) -> float:
    """Return the processor time of a task on texts; each result is freed before the next text."""
    gc.collect()
    start = process_time()
    for text in texts:
        task(text)
    return process_time() - start


def interleaved(timed: dict[str, _Task], texts: Sequence[str], rounds: int) -> _Times:
    """Time tasks alternately, so that a slow phase of the machine affects all of them."""
    times: _Times = {name: [] for name in timed}
    for _ in range(rounds):
        for name, task in timed.items():
            times[name].append(seconds(task, texts))
    return times


def ratio(times: _Times, name: str, other: str) -> float:
    """Return the median over all rounds of one task's time divided by another's."""
    return median(a / b for a, b in zip(times[name], times[other], strict=True))


def speed(name: str, texts: Sequence[str], rounds: int) -> list[Target]:
    """Print the speed of each task on some documents, and return the targets."""
    size = sum(map(len, texts))
    times = interleaved(tasks(), texts, rounds)
    print_table(
        f"Speed on {name}: {size:,} characters, {rounds} rounds",
        ("", "characters per second", "time, bare parse = 1"),
        (
            (task, f"{size / median(took):,.0f}", f"{ratio(times, task, _BARE):.2f}")
            for task, took in times.items()
        ),
    )
    whole = ratio(times, _WHOLE, _BARE)
    build = 100 * (ratio(times, _WHOLE, _CHUNK) - 1)
    return [
        Target(f"time of the whole hierarchy, {name}, bare parse = 1", whole, _MOST_WHOLE),
        Target(f"what the hierarchy adds to the time of `chunk`, {name}", build, 15, " %"),
    ]


def growth(texts: Sequence[str], steps: dict[int, int]) -> list[Target]:
    """Print the speed by the size of one document with the same mix of texts."""
    timed = {name: task for name, task in tasks().items() if name in (_BARE, _WHOLE)}
    shares: list[float] = []

    def rows() -> Iterable[Sequence[str]]:
        for size, rounds in steps.items():
            times = interleaved(timed, [joined(texts, size)], rounds)
            shares.append(ratio(times, _BARE, _WHOLE))
            speeds = (f"{size / median(took):,.0f}" for took in times.values())
            yield f"{size:,}", *speeds, f"{shares[-1]:.2f}", f"{shares[-1] / shares[0]:.2f}"

    per_second = (f"{name}, per second" for name in timed)
    head = ("characters", *per_second, "speed, bare parse = 1", "the same, first row = 1")
    print_table("Growth of one document", head, rows())
    what = f"speed at {max(steps):,} characters, bare parse = 1, at {min(steps):,} = 1"
    return [Target(what, shares[-1] / shares[0], 0.6, is_least=True)]


def shapes(sizes: Sequence[int], rounds: int) -> None:
    """Print the speed by size on odd shapes, with atomic blocks split."""
    chunker = MarkdownChunker(ChunkConfig(atomic_blocks="split"))

    def rows() -> Iterable[Sequence[str]]:
        for name in _SHAPES:
            speeds = []
            for size in sizes:
                text = [shape(name, size)]
                took = min(seconds(chunker.chunk_hierarchical, text) for _ in range(rounds))
                speeds.append(size / took)
            yield name, *(f"{v:,.0f}" for v in speeds), f"{speeds[0] / speeds[-1]:.2f}"

    head = ("", *(f"{size:,} characters" for size in sizes), "growth of time per character")
    gc.disable()  # its cost grows with all live objects, and would hide other growth
    print_table(f"Odd shapes: `{_WHOLE}`, characters per second", head, rows())
    gc.enable()


def memory(sizes: Sequence[int]) -> list[Target]:
    """Print peaks of memory, each measured in its own process."""
    traced: list[float] = []

    def rows() -> Iterable[Sequence[str]]:
        for size in sizes:
            found = [peak_in_child(kind, size) / size for kind in ("traced", "resident")]
            traced.append(found[0])
            yield f"{size:,}", *(f"{value:.1f}" for value in found)

    head = ("characters", "traced peak", "growth of the resident peak")
    print_table(f"Memory of `{_WHOLE}`, bytes per character", head, rows())
    return [Target("peak memory, bytes per character", max(traced), 40)]


def peak_in_child(kind: str, size: int) -> int:
    """Run `peak` in a new process and return its result."""
    command = (sys.executable, "-m", "benchmarks.run", "--peak", kind, str(size))
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)  # noqa: S603
    return int(done.stdout)


def peak(kind: str, size: int) -> int:
    """Return the peak memory of chunking in bytes without the text: traced, or resident."""
    texts = documents()  # kept alive, so that chunking cannot reuse their memory
    text = joined(texts, size)
    chunker = MarkdownChunker()
    chunker.chunk_hierarchical("# What is made\n\nonce.\n")
    if kind == "traced":
        tracemalloc.start()
        chunker.chunk_hierarchical(text)
        return tracemalloc.get_traced_memory()[1]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    chunker.chunk_hierarchical(text)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return grown if sys.platform == "darwin" else grown * 1024


def run(*, quick: bool) -> None:
    """Print all tables and the targets."""
    print(machine(), flush=True)
    # First, while this process is small: the resident peak of a child starts at its parent's.
    targets = memory([200_000] if quick else [1_000_000, 4_000_000])
    texts = documents()[:: _QUICK_PART if quick else 1]
    targets += speed(documents_name(), texts, 3 if quick else 15)
    if (readme := CORPUS / "named" / "youtube-dl.md").is_file():
        targets += speed(readme.name, [readme.read_bytes().decode()], 5 if quick else 51)
    targets += growth(texts[::4], _QUICK_STEPS if quick else _STEPS)
    shapes(_QUICK_SHAPE_SIZES if quick else _SHAPE_SIZES, 1 if quick else 2)
    print_targets(targets)


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description="Measure speed and memory of chunking.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller documents")
    parser.add_argument("--peak", nargs=2, help=argparse.SUPPRESS)  # what `peak_in_child` calls
    options = parser.parse_args()
    if options.peak:
        print(peak(options.peak[0], int(options.peak[1])))
    else:
        run(quick=options.quick)


if __name__ == "__main__":
    main()
