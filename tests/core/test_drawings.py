"""What is drawn in the documentation is what the library does."""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from xml.etree import ElementTree as ET

import pytest

from chunkana_core import (
    Chunk,
    ChunkConfig,
    HierarchicalChunkingResult,
    analyze_markdown,
    chunk_hierarchical,
)
from chunkana_core.extending import Document
from tests import corpora
from tests.core.pages import DOCS, PAGES, run_sessions

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="there is no documentation")

_SPANS = re.compile(r">([^<>]*\d–\d[^<>]*)<")  # "42–240" in a drawing
_FACT = re.compile(r'class="[^"]*\b(?:fact|offset)"[^>]*>([^<]+)<')
_PICTURE = re.compile(r"!\[([^\]]*)\]\([\w/]*pictures/([^)]+)\)")
_DRAWN = {  # the document in the drawing of an option, by its name on the page
    "atomic_blocks": "log",
    "code_cuts": "kitchen",
    "code_threshold": "text",
    "include_document_summary": "kettle",
    "length_function": "text",
    "max_chunk_size": "text",
    "merge_boundary_level": "lamp",
    "min_chunk_size": "lamp",
    "min_content_after_header": "safety",
    "overlap_size": "text",
    "oversize_tolerance": "text",
    "strategy": "clock",
    "structure_threshold": "lamp",
    "validation": "kettle",  # and debug
}
_ALSO = {  # what else than chunks is in a drawing
    "code_threshold": {"share", "strategy"},
    "include_document_summary": {"root"},
    "strategy": {"strategy"},
    "structure_threshold": {"headings", "strategy"},
    "validation": {"outcome"},
}


def test_drawings_are_true() -> None:
    """The numbers in the drawings of the concepts are those of the page's own document."""
    names = run_sessions(DOCS / "concepts.md")
    document, result = names["document"], names["result"]
    assert isinstance(document, Document)
    assert isinstance(result, HierarchicalChunkingResult)
    assert facts_in("source") == [*map(str, document.source.line_starts[:-1]), "42–240"]
    assert facts_in("blocks") == [f"{block.start}–{block.end}" for block in document.blocks]
    chunks = [
        (
            f"{chunk.span.start}–{chunk.span.end}",
            str(chunk.size),
            f"lines {chunk.text_start_line}–{chunk.text_end_line}",
        )
        for chunk in result.get_flat_chunks()
    ]
    assert facts_in("chunks") == [fact for chunk in chunks for fact in chunk]
    nodes = result.merge_tree().nodes
    assert sorted(facts_in("merging")) == sorted(
        f"{node.span.start}–{node.span.end}: {len(node.text)}" for node in nodes
    )


def facts_in(drawing: str) -> list[str]:
    """Return the numbers that a drawing says, in its order."""
    text = corpora.read(DOCS / "pictures" / f"{drawing}.svg")
    facts: list[str] = _FACT.findall(text)
    assert set(_SPANS.findall(text)) <= set(facts), "a span is not marked as a fact"
    return facts


def test_drawings_have_texts_in_their_place() -> None:
    """Every picture on a page has a text in its place, and every drawing a title."""
    shown = [found for page in PAGES for found in _PICTURE.findall(corpora.read(page))]
    drawings = {path.name for path in (DOCS / "pictures").glob("*.svg")}
    assert {name for _, name in shown} == drawings
    assert all(len(alternative) > len("a picture") for alternative, _ in shown)
    assert all("<title>" in corpora.read(DOCS / "pictures" / name) for name in drawings)


def test_every_option_is_drawn() -> None:
    drawn = {path.stem.removeprefix("option_") for path in (DOCS / "pictures").glob("option_*.svg")}
    assert drawn == set(_DRAWN)
    assert {field.name for field in dataclasses.fields(ChunkConfig)} - drawn == {"debug"}


@pytest.mark.parametrize("option", _DRAWN)
def test_drawings_of_options_are_true(option: str) -> None:
    """Text, sizes and flags in the drawing of an option are those of the page's example."""
    drawing = ET.parse(DOCS / "pictures" / f"option_{option}.svg").getroot()  # noqa: S314
    (source,) = _groups(drawing, "document")
    text = _names()[_DRAWN[option]]
    assert isinstance(text, str)
    assert _words(source, "said") == text.split()
    panels = _groups(drawing, "panel")
    values = [_configuration(panel) for panel in panels]
    assert getattr(values[0], option) == getattr(ChunkConfig(), option), "first the default"
    assert len({getattr(config, option) for config in values}) == len(panels) > 1
    page = corpora.read(DOCS / "configuration.md")
    assert all(words in page for panel in panels[1:] for words in _texts(panel, "option"))
    for panel, config in zip(panels, values, strict=True):
        result = chunk_hierarchical(text, config)
        chunks = [_said_of(chunk, config) for chunk in result.get_flat_chunks()]
        assert [_drawn(group) for group in _groups(panel, "chunk")] == chunks
        besides = _said_besides(result)
        for kind in _ALSO.get(option, ()):
            assert _words(panel, kind) == besides[kind]


def test_texts_in_the_place_of_drawings_of_options_are_true() -> None:
    """The sizes in such a text are those in the drawing."""
    shown = _PICTURE.findall(corpora.read(DOCS / "configuration.md"))
    assert {name for _, name in shown} == {f"option_{option}.svg" for option in _DRAWN}
    for alternative, name in shown:
        texts = " ".join(re.findall(r">([^<>]+)</text>", corpora.read(DOCS / "pictures" / name)))
        assert _sizes(alternative)
        assert _sizes(alternative) <= _sizes(texts), name


def _sizes(text: str) -> set[str]:
    return set(re.findall(r"\d{2,}", text))


@cache
def _names() -> dict[str, object]:
    """Return what the examples of the page on configuration leave."""
    return run_sessions(DOCS / "configuration.md")


def _groups(drawing: ET.Element, kind: str) -> list[ET.Element]:
    """Return the groups of a class in a drawing."""
    return [group for group in drawing.iter() if kind in group.get("class", "").split()]


def _texts(group: ET.Element, kind: str) -> list[str]:
    """Return the texts of a class in a group, or below groups of that class."""
    return [text for found in _groups(group, kind) for text in found.itertext() if text.strip()]


def _words(group: ET.Element, kind: str) -> list[str]:
    return " ".join(_texts(group, kind)).split()


def _configuration(panel: ET.Element) -> ChunkConfig:
    """Return the configuration that stands above a panel."""
    options = ", ".join(_texts(panel, "option"))
    config = eval(f"ChunkConfig({options})", {**_names(), "ChunkConfig": ChunkConfig})  # noqa: S307
    assert isinstance(config, ChunkConfig)
    return config


def _drawn(group: ET.Element) -> dict[str, object]:
    """Return what a chunk in a drawing says."""
    kinds = ("said", "repeated", "size", "previous", "next", "reason", "checked")
    return {kind: _words(group, kind) for kind in kinds}


def _said_of(chunk: Chunk, config: ChunkConfig) -> dict[str, object]:
    """Return what a drawing has to say of a chunk."""
    before, after = chunk.content.split(chunk.text)
    reason, checked = chunk.oversize_reason, chunk.metadata.get("validation")
    return {
        "said": chunk.content.split(),
        "repeated": [*before.split(), *after.split()],
        "size": f"{chunk.size} of {config.max_chunk_size}".split(),
        "previous": chunk.previous_content.split(),
        "next": chunk.next_content.split(),
        "reason": ["oversize_reason:", reason] if reason else [],
        "checked": ['metadata["validation"]:', "valid"] if checked else [],
    }


def _said_besides(result: HierarchicalChunkingResult) -> dict[str, list[str]]:
    """Return what a drawing may say of a result."""
    analysis = analyze_markdown(result.text)
    checked = result.validation
    outcome = f"valid, coverage {checked.coverage}" if checked and checked.valid else "None"
    return {
        "share": [f"{analysis.code_ratio:g}"],
        "headings": [str(analysis.header_count)],
        "strategy": [result.strategy_used],
        "root": ["the", "root", *result.chunks[0].content.split()],
        "outcome": f"result.validation: {outcome}".split(),
    }
