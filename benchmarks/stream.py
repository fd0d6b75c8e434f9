"""Measure the time of chunking a stream relative to the whole text, and its memory.

Run as `python -m benchmarks.stream`; `--megabytes 2000` uses a larger document. The document
repeats those that `run.py` reads, each below its own heading, and is never completely in memory.
The target limits the median ratio of the times of a stream and of the whole text, measured
alternately.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time

from benchmarks.printing import Target, machine, print_table, print_targets
from benchmarks.run import documents, joined, seconds
from chunkana_batch import StreamWarning, chunk_stream
from chunkana_core import ChunkConfig, MarkdownChunker

_ROOT = Path(__file__).parents[1]
_CONFIG = ChunkConfig(strategy="structural")
_MEGABYTE = 1_000_000
_PIECE = 1 << 16  # characters of a piece
_REPEATED = 4_000_000  # characters of the part that is repeated


def pieces(size: int) -> Iterator[str]:
    """Yield a document of a size in characters, in pieces."""
    text = joined(documents(), min(size, _REPEATED))
    while size:
        for start in range(0, min(size, len(text)), _PIECE):
            piece = text[start : start + min(_PIECE, size)]
            size -= len(piece)
            yield piece


def stream(text: str) -> int:
    """Chunk a text as a stream, and return the number of leaves."""
    parts = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    return sum(1 for _ in chunk_stream(parts, _CONFIG, title=""))


def ratio(size: int, rounds: int) -> list[Target]:
    """Print the times of a stream and of the whole text, and return the target."""
    text, chunker = "".join(pieces(size)), MarkdownChunker(_CONFIG)
    times = [
        (seconds(stream, [text]), seconds(chunker.chunk_hierarchical, [text]))
        for _ in range(rounds)
    ]
    rows = [
        (name, f"{len(text) / median(found) / _MEGABYTE:.2f}")
        for name, found in zip(("stream", "one piece"), zip(*times, strict=True), strict=True)
    ]
    print_table(f"A document of {size:,} characters", ("", "million characters per second"), rows)
    found = median(one / other for one, other in times)
    return [Target("time of a stream, one piece = 1", found, 1.5)]


def memory(sizes: list[int]) -> list[Target]:
    """Print the resident peak memory of streams, each in its own process."""
    peaks: list[float] = []

    def rows() -> Iterator[tuple[str, ...]]:
        for size in sizes:
            command = (sys.executable, "-m", "benchmarks.stream", "--peak", str(size))
            done = subprocess.run(  # noqa: S603
                command, check=True, capture_output=True, text=True, cwd=_ROOT, env=os.environ
            )
            count, took, peak = done.stdout.split()
            peaks.append(int(peak) / _MEGABYTE)
            speed = size / float(took) / _MEGABYTE
            yield f"{size:,}", f"{int(count):,}", took, f"{speed:.2f}", f"{peaks[-1]:.0f}"

    head = ("characters", "leaves", "seconds", "million characters per second", "peak, MB")
    print_table("Streams: the resident peak of the whole process", head, rows())
    growth = (peaks[-1] - peaks[0]) * _MEGABYTE / (sizes[-1] - sizes[0])
    return [Target("growth of a stream's peak, bytes per character", growth, 2)]


def peak_of(size: int) -> str:
    """Chunk a stream, and return the number of leaves, seconds, and the peak in bytes."""
    start = process_time()
    count = sum(1 for _ in chunk_stream(pieces(size), _CONFIG, title=""))
    took = process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return f"{count} {took:.1f} {peak if sys.platform == 'darwin' else peak * 1024}"


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description="Measure chunking of a stream.")
    parser.add_argument("--quick", action="store_true", help="smaller documents, fewer rounds")
    parser.add_argument("--megabytes", type=int, default=64, help="millions of characters at most")
    parser.add_argument("--peak", type=int, help=argparse.SUPPRESS)  # what `memory` calls
    options = parser.parse_args()
    warnings.simplefilter("ignore", StreamWarning)
    if options.peak:
        print(peak_of(options.peak))
        return
    largest = (8 if options.quick else options.megabytes) * _MEGABYTE
    print(machine(), flush=True)
    targets = memory([2 * _MEGABYTE, largest])
    targets += ratio((2 if options.quick else 8) * _MEGABYTE, 3 if options.quick else 7)
    print_targets(targets)


if __name__ == "__main__":
    main()
