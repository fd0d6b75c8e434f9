"""Where a hit may be cut: after sentences, items, rows and lines of code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_retrieval.reading.cutting import open_fence, sentence_ends, word_ends
from tests.strategies import any_markdown


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", " Two!"]),
        ('He said "no." Then… "Yes."', ['He said "no."', " Then…"]),
        ("It is e.g. here, v1.2 of it. Next", ["It is e.g. here, v1.2 of it."]),
        ("これは文です。次の文。終わり", ["これは文です。", "次の文。"]),
        ("A line that\nis wrapped. And\nends here.", ["A line that\nis wrapped."]),
        ("A line.\nAnother", ["A line."]),
        ("## Title\n\nText. More", ["## Title\n\nText."]),
        ("Title\n=====\n\nText. More", ["Title\n=====\n\nText."]),
        ("Options:\n\n- one\n- two\n- three", ["Options:", "\n\n- one", "\n- two"]),
        ("1. one\n2. two", ["1. one"]),
        ("| a | b |\n|---|---|\n| 1. x | 2 |\n| 3 | 4 |", ["| a | b |\n|---|---|\n| 1. x | 2 |"]),
        ("Run:\n```sh\na. b\nc\n```\nDone", ["Run:", "\n```sh\na. b", "\nc", "\n```"]),
        ("Line.\r\n\r\nNext", ["Line."]),
        ("One word", []),
        ("", []),
        ("All. \n", []),
    ],
)
def test_ends(text: str, parts: list[str]) -> None:
    ends = sentence_ends(text)
    assert [text[a:b] for a, b in zip([0, *ends], ends, strict=False)] == parts


@pytest.mark.parametrize(
    ("text", "closing"),
    [
        ("```py\na", "```"),
        ("````\n```\na", "````"),
        ("~~~\n```\n", "~~~"),
        ("> ```\n> a", "> ```"),
        ("1. ~~~sh\n   a", "   ~~~"),
        ("$$\na", "$$"),
        ("$$\na\nb $$\n", None),
        ("$$ a $$", None),
        ("```\na\n```", None),
        ("``` a ``` b", None),
        ("Text", None),
    ],
)
def test_fences_that_are_open_at_the_end(text: str, closing: str | None) -> None:
    fence = open_fence(text)
    assert (fence.closing if fence else None) == closing


@given(st.one_of(any_markdown(), st.text(st.sampled_from("a. \n|-`#。"))))
def test_ends_are_in_order_and_leave_something_on_both_sides(text: str) -> None:
    for ends in (sentence_ends(text), word_ends(text)):
        assert ends == sorted(set(ends))
        assert all(text[:end].strip() for end in ends)
    assert all(text[end:].strip() for end in sentence_ends(text))
