"""The outline and the merge tree have the right ranges of leaves and sizes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, MarkdownChunker
from chunkana_view.histogram import histogram
from chunkana_view.trees import Branch, merge_rows, nested, outline
from tests import corpora

TEXT = """# Guide

Hello.

## Install

First this.

### Linux

With a package.

### Elsewhere

By hand.

## Use

Turn it on.
"""
SMALL = ChunkConfig(max_chunk_size=40, min_chunk_size=0)


def test_the_range_of_a_heading_is_its_section() -> None:
    result = MarkdownChunker(SMALL).chunk_hierarchical(TEXT)
    leaves = [leaf.text for leaf in result.get_leaves()]
    rows = [(row.depth, row.title, leaves[row.first : row.last + 1]) for row in outline(result)]
    assert [(depth, title) for depth, title, _ in rows] == [
        (0, "Guide"), (1, "Install"), (2, "Linux"), (2, "Elsewhere"), (1, "Use"),
    ]  # fmt: skip
    assert rows[0][2] == leaves
    assert [text.split("\n")[0] for text in rows[1][2]] == [
        "## Install",
        "### Linux",
        "### Elsewhere",
    ]
    assert rows[4][2] == ["## Use\n\nTurn it on."]


@pytest.mark.parametrize("size", [60, 400, 5000])
@pytest.mark.parametrize("sample", corpora.own_documents(), ids=lambda sample: sample.name)
def test_each_heading_is_in_the_first_leaf_of_its_range(sample: corpora.Sample, size: int) -> None:
    result = MarkdownChunker(ChunkConfig(max_chunk_size=size)).chunk_hierarchical(sample.text)
    leaves = result.get_leaves()
    for row, entry in zip(outline(result), result.toc(), strict=True):
        first = leaves[row.first]
        assert first.text_start_line <= entry.line <= first.text_end_line
        assert row.size == leaves[row.last].span.end - first.span.start


@pytest.mark.parametrize("sample", corpora.own_documents(), ids=lambda sample: sample.name)
def test_merge_rows_are_the_merge_tree(sample: corpora.Sample) -> None:
    """Each row holds the leaves of its node, and names the size of its text."""
    result = MarkdownChunker(ChunkConfig(max_chunk_size=300)).chunk_hierarchical(sample.text)
    leaves, tree = result.get_leaves(), result.merge_tree()
    for row, node in zip(merge_rows(result), tree.nodes, strict=True):
        assert row.size == len(node.text)
        assert (row.depth == 0) == (node.parent_id is None)
        assert leaves[row.first].span.start == node.span.start
        assert leaves[row.last].span.end == node.span.end
        assert (row.first == row.last) or not node.is_leaf


def test_jumps_in_level_are_one_step_deep() -> None:
    result = MarkdownChunker().chunk_hierarchical("### A\n\na\n\n# B\n\nb\n\n#### C\n\nc\n")
    assert [(row.depth, row.title) for row in outline(result)] == [(0, "A"), (0, "B"), (1, "C")]


def test_nested_rows() -> None:
    def titles(branches: Sequence[Branch]) -> list[object]:
        return [[branch.row.title, titles(branch.children)] for branch in branches]

    result = MarkdownChunker(SMALL).chunk_hierarchical(TEXT)
    install = ["Install", [["Linux", []], ["Elsewhere", []]]]
    assert titles(nested(outline(result))) == [["Guide", [install, ["Use", []]]]]
    assert nested(()) == ()


@given(st.lists(st.integers(0, 3000)), st.integers(32, 2000))
@example([3], 41)  # at an edge that is no whole number
def test_every_size_is_in_one_bin(sizes: list[int], limit: int) -> None:
    bins = histogram(sizes, limit)
    assert sum(one.count for one in bins) == len(sizes)
    for one in bins:
        within = [size for size in sizes if max(one.low, 0) <= size <= one.high]
        empty = [size for size in sizes if size == 0] if one is bins[0] else []
        assert one.count == len(within) + len(empty)
    assert [one.high for one in bins if not one.is_over][-1] == limit
    assert any(one.is_over for one in bins) == any(size > limit for size in sizes)
    assert max((one.share for one in bins), default=0) == (1 if sizes else 0)
