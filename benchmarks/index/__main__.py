"""Measure an index of many files: building, updates, searches, loading, memory and size.

The documents are generated, or those of FOLDER, repeated with other words. Times are processor
time, vectors have 384 numbers, and embedding costs nearly nothing. Each index is built in a process
of its own and loaded in another one. `--against PATH` also measures the retriever of another
checkout, in turn, and compares our retriever with it; its dependencies have to be installed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.index import probe
from benchmarks.index.documents import from_folder, generated, questions
from benchmarks.index.probe import HYBRID, WORDS, Measured
from benchmarks.printing import Target, machine, print_table, print_targets

_ROOT = Path(__file__).parents[2]
_SOURCE = _ROOT / "src"
_FEW, _MANY, _QUICK_MANY = 300, 3_000, 1_000
_QUESTIONS, _ROUNDS = 20, 3
_MEGABYTE = 1_000_000
_SECONDS = (
    probe.BUILD,
    probe.UPDATE,
    probe.FIRST_QUERY,
    probe.QUERY,
    probe.UPDATE_ALL,
    probe.LOAD,
)
_BYTES = (probe.MEMORY, probe.FILE)
_MOST_GROWTH = 2
_MOST_TEXT, _MOST_VECTORS = 3.0, 1.15  # of the closed file
_MOST_MEMORY, _MEMORY_MEGABYTES = 3, 50
_TIMES_AS_FAST = {  # than version 0.2.0
    (WORDS, probe.UPDATE): 100,
    (HYBRID, probe.UPDATE): 100,
    (HYBRID, probe.QUERY): 5,
    (WORDS, probe.QUERY): 1 / 1.5,
    (WORDS, probe.LOAD): 8,
    (HYBRID, probe.LOAD): 4,
    (WORDS, probe.UPDATE_ALL): 5,
    (HYBRID, probe.UPDATE_ALL): 5,
    (WORDS, probe.BUILD): 1 / 1.15,
    (HYBRID, probe.BUILD): 1 / 1.15,
}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the measured indexes.

    Attributes:
        title: the head of its column.
        module: the module of its engine.
        source: the folder of the package.
    """

    title: str
    module: str
    source: Path

    @property
    def is_ours(self) -> bool:
        """Whether it is of this checkout."""
        return self.source == _SOURCE

    def measure(self, kind: str, folder: Path) -> Measured:
        """Build and load an index of the documents in a folder, and return the measurements."""
        with TemporaryDirectory(dir=folder) as own:
            for name in (probe.DOCUMENTS, probe.QUESTIONS):
                os.link(folder / name, Path(own, name))
            phases = (probe.BUILD_PHASE, probe.LOAD_PHASE)
            built, loaded = (self._run(kind, phase, own) for phase in phases)
        return built | loaded

    def _run(self, kind: str, phase: str, folder: str) -> Measured:
        command = (sys.executable, "-m", "benchmarks.index.probe", self.module, kind, phase, folder)
        environment = {**os.environ, "PYTHONPATH": str(self.source)}
        done = subprocess.run(  # noqa: S603
            command, check=True, stdout=subprocess.PIPE, text=True, cwd=_ROOT, env=environment
        )
        measured: Measured = json.loads(done.stdout)
        return measured


INDEX = Side("`Index`", "plain", _SOURCE)
RETRIEVER = Side("`ChunkanaRetriever`", "retriever", _SOURCE)
OURS = INDEX, RETRIEVER
Runs = dict[tuple[Side, str, int], list[Measured]]  # by side, kind and number of files


def measure(sides: Sequence[Side], counts: Sequence[int], rounds: int, source: Path | None) -> Runs:
    """Measure all sides in turn."""
    runs: Runs = {}
    for count in counts:
        texts = from_folder(source, count) if source else generated(count)
        with TemporaryDirectory() as folder:
            _write(Path(folder, probe.DOCUMENTS), texts)
            _write(Path(folder, probe.QUESTIONS), questions(texts, _QUESTIONS))
            for kind in (WORDS, HYBRID) * rounds:
                for side in sides:
                    measured = side.measure(kind, Path(folder))
                    runs.setdefault((side, kind, count), []).append(measured)
    return runs


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def print_measured(runs: Runs, sides: Sequence[Side], kind: str, count: int) -> None:
    """Print the medians of one kind of index, and the ratios of other checkouts to ours."""
    found = {side: runs[side, kind, count] for side in sides}
    pairs = [(theirs, ours) for theirs in sides for ours in sides if ours.is_ours > theirs.is_ours]

    def rows() -> Iterator[tuple[str, ...]]:
        for name in (*_SECONDS, *_BYTES):
            ratios = [f"{_ratio(found[a], found[b], name):.2f}" for a, b in pairs]
            yield name, *(_shown(found[side], name) for side in sides), *ratios

    text, vectors = (found[sides[0]][0][name] / _MEGABYTE for name in (probe.TEXT, probe.VECTORS))
    title = f"{count:,} files, {text:.1f} MB, by {kind}"
    title += f", vectors of {vectors:.1f} MB" if vectors else ""
    heads = [f"{theirs.title} / {ours.title}" for theirs, ours in pairs]
    print_table(title, ("", *(side.title for side in sides), *heads), rows())


def _shown(found: Sequence[Measured], name: str) -> str:
    """Return a median with its unit."""
    number = _median(found, name)
    if name in _BYTES:
        return f"{number / _MEGABYTE:.1f} MB"
    return f"{number:.2f} s" if number >= 1 else f"{number * 1000:.1f} ms"


def _median(found: Sequence[Measured], name: str) -> float:
    return median(one[name] for one in found)


def _ratio(above: Sequence[Measured], below: Sequence[Measured], name: str) -> float:
    """Return the median ratio of runs that were made in turn."""
    return median(a[name] / b[name] for a, b in zip(above, below, strict=True))


def growth_targets(runs: Runs, side: Side, few: int, many: int) -> Iterator[Target]:
    """Yield how much longer updates take in the larger index."""
    for kind in (WORDS, HYBRID):
        for name in (probe.UPDATE, probe.FIRST_QUERY):
            number = _ratio(runs[side, kind, many], runs[side, kind, few], name)
            what = f"{name}, {many:,} files to {few:,}, by {kind}, {side.title}"
            yield Target(what, number, _MOST_GROWTH)


def size_targets(runs: Runs, side: Side, count: int) -> Iterator[Target]:
    """Yield the sizes of closed files, and the memory for the first query, in megabytes."""
    for kind in (WORDS, HYBRID):
        found = runs[side, kind, count]
        text, vectors = (found[0][name] / _MEGABYTE for name in (probe.TEXT, probe.VECTORS))
        most = _MOST_TEXT * text + _MOST_VECTORS * vectors
        yield _size_target(f"{probe.FILE}, by {kind}, {side.title}", found, probe.FILE, most)
        most = _MOST_MEMORY * vectors + _MEMORY_MEGABYTES
        yield _size_target(f"{probe.MEMORY}, by {kind}, {side.title}", found, probe.MEMORY, most)


def _size_target(what: str, found: Sequence[Measured], name: str, most: float) -> Target:
    return Target(what, _median(found, name) / _MEGABYTE, round(most), " MB")


def speed_targets(runs: Runs, side: Side, theirs: Side, count: int) -> Iterator[Target]:
    """Yield how many times as fast as another retriever an index is."""
    for (kind, name), least in _TIMES_AS_FAST.items():
        number = _ratio(runs[theirs, kind, count], runs[side, kind, count], name)
        what = f"times as fast: {name}, by {kind}, {side.title}"
        yield Target(what, number, least, is_least=True)


def run(sides: Sequence[Side], many: int, rounds: int, source: Path | None) -> None:
    """Measure, and print tables and targets."""
    counts = _FEW, many
    runs = measure(sides, counts, rounds, source)
    for count in counts:
        for kind in (WORDS, HYBRID):
            print_measured(runs, sides, kind, count)
    targets: list[Target] = []
    for ours in (side for side in sides if side.is_ours):
        targets += [*growth_targets(runs, ours, *counts), *size_targets(runs, ours, many)]
        for theirs in (side for side in sides if not side.is_ours):
            targets += speed_targets(runs, ours, theirs, many)
    print_targets(targets)


def main() -> None:
    """Run all measurements and print them."""
    parser = argparse.ArgumentParser(description="Measure an index of many files.")
    parser.add_argument("folder", type=Path, nargs="?", help="a folder of documents")
    parser.add_argument("--against", type=Path, metavar="PATH", help="another checkout")
    parser.add_argument("--quick", action="store_true", help="fewer files, one round")
    options = parser.parse_args()
    print("\n## An index of many files\n\n" + machine(["langchain-core", "numpy"]), flush=True)
    theirs = options.against
    others = [Side(f"that of {theirs.name}", "retriever", theirs / "src")] if theirs else []
    many, rounds = (_QUICK_MANY, 1) if options.quick else (_MANY, _ROUNDS)
    run([*OURS, *others], many, rounds, options.folder)


if __name__ == "__main__":
    main()
