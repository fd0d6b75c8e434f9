"""Times of many chunkers on the same texts, taken in turn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.run import seconds

Task = Callable[[str], object]
Times = dict[str, list[float]]

_LONG = 5.0  # seconds, after which a chunker takes part in as few rounds as may be


@dataclass(frozen=True, slots=True)
class Rounds:
    """How often chunkers are timed: at most, and at the least."""

    most: int
    fewest: int = 1


def timed_in_turn(tasks: Mapping[str, Task], texts: Sequence[str], rounds: Rounds) -> Times:
    """Time tasks in turn, so that what slows the machine down strikes all of them alike.

    What takes long takes part in the first rounds only.
    """
    times: Times = {name: [] for name in tasks}
    for number in range(rounds.most):
        for name, task in tasks.items():
            if number < rounds.fewest or sum(times[name]) < _LONG:
                times[name].append(seconds(task, texts))
    return times


def ratio(times: Times, name: str, other: str) -> float:
    """Return the median, over the rounds that both took part in, of their times' ratio."""
    return median(a / b for a, b in zip(times[name], times[other], strict=False))


def expected(times: Mapping[int, float], size: int) -> float:
    """Return what a text of a size will take, by the times of smaller ones.

    Time is taken to go on growing by the power of the size by which it grew last, and not by less
    than the first; where only one size is known, the first it is.
    """
    sizes = sorted(times)
    if not sizes:
        return 0.0
    last, power = sizes[-1], 1.0
    if len(sizes) > 1:
        before = sizes[-2]
        power = max(power, math.log(times[last] / times[before]) / math.log(last / before))
    return times[last] * math.pow(size / last, power)


def grown(
    tasks: Mapping[str, Task],
    steps: Mapping[int, Rounds],
    text: Callable[[int], str],
    longest: float,
) -> dict[str, dict[int, float]]:
    """Return, for each task, the median time on one text of each size.

    A task is not run on what it is expected to take longer than `longest` seconds for, nor on
    anything larger; that size is missing then.
    """
    found: dict[str, dict[int, float]] = {name: {} for name in tasks}
    for size, rounds in steps.items():
        able = {n: t for n, t in tasks.items() if expected(found[n], size) <= longest}
        times = timed_in_turn(able, [text(size)], rounds)
        for name, took in times.items():
            found[name][size] = median(took)
    return found


def speeds(times: Mapping[int, float], sizes: Sequence[int]) -> Iterator[str]:
    """Yield the characters per second at each size, and the last as a share of the first."""
    for size in sizes:
        yield f"{size / times[size]:,.0f}" if size in times else "not run"
    first, last = sizes[0], sizes[-1]
    is_whole = first in times and last in times
    yield f"{last / times[last] / (first / times[first]):.2f}" if is_whole else "not run"
