"""Measure tables relative to chunking, and runs of the command: first, parallel, incremental.

The files are copies of the corpus, or of the project's own documents. Targets limit processor time,
except for two processes, which need wall time on two idle processors.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import pyarrow as pa

from benchmarks.corpus import CORPUS, OWN_DOCUMENTS
from benchmarks.printing import Target, machine, print_table, print_targets
from chunkana_batch import chunk_table
from chunkana_core import ChunkConfig, Chunker, Context

_COMMAND = (sys.executable, "-m", "chunkana_cli")
_CONFIG = ChunkConfig(atomic_blocks="split")  # the default of the command and of tables
_FILES, _FEW_FILES = 6_000, 600
_ROUNDS = 5
_File = tuple[str, str]  # name and text
_Spent = tuple[float, float]  # seconds of wall time and of processor time
_MOST_TABLE, _MOST_SPLIT, _LEAST_TWO, _MOST_AGAIN, _MOST_VALIDATE = 1.2, 1.3, 1.8, 0.1, 1.0


def read_texts() -> dict[str, str]:
    """Return Markdown documents by their names."""
    folder = CORPUS if CORPUS.exists() else OWN_DOCUMENTS
    paths = sorted(path for path in folder.rglob("*.md*") if path.is_file())
    return {path.name: path.read_bytes().decode() for path in paths}


def write_files(folder: Path, texts: Sequence[_File], count: int) -> list[tuple[str, str]]:
    """Write `count` files with unique names into a folder, and return them."""
    files = []
    for number in range(count):
        name, text = texts[number % len(texts)]
        path = folder / f"{number // len(texts):03}" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
        files.append((str(path), text))
    return files


def chunk_all(files: Sequence[_File]) -> None:
    """Chunk files as for tables, without building the tables."""
    chunker = Chunker(_CONFIG, Context())
    for name, text in files:
        chunker.chunk_hierarchical(text, path=name)


def seconds_of(function: Callable[[], object], clock: Callable[[], float]) -> float:
    """Return the seconds that a call takes."""
    started = clock()
    function()
    return clock() - started


def measure_table(files: Sequence[_File]) -> tuple[float, float, float]:
    """Return the least times of chunking and of a table, and the median of their ratios."""
    names, texts = zip(*files, strict=True)
    table = pa.table({"text": texts, "path": names})
    times = [
        (
            seconds_of(lambda: chunk_all(files), process_time),
            seconds_of(lambda: chunk_table(table, _CONFIG), process_time),
        )
        for _ in range(_ROUNDS)
    ]
    chunked, tabled = zip(*times, strict=True)
    return min(chunked), min(tabled), median(b / a for a, b in times)


def run(*arguments: str | Path) -> _Spent:
    """Run a command and return its times."""
    before, started = _processors(), perf_counter()
    subprocess.run([*_COMMAND, *arguments], check=True, capture_output=True)  # noqa: S603  # our own
    return perf_counter() - started, _processors() - before


def _processors() -> float:
    """Return the processor time of all ended child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure_runs(folder: Path, count: int) -> Iterator[tuple[str, _Spent]]:
    """Run the commands, and yield their names and times."""
    files = write_files(folder / "docs", [*read_texts().items()], count)
    docs, out = folder / "docs", f"{folder / 'out'}/"
    started = perf_counter()
    alone = seconds_of(lambda: chunk_all(files), process_time)
    yield "chunking alone, in one process", (perf_counter() - started, alone)
    yield "`split` to Parquet", run("split", docs, "-o", folder / "one.parquet")
    yield "with two processes", run("split", docs, "-o", folder / "two.parquet", "--jobs=2")
    yield "`split` to a folder", run("split", docs, "--format=parquet", "-o", out)
    again = ("split", docs, "--format=parquet", "-o", out, "--since", out)
    yield "again, nothing changed", run(*again)
    files_changed = [Path(name) for name, _ in files[:: max(1, count // 20)]]
    for path in files_changed:
        path.write_text("# Changed\n\nOne sentence.\n", encoding="utf-8")
    yield f"again, {len(files_changed)} files changed", run(*again)
    yield "`validate` of that", run("validate", f"{out}chunks.parquet")


def main() -> None:
    """Run all measurements and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="600 files in place of 6,000")
    count = _FEW_FILES if parser.parse_args().quick else _FILES
    print("\n## Tables and runs\n\n" + machine(["pyarrow"]))
    chunked, tabled, ratio = measure_table([*read_texts().items()])
    head = ("", "seconds")
    rows = [("`chunk_hierarchical` of each", f"{chunked:.2f}"), ("`chunk_table`", f"{tabled:.2f}")]
    print_table("Documents of the corpus, processor time", head, rows)
    times: list[_Spent] = []

    def lines() -> Iterator[Sequence[str]]:
        with TemporaryDirectory() as folder:
            (Path(folder) / "docs").mkdir()
            for name, spent in measure_runs(Path(folder), count):
                times.append(spent)
                yield name, *(f"{seconds:.1f}" for seconds in spent)

    load = os.getloadavg()[0]
    title = f"{count:,} files; load average before {load:.1f}"
    print_table(title, ("", "seconds by the clock", "of processors"), lines())
    clock, processors = zip(*times, strict=True)
    alone, one, _, cold, again, _, validated = processors
    print_targets([
        Target("`chunk_table` to `chunk_hierarchical`", ratio, _MOST_TABLE),
        Target("`split` to Parquet to chunking alone", one / alone, _MOST_SPLIT),
        Target("two processes as fast as one", clock[1] / clock[2], _LEAST_TWO, is_least=True),
        Target("an unchanged run to the first", again / cold, _MOST_AGAIN),
        Target("`validate` to `split`", validated / one, _MOST_VALIDATE),
    ])  # fmt: skip


if __name__ == "__main__":
    main()
