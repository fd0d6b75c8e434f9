"""Measure the time of chunking hostile texts, relative to a bare block parse.

Run as `python -m benchmarks.pathological`. The bare parse is that of `run.py`. It takes more than
linear time for some of these texts, and stops at the first line of others. Chunkana's time is
therefore compared with the larger of two times: the bare parse of the same text, and the bare parse
of a plain list of the same length. Both are measured on a small text; the growth of Chunkana's time
is measured on large ones. A block parse does not read titles and front matter; these texts are
compared with the list only, at the larger size, because PyYAML is slow for some small ones.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.printing import Target, machine, print_table
from benchmarks.run import bare_parse, seconds
from chunkana_core import ChunkConfig, MarkdownChunker
from tests.core.shapes import HOSTILE, SHAPES

_SMALL, _STEPS = 4_000, (40_000, 160_000)
_READ = ("titles", "front matter")  # prefixes of the names of texts that a block parse skips
_ALLOWED = 8.0  # times the bare parse
_ALLOWED_READ = 8.0
_GROWTH = 1.6  # of the time per character, for four times the text; quadratic time would be 4


@dataclass(frozen=True, slots=True)
class Measurement:
    """The measurement of a hostile text.

    Attributes:
        name: the name of the text.
        speed: characters per second for the largest size.
        bare: the time divided by that of the bare parse.
        plain: the time divided by that of the bare parse of a list of the same length.
        growth: the time per character for the largest size divided by that for the size before.
    """

    name: str
    speed: float
    bare: float
    plain: float
    growth: float

    @property
    def is_read(self) -> bool:
        """Whether a block parse skips most of the text."""
        return self.name.startswith(_READ)

    @property
    def times(self) -> float:
        """The ratio that the target limits."""
        return self.plain if self.is_read else min(self.bare, self.plain)


def best(task: Callable[[str], object], text: str, rounds: int) -> float:
    """Return the shortest time of several runs."""
    return min(seconds(task, [text]) for _ in range(rounds))


def measure(name: str, rounds: int) -> Measurement:
    """Measure a hostile text."""
    shape, parse = HOSTILE[name], bare_parse()
    chunk = MarkdownChunker(ChunkConfig(atomic_blocks="split")).chunk_hierarchical
    steps = [shape(size) for size in _STEPS]
    ours = [best(chunk, text, rounds) / len(text) for text in steps]
    small = shape(_SMALL)
    once = best(chunk, small, 5 * rounds)
    plain = [best(parse, SHAPES["list"](size), 3 * rounds) / size for size in (_SMALL, _STEPS[0])]
    is_read = name.startswith(_READ)
    return Measurement(
        name,
        speed=1 / ours[-1],
        bare=once / best(parse, small, 3 * rounds),
        plain=ours[0] / plain[1] if is_read else once / len(small) / plain[0],
        growth=ours[-1] / ours[0],
    )


def hostile(rounds: int) -> list[Target]:
    """Print the measurements of all hostile texts, and return the targets."""
    found: list[Measurement] = []

    def rows() -> Iterator[Sequence[str]]:
        for name in HOSTILE:
            found.append(it := measure(name, rounds))
            yield name, f"{it.speed:,.0f}", f"{it.bare:.2f}", f"{it.plain:.2f}", f"{it.growth:.2f}"

    head = ("", "per second", "bare parse = 1", "that of a list = 1", "growth per character")
    gc.disable()  # its cost grows with all live objects, and would hide other growth
    print_table("Hostile texts: time of `chunk_hierarchical`", head, rows())
    gc.enable()
    others = max((it for it in found if not it.is_read), key=lambda it: it.times)
    read = max((it for it in found if it.is_read), key=lambda it: it.times)
    steepest = max(found, key=lambda it: it.growth)
    return [
        Target(f"time, the larger parse = 1: {others.name}", others.times, _ALLOWED),
        Target(f"time, a list's parse = 1: {read.name}", read.times, _ALLOWED_READ),
        Target(f"growth of time per character: {steepest.name}", steepest.growth, _GROWTH),
    ]


def main() -> None:
    """Run the benchmark with the options of the command line."""
    parser = argparse.ArgumentParser(description="Measure what hostile texts take.")
    parser.add_argument("--quick", action="store_true", help="one round")
    options = parser.parse_args()
    print(machine(), flush=True)
    targets = hostile(1 if options.quick else 2)
    print("\n### Targets\n\n| | target | measured | |\n|---|---|---|---|")
    print(*targets, sep="\n")


if __name__ == "__main__":
    main()
