"""Measure the speed of Chunkana and other chunkers, and the gain by two processes.

All chunkers make chunks of 1,000 characters, or of the nearest possible size, without overlap, of
the same texts. They are timed alternately in one process, in processor time, and compared by the
median of their ratio to a bare parse. Chunkers that are not installed are listed.
"""

from __future__ import annotations

import argparse

from benchmarks.printing import machine, print_targets
from benchmarks.run import documents, documents_name
from benchmarks.speed import batches, comparing
from benchmarks.speed.chunkers import find

_CHUNK_SIZE = 1000
_QUICK_PART = 4  # with --quick, only every fourth document is used


def run(*, quick: bool) -> None:
    """Print both tables and the targets."""
    found = find(_CHUNK_SIZE)
    print(machine(found.packages), flush=True)
    texts = documents()[:: _QUICK_PART if quick else 1]
    extent = comparing.QUICK if quick else comparing.FULL
    comparing.compare(documents_name(), texts, found.timed, extent)
    print("", *found.absent, sep="\n", flush=True)
    print_targets(batches.measure(texts, batches.QUICK if quick else batches.FULL))


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description="Compare the speed of chunkers for Markdown.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller documents")
    run(quick=parser.parse_args().quick)


if __name__ == "__main__":
    main()
