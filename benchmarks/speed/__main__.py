"""Print how fast Chunkana is beside other chunkers, and how much two processes gain.

All that is compared makes chunks of 1,000 characters, or of what comes nearest to it, without
overlap, of the same texts. It is timed in turn, in one process, in processor time, and judged by
the median of its ratio to a bare parse. What is not installed is left out, and said to be.
"""

from __future__ import annotations

import argparse

from benchmarks.printing import machine, print_targets
from benchmarks.run import documents, documents_name
from benchmarks.speed import batches, comparing
from benchmarks.speed.chunkers import find

_CHUNK_SIZE = 1000
_QUICK_PART = 4  # every so many documents


def run(*, quick: bool) -> None:
    """Print both tables, and what became of the target."""
    found = find(_CHUNK_SIZE)
    print(machine(found.packages), flush=True)
    texts = documents()[:: _QUICK_PART if quick else 1]
    extent = comparing.QUICK if quick else comparing.FULL
    comparing.compare(documents_name(), texts, found.timed, extent)
    print("", *found.absent, sep="\n", flush=True)
    print_targets(batches.measure(texts, batches.QUICK if quick else batches.FULL))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Compare the speed of chunkers for Markdown.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller documents")
    run(quick=parser.parse_args().quick)


if __name__ == "__main__":
    main()
