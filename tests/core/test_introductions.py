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


def introductions(*blocks: str, limit: int = 900) -> list[str]:
    """Return what introduces each chunk that is worth indexing, each section a chunk."""
    text = "\n\n".join(("# Tea", *blocks))
    config = ChunkConfig(max_chunk_size=limit, min_chunk_size=0)
    found = introductions_of(text, Sizer(len, limit))
    chunks = MarkdownChunker(config).chunk_hierarchical(text).get_flat_chunks()
    return [found.before(chunk.span) for chunk in chunks]


SUBSECTION = ("## A", "x")


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ((f"{ABOUT} More.", "## Green", "x", "## Black", "y"), ["", ABOUT, ABOUT]),
        ((ABOUT, "## Green", WATER, "### Water", "x", "## B", "y"), ["", ABOUT, WATER, ABOUT]),
        ((ABOUT, "## Green", WATER, LONG, LONG), ["", ABOUT, WATER]),  # by its own beginning
    ],
)
def test_introductions_are_from_the_innermost_enclosing_section(
    blocks: list[str], expected: list[str]
) -> None:
    """The section's own text holds the sentence itself; what is parted from it lacks it."""
    assert introductions(*blocks, limit=600) == expected


def test_a_preamble_introduces_all_sections() -> None:
    """Also below front matter and what has no words."""
    wordless = "<a id='x'></a>\n\n![CI](ci.svg) [![](a.png)](b)"
    text = f"---\ntitle: T\n---\n\n{wordless}\n\n{ABOUT}\n\n## A\n\nx\n"
    assert introductions_of(text, Sizer(len, 500)).before(span_of(text, "x\n")) == ABOUT


@pytest.mark.parametrize(
    "beginning",
    [
        *("- a list", "```\ncode\n```", "| a |\n|---|", "> a quote"),
        *("Be brief.", "The five words of this.", "绿茶水温不能太高。"),
    ],
)
def test_a_section_that_begins_with_no_sentence_is_passed_over(beginning: str) -> None:
    """A list, code, a table or few words say nothing, whatever the next paragraph says."""
    below = ("## Green", beginning, WATER, "### Water", "x")
    assert introductions(ABOUT, *below)[-1] == ABOUT


@pytest.mark.parametrize(
    "noise",
    [
        "[![Build Status][ci-badge]][ci-link] [![Documentation][docs-badge]][docs-link]",
        "[![Build Status]][ci-link] [![The latest version][]][package] ![Minimal Python]",
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
def test_introductions_skip_badges_links_and_dates(noise: str) -> None:
    """Badges, links, bare or in HTML, dates and markers of containers."""
    assert introductions(noise, ABOUT, *SUBSECTION)[-1] == ABOUT


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
    assert introductions(source, *SUBSECTION)[-1] == introduction or source


@pytest.mark.parametrize(
    ("said", "is_enough"),
    [
        ("Six of these words are enough.", True),
        ("绿茶的水温不能太高否则苦", True),  # without spaces, twelve letters
        ("ชาเขียวต้องใช้น้ำที่", True),
        ("Redis 和 Python 的绿茶指南。", False),  # of both, two of these letters are a word
    ],
)
def test_six_words_are_enough(said: str, *, is_enough: bool) -> None:
    assert introductions(said, *SUBSECTION)[-1] == (said if is_enough else "")


def test_a_lead_in_introduces_its_own_section_alone() -> None:
    """What continues the list gets it; what is under a subsection gets the sentence above."""
    items = "\n".join(f"- Leaf number {number} wants water of its own." for number in range(30))
    lead_in = "**For each leaf these are the ways to make it:**"
    found = introductions(ABOUT, "## Green", lead_in, items, "### A", "x")
    assert [found[0], found[-1], {*found[2:-1]}] == ["", ABOUT, {lead_in}]


def test_a_sentence_is_one_line_of_at_most_an_eighth_of_the_limit() -> None:
    wrapped = ABOUT.replace(" ", "\n", 3)
    assert introductions(wrapped, *SUBSECTION, limit=500)[-1] == ABOUT
    cut = introductions(ABOUT, *SUBSECTION, limit=400)[-1]
    assert ABOUT.startswith(f"{cut} ")
    assert 40 <= len(cut) <= 400 // 8


def test_sizes_are_those_of_the_length_function() -> None:
    sentence = "Every individual temperature influences considerably whatever develops afterwards."
    text = f"# Tea\n\n{sentence}\n\n## A\n\nx\n"
    found = introductions_of(text, Sizer(lambda part: len(part.split()), 48))
    assert found.longest == 6
    assert found.before(span_of(text, "x")) == sentence.removesuffix(" develops afterwards.")


@given(strategies.any_markdown(), st.sampled_from((60, 300, 1000)))
def test_introductions_are_from_the_text_before_the_chunk(text: str, limit: int) -> None:
    """It is made of the source, in order, and a stretch of it where there are no links."""
    found = introductions_of(text, Sizer(len, limit))
    words = " ".join(text.split())
    for chunk in MarkdownChunker(ChunkConfig(max_chunk_size=limit)).chunk(text):
        sentence = found.before(chunk.span)
        assert len(sentence) <= found.longest == limit // 8
        before = iter(text[: chunk.span.start])
        assert all(character == " " or character in before for character in sentence)
        assert sentence in words or "](" in words or "![" in words


def test_any_span_has_the_introduction_of_the_section_around_it() -> None:
    """Not only of chunks: also where a span starts inside the paragraph itself."""
    text = f"# Tea\n\n{ABOUT} {WATER}\n\n> # Quoted, and so no section\n\n## Green\n\nx\n"
    found = introductions_of(text, Sizer(len, 500))
    expected = {"Tea": "", ABOUT: "", WATER: ABOUT, "Quoted": ABOUT, "Green": ABOUT}
    assert {part: found.before(span_of(text, part)) for part in expected} == expected


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
