"""Print how long hostile texts take, beside a bare block parse.

Run as `python -m benchmarks.pathological`. The bare parse is that of `run.py`. For some of these
texts it takes more than linear time, and some it leaves at their first line; what is judged is our
time beside the larger of two: that of the bare parse of the same text, and that of a plain list as
long. Both are taken of a small text, how our time grows of large ones. Titles and front matter,
which a block parse does not read, are judged by themselves, beside the list alone and at the larger
size: PyYAML takes long for some small ones.
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
_READ = ("titles", "front matter")  # starts of the names of texts of which we read more
_ALLOWED = 8.0  # times the parse
_ALLOWED_READ = 8.0
_GROWTH = 1.6  # of the time per character, for four times the text; quadratic time would be 4


@dataclass(frozen=True, slots=True)
class Measured:
    """What a text took.

    Attributes:
        name: what it is.
        speed: our characters per second, of the largest.
        bare: our time, that of the bare parse being 1.
        plain: our time, that of the bare parse of a list as long being 1.
        growth: our time per character of the largest, that of the one before it being 1.
    """

    name: str
    speed: float
    bare: float
    plain: float
    growth: float

    @property
    def is_read(self) -> bool:
        """Whether it is one of those of which we read more than a block parse does."""
        return self.name.startswith(_READ)

    @property
    def times(self) -> float:
        """What is judged."""
        return self.plain if self.is_read else min(self.bare, self.plain)


def best(task: Callable[[str], object], text: str, rounds: int) -> float:
    """Return the shortest of several times."""
    return min(seconds(task, [text]) for _ in range(rounds))


def measured(name: str, rounds: int) -> Measured:
    """Measure a text."""
    shape, parse = HOSTILE[name], bare_parse()
    chunk = MarkdownChunker(ChunkConfig(atomic_blocks="split")).chunk_hierarchical
    steps = [shape(size) for size in _STEPS]
    ours = [best(chunk, text, rounds) / len(text) for text in steps]
    small = shape(_SMALL)
    once = best(chunk, small, 5 * rounds)
    plain = [best(parse, SHAPES["list"](size), 3 * rounds) / size for size in (_SMALL, _STEPS[0])]
    is_read = name.startswith(_READ)
    return Measured(
        name,
        speed=1 / ours[-1],
        bare=once / best(parse, small, 3 * rounds),
        plain=ours[0] / plain[1] if is_read else once / len(small) / plain[0],
        growth=ours[-1] / ours[0],
    )


def hostile(rounds: int) -> list[Target]:
    """Print what hostile texts took, and return what became of the targets."""
    found: list[Measured] = []

    def rows() -> Iterator[Sequence[str]]:
        for name in HOSTILE:
            found.append(it := measured(name, rounds))
            yield name, f"{it.speed:,.0f}", f"{it.bare:.2f}", f"{it.plain:.2f}", f"{it.growth:.2f}"

    head = ("", "per second", "bare parse = 1", "that of a list = 1", "growth per character")
    gc.disable()  # what it costs grows with all that is alive, and would hide what else grows
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
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure what hostile texts take.")
    parser.add_argument("--quick", action="store_true", help="one round")
    options = parser.parse_args()
    print(machine(), flush=True)
    targets = hostile(1 if options.quick else 2)
    print("\n### Targets\n\n| | target | measured | |\n|---|---|---|---|")
    print(*targets, sep="\n")


if __name__ == "__main__":
    main()
