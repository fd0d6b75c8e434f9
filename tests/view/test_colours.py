"""The coloured ranges of code in a page."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, Chunker
from chunkana_view.colours import KINDS, marks_of
from chunkana_view.page import details, page_of

CODE = 'import os\n\n\ndef greet(name):\n    # kindly\n    return "hello 🌍 " + name * 42\n'


def words(texts: list[str], gaps: list[str], form: str = "python") -> list[tuple[str, str]]:
    """Return the kind and the text of each coloured range."""
    found = []
    for text, marks in zip(texts, marks_of(form, texts, gaps), strict=True):
        units = text.encode("utf-16-le")
        for i in range(0, len(marks), 3):
            kind, start, end = marks[i : i + 3]
            found.append((KINDS[kind], units[2 * start : 2 * end].decode("utf-16-le")))
    return found


def test_words_are_coloured_by_their_kinds() -> None:
    assert words([CODE], [""]) == [
        ("keyword", "import"),
        ("keyword", "def"),
        ("name", "greet"),
        ("comment", "# kindly"),
        ("keyword", "return"),
        ("string", '"hello 🌍 "'),
        ("number", "42"),
    ]


def test_what_is_parted_is_coloured_in_both_parts() -> None:
    texts = ['"""A text', "in two parts."]
    assert words(texts, ["\n\n", '"""\n']) == [("string", text) for text in texts]


@pytest.mark.parametrize("form", ["markdown", "text", "notebook", "no such format"])
def test_what_is_no_code_is_not_coloured(form: str) -> None:
    assert marks_of(form, [CODE], [""]) == [[]]


def test_a_document_of_a_million_characters_is_not_coloured() -> None:
    assert marks_of("python", ["pass\n" * 200_001], [""]) == [[]]


@given(st.text("ab\"'#\n \U0001f30d(", max_size=60), st.lists(st.integers(0, 60), max_size=4))
def test_ranges_lie_in_their_chunks_in_order(text: str, cuts: list[int]) -> None:
    bounds = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    texts = [text[a:b] for a, b in pairwise(bounds)]
    for part, marks in zip(texts, marks_of("python", texts, [""] * len(texts)), strict=True):
        offsets = [offset for index, offset in enumerate(marks) if index % 3]
        assert offsets == sorted(offsets)
        assert not offsets or 0 <= offsets[0] < offsets[-1] <= len(part.encode("utf-16-le")) // 2


def test_the_script_gets_them_with_the_chunks() -> None:
    pytest.importorskip("tree_sitter")
    result = Chunker(ChunkConfig(max_chunk_size=100)).chunk_hierarchical(CODE, path="a.py")
    read = details(result, page_of(result))
    assert read["colours"] == KINDS
    chunks = read["chunks"]
    assert isinstance(chunks, list)
    assert any("marks" in chunk for chunk in chunks)
