"""Time many chunkers on the same texts, alternately."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.run import seconds

Task = Callable[[str], object]
Times = dict[str, list[float]]

_LONG = 5.0  # seconds; after that, a chunker takes part in the fewest rounds allowed


@dataclass(frozen=True, slots=True)
class Rounds:
    """The maximum and minimum number of rounds."""

    most: int
    fewest: int = 1


def timed_in_turn(tasks: Mapping[str, Task], texts: Sequence[str], rounds: Rounds) -> Times:
    """Time tasks alternately, so that a slow phase of the machine affects all of them.

    Slow tasks take part in the first rounds only.
    """
    times: Times = {name: [] for name in tasks}
    for number in range(rounds.most):
        for name, task in tasks.items():
            if number < rounds.fewest or sum(times[name]) < _LONG:
                times[name].append(seconds(task, texts))
    return times


def ratio(times: Times, name: str, other: str) -> float:
    """Return the median ratio of the times of two tasks, over the rounds of both."""
    return median(a / b for a, b in zip(times[name], times[other], strict=False))


def expected(times: Mapping[int, float], size: int) -> float:
    """Estimate the time for a text of a size from the times of smaller texts.

    The estimate extrapolates the last growth as a power of the size, at least linear; with only one
    known size, it is linear.
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
    """Return the median time of each task on one text of each size.

    A task skips a size that is expected to take longer than `longest` seconds, and all larger
    sizes; skipped sizes are missing from the result.
    """
    found: dict[str, dict[int, float]] = {name: {} for name in tasks}
    for size, rounds in steps.items():
        able = {n: t for n, t in tasks.items() if expected(found[n], size) <= longest}
        times = timed_in_turn(able, [text(size)], rounds)
        for name, took in times.items():
            found[name][size] = median(took)
    return found


def speeds(times: Mapping[int, float], sizes: Sequence[int]) -> Iterator[str]:
    """Yield the characters per second at each size, and the ratio of the last to the first."""
    for size in sizes:
        yield f"{size / times[size]:,.0f}" if size in times else "not run"
    first, last = sizes[0], sizes[-1]
    is_whole = first in times and last in times
    yield f"{last / times[last] / (first / times[first]):.2f}" if is_whole else "not run"
