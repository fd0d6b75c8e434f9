"""The HTML of results and chunks in notebooks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from chunkana_core import ChunkConfig, MarkdownChunker
from chunkana_view import chunk_fragment, result_fragment
from tests import corpora
from tests.strategies import any_markdown
from tests.view.injections import DOCUMENTS
from tests.view.reading import read

CHUNKER = MarkdownChunker(ChunkConfig(max_chunk_size=200, atomic_blocks="split"))
ALLOWED = {
    "div", "p", "b", "details", "summary", "ul", "li", "table", "thead", "tbody", "tr", "th", "td",
    "pre",
}  # fmt: skip


def check(text: str) -> None:
    """Check that there are only elements and attributes of the templates."""
    result = CHUNKER.chunk_hierarchical(text)
    fragments = [result_fragment(result), *map(chunk_fragment, result.chunks[:3])]
    for fragment in fragments:
        for element in read(fragment).elements:
            assert element.tag in ALLOWED
            assert set(element.attributes) <= {"style", "open"}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_adds_no_elements(name: str) -> None:
    check(DOCUMENTS[name])


@settings(max_examples=settings().max_examples // 3)  # reading a page costs more than making it
@given(any_markdown())
def test_no_markdown_adds_elements(text: str) -> None:
    check(text)


def test_a_long_result_says_how_much_more_there_is() -> None:
    result = CHUNKER.chunk_hierarchical(corpora.own_document("headings_120.md"))
    count = len(result.get_leaves())
    page = read(result_fragment(result))
    assert len(page.all("tr")) == 1 + 30
    assert f"… and {count - 30} more" in [element.text for element in page.all("p")]
    assert "… and 90 more" in [element.text for element in page.all("p")]


def test_a_row_of_the_table() -> None:
    result = CHUNKER.chunk_hierarchical("# A\n\nHello.\n\n## B\n\n```py\nx = 1\n```\n")
    page = read(result_fragment(result))
    cells = [element.text for element in page.all("td")]
    assert cells[-6:] == ["A > B", "21", "5–9", "code (py)", "", "## B ```py x = 1 ```"]


def test_a_chunk() -> None:
    result = CHUNKER.chunk_hierarchical("# A\n\n## B\n\nHello.\n")
    (leaf,) = result.get_leaves()
    page = read(chunk_fragment(leaf))
    assert page.all("pre")[0].text == "\n# A\n\n## B\n\nHello."  # HTML drops the first line end
    assert "1–5" in [element.text for element in page.all("td")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"a{' ' * 300}b{' ' * 300}c", "a b c"),
        ("x" * 60, "x" * 60),
        ("x" * 61, f"{'x' * 60}…"),
        (f"a{' ' * 300}{'b' * 80}", f"a {'b' * 58}…"),
    ],
)
def test_first_words_say_whether_there_are_more(text: str, words: str) -> None:
    result = MarkdownChunker().chunk_hierarchical(text)
    assert read(result_fragment(result)).all("td")[-1].text == words


def test_a_long_chunk_is_shown_in_part() -> None:
    result = MarkdownChunker().chunk_hierarchical(f"# {'t' * 5000}\n\n```\n{'x' * 50_000}\n```\n")
    leaf = max(result.get_leaves(), key=lambda leaf: len(leaf.content))
    fragment = chunk_fragment(leaf)
    page = read(fragment)
    assert len(fragment) < 12_000
    assert page.all("pre")[0].text == "\n" + leaf.content[:10_000]
    more = f"… and {len(leaf.content) - 10_000:,} more characters"
    assert [element.text for element in page.all("p")] == [more]


def test_a_blank_document() -> None:
    assert not read(result_fragment(CHUNKER.chunk_hierarchical(""))).all("table")
