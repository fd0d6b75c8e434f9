"""The tree: ways through it, what leaves say of it, and how it is built over any chunks."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from msgspec.structs import replace

from chunkana_core import (
    Chunk,
    ChunkConfig,
    ConfigurationError,
    HierarchicalChunkingResult,
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


GUIDE = (
    "Before all.\n\n# Guide\n\nAbout this guide.\n\n## Install\n\nRun the installer, then wait.\n\n"
    "### Linux\n\nUse the package of your system.\n\n### macOS\n\nUse the image, and drag it.\n\n"
    "## Use\n\nStart it and follow what it says.\n"
)


@pytest.fixture(name="guide", scope="module")
def guide_fixture() -> HierarchicalChunkingResult:
    """Chunk the guide, each section by itself, the longest one in parts."""
    config = ChunkConfig(max_chunk_size=40, min_chunk_size=0, overlap_size=12)
    return MarkdownChunker(config).chunk_hierarchical(GUIDE)


def titled(result: HierarchicalChunkingResult, title: str) -> Chunk:
    """Return the first chunk with a title."""
    return next(chunk for chunk in result.chunks if chunk.title == title)


def test_chunks_are_found_by_ids(guide: HierarchicalChunkingResult) -> None:
    """Its parent, ancestors, siblings and children; an unknown id has none."""
    root, linux = guide.chunks[0], titled(guide, "Linux")
    assert (guide.get_chunk(linux.chunk_id), guide.root_id) == (linux, root.chunk_id)
    assert [c.title for c in guide.get_ancestors(linux.chunk_id)] == ["Install", "Guide"]
    assert guide.get_parent(linux.chunk_id) == titled(guide, "Install")
    below = guide.get_children(titled(guide, "Install").chunk_id)
    assert [c.title for c in below] == [*["Install"] * 2, *["Linux"] * 2, "macOS"]
    assert guide.get_siblings(linux.chunk_id) == below
    assert (guide.get_siblings(root.chunk_id), guide.get_parent(root.chunk_id)) == ([root], None)
    assert guide.get_children(linux.chunk_id) == []
    for get in (guide.get_children, guide.get_ancestors, guide.get_siblings, guide.get_section):
        assert get("no such id") == []
    assert guide.get_chunk("no such id") is guide.get_parent("no such id") is None


def test_the_tree_as_dicts_is_json(guide: HierarchicalChunkingResult) -> None:
    """It has every chunk once, in the order of the chunks."""
    tree = guide.to_tree_dict()
    assert json.loads(json.dumps(tree)) == tree
    assert tree.keys() == {"id", "content_preview", "header_path", "level", "children"}
    written = json.dumps(tree).split('"id": "')[1:]
    assert [part[:8] for part in written] == [chunk.chunk_id for chunk in guide.chunks]


def test_a_store_of_metadata_answers_for_relatives(guide: HierarchicalChunkingResult) -> None:
    """Parents, children and siblings are found by one field that equals another."""
    rows = [leaf.metadata for leaf in guide.get_leaves()]

    def where(key: str, value: object) -> list[object]:
        return [row["path"] for row in rows if row[key] == value]

    linux, install = (next(row for row in rows if row["title"] == t) for t in ("Linux", "Install"))
    own = [["Guide", "Install"]] * 2  # in two parts
    below = [["Guide", "Install", title] for title in ("Linux", "Linux", "macOS")]
    assert where("section_id", linux["parent_section_id"]) == own
    assert where("parent_section_id", linux["parent_section_id"]) == below
    assert where("parent_section_id", install["section_id"]) == below
    root = guide.chunks[0]
    assert (root.parent_section_id, install["parent_section_id"]) == (None, root.section_id)


def test_the_section_around_one_in_a_leaf_has_chunks() -> None:
    """A bare section, whose heading is in the leaf too, has none."""
    root, leaf, _ = (
        MarkdownChunker().chunk_hierarchical("# D\n\n## A\n\n### B\n\nb\n\n## C\n").chunks
    )
    assert (leaf.header_path, leaf.parent_section_id) == ("/D/A/B", root.section_id)


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("# D\n\n## A\n\na\n\n## B\n\nb", "D"),
        ("# D\n\nd\n\n## A\n\n### A1\n\na\n\n### A2\n\nb", "A"),
    ],
)
def test_headings_that_moved_come_from_a_node(text: str, origin: str) -> None:
    """That of their section, whose id does not change when its text is edited."""
    config, ids = ChunkConfig(min_chunk_size=0), set()
    for version in (text, text.replace("\na\n", "\nedited\n")):
        result = MarkdownChunker(config).chunk_hierarchical(version)
        (moved,) = [c.header_moved_from_id for c in result.get_leaves() if c.header_moved_from_id]
        assert titled(result, origin).chunk_id == moved
        ids.add(moved)
    assert len(ids) == 1


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, [("", ""), ("", ""), ("", ""), ("", "")]),
        (9, [("", "five six"), ("four", "nine ten"), ("eight", ""), ("", "")]),
        (19, [  # of the second part all but one character
            ("", "five six seven"), ("one two three four", "nine ten"), ("six seven eight", ""),
            ("", ""),
        ]),
    ],
)  # fmt: skip
def test_overlap_is_of_the_neighbours_under_one_parent(
    size: int, expected: list[tuple[str, str]]
) -> None:
    """Whole words of them, in the metadata alone: contents and sizes are as without."""
    text = "# A\n\n## B\n\none two three four five six seven eight nine ten\n\n# C\n\none"
    config = ChunkConfig(max_chunk_size=32, min_chunk_size=0, overlap_size=size)
    leaves = MarkdownChunker(config).chunk(text)
    assert [(leaf.previous_content, leaf.next_content) for leaf in leaves] == expected
    assert [(leaf.size, leaf.content) for leaf in leaves] == [
        (29, "# A\n\n## B\n\none two three four"),
        (31, "# A\n\n## B\n\nfive six seven eight"),
        (19, "# A\n\n## B\n\nnine ten"),
        (8, "# C\n\none"),
    ]


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


def test_order_and_links_of_before_do_not_matter() -> None:
    """What chunks say of a tree before is made anew."""
    chunks = MarkdownChunker(ChunkConfig(min_chunk_size=0)).chunk(TEXT)
    bare = [replace(chunk, links=Links()) for chunk in reversed(chunks)]
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


def test_wrong_arguments() -> None:
    chunk = MarkdownChunker().chunk(TEXT)[0]
    with pytest.raises(ConfigurationError) as caught:
        HierarchyBuilder().build([chunk, chunk], TEXT)
    assert str(caught.value) == "chunks is '2 leaves'; allowed: leaves with different ids"
    with pytest.raises(InputTypeError, match=r"^original_text is "):
        HierarchyBuilder().build([], TEXT.encode())  # type: ignore[arg-type]


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
