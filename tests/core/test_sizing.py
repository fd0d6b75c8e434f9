"""Sizes: what fits, and prefixes that an adapter puts before the content."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, MarkdownChunker, SectionPath
from chunkana_core.sizing import Sizer
from tests import corpora
from tests.core import laws
from tests.core.configurations import configs
from tests.core.laws import Case, quarters, tokens
from tests.strategies import any_markdown

MEASURES = st.sampled_from((len, quarters, tokens, lambda text: len(text.encode())))
TEXTS = st.text(st.sampled_from("ab .é日"), max_size=60)


def breadcrumb(section: SectionPath) -> str:
    """Return the path with arrows, as an adapter may put it before the content."""
    return " > ".join(section.path) + "\n\n" if section.path else ""


@given(MEASURES, TEXTS, st.integers(1, 40), st.data())
def test_longest_prefix_and_suffix_fit(
    measure: Callable[[str], int], text: str, limit: int, data: st.DataObject
) -> None:
    """The longest stretch from an offset, or up to one, fits, and one more code point does not."""
    sizer = Sizer(measure, 1000)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    if start == end:
        return
    stop = sizer.longest(text, start, end, limit)
    assert start < stop <= end
    assert stop == start + 1 or sizer.length(text[start:stop]) <= limit
    assert stop == end or sizer.length(text[start : stop + 1]) > limit
    begin = sizer.longest_end(text, start, end, limit)
    assert start <= begin <= end
    assert sizer.length(text[begin:end]) <= limit
    assert begin == start or sizer.length(text[begin - 1 : end]) > limit


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 64, 1000])
def test_longest_measures_little(limit: int) -> None:
    """The search follows the limit, not the length of the text."""
    measured = 0

    def length(text: str) -> int:
        nonlocal measured
        measured += len(text)
        return len(text)

    stop = Sizer(length, 1000).longest("x" * 1_000_000, 0, 1_000_000, limit)
    assert stop == limit
    assert measured < 40 * limit + 40


def test_prefix_counts() -> None:
    """What an adapter puts before the content is within the limit together with it."""
    text = corpora.own_document("regression_ru.md")
    config = ChunkConfig(max_chunk_size=400)
    result = MarkdownChunker(config).chunk_hierarchical(text, prefix=breadcrumb)
    assert any(result.prefix_of(chunk.section) for chunk in result.chunks)
    for chunk in result.get_leaves():
        assert len(result.prefix_of(chunk.section) + chunk.content) <= 400
    assert len(result.chunks) > len(MarkdownChunker(config).chunk_hierarchical(text).chunks)


@pytest.mark.parametrize("name", [s.name for s in corpora.own_documents()])
@pytest.mark.parametrize("measure", [len, quarters, tokens])
def test_prefix_counts_in_every_document(name: str, measure: Callable[[str], int]) -> None:
    """So it is for every document and measure, oversize atoms aside."""
    config = ChunkConfig(max_chunk_size=120, length_function=measure)
    chunker = MarkdownChunker(config)
    result = chunker.chunk_hierarchical(corpora.own_document(name), prefix=breadcrumb)
    for chunk in result.get_leaves():
        whole = result.prefix_of(chunk.section) + chunk.content
        assert config.length_function(whole) <= 120 or chunk.oversize_reason


def test_prefix_is_shortened_from_the_outermost_heading() -> None:
    """A prefix never takes over half the limit: its outermost titles are left out first."""
    titles = ["a" * 20, "b" * 20, "c" * 20]
    text = "".join(f"{'#' * n} {title}\n\ntext\n\n" for n, title in enumerate(titles, 1))
    config = ChunkConfig(max_chunk_size=100, min_chunk_size=0)
    result = MarkdownChunker(config).chunk_hierarchical(text, prefix=breadcrumb)
    deepest = result.get_leaves()[-1]
    assert result.prefix_of(deepest.section) == f"{titles[1]} > {titles[2]}\n\n"
    long = MarkdownChunker(ChunkConfig(max_chunk_size=32)).chunk_hierarchical(
        text, prefix=lambda section: "x" * 17 if section.path else ""
    )
    assert long.prefix_of(deepest.section) == ""


def test_prefix_that_is_always_too_long_is_left_out() -> None:
    """A prefix that takes over half the limit without any title is left out."""
    result = MarkdownChunker(ChunkConfig(max_chunk_size=32)).chunk_hierarchical(
        "# A\n\nText of some length.\n", prefix=lambda _: "x" * 17
    )
    assert result.prefix_of(SectionPath(1, ("A",))) == ""
    assert [chunk.text for chunk in result.get_leaves()] == ["# A\n\nText of some length."]


@given(any_markdown(), configs())
def test_prefix_counts_in_made_markdown(text: str, config: ChunkConfig) -> None:
    """With a prefix the laws hold, and prefix and content are within the limit together."""
    result = MarkdownChunker(config).chunk_hierarchical(text, prefix=breadcrumb)
    case = Case(text, config)
    vars(case)["result"] = result
    laws.nothing_lost(case)
    laws.one_tree(case)
    for chunk in result.get_leaves():
        whole = result.prefix_of(chunk.section) + chunk.content
        assert config.length_function(whole) <= config.max_chunk_size or chunk.oversize_reason
        assert config.length_function(result.prefix_of(chunk.section)) <= config.max_chunk_size // 2


def test_no_prefix_is_the_same_as_an_empty_one() -> None:
    """Without a prefix nothing is put before the content."""
    text = corpora.own_document("every_block.md")
    without = MarkdownChunker().chunk_hierarchical(text)
    assert {without.prefix_of(chunk.section) for chunk in without.chunks} == {""}
    with_empty = MarkdownChunker().chunk_hierarchical(text, prefix=lambda _: "")
    assert with_empty.chunks == MarkdownChunker().chunk_hierarchical(text).chunks
