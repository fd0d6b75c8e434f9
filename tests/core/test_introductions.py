"""The sentence that goes with a chunk: how the text begins that it was parted from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, MarkdownChunker, Span
from chunkana_core.context.introductions import Introductions
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.sizing import Sizer
from tests import strategies

ABOUT = "This guide says how tea is made in a small kitchen."
WATER = "Water for green tea must not boil, as it turns bitter."
LONG = "Every leaf wants a temperature of its own. " * 12
BRIEF = "Be brief."


def introductions_of(text: str, sizer: Sizer) -> Introductions:
    """Return the first sentences of a document's sections."""
    return Introductions(parse_markdown(text), sizer)


def span_of(text: str, part: str) -> Span:
    """Return where a part of a text stands first."""
    return Span(text.index(part), text.index(part) + len(part))


def introductions(text: str, limit: int = 500) -> list[str]:
    """Return what introduces each chunk that is worth indexing, each section a chunk."""
    config = ChunkConfig(max_chunk_size=limit, min_chunk_size=0)
    found = introductions_of(text, Sizer(len, limit))
    chunks = MarkdownChunker(config).chunk_hierarchical(text).get_flat_chunks()
    return [found.before(chunk.span) for chunk in chunks]


def test_a_subsection_is_introduced_by_the_section_around_it() -> None:
    """The section's own text holds the sentence itself; its subsections lack it."""
    assert introductions(f"# Tea\n\n{ABOUT} More.\n\n## Green\n\nx\n\n## Black\n\ny\n") == [
        "",
        ABOUT,
        ABOUT,
    ]


def test_the_innermost_section_introduces() -> None:
    text = f"# Tea\n\n{ABOUT}\n\n## Green\n\n{WATER}\n\n### Water\n\nx\n\n## Black\n\ny\n"
    assert introductions(text) == ["", ABOUT, WATER, ABOUT]


def test_a_section_without_a_first_sentence_is_passed_over() -> None:
    """A list, code or a table says nothing of what is under the section."""
    for block in ("- a list", "```\ncode\n```", "| a |\n|---|", "> a quote"):
        text = f"# Tea\n\n{ABOUT}\n\n## Green\n\n{block}\n\n{WATER}\n\n### Water\n\nx\n"
        assert introductions(text)[-1] == ABOUT


def test_a_continued_section_is_introduced_by_its_own_beginning() -> None:
    text = f"# Tea\n\n{ABOUT}\n\n## Green\n\n{WATER}\n\n{LONG}\n\n{LONG}"
    assert introductions(text, 600) == ["", ABOUT, WATER]


def test_a_preamble_introduces_all_sections() -> None:
    """Also below front matter and what has no words."""
    wordless = "<a id='x'></a>\n\n![CI](ci.svg) [![](a.png)](b)"
    text = f"---\ntitle: T\n---\n\n{wordless}\n\n{ABOUT}\n\n## A\n\nx\n"
    assert introductions(text)[-1] == ABOUT


@pytest.mark.parametrize(
    "badges",
    [
        "[![Build Status][ci-badge]][ci-link] [![Documentation][docs-badge]][docs-link]",
        "[![Build Status]][ci-link] [![The latest version][]][package] ![Minimal Python]",
    ],
)
def test_badges_introduce_nothing(badges: str) -> None:
    """Also those whose addresses are defined elsewhere."""
    text = f"# Tea\n\n{badges}\n\n{ABOUT}\n\n## A\n\nx\n"
    assert introductions(text, 900)[-1] == ABOUT


def test_words_of_links_introduce() -> None:
    said = "[The guide][guide] of [this kitchen](about.md) says it all."
    assert introductions(f"# Tea\n\n{said}\n\n## A\n\nx\n")[-1] == said


def test_what_is_short_says_too_little() -> None:
    """In bytes, since a sentence of fourteen Chinese characters says as much as forty letters."""
    assert introductions(f"# Tea\n\n{BRIEF}\n\n## A\n\nx\n") == ["", ""]
    chinese = "绿茶的水温不能太高否则味道会发苦。"
    assert introductions(f"# 茶\n\n{chinese}更多。\n\n## 水\n\nx\n") == ["", chinese]


def test_a_sentence_is_one_line_of_at_most_an_eighth_of_the_limit() -> None:
    wrapped = ABOUT.replace(" ", "\n", 3)
    assert introductions(f"# Tea\n\n{wrapped}\n\n## A\n\nx\n", 500)[-1] == ABOUT
    cut = introductions(f"# Tea\n\n{ABOUT}\n\n## A\n\nx\n", 400)[-1]
    assert ABOUT.startswith(f"{cut} ")
    assert 40 <= len(cut) <= 400 // 8


def test_sizes_are_those_of_the_length_function() -> None:
    sentence = "Every individual temperature influences considerably whatever develops afterwards."
    text = f"# Tea\n\n{sentence}\n\n## A\n\nx\n"
    found = introductions_of(text, Sizer(lambda part: len(part.split()), 48))
    assert found.longest == 6
    assert found.before(span_of(text, "x")) == sentence.removesuffix(" develops afterwards.")


@given(strategies.any_markdown(), st.sampled_from((60, 300, 1000)))
def test_what_introduces_stands_before(text: str, limit: int) -> None:
    """It is a stretch of the source, white space aside, that begins before the chunk."""
    found = introductions_of(text, Sizer(len, limit))
    words = " ".join(text.split())
    for chunk in MarkdownChunker(ChunkConfig(max_chunk_size=limit)).chunk(text):
        sentence = found.before(chunk.span)
        assert len(sentence) <= found.longest == limit // 8
        assert sentence in words
        before = " ".join(text[: chunk.span.start].split())
        assert not sentence or words.index(sentence) < len(before)


def test_it_is_that_of_the_section_around_any_span() -> None:
    """Not only of chunks: also where a span starts inside the paragraph itself."""
    text = f"# Tea\n\n{ABOUT} {WATER}\n\n## Green\n\nx\n"
    found = introductions_of(text, Sizer(len, 500))
    assert found.before(span_of(text, "Tea")) == ""
    assert found.before(span_of(text, ABOUT)) == ""
    assert found.before(span_of(text, WATER)) == ABOUT
    assert found.before(span_of(text, "Green")) == ABOUT


def test_a_heading_in_a_quotation_begins_no_section() -> None:
    text = f"# Tea\n\n{ABOUT}\n\n> # Green\n>\n> {WATER}\n\nAfter.\n"
    found = introductions_of(text, Sizer(len, 500))
    assert found.before(span_of(text, "After.")) == ABOUT


def test_each_section_is_looked_at_once() -> None:
    """However many chunks ask for its sentence."""
    asked: list[str] = []

    def length(part: str) -> int:
        asked.append(part)
        return len(part)

    text = f"# Tea\n\n{ABOUT}\n\n" + "## Green\n\nx\n\n" * 50
    found = introductions_of(text, Sizer(length, 500))
    sections = parse_markdown(text).sections
    spans = [Span(at, at + 1) for at in range(len(text)) if text.startswith("x", at)]
    assert [found.before(span) for span in spans] == [ABOUT] * (len(sections) - 2)
    assert asked.count(ABOUT) == 1


def test_a_blank_document_has_none() -> None:
    assert introductions_of(" \n", Sizer(len, 500)).before(Span(0, 2)) == ""
