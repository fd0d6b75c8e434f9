"""Planning with sums of sizes, and again in less room where a part came out too large."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chunkana_core import Chunk, ChunkConfig, MarkdownChunker
from tests.core.laws import Case, fences_closed, nothing_lost, size_within_limit

ITEMS = "".join(f"- {number}\n" for number in range(400))
Measure = Callable[[str], int]


def chunk(text: str, measure: Measure = len, limit: int = 40) -> list[Chunk]:
    """Chunk and check that nothing is lost and everything fits."""
    case = Case(text, ChunkConfig(max_chunk_size=limit, length_function=measure))
    for law in (nothing_lost, size_within_limit, fences_closed):
        law(case)
    return case.leaves


@pytest.mark.parametrize(
    "measure",
    [
        lambda text: len(text) // 4,  # says nothing of an item, but not of all of them
        lambda text: len(text) + 3 * text.count("\n"),
        lambda text: len(text.split()),
    ],
    ids=["quarters", "lines cost more", "words"],
)
def test_measures_that_do_not_add_up(measure: Measure) -> None:
    """Parts fit whatever the measure, and hold several units where several fit."""
    assert 1 < len(chunk(ITEMS, measure)) < 400


@pytest.mark.parametrize(
    ("measure", "most"),
    [
        (lambda text: len(text) // 4, 16),  # rounds down
        (lambda text: -(-len(text) // 4), 8),  # rounds up
        (lambda text: len(text.encode("utf-16")), 56),  # counts two more for each text
        (lambda text: len(text) - text.count("\n"), 19),
        (lambda text: len(text.split()), 8),
    ],
    ids=["quarters", "quarters begun", "with a mark", "lines cost nothing", "words"],
)
def test_parts_are_not_small_for_being_measured(measure: Measure, most: int) -> None:
    """Where sizes do not add up, there are not many more parts than would be needed."""
    assert len(chunk(ITEMS, measure, 100)) <= most


@pytest.mark.parametrize(
    "measure", [lambda text: 1 if "\n" not in text else 100, lambda text: len(text) ** 2 // 40]
)
def test_nothing_fits_with_anything(measure: Measure) -> None:
    """Where sums say nothing, each unit is a part of its own."""
    assert [part.text for part in chunk(ITEMS, measure)] == ITEMS.splitlines()


def test_a_closing_fence_that_does_not_fit_makes_parts_smaller() -> None:
    """A fence line in a comment opens a fence where it is cut out; its end counts."""
    text = "<!--\n" + "some words of text\n````\n" * 20
    assert any(part.content != part.text for part in chunk(text))


def test_a_fence_whose_end_never_fits_stays_open() -> None:
    """Size comes first: where a fence is as long as the limit, nothing closes it."""
    fence = "`" * 36
    text = f"<div>\n<p>some text</p>\n{fence}\n" + "<p>text</p>\n" * 9
    parts = MarkdownChunker(ChunkConfig(max_chunk_size=40)).chunk(text)
    assert all(part.size <= 40 for part in parts)


def test_heading_that_leaves_no_room_is_a_part_of_its_own() -> None:
    """A heading after which nothing worth it fits is parted from its text; L4 yields to L3."""
    text = f"# {'h' * 34}\n\n" + "Some words of text. " * 5
    first, second, *_ = chunk(text)
    assert first.text == text[:36]
    assert second.text.startswith("Some words")


def test_of_several_headings_the_inner_ones_stay() -> None:
    """Of headings that leave no room together, those next to the text stay with it."""
    text = f"[l]: /u\n\n# {'a' * 12}\n\n## {'b' * 12}\n\n" + "Some words of text. " * 5
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=40, min_chunk_size=0))
    parts = chunker.chunk(text)
    assert any(part.text.startswith(f"## {'b' * 12}\n\nSome") for part in parts)


def test_lead_in_stays_with_its_first_item() -> None:
    """A paragraph that ends in a colon is not parted from the first item, where both fit."""
    text = "Before it all.\n\nDo these things:\n\n" + "- one item of text\n" * 6
    parts = chunk(text, limit=60)
    holding = next(part for part in parts if "these things" in part.text)
    assert "- one item" in holding.text
