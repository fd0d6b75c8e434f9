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


@pytest.mark.parametrize(
    "noise",
    [
        "[The guide](https://example.org/guide) and [the shop](https://example.org/shop) are here.",
        "You may read this guide in [other languages](https://example.org/languages/all.html).",
        "**All the documents**: <a href='https://example.org'>https://example.org/about/tea</a>",
        "Everything about tea is found at https://example.org/everything/about/tea/of/all/kinds",
        "Read the guides of all the others: <https://example.org/guides/of/all/the/others/too>",
        "*Posted on December 06, 2025 by the whole tea team*",
        "Last updated by the editors 2024-01-02 for all readers.",
        "Опубликовано 6 декабря 2025 для всех, кто любит чай",
        "2024年1月2日发布，作者是绿茶爱好者。",
        ":::note Water for green tea must not boil.",
        '!!! note "Water" It must not boil, as it turns bitter.',
        "{{< note >}} Water for green tea must not boil.",
        "{% note %} Water for green tea must not boil.",
    ],
)
def test_what_is_no_prose_is_passed_over(noise: str) -> None:
    """Links, bare or in HTML, dates and markers of containers."""
    text = f"# Tea\n\n{noise}\n\n{ABOUT}\n\n## A\n\nx\n"
    assert introductions(text, 900)[-1] == ABOUT


@pytest.mark.parametrize(
    ("source", "introduction"),
    [
        (
            "The [guide](a.md) says how ![a leaf](leaf.png)*tea* is [made](b.md 'Made (here)').",
            "The guide says how *tea* is made.",
        ),
        (
            "This [page](https://example.org/Tea_(drink)) says how tea is made in kitchens.",
            "This page says how tea is made in kitchens.",
        ),
        ("Tea has come to this town in [cups][], and in `a[0][1]`.", None),
        ("Since December 6, 2025 no guest of this kitchen has had tea that was cold.", None),
        ("Boil it where `a < b` for all the leaves and c > d.", None),
    ],
)
def test_links_are_written_without_their_targets(source: str, introduction: str | None) -> None:
    """And without images; what reads as it stands is left so."""
    text = f"# Tea\n\n{source}\n\n## A\n\nx\n"
    assert introductions(text, 900)[-1] == introduction or source


@pytest.mark.parametrize("brief", ["Be brief.", "The five words of this.", "绿茶水温不能太高。"])
def test_what_is_brief_introduces_nothing(brief: str) -> None:
    """A section that begins with few words is passed over, whatever its next paragraph says."""
    text = f"# Tea\n\n{ABOUT}\n\n## Green\n\n{brief}\n\n{WATER}\n\n### A\n\nx\n"
    assert introductions(text, 900)[-1] == ABOUT


def test_six_words_are_enough() -> None:
    """Of a script without spaces, twelve letters; where both are used, two of them are a word."""
    for said in ("Six of these words are enough.", "绿茶的水温不能太高否则苦", "ชาเขียวต้องใช้น้ำที่"):
        assert introductions(f"# Tea\n\n{said}\n\n## A\n\nx\n", 900)[-1] == said
    assert introductions("# Tea\n\nRedis 和 Python 的绿茶指南。\n\n## A\n\nx\n", 900)[-1] == ""


def test_a_lead_in_introduces_its_own_section_alone() -> None:
    """What continues the list gets it; what is under a subsection gets the sentence above."""
    items = "".join(f"- Leaf number {number} wants water of its own.\n" for number in range(30))
    lead_in = "**For each leaf these are the ways to make it:**"
    text = f"# Tea\n\n{ABOUT}\n\n## Green\n\n{lead_in}\n\n{items}\n### A\n\nx\n"
    found = introductions(text, 900)
    assert [found[0], found[-1]] == ["", ABOUT]
    assert set(found[2:-1]) == {lead_in}


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
    """It is made of the source, in order, and a stretch of it where there are no links."""
    found = introductions_of(text, Sizer(len, limit))
    words = " ".join(text.split())
    for chunk in MarkdownChunker(ChunkConfig(max_chunk_size=limit)).chunk(text):
        sentence = found.before(chunk.span)
        assert len(sentence) <= found.longest == limit // 8
        before = iter(text[: chunk.span.start])
        assert all(character == " " or character in before for character in sentence)
        assert sentence in words or "](" in words or "![" in words


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
    assert introductions_of("\ufeff", Sizer(len, 500)).before(Span(0, 1)) == ""
