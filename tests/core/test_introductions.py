"""The sentence that goes with a chunk: how the text begins that it was parted from."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given

from chunkana_core import (
    ChunkConfig,
    Document,
    HierarchicalChunkingResult,
    InputTypeError,
    Introductions,
    MarkdownChunker,
    SectionPath,
    SourceLabel,
    chunk_hierarchical,
    label_of,
)
from tests import corpora, strategies

ABOUT = "This guide says how tea is made in a small kitchen."
WATER = "Water for green tea must not boil, as it turns bitter."
LONG = "Every leaf wants a temperature of its own. " * 12
BRIEF = "Be brief."


def chunked(text: str, limit: int = 500) -> HierarchicalChunkingResult:
    """Chunk without merging, so that each section is a chunk."""
    return MarkdownChunker(ChunkConfig(max_chunk_size=limit, min_chunk_size=0)).chunk_hierarchical(
        text
    )


def introductions(text: str, limit: int = 500) -> list[str]:
    """Return what introduces each chunk that is worth indexing."""
    result = chunked(text, limit)
    return [result.introductions.before(chunk.span) for chunk in result.get_flat_chunks()]


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


def test_a_sentence_is_one_line_of_at_most_a_sixth_of_the_limit() -> None:
    wrapped = ABOUT.replace(" ", "\n", 3)
    assert introductions(f"# Tea\n\n{wrapped}\n\n## A\n\nx\n", 500)[-1] == ABOUT
    cut = introductions(f"# Tea\n\n{ABOUT}\n\n## A\n\nx\n", 280)[-1]
    assert ABOUT.startswith(f"{cut} ")
    assert 40 <= len(cut) <= 280 // 6


def test_sizes_are_those_of_the_length_function() -> None:
    config = ChunkConfig(
        max_chunk_size=36, length_function=lambda text: len(text.split()), min_chunk_size=0
    )
    sentence = "Every individual temperature influences considerably whatever develops afterwards."
    result = MarkdownChunker(config).chunk_hierarchical(f"# Tea\n\n{sentence}\n\n## A\n\nx\n")
    said = result.introductions.before(result.get_flat_chunks()[-1].span)
    assert said == sentence.removesuffix(" develops afterwards.")


def test_the_longest_leaves_room_for_any() -> None:
    """Of a path that two sections have, the longer sentence counts."""
    text = f"## A\n\n{ABOUT}\n\n### B\n\nx\n\n## A\n\n{WATER}\n\n### B\n\ny\n"
    said = chunked(text).introductions
    assert said.longest(SectionPath(3, ("A", "B"))) == WATER
    assert said.longest(SectionPath(2, ("A",))) == WATER
    assert said.longest(SectionPath(2, ("none",))) == ""


def test_the_longest_are_known_all_or_none() -> None:
    """Where measuring failed, or another thread is still at it, half of them would do harm."""
    asked: list[str] = []

    def length(text: str) -> int:
        asked.append(text)
        if asked.count("") == 4:
            raise ValueError(text)
        return len(text)

    said = Introductions(Document.parse(f"# Tea\n\n{ABOUT}\n\n## Green\n\nx\n"), length, 500)
    with pytest.raises(ValueError, match=r"^$"):
        said.longest(SectionPath(1, ("Tea",)))
    assert said.longest(SectionPath(1, ("Tea",))) == ABOUT


@pytest.mark.parametrize("sample", corpora.own_documents(), ids=lambda sample: sample.name)
@pytest.mark.parametrize("limit", [200, 1000])
def test_no_chunk_of_one_section_has_more_than_there_is_room_for(
    sample: corpora.Sample, limit: int
) -> None:
    result = chunked(sample.text, limit)
    said = result.introductions
    for chunk in result.get_leaves():
        if chunk.merge_reason is None:
            assert len(said.before(chunk.span)) <= len(said.longest(chunk.section))


@given(strategies.any_markdown())
def test_what_introduces_stands_before(text: str) -> None:
    """It is a stretch of the source, white space aside, that begins before the chunk."""
    result = chunked(text, 300)
    for chunk in result.get_leaves():
        said = result.introductions.before(chunk.span)
        assert len(said) <= 50
        assert said in " ".join(text[: chunk.span.start + 300].split())
        assert not said or text[: chunk.span.start].strip()


def test_the_embedded_text() -> None:
    """Label and breadcrumb, introduction, content."""
    result = chunked(f"# Tea\n\n{ABOUT}\n\n## Green\n\nx\n")
    first, second = result.get_flat_chunks()
    assert result.contextualize(first) == f"Tea\n\n{first.content}"
    assert result.contextualize(second) == f"Tea > Green\n\n{ABOUT}\n\n## Green\n\nx"
    labelled = result.contextualize(second, source_label="kitchen/tea.md")
    assert labelled == f"kitchen/tea.md > {result.contextualize(second)}"


@pytest.mark.parametrize(
    ("source_label", "label"),
    [
        (None, ""),
        ("source", "a b"),
        ("missing", ""),
        ("unknown", ""),
        ("number", "7"),
        (lambda text: text.upper(), "DOCUMENT"),
    ],
)
def test_labels(source_label: SourceLabel[str], label: str) -> None:
    metadata = {"source": " a\n b ", "unknown": None, "number": 7}
    assert label_of("document", metadata, source_label) == label


def test_labels_of_the_wrong_type() -> None:
    with pytest.raises(InputTypeError, match=r"source_label is 3; allowed: None, a key"):
        label_of("", {}, 3)  # type: ignore[arg-type]
    with pytest.raises(InputTypeError, match="what source_label returns is 3; allowed: a str"):
        label_of("", {}, lambda _: 3)  # type: ignore[arg-type, return-value]


def test_a_blank_document_has_none() -> None:
    assert chunk_hierarchical(" \n").introductions.longest(SectionPath()) == ""


def test_a_result_from_another_process_knows_them_too() -> None:
    result = chunked(f"# Tea\n\n{ABOUT}\n\n## Green\n\nx\n")
    again = pickle.loads(pickle.dumps(result))  # noqa: S301  # our own
    texts = [again.contextualize(chunk) for chunk in again.get_flat_chunks()]
    assert texts == [result.contextualize(chunk) for chunk in result.get_flat_chunks()]
