"""Print the table of speeds of Chunkana and other chunkers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from benchmarks.chunkers.core import BARE
from benchmarks.chunkers.timed import Timed
from benchmarks.printing import print_table
from benchmarks.run import joined
from benchmarks.speed.measuring import Rounds, grown, ratio, speeds, timed_in_turn

_HEAD = ("", "parses", "chunks", "characters per second", "time, bare parse = 1")


@dataclass(frozen=True, slots=True)
class Extent:
    """The extent of a measurement.

    Attributes:
        rounds: the rounds on many documents.
        steps: the rounds on one document of each size.
        longest: seconds; a chunker that would take longer for a document skips it.
    """

    rounds: Rounds
    steps: dict[int, Rounds]
    longest: float


FULL = Extent(
    Rounds(9, fewest=3),
    {250_000: Rounds(7), 1_000_000: Rounds(5), 4_000_000: Rounds(3)},
    longest=60,
)
QUICK = Extent(Rounds(1), {5_000: Rounds(1), 20_000: Rounds(1)}, longest=3)


def compare(name: str, texts: Sequence[str], compared: Sequence[Timed], extent: Extent) -> None:
    """Print the table: speed on many documents, then on one as it grows."""
    size, sizes = sum(map(len, texts)), list(extent.steps)
    head = (*_HEAD, *(f"at {size:,}" for size in sizes), "last / first")
    title = f"Speed on {name}, {size:,} characters, and on one document as it grows"
    print_table(title, head, _rows(texts, compared, extent))


def _rows(
    texts: Sequence[str], compared: Sequence[Timed], extent: Extent
) -> Iterable[Sequence[str]]:
    size = sum(map(len, texts))
    counts = {one.name: chunks(one, texts) for one in compared}  # also warms up each chunker
    tasks = {one.name: one.run for one in compared}
    times = timed_in_turn(tasks, texts, extent.rounds)
    growth = grown(tasks, extent.steps, partial(joined, texts[::4]), extent.longest)
    for one in compared:
        yield (
            one.name,
            "yes" if one.parses else "no",
            counts[one.name],
            f"{size / median(times[one.name]):,.0f}",
            f"{ratio(times, one.name, BARE):.2f}",
            *speeds(growth[one.name], list(extent.steps)),
        )


def chunks(one: Timed, texts: Iterable[str]) -> str:
    """Return the number of chunks of texts as a table cell."""
    made = map(one.run, texts)
    return "" if one.count is None else f"{sum(map(one.count, made)):,}"
