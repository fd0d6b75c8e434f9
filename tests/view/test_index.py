"""The content of an index, without a browser."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from chunkana_core import HierarchicalChunkingResult, MarkdownChunker
from chunkana_view import Entry, collect_entries, index_html
from tests.view.reading import read

TEXT = "---\na: b\n---\n\n# Tea\n\nBoil.\n\n## Green\n\nWait.\n"


def chunked(text: str = TEXT) -> HierarchicalChunkingResult:
    return MarkdownChunker().chunk_hierarchical(text)


def entry(name: str, characters: int = 10) -> Entry:
    return replace(Entry.of(f"{name}.html", name, chunked()), characters=characters)


def test_entries_are_sorted_folder_by_folder_whatever_their_case() -> None:
    names = ["b.md", "a/z.md", "a.md", "B.md", "a/b/c.md", "A/y.md"]
    listed = [one.name for one in collect_entries(map(entry, names))]
    assert listed == ["a/b/c.md", "A/y.md", "a/z.md", "a.md", "B.md", "b.md"]


def test_headings_name_the_chunks_that_they_are_in() -> None:
    result = chunked()
    (_, tea, green) = result.get_leaves()
    assert Entry.of("a.html", "a.md", result).headings == (
        ("Tea", tea.chunk_id),
        ("Green", green.chunk_id),
    )


def test_texts_are_those_of_chunks_worth_embedding() -> None:
    leaves = Entry.of("a.html", "a.md", chunked()).leaves
    assert [leaf["text"] for leaf in leaves] == ["# Tea\n\nBoil.", "## Green\n\nWait."]
    assert [leaf["place"] for leaf in leaves] == [2, 3], "among all leaves, to know neighbours"
    assert leaves[1]["gap"] == "\n\n"


@pytest.mark.parametrize(
    ("sizes", "are_there"),
    [
        ([4_000_000], True),
        ([4_000_001], False),
        ([10, 3_999_990], True),
        ([10, 3_999_991, 5], False),
    ],
)
def test_texts_are_left_out_where_they_are_too_long_together(
    sizes: list[int], *, are_there: bool
) -> None:
    entries = [entry(f"{number}.md", size) for number, size in enumerate(sizes)]
    page = read(index_html(iter(entries)))
    details = json.loads(page.by_id("entries").text)
    assert [bool(one["leaves"]) for one in details] == [are_there] * len(sizes)
    assert bool(page.all("details")) is are_there
    assert [one["characters"] for one in details] == sizes


def test_an_index_of_several_limits_says_none() -> None:
    entries = [entry("a.md"), replace(entry("b.md"), limit=500)]
    assert not read(index_html(entries)).all("span")
