"""HierarchyBuilder: the tree over any chunks that have spans."""

from __future__ import annotations

import pytest
from hypothesis import given
from msgspec.structs import replace

from chunkana_core import (
    Chunk,
    ChunkConfig,
    ConfigurationError,
    HierarchyBuilder,
    InputTypeError,
    Links,
    MarkdownChunker,
    SectionPath,
    Source,
    Span,
    validate_tree,
)
from tests import corpora
from tests.core.configurations import configs
from tests.strategies import any_markdown

TEXT = "# D\n\nIntro.\n\n## A\n\nText of A.\n\n### A1\n\nText of A1.\n\n## B\n\nText of B.\n"


def builder(config: ChunkConfig) -> HierarchyBuilder:
    """Return the builder that says of nodes what a chunker with a configuration does."""
    return HierarchyBuilder(config.include_document_summary, config)


@pytest.mark.parametrize("sample", corpora.own_documents(), ids=lambda sample: sample.name)
def test_building_gives_what_chunking_gives(sample: corpora.Sample) -> None:
    """The tree over `chunk()` is that of `chunk_hierarchical()`; building again changes nothing."""
    config = ChunkConfig(max_chunk_size=300, overlap_size=40)
    chunker = MarkdownChunker(config)
    whole = chunker.chunk_hierarchical(sample.text)
    once = builder(config).build(chunker.chunk(sample.text), sample.text)
    assert once == whole
    assert builder(config).build(once.chunks, sample.text) == once
    assert once.merge_tree() == whole.merge_tree()
    assert once.toc() == whole.toc()


@given(any_markdown(), configs())
def test_building_gives_what_chunking_gives_for_any_text(text: str, config: ChunkConfig) -> None:
    chunker = MarkdownChunker(config)
    whole = chunker.chunk_hierarchical(text)
    once = builder(config).build(chunker.chunk(text), text)
    assert once.chunks == whole.chunks
    assert builder(config).build(once.chunks, text).chunks == once.chunks


def test_summary_is_an_option() -> None:
    """Without a summary the root says its title alone, and nothing else changes."""
    chunks = MarkdownChunker().chunk(TEXT)
    with_summary, without = (HierarchyBuilder(flag).build(chunks, TEXT) for flag in (True, False))
    assert with_summary.chunks[0].content == "# D\n\nIntro."
    assert without.chunks[0].content == "# D"
    assert with_summary.chunks[1:] == without.chunks[1:]


def test_order_does_not_matter() -> None:
    chunks = MarkdownChunker(ChunkConfig(min_chunk_size=0)).chunk(TEXT)
    assert HierarchyBuilder().build(chunks[::-1], TEXT) == HierarchyBuilder().build(chunks, TEXT)


def foreign(start: int, end: int, chunk_id: str, text: str = TEXT) -> Chunk:
    """Return a chunk as another tool may have cut it."""
    source = Source.of(text)
    return Chunk(
        source=source,
        span=Span(start, end),
        content=text[start:end],
        start_line=source.line_at(start),
        end_line=source.line_at(end - 1),
        text_start_line=source.line_at(start),
        text_end_line=source.line_at(end - 1),
        chunk_id=chunk_id,
        section_id="",
        section=SectionPath(),
        strategy="foreign",
        content_type="text",
        size=end - start,
    )


def test_chunks_of_another_tool() -> None:
    """Chunks cut anywhere, with gaps and overlaps, get a tree by the outline."""
    chunks = [foreign(n, min(n + 25, len(TEXT)), f"c{n}") for n in range(0, len(TEXT), 20)]
    result = HierarchyBuilder().build(chunks, TEXT)
    assert [chunk.chunk_id for chunk in result.get_leaves()] == [chunk.chunk_id for chunk in chunks]
    assert [chunk.content for chunk in result.get_leaves()] == [chunk.content for chunk in chunks]
    assert result.strategy_used == "foreign"
    reached = {c.chunk_id for c in result.walk()}
    assert {c.links.parent_id for c in result.chunks[1:]} <= reached


def test_some_chunks_alone() -> None:
    """The tree over some of the leaves has the nodes that they need."""
    chunks = MarkdownChunker(ChunkConfig(min_chunk_size=0)).chunk(TEXT)
    result = HierarchyBuilder().build(chunks[2:3], TEXT)
    assert len(result.get_leaves()) == 1
    assert validate_tree(result).valid
    assert result.chunks[0].is_root


def test_no_chunks_no_tree() -> None:
    result = HierarchyBuilder().build([], TEXT)
    assert (result.chunks, result.root_id, result.strategy_used) == ((), "", "")


def test_links_of_before_do_not_matter() -> None:
    """What chunks say of a tree before is made anew."""
    chunks = MarkdownChunker().chunk(TEXT)
    bare = [replace(chunk, links=Links()) for chunk in chunks]
    assert HierarchyBuilder().build(bare, TEXT) == HierarchyBuilder().build(chunks, TEXT)


@pytest.mark.parametrize(
    "span", [Span(-1, 5), Span(5, 5), Span(6, 5), Span(0, len(TEXT) + 1), Span(500, 600)], ids=repr
)
def test_spans_outside_the_text_are_refused(span: Span) -> None:
    chunk = replace(MarkdownChunker().chunk(TEXT)[0], span=span)
    with pytest.raises(ConfigurationError) as caught:
        HierarchyBuilder().build([chunk], TEXT)
    expected = ("chunks", span, f"spans within 0 and {len(TEXT)}")
    assert (caught.value.field, caught.value.value, caught.value.allowed) == expected


def test_ids_that_repeat_are_refused() -> None:
    chunk = MarkdownChunker().chunk(TEXT)[0]
    with pytest.raises(ConfigurationError) as caught:
        HierarchyBuilder().build([chunk, chunk], TEXT)
    assert str(caught.value) == "chunks is '2 leaves'; allowed: leaves with different ids"


def test_text_has_to_be_a_str() -> None:
    with pytest.raises(InputTypeError) as caught:
        HierarchyBuilder().build([], TEXT.encode())  # type: ignore[arg-type]
    assert caught.value.field == "original_text"


def test_ids_of_other_tools_do_not_meet_those_of_nodes() -> None:
    """A leaf may have any id, even that of a node: ids are unique all the same."""
    whole = MarkdownChunker(ChunkConfig(min_chunk_size=0)).chunk_hierarchical(TEXT)
    node_ids = [chunk.chunk_id for chunk in whole.chunks if not chunk.is_leaf]
    leaves = [
        replace(leaf, chunk_id=node_ids[n % len(node_ids)] if n < len(node_ids) else leaf.chunk_id)
        for n, leaf in enumerate(whole.get_leaves())
    ]
    result = HierarchyBuilder().build(leaves, TEXT)
    ids = [chunk.chunk_id for chunk in result.chunks]
    assert len(set(ids)) == len(ids)


def test_chunks_of_another_text_are_refused_or_placed() -> None:
    """Chunks of a longer text do not fit a shorter one."""
    chunks = MarkdownChunker().chunk(TEXT * 2)
    with pytest.raises(ConfigurationError):
        HierarchyBuilder().build(chunks, TEXT)
