"""Sizes: what fits, and how much of a text is measured for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, Context, MarkdownChunker
from chunkana_core.sizing import Sizer
from tests import corpora
from tests.core.laws import quarters, tokens

MEASURES = st.sampled_from((len, quarters, tokens, lambda text: len(text.encode())))
TEXTS = st.text(st.sampled_from("ab .é日"), max_size=60)


@given(MEASURES, TEXTS, st.integers(1, 40), st.data())
def test_longest_prefix_and_suffix_fit(
    measure: Callable[[str], int], text: str, limit: int, data: st.DataObject
) -> None:
    """The longest stretch fits, and is within an eighth of the limit or the longest of its kind."""
    sizer = Sizer(measure, 1000)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    if start == end:
        return
    stop = sizer.longest(text, start, end, limit)
    assert start < stop <= end
    assert stop == start + 1 or sizer.length(text[start:stop]) <= limit
    near = limit - limit // 8
    assert (
        stop == end
        or sizer.length(text[start:stop]) >= near
        or sizer.length(text[start : stop + 1]) > limit
    )
    begin = sizer.longest_end(text, start, end, limit)
    assert start <= begin <= end
    assert sizer.length(text[begin:end]) <= limit
    assert (
        begin == start
        or sizer.length(text[begin:end]) >= near
        or sizer.length(text[begin - 1 : end]) > limit
    )


@pytest.mark.parametrize("measure", [len, str.__len__], ids=["len", "another"])
def test_longest_stretches_in_characters(measure: Callable[[str], int]) -> None:
    """They are the same whether sizes are known to be characters or are asked for."""
    sizer = Sizer(measure, 1000)
    assert (sizer.longest("abcdef", 1, 6, 3), sizer.longest_end("abcdef", 1, 6, 3)) == (4, 3)


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


MOST_MEASURED = 4  # times the characters of a text


def measured(text: str, limit: int, context: Context | None) -> int:
    """Return how many characters a token counter is given for a text's chunks and merge tree."""
    count = 0

    def length(part: str) -> int:
        nonlocal count
        count += len(part)
        return tokens(part)

    config = ChunkConfig(max_chunk_size=limit, length_function=length)
    MarkdownChunker(config, context).chunk_hierarchical(text).merge_tree()
    return count


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("limit", "context"),
    [(64, None), (256, None), (256, Context("docs/guide.md")), (256, Context(reserved="a: b\n"))],
)
def test_a_token_counter_is_given_little(limit: int, context: Context | None) -> None:
    """It is given at most four times the characters of texts: their blocks, and parts whole."""
    texts = [sample.text for sample in (*corpora.own_documents(), *corpora.corpus())]
    given = sum(measured(text, limit, context) for text in texts)
    assert given <= MOST_MEASURED * sum(map(len, texts))
