"""Planning with sums of sizes, and again in less room where a part came out too large."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chunkana_core import ChunkConfig
from tests.core.laws import Case, nothing_lost, size_within_limit

ITEMS = "".join(f"- {number}\n" for number in range(400))
Measure = Callable[[str], int]


def parts(measure: Measure, limit: int = 40) -> list[str]:
    """Return the leaves of a long list, of which some laws hold."""
    case = Case(ITEMS, ChunkConfig(max_chunk_size=limit, length_function=measure))
    nothing_lost(case)
    size_within_limit(case)
    return [chunk.text for chunk in case.leaves]


@pytest.mark.parametrize(
    ("measure", "most"),
    [
        (lambda text: len(text) // 4, 16),  # rounds down
        (lambda text: -(-len(text) // 4), 8),  # rounds up
        (lambda text: len(text.encode("utf-16")), 48),  # counts two more for each text
        (lambda text: len(text) - text.count("\n"), 19),
        (lambda text: len(text) + 3 * text.count("\n"), 35),
        (lambda text: len(text.split()), 8),
    ],
    ids=["quarters", "quarters begun", "with a mark", "lines free", "lines dear", "words"],
)
def test_sizes_that_do_not_add_up_cause_few_more_parts(measure: Measure, most: int) -> None:
    """Where sizes do not add up, there are not many more parts than would be needed."""
    assert len(parts(measure, 100)) <= most


@pytest.mark.parametrize(
    "measure", [lambda text: 1 if "\n" not in text else 100, lambda text: len(text) ** 2 // 40]
)
def test_each_unit_is_a_part_if_sums_of_sizes_are_far_off(measure: Measure) -> None:
    assert parts(measure) == ITEMS.splitlines()
