"""Measure the gain of `chunk_many` by a second process, and its cost.

Wall time shows the gain only on two idle processors. There, wall time is estimated from processor
time: the total of all processes divided by two, but at least that of this process.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from benchmarks.printing import Target, print_table
from chunkana_batch import chunk_many
from chunkana_cli.runs.format import RowOptions
from chunkana_cli.runs.formats import render_json
from chunkana_core import HierarchicalChunkingResult

Make = Callable[[str, HierarchicalChunkingResult], object]
_Batch = Sequence[tuple[str, str]]

_PROCESSES = 2
_LEAST = 1.8  # times as fast


@dataclass(frozen=True, slots=True)
class Extent:
    """The extent of a measurement: the number of characters, and of rounds."""

    size: int
    rounds: int


FULL = Extent(20_000_000, 3)
QUICK = Extent(100_000, 1)


@dataclass(frozen=True, slots=True)
class Spent:
    """The times of a batch: wall time, and processor time of this and of other processes."""

    wall: float
    here: float
    elsewhere: float

    @property
    def on_free_processors(self) -> float:
        """The estimated wall time on two idle processors."""
        return max(self.here, (self.here + self.elsewhere) / _PROCESSES)


def counted(_name: str, result: HierarchicalChunkingResult) -> int:
    """Return the number of chunks, a small value to transfer."""
    return len(result.chunks)


_MAKES: dict[str, Make | None] = {
    "a number": counted,
    "lines of JSON, as `chunkana split` does": partial(render_json, RowOptions()),
    "the whole result": None,
}


def measure(texts: Sequence[str], extent: Extent) -> list[Target]:
    """Print the table, and return a target for each `make` except the whole result."""
    batch = repeated(texts, extent.size)
    gains: dict[str, float] = {}
    size = sum(len(text) for _, text in batch)
    head = (
        "made of each document",
        "one process, s",
        "two, s",
        "times as fast",
        "processor time: one process, s",
        "two: here, s",
        "elsewhere, s",
        "times as fast on two free processors",
    )

    def rows() -> Iterator[Sequence[str]]:
        for name, make in _MAKES.items():
            one, two = best(batch, make, extent.rounds)
            gains[name] = one.here / two.on_free_processors
            by_clock = (one.wall, two.wall, one.wall / two.wall)
            by_processor = (one.here, two.here, two.elsewhere, gains[name])
            yield name, *(f"{cell:.2f}" for cell in (*by_clock, *by_processor))

    load = os.getloadavg()[0]
    title = f"`chunk_many` on {len(batch):,} documents, {size:,} characters"
    print_table(f"{title}; load average before {load:.1f}", head, rows())
    what = "two processes as fast as one, free processors"
    return [
        Target(f"{what}, {name}", gains[name], _LEAST, is_least=True)
        for name, make in _MAKES.items()
        if make is not None
    ]


def repeated(texts: Sequence[str], size: int) -> _Batch:
    """Repeat texts up to at least a size in characters."""
    times = -(-size // sum(map(len, texts)))
    return [(f"{number}.md", text) for number, text in enumerate([*texts] * times)]


def best(batch: _Batch, make: Make | None, rounds: int) -> tuple[Spent, Spent]:
    """Return the least times of one process and of two, measured alternately."""
    taken = [(spent(batch, make, 1), spent(batch, make, _PROCESSES)) for _ in range(rounds)]
    one, two = zip(*taken, strict=True)
    return least(one), least(two)


def least(taken: Sequence[Spent]) -> Spent:
    """Return the least of each time: other load of the machine only adds to it."""
    return Spent(
        min(one.wall for one in taken),
        min(one.here for one in taken),
        min(one.elsewhere for one in taken),
    )


def spent(batch: _Batch, make: Make | None, workers: int) -> Spent:
    """Chunk a batch and return its times."""
    before, started = _processors(), perf_counter()
    outcomes = (
        chunk_many(batch, workers=workers)
        if make is None
        else chunk_many(batch, workers=workers, make=make)
    )
    for outcome in outcomes:
        if outcome.error is not None:
            raise ValueError(f"{outcome.name}: {outcome.error}")
    wall, after = perf_counter() - started, _processors()
    return Spent(wall, after[0] - before[0], after[1] - before[1])


def _processors() -> tuple[float, float]:
    """Return the processor time of this process, and of its ended children."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    here, elsewhere = (sum(resource.getrusage(kind)[:2]) for kind in kinds)
    return here, elsewhere
