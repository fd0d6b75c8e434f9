"""Inputs that break other chunkers, and what is right for each."""

from __future__ import annotations

import pytest

from chunkana_core import ChunkConfig, MarkdownChunker, chunk_hierarchical, chunk_markdown
from tests.core.laws import lawful


def test_same_heading_twice_under_one_parent() -> None:
    """Namesakes under one parent differ in their ids too."""
    text = "# D\n\nIntro.\n\n## Use\n\nsame\n\n## Use\n\nsame\n"
    _, first, second = lawful(text).leaves
    assert first.text == second.text
    assert first.chunk_id != second.chunk_id
    assert first.section_id != second.section_id


def test_400_words_without_punctuation() -> None:
    """Text without sentences is cut between words, and is never oversize."""
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"] * 50
    parts = lawful(" ".join(words)).leaves
    assert len(parts) == 3
    assert [word for part in parts for word in part.text.split()] == words


@pytest.mark.parametrize("end", ["\r\n", "\r"], ids=["CRLF", "CR"])
def test_other_line_ends(end: str) -> None:
    """CRLF, and CR alone, end lines; offsets are those of the source as it is."""
    text = "# A\n\ntext\n\n```py\n# no\n```\n\nB\n---\n\n- x\n- y\n".replace("\n", end)
    result = lawful(text).result
    assert [(e.level, e.title, e.line) for e in result.toc()] == [(1, "A", 1), (2, "B", 9)]
    assert result.get_leaves()[-1].text == f"B{end}---{end}{end}- x{end}- y"
    assert [c.text_start_line for c in result.get_leaves()] == [1, 9]


def test_bom_before_front_matter() -> None:
    """A BOM hides neither front matter nor headings, and belongs to the first span."""
    text = "\ufeff---\ntitle: From YAML\n---\n\n## A\n\nText.\n"
    result = lawful(text).result
    front, section = result.get_leaves()
    assert front.span.start == 0
    assert front.text == "\ufeff---\ntitle: From YAML\n---"
    assert front.metadata["content_type"] == "front_matter"
    assert section.title == "A"
    assert result.chunks[0].title == "From YAML"


@pytest.mark.parametrize("odd", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_what_only_looks_like_a_line_end(odd: str) -> None:
    """Characters at which `str.splitlines` splits, but Markdown does not, end no line."""
    text = f"one{odd}# two\n\n# Real{odd}title\n\nText.\n"
    result = lawful(text).result
    assert [(e.level, e.line) for e in result.toc()] == [(1, 3)]
    assert [c.text_start_line for c in result.get_leaves()] == [1, 3]


def test_paragraph_of_ideographic_spaces() -> None:
    """A line of ideographic spaces is a paragraph to the parser, but has nothing to read."""
    assert chunk_markdown("\u3000\u3000\n") == []


def test_data_uri_of_megabytes() -> None:
    """What cannot be cut at a word is cut hard, within the limit, and nothing is lost."""
    uri = "data:image/png;base64," + "iVBORw0KGgo" * 230_000
    text = f"# A\n\nBefore.\n\n![image]({uri})\n\nAfter.\n"
    assert len(uri) > 2_500_000
    parts = chunk_markdown(text, ChunkConfig(max_chunk_size=4000))
    assert max(len(part.content) for part in parts) <= 4000
    assert len(parts) < 1.1 * len(text) / 4000
    body = "".join(part.text for part in parts)
    assert f"![image]({uri})" in body
    assert parts[-1].text.endswith("After.")


@pytest.mark.no_cover
def test_30000_comments_that_are_not_closed() -> None:
    """A search for the end of each, up to the end of the text, would take many minutes."""
    text = "<!-- x\n\n" * 30_000
    chunks = MarkdownChunker().chunk(text)
    held = "".join("".join(chunk.text.split()) for chunk in chunks)
    assert held == "".join(text.split())


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<!-- <h1>No</h1> --><h1>Tea</h1>", "Tea"),
        ("<h1>Tea</h1> <!-- not closed", "Tea"),
        ("<!-- one --> <h1>Tea <!-- two --></h1> <!--", "Tea"),
    ],
)
def test_titles_of_html_are_not_those_in_comments(html: str, title: str) -> None:
    assert chunk_hierarchical(f"{html}\n\n## Cups\n").title == title
