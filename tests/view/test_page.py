"""The page: the whole source, every leaf once, and the details of leaves."""

from __future__ import annotations

import dataclasses
import re
import sys
from inspect import CO_GENERATOR
from itertools import pairwise
from types import FrameType

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from chunkana_core import (
    ChunkConfig,
    Context,
    HierarchicalChunkingResult,
    HierarchyBuilder,
    MarkdownChunker,
    Span,
)
from chunkana_view import to_html
from tests import corpora
from tests.core.configurations import contexts
from tests.strategies import any_markdown
from tests.view.reading import Read, read

SAMPLES = corpora.own_documents()
DEFAULT = ChunkConfig()
LABELLED = Context("a.md")
SMALL = ChunkConfig(max_chunk_size=120, atomic_blocks="split")
KETTLE = """# Kettle

Boils water.

## Keys

| Key | Does |
|-----|------|
| b   | boils, and then stops |
| k   | keeps the water warm  |
| t   | brews tea, 80 degrees |
| m   | mutes the whistle     |

## Repair

### Before

Unplug it first.
"""


def chunked(
    text: str, config: ChunkConfig = DEFAULT, context: Context | None = None
) -> HierarchicalChunkingResult:
    return MarkdownChunker(config, context).chunk_hierarchical(text)


def page_of(text: str, config: ChunkConfig = DEFAULT, context: Context | None = None) -> Read:
    return read(to_html(chunked(text, config, context), "a.md"))


def as_shown(text: str) -> str:
    """Return a source as displayed in HTML: a second implementation, to compare with."""
    replaced = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
    replaced |= {0x7F: 0x2421} | dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(replaced)


def check(result: HierarchicalChunkingResult) -> None:
    """Check that a page contains the source, every leaf once and in order, and its details."""
    page = read(to_html(result))
    leaves = result.get_leaves()
    assert page.by_id("source").text == as_shown(result.text)
    assert [leaf.attributes["id"] for leaf in page.leaves] == [f"c-{c.chunk_id}" for c in leaves]
    assert [leaf.text for leaf in page.leaves] == [as_shown(chunk.text) for chunk in leaves]
    assert len(page.facts["chunks"]) == len(leaves)
    for chunk, element, facts in zip(leaves, page.leaves, page.facts["chunks"], strict=True):
        path, title = chunk.section.path, result.title
        titles = path if not title or path[:1] == (title,) else (title, *path)
        shown_path = as_shown(" > ".join(titles))
        assert facts.get("path", "") == shown_path or len(shown_path) > 1000
        parts = [facts.get(name, "") for name in ("context", "above", "below")]
        shown = parts[0] + parts[1] + facts.get("text", element.text) + parts[2]
        assert shown == as_shown(chunk.embedded)
        assert "text" not in facts
    for rows in (page.facts["outline"], page.facts["merge"]):
        assert all(0 <= first <= last < len(leaves) for _, _, first, last, _ in rows)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
@pytest.mark.parametrize(("config", "context"), [(DEFAULT, None), (SMALL, LABELLED)])
def test_own_documents(
    sample: corpora.Sample, config: ChunkConfig, context: Context | None
) -> None:
    check(chunked(sample.text, config, context))


@settings(max_examples=settings().max_examples // 3)  # reading a page costs more than making it
@given(any_markdown(), contexts())
def test_any_markdown(text: str, context: Context | None) -> None:
    check(chunked(text, SMALL, context))


@pytest.mark.slow
def test_corpus() -> None:
    paths = corpora.corpus_paths()
    if not paths:
        pytest.skip("the corpus is not beside the repository")
    for path in paths[::20]:
        check(chunked(corpora.read(path)))


def test_neighbours_differ_in_shade() -> None:
    shades = [leaf.classes[1] for leaf in page_of(KETTLE, SMALL).leaves]
    assert len(shades) > 3
    assert all(one != other for one, other in pairwise(shades))


def test_facts_of_a_continued_part() -> None:
    """A part of a table shows its path, size, lines, flags, and what is repeated above it."""
    page = page_of(KETTLE, dataclasses.replace(SMALL, max_chunk_size=140))
    index = next(i for i, c in enumerate(page.facts["chunks"]) if "continued" in c.get("flags", {}))
    facts, leaf = page.facts["chunks"][index], page.leaves[index]
    assert facts["path"] == "Kettle > Keys"
    assert facts["level"] == "H2, subsection"
    assert (facts["type"], facts["lines"]) == ("table", "11–12")
    assert facts["above"] == "## Keys\n\n| Key | Does |\n|-----|------|\n"
    assert facts["flags"] == {"continued": "part 2 of its section's text"}
    assert leaf.attributes["data-notes"] == "continued"
    assert facts["size"] == len(facts["above"] + leaf.text)


def test_what_is_embedded_is_shown() -> None:
    """Label, path and introduction stand above, as they are embedded."""
    (_, _, last) = page_of(KETTLE * 2, DEFAULT, LABELLED).facts["chunks"][:3]
    chunk = chunked(KETTLE * 2, DEFAULT, LABELLED).get_leaves()[2]
    assert last["context"] == f"{chunk.context}\n\n" == "a.md > Kettle > Repair\n\n"
    assert last["size"] == chunk.size


def test_flags() -> None:
    text = f"---\na: b\n---\n\n{KETTLE}\n```\n{'x' * 300}\n```\n"
    flags = [
        c.get("flags", {}) for c in page_of(text, ChunkConfig(max_chunk_size=120)).facts["chunks"]
    ]
    named = {name: why for of_one in flags for name, why in of_one.items()}
    assert named["not indexable"] == "front_matter"
    assert named["oversize"] in {"code_block_integrity", "table_integrity"}
    assert named["moved heading"].startswith("of section ")


def test_kinds_are_counted() -> None:
    page = page_of(KETTLE, SMALL)
    values = {e.attributes["value"] for e in page.all("option") if "value" in e.attributes}
    assert {"", "flag:continued", "type:table", "type:text"} <= values
    assert re.search(r"continued \(\d+\)", page.by_id("choice").text)


def test_the_limit_and_the_name_are_said() -> None:
    page = page_of(KETTLE, SMALL)
    (heading,) = page.all("h1")
    assert heading.text == "a.md"
    (facts,) = (e for e in page.elements if "facts" in e.classes)
    assert "limit 120 characters" in facts.text
    assert page.facts["limit"] == 120


def test_other_units() -> None:
    config = ChunkConfig(max_chunk_size=40, length_function=lambda text: len(text.split()))
    page = page_of(KETTLE * 5, config)
    assert page.facts["unit"] == "units"
    assert all(chunk["size"] <= 40 for chunk in page.facts["chunks"])


@pytest.mark.parametrize("text", ["", " \n\n ", "\ufeff"])
def test_documents_without_text(text: str) -> None:
    page = page_of(text)
    assert page.by_id("source").text == text
    if not page.leaves:
        assert any("no text to chunk" in element.text for element in page.all("p"))


def test_a_cut_inside_a_line_is_said() -> None:
    page = page_of("One is here. Two is there. " * 20, SMALL)
    first, *gaps, after = (element for element in page.elements if "gap" in element.classes)
    assert gaps
    assert all("same-line" in gap.classes for gap in gaps)
    assert (first.classes, first.text, after.classes, after.text) == (["gap"], "", ["gap"], " ")


def test_chunks_that_another_tool_made() -> None:
    """Chunks may lie over one another, leave text out, and have contents of their own."""
    text = "# A\n\nOne two three.\n\nFour five.\n\nSix.\n"
    (chunk,) = MarkdownChunker().chunk(text)
    spans = [Span(0, 15), Span(9, 20), Span(34, 38)]
    foreign = [
        replace(chunk, span=span, content=f"({n})", chunk_id=f"{n}") for n, span in enumerate(spans)
    ]
    result = HierarchyBuilder().build(foreign, text)
    page = read(to_html(result))
    assert page.by_id("source").text == text
    assert len(page.leaves) == 3
    assert page.facts["chunks"][1]["text"] == "(1)"


def test_the_page_is_a_few_times_the_source() -> None:
    text = "\n\n".join(sample.text for sample in SAMPLES) * 2
    assert len(to_html(chunked(text)).encode()) < 3 * len(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        f"# {'Long ' * 8000}\n\n" + "## Part\n\nShort.\n\n" * 400,
        "\n\n".join(f"{'#' * (n % 6 + 1)} {'Long ' * 50}\n\nShort." for n in range(400)),
        "# A\n\n" + "word " * 20_000,
    ],
    ids=["a long title", "long titles", "a long paragraph"],
)
def test_no_title_makes_the_page_large(text: str) -> None:
    """What is repeated in many places is shortened."""
    result = chunked(text, SMALL)
    assert len(to_html(result)) < 100_000 + 3 * len(text) + 2_500 * len(result.get_leaves())


def length_of_what_is_made(result: HierarchicalChunkingResult) -> int:
    """Return the length of all strings that functions return while a page is made.

    What was there before is not counted: the source, and what generators may yield of it.
    """
    made = 0

    def add(frame: FrameType, event: str, value: object) -> None:
        nonlocal made
        if frame.f_code.co_flags & CO_GENERATOR:
            return
        if event == "return" and isinstance(value, str) and value is not result.text:
            made += len(value)

    before = sys.getprofile()
    sys.setprofile(add)
    try:
        to_html(result)
    finally:
        sys.setprofile(before)
    return made


@pytest.mark.parametrize("under", ["", "## Part\n\n"], ids=["parts of one section", "sections"])
@pytest.mark.parametrize("context", [None, LABELLED], ids=["alone", "with a context"])
def test_a_long_title_costs_once(under: str, context: Context | None) -> None:
    """Neither the path nor what is embedded is made anew, in full, for each of many leaves."""
    paragraphs = (f"{under}{'Some words here. ' * 6}" for _ in range(300))
    result = chunked(f"# {'a' * 50_000}\n\n" + "\n\n".join(paragraphs), SMALL, context)
    assert len(result.get_leaves()) >= 300
    assert 0 < length_of_what_is_made(result) < 20 * len(to_html(result))


def test_long_languages_are_shortened() -> None:
    text = f"# A\n\n```{'x' * 5000}\n" + "some code here\n" * 100 + "```\n"
    chunks = page_of(text, SMALL).facts["chunks"]
    assert len(chunks) > 1
    assert all(len(chunk["kind"]) < 300 for chunk in chunks)


def test_a_leaf_with_many_headings_is_measured_once() -> None:
    measured: list[str] = []

    def length(text: str) -> int:
        measured.append(text)
        return len(text)

    config = ChunkConfig(max_chunk_size=10_000, length_function=length)
    result = chunked("# A\n\n" + "### B\n\nText.\n\n" * 500, config)
    leaves, headings = result.get_leaves(), result.toc()
    assert len(headings) > 50 * len(leaves)
    measured.clear()
    to_html(result)
    assert 0 < sum(map(len, measured)) < 20 * len(result.text)


def test_a_long_path_is_shortened_and_says_so() -> None:
    page = page_of("".join(f"{'#' * level} {'a' * 200}\n\n" for level in range(1, 7)) + "Text.\n")
    path = " > ".join(["a" * 200] * 6)
    assert (
        page.facts["chunks"][-1]["path"]
        == f"{path[:500]} … {len(path) - 1000} more … {path[-500:]}"
    )


def test_containers_are_named_beside_their_chunks() -> None:
    page = page_of("# Tea\n\n:::tip Heat\nUse hot water.\n:::\n\n# Cups\n\nWarm them.\n", SMALL)
    first, other = page.leaves
    assert first.attributes["data-notes"] == "in tip"
    assert first.attributes["aria-label"].endswith(", text, in tip")
    assert "data-notes" not in other.attributes
    assert [chunk.get("container") for chunk in page.facts["chunks"]] == ["tip", None]
    options = {e.attributes["value"]: e.text for e in page.all("option")}
    assert options["container:tip"] == "in tip (1)"


@pytest.mark.parametrize(("context", "has"), [(None, False), (LABELLED, True)])
def test_whether_there_are_contexts_is_said(context: Context | None, *, has: bool) -> None:
    assert page_of(KETTLE, SMALL, context).facts["has_contexts"] is has
