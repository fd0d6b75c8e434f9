"""The source: lines, and spans trimmed to what can be read."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import Source, Span
from tests.core.stock import line_starts

TEXTS = st.text(st.sampled_from("ab \t\n\r\u3000\x0b\u2028\ufeff"), max_size=40)


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("", [0]),
        ("a", [0]),
        ("a\n", [0, 2]),
        ("a\nb", [0, 2]),
        ("a\r\nb", [0, 3]),
        ("a\rb", [0, 2]),
        ("a\r\r\nb\n", [0, 2, 4, 6]),
        ("a\x0b\x0c\x1c\u2028\u2029\x85b", [0]),
    ],
)
def test_lines_end_at_cr_lf_and_crlf_alone(text: str, starts: list[int]) -> None:
    """CR, LF and CRLF end a line (CommonMark 0.31.2 §2.1); nothing else does."""
    assert list(Source.of(text).line_starts) == starts


@given(TEXTS)
def test_lines_of_any_text(text: str) -> None:
    source = Source.of(text)
    assert list(source.line_starts) == line_starts(text)
    for offset in range(len(text) + 1):
        before = re.findall(r"\r\n|\r(?!\n)|\n", text[:offset])
        split_pair = text[offset - 1 : offset + 1] == "\r\n"  # its CR ends no line by itself
        assert source.line_at(offset) == 1 + len(before) - split_pair
        assert source.line_start(offset) == source.line_starts[source.line_at(offset) - 1]


@given(TEXTS, st.data())
def test_trimmed_spans(text: str, data: st.DataObject) -> None:
    """A trimmed span holds all that can be read, and starts at its line's start or its text's."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    source = Source.of(text)
    span = source.trim(start, end)
    if not text[start:end].strip():
        assert span is None
        return
    assert span is not None
    assert start <= span.start < span.end <= end
    assert text[span.start : span.end].strip() == text[start:end].strip()
    assert not text[span.end - 1].isspace()
    is_line_start = span.start in source.line_starts
    assert is_line_start or not text[span.start].isspace()
    line = source.line_start(
        span.start + len(text[span.start :]) - len(text[span.start :].lstrip())
    )
    assert span.start == line or start > line


def test_spans_have_a_length() -> None:
    assert len(Span(3, 8)) == 5
    assert Span(3, 8) == Span(3, 8) != Span(3, 9)
