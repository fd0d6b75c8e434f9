"""The acceptance checklist of the specification (section 9), line by line."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

import pytest

from chunkana_core import (
    Chunk,
    ChunkConfig,
    ChunkLevel,
    HierarchicalChunkingResult,
    MarkdownChunker,
    SectionPath,
    analyze_markdown,
    chunk_hierarchical,
    find_common_prefix,
    is_parent_child,
    merge_sections,
    validate_content_coverage,
    validate_no_dangling_headers,
)
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.headings import prevent_dangling
from chunkana_core.extending import Draft, StrategySelector
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.sizing import Sizer
from tests import corpora
from tests.core import laws
from tests.core.laws import Case
from tests.core.stock import open_fences, stock_blocks, top
from tests.core.stock_containers import StockBlock

HIERARCHY_FIELDS = (
    "chunk_id",
    "section_id",
    "parent_id",
    "children_ids",
    "prev_sibling_id",
    "next_sibling_id",
    "hierarchy_level",
    "is_root",
    "is_leaf",
    "indexable",
)
REGRESSION = ChunkConfig(max_chunk_size=1000, overlap_size=200, strategy="auto")
SECTIONS = ("Scope", "Impact", "Leadership", "Improvement", "Technical Complexity")
OUTCOME, PEOPLE = "Итоги работы", "Кто участвовал в реализации"
GUIDE = (
    "Before all.\n\n# Guide\n\nAbout this guide.\n\n## Install\n\n"
    + "Run the installer, then wait a little. " * 3
    + "\n\n### Linux\n\n"
    + "Use the package of your distribution. " * 4
    + "\n\n### macOS\n\n"
    + "Use the image, and drag it to the folder. " * 4
    + "\n\n## Use\n\n"
    + "Start it and follow what it says to you. " * 4
    + "\n"
)


def chunked(text: str, **options: object) -> HierarchicalChunkingResult:
    """Chunk with options."""
    return MarkdownChunker(ChunkConfig.from_dict(options)).chunk_hierarchical(text)


def leaves(text: str, **options: object) -> list[Chunk]:
    """Chunk with options; return the leaves."""
    return MarkdownChunker(ChunkConfig.from_dict(options)).chunk(text)


@lru_cache(maxsize=512)  # every document at two sizes
def case_of(text: str, size: int = 1000) -> Case:
    """Return a document at a size, and what it yields, which several tests look at."""
    return Case(text, ChunkConfig(max_chunk_size=size))


def titled(result: HierarchicalChunkingResult, title: str) -> Chunk:
    """Return the first chunk with a title."""
    return next(chunk for chunk in result.chunks if chunk.title == title)


def parent_of(result: HierarchicalChunkingResult, chunk: Chunk) -> Chunk:
    """Return the chunk around one that has one."""
    parent = result.get_parent(chunk.chunk_id)
    assert parent is not None
    return parent


# Hierarchy


def test_01_chunk_hierarchical_returns_the_result_type() -> None:
    """Checklist 1: `chunk_hierarchical` returns the result type, with all its fields."""
    result = chunked(GUIDE)
    assert type(result) is HierarchicalChunkingResult
    assert all(type(chunk) is Chunk for chunk in result.chunks)
    assert result.chunks[0].chunk_id == result.root_id
    assert result.strategy_used == "structural"
    assert result.text == GUIDE
    assert chunk_hierarchical(GUIDE) == result


def test_02_root_is_made() -> None:
    """Checklist 2: a root is made for any document that has text."""
    for text in ("word", "# A", "# A\n\n# B\n", "- x", GUIDE):
        root = chunked(text).chunks[0]
        assert root.is_root
        assert root.content_type == "document"
        assert (root.links.parent_id, root.links.hierarchy_level) == (None, ChunkLevel.DOCUMENT)
        assert not root.is_leaf


def test_03_parents_and_children_agree() -> None:
    """Checklist 3: parent and child links are right, and are those of the outline."""
    result = chunked(GUIDE)
    for chunk in result.chunks:
        for child in result.get_children(chunk.chunk_id):
            assert child.links.parent_id == chunk.chunk_id
        if chunk.links.parent_id is not None:
            assert chunk.chunk_id in parent_of(result, chunk).links.children_ids
    assert parent_of(result, titled(result, "Linux")).title == "Install"
    assert [c.title for c in result.get_children(titled(result, "Install").chunk_id)] == [
        "Install",
        "Linux",
        "macOS",
    ]


def test_04_siblings_are_linked() -> None:
    """Checklist 4: siblings are linked both ways; the first has no previous, the last no next."""
    result = chunked(GUIDE)
    for chunk in result.chunks:
        row = result.get_children(chunk.chunk_id)
        if not row:
            continue
        assert row[0].links.prev_sibling_id is None
        assert row[-1].links.next_sibling_id is None
        for left, right in pairwise(row):
            assert left.links.next_sibling_id == right.chunk_id
            assert right.links.prev_sibling_id == left.chunk_id


def test_05_navigation() -> None:
    """Checklist 5: a chunk's children, parent and ancestors are found by its id."""
    result = chunked(GUIDE)
    root, linux = result.chunks[0], titled(result, "Linux")
    assert result.get_chunk(linux.chunk_id) == linux
    assert result.get_chunk("no such id") is None
    assert result.get_children("no such id") == result.get_ancestors("no such id") == []
    assert result.get_parent("no such id") is None
    assert result.get_siblings("no such id") == result.get_section("no such id") == []
    assert result.get_parent(root.chunk_id) is None
    assert [c.title for c in result.get_ancestors(linux.chunk_id)] == ["Install", "Guide"]
    assert result.get_ancestors(linux.chunk_id)[-1] == root
    assert linux in result.get_siblings(linux.chunk_id)
    assert result.get_siblings(root.chunk_id) == [root]
    assert result.get_children(linux.chunk_id) == []


def test_06_flat_is_leaves_only() -> None:
    """Checklist 6: the flat chunks are the indexable leaves, in order, and nothing else."""
    result = chunked("---\nid: 1\n---\n\n" + GUIDE + "\n## Links\n\n[a]: /a\n")
    flat = result.get_flat_chunks()
    assert flat == [c for c in result.chunks if c.is_leaf and c.indexable]
    assert all(not result.get_children(c.chunk_id) for c in flat)
    kinds = {c.content_type for c in result.get_leaves()} - {c.content_type for c in flat}
    assert kinds == {"front_matter", "definitions"}


def test_07_tree_dict_is_json() -> None:
    """Checklist 7: `to_tree_dict` dumps to JSON and holds every chunk once."""
    result = chunked(GUIDE)
    tree = result.to_tree_dict()
    assert json.loads(json.dumps(tree)) == tree
    assert tree.keys() == {"id", "content_preview", "header_path", "level", "children"}

    def ids(node: dict[str, object]) -> Iterator[object]:
        yield node["id"]
        children = node["children"]
        assert isinstance(children, list)
        for child in children:
            yield from ids(child)

    assert list(ids(tree)) == [chunk.chunk_id for chunk in result.chunks]


def test_08_chunk_is_unaffected_by_hierarchy_options() -> None:
    """Checklist 8: `chunk()` gives the leaves, whatever the options of the hierarchy."""
    for sample in corpora.own_documents():
        with_summary = MarkdownChunker(ChunkConfig()).chunk(sample.text)
        without = MarkdownChunker(ChunkConfig(include_document_summary=False)).chunk(sample.text)
        assert with_summary == without == chunked(sample.text).get_leaves()


def test_09_root_summary() -> None:
    """Checklist 9: the root says its title, and the text before the first section."""
    assert chunked(GUIDE).chunks[0].content == "# Guide\n\nBefore all."
    own_text = "# Guide\n\nAbout it.\n\n## A\n\nText.\n\n## B\n\nText.\n"
    assert chunked(own_text).chunks[0].content == "# Guide\n\nAbout it."
    front = "---\ntitle: From YAML\n---\n\nText before.\n\n## A\n\nText.\n\n## B\n\nText.\n"
    assert chunked(front).chunks[0].content == "# From YAML\n\nText before."
    assert chunked("Text alone.\n").chunks[0].content == "Text alone."
    assert chunked(GUIDE, include_document_summary=False).chunks[0].content == "# Guide"


def test_09_root_summary_without_text_before_the_first_section() -> None:
    """Checklist 9: else it says the first 500 characters, cut at a line."""
    text = "# A\n\n" + "A line of text.\n" * 60 + "\n# B\n\nText.\n"
    content = chunked(text).chunks[0].content
    assert content.startswith("# A\n\nA line of text.\n")
    assert 400 < len(content) <= 500
    assert content.endswith("\nA line of text.")


def test_09_root_summary_is_within_the_limit() -> None:
    """Checklist 9: a long preamble is cut at a line, within the limit."""
    text = "A line of the preamble.\n" * 60 + "\n# A\n\nText.\n\n## B\n\nText.\n"
    root = chunked(text, max_chunk_size=200).chunks[0]
    assert 150 < root.size == len(root.content) <= 200
    assert root.content.startswith("# A\n\nA line of the preamble.\n")
    assert root.content.endswith("\nA line of the preamble.")


@pytest.mark.parametrize("sample", corpora.some_documents(), ids=lambda sample: sample.name)
def test_10_every_id_resolves(sample: corpora.Sample) -> None:
    """Checklist 10: one root; every id is there and unique; parents' and children's resolve."""
    result = case_of(sample.text).result
    ids = [chunk.metadata["chunk_id"] for chunk in result.chunks]
    assert all(ids)
    assert len(set(ids)) == len(ids)
    assert [c.metadata["is_root"] for c in result.chunks].count(True) == 1
    for chunk in result.chunks:
        for linked in (*chunk.links.children_ids, chunk.links.parent_id):
            assert linked is None or result.get_chunk(linked) is not None
    assert [c.links.parent_id for c in result.chunks].count(None) == 1


def test_11_hierarchy_fields_are_small() -> None:
    """Checklist 11: the values of the hierarchy fields are at most 15 % of the leaves' content."""
    text = corpora.corpus_document("youtube-dl.md")
    if text is None:
        pytest.skip(f"no corpus in {corpora.SHARED}")
    assert _share_of_hierarchy(text) <= 0.15


@pytest.mark.parametrize("name", ["deep_lists.md", "long_code.md", "tutorial_steps.md"])
def test_11_hierarchy_fields_are_small_in_documents_of_prose(name: str) -> None:
    """Checklist 11: so they are in documents of our own whose sections have a paragraph or more."""
    assert _share_of_hierarchy(corpora.own_document(name)) <= 0.15


def _share_of_hierarchy(text: str) -> float:
    result = chunked(text)
    values = (json.dumps(c.metadata[field]) for c in result.chunks for field in HIERARCHY_FIELDS)
    return sum(map(len, values)) / sum(len(chunk.content) for chunk in result.get_leaves())


def test_12_three_sections_of_one_letter() -> None:
    """Checklist 12: `# Doc` with `## Sec1..3`: three linked siblings of header level 2."""
    result = chunked("# Doc\n\n## Sec1\n\na\n\n## Sec2\n\nb\n\n## Sec3\n\nc\n", max_chunk_size=500)
    first, second, third = result.get_children(result.root_id)
    assert [c.metadata["header_level"] for c in (first, second, third)] == [2, 2, 2]
    assert [c.section.path[-1] for c in (first, second, third)] == ["Sec1", "Sec2", "Sec3"]
    assert first.links.next_sibling_id == second.chunk_id == third.links.prev_sibling_id
    assert len(result.get_by_level(0)) == 1
    assert len(result.get_by_level(2)) >= 2


def test_12_an_h1_with_two_h2_and_an_h3() -> None:
    """Checklist 12: an H1 with two H2 and an H3: the root has at least two children."""
    text = "# Doc\n\nIntro.\n\n## A\n\na\n\n### A1\n\naa\n\n## B\n\nb\n"
    result = chunked(text, max_chunk_size=500)
    children = result.get_children(result.root_id)
    assert len(children) >= 2
    assert [c.section.path[1:2] for c in children] == [(), ("A",), ("B",)]


def test_12_ancestors_of_the_deepest_end_at_the_root() -> None:
    """Checklist 12: `# Doc`, `## Sec`, `### Sub`: the ancestors of the deepest end at the root."""
    result = chunked("# Doc\n\n## Sec\n\n### Sub\n\ntext\n", max_chunk_size=500)
    deepest = max(result.chunks, key=lambda chunk: len(chunk.section.path))
    assert deepest.section.path == ("Doc", "Sec", "Sub")
    assert result.get_ancestors(deepest.chunk_id)[-1].chunk_id == result.root_id


def test_12_no_headings() -> None:
    """Checklist 12: a document without headings is leaves under a root."""
    result = chunked("Some text.\n\n- a\n- b\n", max_chunk_size=500)
    root, leaf = result.chunks
    assert (root.title, leaf.links.parent_id) == ("Document", root.chunk_id)
    assert (leaf.header_path, leaf.section) == ("/", SectionPath(0, ()))
    assert leaf.links.hierarchy_level is ChunkLevel.PARAGRAPH


def test_12_only_headings() -> None:
    """Checklist 12: a document of headings is leaves of packed headings, to be indexed."""
    text = "# Doc\n\n## A\n\n### A1\n\n## B\n\n### B1\n"
    result = chunked(text, max_chunk_size=500)
    (leaf,) = result.get_leaves()
    assert leaf.text == text.rstrip()
    assert (leaf.content_type, leaf.indexable) == ("heading", True)
    assert result.get_flat_chunks() == [leaf]
    packed = leaves("".join(f"## Heading {n}\n\n" for n in range(100)), max_chunk_size=500)
    assert [c.content_type for c in packed] == ["heading"] * 3
    assert all(400 < len(c.content) <= 500 for c in packed[:-1])


def test_12_preamble_then_h1() -> None:
    """Checklist 12: text before a sole H1 is a leaf of its own, and the H1 still the title."""
    result = chunked("Before.\n\n# Doc\n\nText.\n\n## A\n\nMore.\n", max_chunk_size=500)
    preamble, own, section = result.get_children(result.root_id)
    assert (preamble.text, preamble.content_type) == ("Before.", "preamble")
    assert preamble.header_path == "/__preamble__"
    assert preamble.section == SectionPath(0, ())
    assert own.text == "# Doc\n\nText."
    assert section.section == SectionPath(2, ("Doc", "A"))
    assert result.chunks[0].title == "Doc"


def test_12_h1_to_h6() -> None:
    """Checklist 12: six levels nest, and each keeps its real level."""
    text = "".join(f"{'#' * n} H{n}\n\n{f'Text {n} of it. ' * 12}\n\n" for n in range(1, 7))
    result = chunked(text, max_chunk_size=500)
    texts = [c for c in result.get_leaves() if c.title == c.section.path[-1]]
    assert [c.metadata["header_level"] for c in texts] == [1, 2, 3, 4, 5, 6]
    assert [len(c.section.path) for c in texts] == [1, 2, 3, 4, 5, 6]
    assert [c.title for c in result.get_ancestors(texts[-1].chunk_id)] == [
        "H5",
        "H4",
        "H3",
        "H2",
        "H1",
    ]


def test_12_empty() -> None:
    """Checklist 12: an empty document has no chunks and no root."""
    result = chunked("", max_chunk_size=500)
    assert (result.chunks, result.root_id) == ((), "")


def test_12_ten_long_paragraphs_are_siblings() -> None:
    """Checklist 12: the parts of ten long paragraphs under one H2 are siblings."""
    paragraphs = (f"Paragraph {n}. " + "It goes on for a while. " * 9 for n in range(10))
    result = chunked("# Doc\n\nIntro.\n\n## Long\n\n" + "\n\n".join(paragraphs), max_chunk_size=200)
    parts = [c for c in result.get_leaves() if c.split_index is not None]
    assert len(parts) > 10
    assert len({c.links.parent_id for c in parts}) == 1
    assert len({c.section_id for c in parts}) == 1
    assert result.get_section(parts[0].section_id) == parts
    for left, right in pairwise(parts):
        assert left.links.next_sibling_id == right.chunk_id


# Headings


def carried(text: str, drafts: Sequence[tuple[int, int]], limit: int = 1000) -> list[str]:
    """Return the texts of hand-made drafts after headings were kept from dangling."""
    document = parse_markdown(text)
    sizes = DocumentSizes(document, Sizer(len, limit))
    spans = [
        draft.span(document)
        for draft in prevent_dangling([Draft(first, stop) for first, stop in drafts], sizes)
    ]
    return [text[span.start : span.end] for span in spans]


@pytest.mark.parametrize("level", range(2, 7))
def test_13_draft_ending_in_heading_gives_it_to_the_next(level: int) -> None:
    """Checklist 13: a draft ending in a heading 2-6 gives it to the next, where its body is."""
    heading = f"{'#' * level} Sub"
    text = f"# Doc\n\nText.\n\n{heading}\n\nBody.\n"
    expected = ["# Doc\n\nText.", f"{heading}\n\nBody."]
    assert carried(text, [(0, 2), (2, 3), (3, 4)]) == expected
    assert carried(text, [(0, 3), (3, 4)]) == expected


@pytest.mark.parametrize("level", range(2, 7))
def test_13_draft_of_a_heading_alone_disappears(level: int) -> None:
    """Checklist 13: a draft that is emptied by giving its heading away disappears."""
    text = f"# Doc\n\n{'#' * level} Sub\n\nBody.\n"
    assert carried(text, [(0, 1), (1, 3)]) == [text.rstrip()]


def test_13_several_headings_at_the_end_of_a_draft() -> None:
    """Checklist 13: all headings at its end go, outermost first."""
    text = "# Doc\n\nText.\n\n## A\n\n### B\n\nBody.\n"
    assert carried(text, [(0, 4), (4, 5)]) == ["# Doc\n\nText.", "## A\n\n### B\n\nBody."]


def test_13_heading_without_text_in_its_parent_stays() -> None:
    """Checklist 13: a heading after which nothing follows in its parent is not given away."""
    text = "# A\n\nText.\n\n## Empty\n\n# B\n\nText.\n"
    assert carried(text, [(0, 2), (2, 3), (3, 5)]) == ["# A\n\nText.", "## Empty", "# B\n\nText."]


def test_13_excess_of_a_long_run_stays() -> None:
    """Checklist 13: of a run longer than a third of the limit, the outermost headings stay."""
    text = f"# {'a' * 40}\n\n## {'b' * 40}\n\n### {'c' * 40}\n\nBody.\n"
    assert carried(text, [(0, 1), (1, 2), (2, 4)], limit=150) == [
        f"# {'a' * 40}",
        f"## {'b' * 40}\n\n### {'c' * 40}\n\nBody.",
    ]


def regression() -> HierarchicalChunkingResult:
    """Return the result for the regression document."""
    return _regression()


@cache
def _regression() -> HierarchicalChunkingResult:
    text = corpora.own_document("regression_ru.md")
    return MarkdownChunker(REGRESSION).chunk_hierarchical(text)


def holding(title: str, section: str) -> Chunk:
    """Return the leaf of the regression document that holds a heading of a section."""
    return next(
        chunk
        for chunk in regression().get_leaves()
        if section in chunk.section.path and re.search(rf"^#+ {title}$", chunk.text, re.MULTILINE)
    )


@pytest.mark.parametrize("section", SECTIONS)
def test_14_outcome_goes_with_the_first_items(section: str) -> None:
    """Checklist 14, 16: `#### Итоги работы` goes with its first items, in every section."""
    chunk = holding(OUTCOME, section)
    assert re.match(rf"#### {OUTCOME}\n\n1\. \w+", chunk.text)


@pytest.mark.parametrize("section", SECTIONS)
def test_15_people_go_with_their_text(section: str) -> None:
    """Checklist 15, 16: `#### Кто участвовал в реализации` goes with its text, in every section."""
    chunk = holding(PEOPLE, section)
    assert re.search(rf"#### {PEOPLE}\n\n\w+.{{60}}", chunk.text)


@pytest.mark.parametrize("section", SECTIONS)
def test_16_every_section_alike(section: str) -> None:
    """Checklist 16: each of the five sections has its heading with its first text."""
    chunk = next(c for c in regression().get_leaves() if f"## {section}\n" in c.text)
    assert re.search(rf"## {section}\n\n#### Описание\n\n\w+.{{60}}", chunk.text)


def test_16_own_sections_in_english() -> None:
    """Checklist 16: headings whose body does not fit beside what is before them move alike."""
    items = "\n".join(f"{n}. " + "A thing that was done, in some detail. " * 4 for n in range(1, 9))
    sections = (
        f"## {title}\n\n#### About\n\n{'What it was about. ' * 40}\n\n#### {OUTCOME}\n\n{items}\n\n"
        for title in SECTIONS
    )
    for chunk in leaves("# Example\n\n" + "".join(sections)):
        assert not re.search(r"^#+ .*\Z", chunk.text.splitlines()[-1])


def test_17_moved_headings_are_marked() -> None:
    """Checklist 17: `dangling_header_fixed`, and a stable `header_moved_from_id`."""
    text = "# Doc\n\nText.\n\n## A\n\n### A1\n\n" + "Body. " * 30 + "\n\n### A2\n\n" + "More. " * 30
    result = chunked(text)
    (moved,) = [c for c in result.get_leaves() if c.metadata["dangling_header_fixed"]]
    assert moved.text.startswith("## A\n\n### A1\n\nBody.")
    assert moved.metadata["merge_reason"] == "dangling_header_prevention"
    section = result.get_chunk(str(moved.metadata["header_moved_from_id"]))
    assert section
    assert (section.title, section.is_leaf) == ("A", False)
    edited = chunked(text.replace("Body.", "Changed."))
    again = next(c for c in edited.get_leaves() if c.metadata["dangling_header_fixed"])
    assert again.header_moved_from_id == moved.header_moved_from_id
    others = [c for c in result.get_leaves() if c is not moved]
    assert all(c.metadata["header_moved_from_id"] is None for c in others)


def test_17_heading_moved_from_the_folded_h1() -> None:
    """Checklist 17: a folded H1 that moves came from the root."""
    result = chunked("# Doc\n\n## A\n\nText of A.\n\n## B\n\nText of B.\n")
    first = result.get_leaves()[0]
    assert first.header_moved_from_id == result.root_id


def test_18_headings_move_before_splitting() -> None:
    """Checklist 18: a section about to be cut has the moved heading inside, and repeats it."""
    text = "# Doc\n\nText.\n\n## Impact\n\n#### Results\n\n" + "A sentence of it. " * 120
    parts = [c for c in leaves(text) if c.split_index is not None]
    assert len(parts) == 3
    assert parts[0].text.startswith("## Impact\n\n#### Results\n\nA sentence")
    assert all(c.content.startswith("## Impact\n\n#### Results\n\nA") for c in parts)
    assert {c.original_section_size for c in parts} == {len(text[text.index("## I") :].rstrip())}
    assert all(c.metadata["dangling_header_fixed"] for c in parts[:1])


@pytest.mark.parametrize("sample", corpora.some_documents(), ids=lambda sample: sample.name)
def test_19_no_chunk_but_the_last_ends_in_a_heading(sample: corpora.Sample) -> None:
    """Checklist 19: no chunk but the last ends in a heading of any level."""
    for size in (1000, 200):
        laws.no_dangling_heading(case_of(sample.text, size))


# Size


@pytest.mark.parametrize("sample", corpora.some_documents(), ids=lambda sample: sample.name)
def test_20_size_at_the_standard_configuration(sample: corpora.Sample) -> None:
    """Checklist 20: `len(content) <= 1000` at the standard configuration, atoms aside."""
    over = [chunk for chunk in case_of(sample.text).leaves if len(chunk.content) > 1000]
    for chunk in over:
        assert any(b.kind in laws.ATOM_REASONS["list_item_integrity"] for b in _blocks(chunk))


def _blocks(chunk: Chunk) -> list[StockBlock]:
    return list(stock_blocks(chunk.content))


@pytest.mark.parametrize("marker", ["- ", "* ", "+ ", "{}. ", "{}) "])
def test_21_lists_are_cut_between_items(marker: str) -> None:
    """Checklist 21: lists are cut between items, numbered and bulleted."""
    items = [
        f"{marker.format(n)}Item {n}: {'some words of it ' * 5}".rstrip() for n in range(1, 40)
    ]
    parts = leaves("# A\n\n" + "\n".join(items) + "\n")
    assert len(parts) > 3
    found = [line for part in parts for line in part.text.splitlines() if "Item" in line]
    assert found == items
    assert all(part.text.removeprefix("# A\n\n").startswith(tuple(items)) for part in parts[:-1])


def test_22_header_stack_is_repeated() -> None:
    """Checklist 22: each continuing part starts with the header stack; its text does not."""
    text = "# Doc\n\nText.\n\n## A\n\n" + "\n\n".join("A paragraph of it. " * 20 for _ in range(6))
    parts = [c for c in leaves(text) if c.split_index is not None]
    assert len(parts) > 2
    for part in parts[1:]:
        assert part.content == f"## A\n\n{part.text}"
        assert not part.text.startswith("#")
    assert parts[0].content == parts[0].text


def test_22_a_stack_over_a_third_loses_its_outermost_headings() -> None:
    """Checklist 22: a stack longer than a third of the limit loses its outermost headings."""
    text = f"## {'a' * 50}\n\n### {'b' * 50}\n\n{'A sentence of it. ' * 40}"
    parts = leaves(text, max_chunk_size=200)
    assert all(part.content.startswith(f"### {'b' * 50}\n\n") for part in parts[2:])
    single = f"## {'a' * 90}\n\n{'A sentence of it. ' * 40}"
    assert all(part.content == part.text for part in leaves(single, max_chunk_size=200))


def test_23_parts_are_numbered() -> None:
    """Checklist 23: parts have `split_index` from 0; from the second on they are continued."""
    parts = leaves("# A\n\n" + "A sentence of it. " * 200)
    assert [c.metadata["split_index"] for c in parts] == list(range(len(parts)))
    assert [c.metadata["continued_from_header"] for c in parts] == [False] + [True] * (
        len(parts) - 1
    )
    (whole,) = leaves("# A\n\nA sentence.\n")
    assert whole.metadata["split_index"] is None
    assert whole.metadata["continued_from_header"] is False
    assert whole.metadata["original_section_size"] is None


@pytest.mark.parametrize(
    ("atom", "reason"),
    [
        ("```py\n" + "x = 1\n" * 60 + "```", "code_block_integrity"),
        ("    x = 1\n" * 60, "code_block_integrity"),
        ("$$\n" + "x = 1\n" * 60 + "$$", "code_block_integrity"),
        ("| a | b |\n|---|---|\n" + "| x | y |\n" * 60, "table_integrity"),
        ("- ```py\n" + "  x = 1\n" * 60 + "  ```", "list_item_integrity"),
        ("- item\n\n  ```py\n" + "  x = 1\n" * 60 + "  ```", "code_block_integrity"),
    ],
    ids=["fence", "indented code", "math", "table", "code in an item", "code after an item"],
)
def test_24_oversize_reasons(atom: str, reason: str) -> None:
    """Checklist 24: an atom over the limit is whole, under its headings, and says why."""
    text = f"# A\n\n## B\n\nSome text before.\n\n{atom}\n\nSome text after.\n"
    flagged = [c for c in leaves(text, max_chunk_size=200) if c.metadata["allow_oversize"]]
    assert [c.oversize_reason for c in flagged] == [reason]
    assert flagged[0].text.strip() == atom.removeprefix("- item\n\n").strip()
    assert flagged[0].content == f"# A\n\n## B\n\n{flagged[0].text}"


def test_24_within_tolerance() -> None:
    """Checklist 24: a section within the tolerance stays whole, and says so."""
    text = "# A\n\n" + "A sentence of it. " * 12
    (whole,) = leaves(text, max_chunk_size=200, oversize_tolerance=0.2)
    assert len(whole.content) == len(text.rstrip()) > 200
    assert whole.oversize_reason == "within_tolerance"
    assert len(leaves(text, max_chunk_size=200)) == 2


def test_25_text_is_never_oversize() -> None:
    """Checklist 25: text, lists, quotes and HTML are never oversize; no `section_integrity`."""
    pieces = (
        "word " * 400,
        "w" * 3000,
        "- " + "long item " * 300,
        "> " + "long quote " * 300,
        "<div>\n" + "<p>html</p>\n" * 200 + "</div>",
        "# " + "long heading " * 200,
        "[^1]: " + "long note " * 200,
    )
    for piece in pieces:
        for chunk in leaves(f"# A\n\n{piece}\n", max_chunk_size=200):
            assert len(chunk.content) <= 200
            assert chunk.oversize_reason is None
    reasons = {
        c.oversize_reason for s in corpora.some_documents() for c in case_of(s.text, 200).leaves
    }
    assert reasons <= {None, "code_block_integrity", "table_integrity", "list_item_integrity"}


def test_26_overlap_is_not_counted() -> None:
    """Checklist 26: overlap is in the metadata alone: never in the content, never counted."""
    text = corpora.own_document("regression_ru.md")
    without, overlapping = leaves(text), leaves(text, overlap_size=200)
    assert [c.content for c in overlapping] == [c.content for c in without]
    assert [c.size for c in overlapping] == [c.size for c in without]
    assert any(c.previous_content for c in overlapping)
    assert all(not c.previous_content and not c.next_content for c in without)
    for chunk in overlapping:
        assert len(chunk.previous_content) <= 200
        assert len(chunk.next_content) <= 200


def test_26_overlap_is_cut_at_words_and_stays_under_one_parent() -> None:
    """Checklist 26: overlap is whole words of the neighbours under the same parent."""
    body = " ".join(f"word{n}" for n in range(100))
    result = chunked(
        f"# A\n\n## B\n\n{body}\n\n# C\n\n{body}\n", max_chunk_size=200, overlap_size=30
    )
    rows = [result.get_children(c.chunk_id) for c in result.chunks if not c.is_leaf]
    checked = 0
    for row in rows:
        for left, right in pairwise(row):
            if left.is_leaf and right.is_leaf:
                assert right.previous_content
                assert left.text.endswith(" " + right.previous_content)
                assert right.text.startswith(left.next_content + " ")
                checked += 1
        assert row[0].previous_content == row[-1].next_content == ""
    assert checked >= 6


def test_27_paragraphs_are_cut_at_blank_lines() -> None:
    """Checklist 27: a section of paragraphs is cut between them."""
    paragraphs = [f"Paragraph {n}. " + "It says something. " * 15 for n in range(9)]
    parts = leaves("# A\n\n" + "\n\n".join(p.rstrip() for p in paragraphs))
    assert len(parts) > 2
    found = "\n\n".join(part.text for part in parts).removeprefix("# A\n\n").split("\n\n")
    assert found == [p.rstrip() for p in paragraphs]


def test_28_a_long_item_is_split_by_sentences() -> None:
    """Checklist 28: an item over the limit is cut between its sentences."""
    parts = leaves("1. " + "This is one sentence of a long item. " * 60 + "\n2. Short.\n")
    assert len(parts) == 3
    assert all(part.text.endswith(".") for part in parts)
    assert all(part.text.startswith("This is one") for part in parts[1:])


@pytest.mark.parametrize("tail", [1, 2, 4])
def test_29_enough_after_the_stack(tail: int) -> None:
    """Checklist 29: at least 100 characters follow the stack where that is possible."""
    sentence = "Twenty-four characters. "
    paragraphs = [(sentence * 24).strip(), (sentence * 17).strip(), (sentence * tail).strip()]
    parts = leaves("# A\n\n" + "\n\n".join(paragraphs))
    assert len(parts) == 2
    assert all(len(part.text) >= 100 for part in parts)


@pytest.mark.parametrize("name", ["regression_ru.md", "notes_japanese.md", "notes_chinese.md"])
def test_29_enough_in_every_part(name: str) -> None:
    """Checklist 29: in documents of prose, every part has 100 characters of its own."""
    for size in (500, 1000):
        for part in leaves(corpora.own_document(name), max_chunk_size=size):
            own = part.text.split("\n\n", 1)[-1] if part.text.startswith("#") else part.text
            assert part.split_index is None or len(own) >= 100


def test_30_the_stack_is_the_leading_headings() -> None:
    """Checklist 30: the stack is the run of headings that the section starts with, no later one."""
    text = "## Impact\n\n#### Results\n\n" + "A sentence of it. " * 100
    parts = leaves(text)
    assert parts[1].content.startswith("## Impact\n\n#### Results\n\nA sentence")
    later = "## Impact\n\nText.\n\n#### Results\n\n" + "A sentence of it. " * 100
    assert leaves(later, min_chunk_size=0)[2].content.startswith("#### Results\n\nA sentence")


# Leaf-only use


@pytest.mark.parametrize("sample", corpora.some_documents(), ids=lambda sample: sample.name)
def test_31_all_text_is_in_the_leaves(sample: corpora.Sample) -> None:
    """Checklist 31: every text that a node says can be found in the leaves."""
    result = case_of(sample.text).result
    held = "".join("".join(c.text.split()) for c in result.get_leaves())
    assert held == "".join(sample.text.split())


def test_32_indexable() -> None:
    """Checklist 32: what should not be embedded is not indexable, and `get_flat_chunks` obeys."""
    text = (
        "---\ntitle: T\n---\n\n[y]: /y\n\n# A\n\nText.\n\n## B\n\nText.\n\n## Links\n\n[x]: /x\n\n"
        "# C\n\nText.\n\n## Empty\n\n# D\n\nText.\n"
    )
    result = chunked(text, min_chunk_size=0)
    skipped = [c for c in result.chunks if not c.metadata["indexable"]]
    assert {c.content_type for c in skipped} == {
        "document",
        "section",
        "front_matter",
        "definitions",
    }
    assert all(c.content_type not in {"document", "section"} for c in result.get_leaves())
    assert result.get_flat_chunks() == [c for c in result.chunks if c not in skipped]
    assert [c.title for c in result.get_flat_chunks()] == [*("A", "B", "C", "Empty", "D")]


@pytest.mark.parametrize("sample", corpora.some_documents(), ids=lambda sample: sample.name)
def test_33_coverage(sample: corpora.Sample) -> None:
    """Checklist 33: coverage is at least 95 % by recall, and 100 % by L2."""
    for size in (200, 1000):
        case = case_of(sample.text, size)
        laws.nothing_lost(case)
        outcome = validate_content_coverage(case.leaves, sample.text)
        assert outcome.valid
        assert outcome.coverage >= 0.95


# Regression document


def test_34_no_dangling_heading_at_any_level() -> None:
    """Checklist 34: in the regression document no leaf but the last ends in a heading."""
    chunks = regression().get_leaves()
    assert validate_no_dangling_headers(chunks).valid
    headings = [b for b in top(stock_blocks(regression().text)) if b.kind == "heading"]
    assert {heading.level for heading in headings} == {1, 2, 3, 4}
    for chunk in chunks[:-1]:
        assert not chunk.text.splitlines()[-1].startswith("#")
        assert not chunk.content.splitlines()[-1].startswith("#")


def test_35_sizes() -> None:
    """Checklist 35: all its leaves are within 1000; none is flagged."""
    assert all(len(chunk.content) <= 1000 for chunk in regression().chunks)
    assert not any(chunk.metadata["allow_oversize"] for chunk in regression().chunks)
    assert any(chunk.split_index for chunk in regression().chunks)


def test_36_moved_ids() -> None:
    """Checklist 36: at least five of its headings move, and each says from which section."""
    moved = [c for c in regression().get_leaves() if c.metadata["dangling_header_fixed"]]
    assert len(moved) >= 5
    for chunk in moved:
        section = regression().get_chunk(str(chunk.header_moved_from_id))
        assert section
        assert not section.is_leaf
        assert f"{'#' * section.section.level} {section.title}\n" in chunk.text
    assert set(SECTIONS) <= {
        title
        for c in moved
        if (section := regression().get_chunk(str(c.header_moved_from_id)))
        for title in [section.title]
    }


def test_37_coverage() -> None:
    """Checklist 37: its coverage is 100 %."""
    outcome = validate_content_coverage(regression().get_leaves(), regression().text)
    assert outcome.coverage == 1.0
    laws.nothing_lost(Case(regression().text, REGRESSION))


def test_38_line_ranges() -> None:
    """Checklist 38: its chunks' text is what stands on their lines."""
    lines = regression().text.split("\n")
    for chunk in regression().get_leaves():
        first, last = chunk.text_start_line, chunk.text_end_line
        assert chunk.text in "\n".join(lines[first - 1 : last])
        assert chunk.start_line <= first <= last == chunk.end_line


def test_39_overlap_and_strategy() -> None:
    """Checklist 39: with overlap 200 and `auto`, it is chunked by its structure, with overlap."""
    assert regression().strategy_used == "structural"
    assert {c.strategy for c in regression().chunks} == {"structural"}
    assert any(c.previous_content for c in regression().get_leaves())
    assert any(c.next_content for c in regression().get_leaves())


# Lines


def test_40_first_and_last_source_line_present() -> None:
    """Checklist 40: lines are the first and the last source line in the content."""
    text = "Intro.\n\n## A\n\n" + "\n\n".join("A paragraph of it. " * 25 for _ in range(4))
    preamble, *parts = leaves(text)
    assert (preamble.start_line, preamble.end_line) == (1, 1)
    assert len(parts) > 1
    for part in parts:
        assert part.start_line == 3, "the repeated heading counts"
        assert part.end_line == part.text_end_line
    assert [p.text_start_line for p in parts] == [3, *(p.text_start_line for p in parts[1:])]
    assert all(a.text_end_line < b.text_start_line for a, b in pairwise(parts))


def test_40_repeated_header_rows_and_fences_count() -> None:
    """Checklist 40: repeated header rows and fences are source lines in the content, too."""
    table = "| a | b |\n|---|---|\n" + "".join(f"| row {n} | value |\n" for n in range(40))
    parts = leaves("Intro.\n\n" + table, max_chunk_size=200, atomic_blocks="split")
    continuing = [part for part in parts if part.content.startswith("| a | b |")][1:]
    assert continuing
    assert all(part.start_line == 3 for part in continuing)
    code = "```py\n" + "line = 1\n" * 40 + "```\n"
    fenced = leaves(code, max_chunk_size=200, atomic_blocks="split")
    assert {(part.start_line, part.end_line) for part in fenced} == {(1, 42)}, "closing lines, too"
    assert all(part.text_start_line > 5 for part in continuing)


def test_41_lines_may_overlap() -> None:
    """Checklist 41: chunks' lines may overlap; ids tell chunks apart."""
    parts = leaves("# A\n\n" + "One line of sentences. " * 200)
    assert [p.text_start_line for p in parts] == [1] + [3] * (len(parts) - 1)
    assert all(a.end_line >= b.start_line for a, b in pairwise(parts))
    assert len({p.chunk_id for p in parts}) == len(parts)


def test_42_the_lines_contract_is_documented() -> None:
    """Checklist 42: that lines may overlap, and what identifies a chunk, is documented."""
    text = " ".join((Chunk.__doc__ or "").split())
    assert "may overlap" in text
    assert "identified by `chunk_id`" in text


# Level and path


def test_43_root_is_level_0_with_no_path() -> None:
    """Checklist 43: the root has level 0 and the path ()."""
    assert chunked(GUIDE).chunks[0].section == SectionPath(0, ())
    assert SectionPath() == SectionPath(0, ())


CHAIN = (
    SectionPath(1, ("A",)),
    SectionPath(2, ("A", "B")),
    SectionPath(3, ("A", "B", "C")),
)


@pytest.mark.parametrize(
    ("merged", "expected"),
    [
        (CHAIN[:2], SectionPath(1, ("A", "B"))),
        ([SectionPath(3, ("A", "X")), SectionPath(3, ("A", "Y"))], SectionPath(3, ("A",))),
        ([SectionPath(1, ("A",)), SectionPath(1, ("B",))], SectionPath(1, ())),
        (CHAIN, SectionPath(1, ("A", "B", "C"))),
        ([SectionPath(3, ("A", "B", "C")), SectionPath(2, ("A", "D"))], SectionPath(2, ("A",))),
        (CHAIN[2:], CHAIN[2]),
        ([SectionPath(), *CHAIN], SectionPath(0, ("A", "B", "C"))),
    ],
    ids=["parent and child", "siblings", "unrelated", "chain of three", "cousins", "one", "root"],
)
def test_44_merging(merged: Sequence[SectionPath], expected: SectionPath) -> None:
    """Checklist 44: the lowest level; the deepest path of a chain, else what is common."""
    for order in itertools.permutations(merged):
        assert merge_sections(order) == expected


def test_44_merged_chunks() -> None:
    """Checklist 44: chunks that merge have level and path merged so."""
    parent_and_child = leaves("# D\n\nIntro.\n\n## A\n\na\n\n### B\n\nb\n\n## C\n\nc\n")
    assert parent_and_child[1].text == "## A\n\na\n\n### B\n\nb"
    assert parent_and_child[1].section == SectionPath(2, ("D", "A", "B"))
    assert parent_and_child[1].header_path == "/D/A/B"
    siblings = leaves(f"# D\n\n## A\n\n{'word ' * 40}\n\n### B\n\nb\n\n### C\n\nc\n\n## E\n\ne\n")
    merged = next(c for c in siblings if "### C" in c.text)
    assert merged.section == SectionPath(2, ("D", "A"))


def test_44_merged_siblings() -> None:
    """Checklist 44: a leaf of siblings has their parent's path and hangs under it."""
    text = f"## A\n\n{'word ' * 198}\n\n### B\n\nb\n\n### C\n\nc\n\n## E\n\ne\n"
    result = chunked(text)
    merged = next(c for c in result.get_leaves() if "### C" in c.text)
    assert merged.text == "### B\n\nb\n\n### C\n\nc"
    assert merged.section == SectionPath(3, ("A",))
    assert merged.header_path == "/A"
    assert parent_of(result, merged).title == "A"
    assert merged.metadata["merge_reason"] == "small_chunk"
    assert (merged.title, merged.section_tags) == ("B", ("C",))


@pytest.mark.parametrize("mark", ["# ", "## "])
def test_45_h1_and_h2_are_respected(mark: str) -> None:
    """Checklist 45: sections of level 1 or 2 never merge, however small."""
    text = "".join(f"{mark}S{n}\n\nx\n\n" for n in range(5))
    assert [c.text for c in leaves(text)] == [f"{mark}S{n}\n\nx" for n in range(5)]


def test_45_deeper_sections_merge() -> None:
    """Checklist 45: small sections of deeper levels do; `merge_boundary_level` says from which."""
    text = "## Top\n\n" + "".join(f"### S{n}\n\nx\n\n" for n in range(5))
    assert len(leaves(text)) == 1
    assert len(leaves(text, merge_boundary_level=3)) == 5
    assert len(leaves(text.replace("#", "", 1), merge_boundary_level=0)) == 1


def test_46_parent_child_and_sibling_queries() -> None:
    """Checklist 46: what is parent, child, sibling, and common."""
    a, ab, abc = CHAIN
    ax = SectionPath(4, ("A", "X"))
    assert is_parent_child(a, ab)
    assert is_parent_child(SectionPath(), a)
    assert is_parent_child(a, abc)
    assert is_parent_child(("A", "B"), ("A", "B", "C", "D"))
    assert not is_parent_child(("A", "B"), ("A", "C", "B", "D"))
    assert not is_parent_child(ab, a)
    assert not is_parent_child(a, a)
    assert not is_parent_child((), ())
    assert find_common_prefix(abc, ax) == ("A",)
    assert find_common_prefix(("A", "B"), ("B",)) == ()
    below = "## {}\n\n" + "Words of it. " * 20 + "\n\n"
    result = chunk_hierarchical("# A\n\n" + below.format("B") + below.format("X"))
    b, x = result.get_by_level(2)
    assert result.get_siblings(b.chunk_id) == [b, x]
    assert b.parent_section_id == x.parent_section_id == result.root_id
    assert b.section_id != x.section_id
    assert find_common_prefix(abc, ab) == ("A", "B")


def ids_by_path(result: HierarchicalChunkingResult) -> dict[str, set[str]]:
    """Return by path the ids of the leaves whose section it is."""
    found: dict[str, set[str]] = {}
    for leaf in result.get_leaves():
        found.setdefault(leaf.header_path, set()).add(leaf.chunk_id)
    return found


def test_46_queries_by_equality() -> None:
    """Checklist 46: a store of metadata alone answers for parent, children and siblings."""
    result = chunked(GUIDE, max_chunk_size=200)
    rows = [leaf.metadata for leaf in result.get_leaves()]
    paths = ids_by_path(result)

    def where(key: str, value: object) -> set[object]:
        return {row["chunk_id"] for row in rows if row[key] == value}

    linux = next(row for row in rows if row["title"] == "Linux")
    install = next(row for row in rows if row["title"] == "Install")
    below = paths["/Guide/Install/Linux"] | paths["/Guide/Install/macOS"]
    assert linux["path"] == ["Guide", "Install", "Linux"]
    assert where("section_id", linux["parent_section_id"]) == paths["/Guide/Install"]
    assert where("parent_section_id", install["section_id"]) == below
    assert where("parent_section_id", linux["parent_section_id"]) == below
    root = result.chunks[0]
    assert (root.parent_section_id, install["parent_section_id"]) == (None, root.section_id)


def test_46_what_is_around_a_section_that_lies_in_one_leaf() -> None:
    """Checklist 46: `parent_section_id` is of a section that has chunks, also below a bare one."""
    result = chunked("# D\n\n## A\n\n### B\n\nb\n\n## C\n\nc\n")
    root, leaf, _ = result.chunks
    assert (leaf.header_path, leaf.parent_section_id) == ("/D/A/B", root.section_id)


def test_46_namesakes_that_were_merged_have_one_path() -> None:
    """Checklist 46: metadata, `header_path` and `section` agree where namesakes share a leaf."""
    text = f"## A\n\n{'word ' * 198}\n\n### B\n\nb\n\n### B\n\nc\n"
    merged = leaves(text)[-1]
    assert merged.section == SectionPath(3, ("A", "B"))
    assert (merged.header_path, merged.metadata["path"]) == ("/A/B", ["A", "B"])


def test_46_prefixes_are_exact() -> None:
    """Checklist 46: a `header_path` starts with another and a slash where it is under it alone."""
    text = "# A\n\na\n\n## B\n\nb\n\n# A/B\n\nc\n\n# A\\\\\n\nd\n\n## B\n\ne\n"
    paths = [leaf.header_path for leaf in leaves(text)]
    assert paths == ["/A", "/A/B", r"/A\/B", r"/A\\", r"/A\\/B"]
    assert [path for path in paths if path.startswith("/A/")] == ["/A/B"]


# Strategies


def test_47_three_strategies() -> None:
    """Checklist 47: there are three strategies, in the order of their priorities."""
    available = StrategySelector().get_available_strategies()
    assert [(s.name, s.priority) for s in available] == [
        ("code_aware", 1),
        ("structural", 2),
        ("fallback", 3),
    ]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Text.\n\n```\nx\n```\n", "code_aware"),
        ("Text.\n\n    code\n", "code_aware"),
        ("| a |\n|---|\n| b |\n", "code_aware"),
        ("- item\n\n  ```\n  x\n  ```\n", "code_aware"),
        ("# A\n\n## B\n\n## C\n\nText.\n", "structural"),
        ("# A\n\n# B\n\n# C\n\nText.\n", "fallback"),
        ("# A\n\n## B\n\nText.\n", "fallback"),
        ("Text.\n", "fallback"),
    ],
)
def test_47_strategies_are_selected(text: str, name: str) -> None:
    """Checklist 47: the first strategy that handles the document is selected."""
    assert chunked(text).strategy_used == name
    assert {c.strategy for c in chunked(text).chunks} == {name}


@pytest.mark.parametrize("name", ["code_aware", "structural", "fallback"])
def test_47_strategies_can_be_chosen(name: str) -> None:
    """Checklist 47: the user may choose one, for any document; sections of H1 and H2 stay."""
    for text in (GUIDE, corpora.own_document("every_block.md"), "Text.\n"):
        assert chunked(text, strategy=name).strategy_used == name
    guide = GUIDE.replace("### ", "## ") * 3
    assert [c.content for c in leaves(guide, strategy=name)] == [c.content for c in leaves(guide)]


SECTIONS_OF_LEVEL_3 = "## A\n\n" + "\n\n".join(f"### S{n}\n\n{'Words. ' * 20}" for n in range(5))


def test_47_fallback_fills_chunks_across_deeper_headings() -> None:
    """Checklist 47: chosen by name, it packs whole sections where `structural` keeps each."""
    structural = leaves(SECTIONS_OF_LEVEL_3, strategy="structural", max_chunk_size=400)
    assert [c.text.count("### ") for c in structural] == [1] * 5
    packed = leaves(SECTIONS_OF_LEVEL_3, strategy="fallback", max_chunk_size=400)
    assert [c.text.count("### ") for c in packed] == [2, 2, 1]
    assert [c.section.path for c in packed] == [("A",), ("A",), ("A", "S4")]
    assert [c.section_tags for c in packed] == [("S0", "S1"), ("S3",), ()]


def test_47_fallback_respects_the_merge_boundary() -> None:
    """Checklist 47: not a section of H1 or H2, however small, or what the user says."""
    text = SECTIONS_OF_LEVEL_3.replace("### ", "## ")
    for strategy in ("structural", "fallback"):
        assert len(leaves(text, strategy=strategy)) == 5
    assert len(leaves(SECTIONS_OF_LEVEL_3, strategy="fallback", merge_boundary_level=3)) == 5


def test_47_fallback_cuts_a_section_that_is_too_large_by_itself() -> None:
    """Checklist 47: its parts repeat its heading, as with every strategy."""
    text = f"## A\n\n### B\n\n{'Words of b. ' * 40}\n\n### C\n\nc\n\n### D\n\nd\n"
    packed = leaves(text, strategy="fallback", max_chunk_size=300)
    assert [c.header_path for c in packed] == ["/A/B", "/A/B", "/A"]
    assert [c.split_index for c in packed] == [0, 1, None]
    assert packed[1].content.startswith("## A\n\n### B\n\n")


def test_47_the_structure_threshold_decides() -> None:
    """Checklist 47: below it, sections are packed."""
    assert len(leaves(SECTIONS_OF_LEVEL_3, max_chunk_size=400)) == 5
    assert len(leaves(SECTIONS_OF_LEVEL_3, max_chunk_size=400, structure_threshold=7)) == 3


def test_47_the_code_threshold_decides_for_documents_without_code() -> None:
    """Checklist 47: with 0 formulas, which are no code, are kept with what explains them."""
    formula, explanation = "$$\nwork = force * way\n$$", "It is measured in newton metres."
    text = f"{formula}\n\n{explanation}\n\nOne is not a lot.\n"
    default = leaves(text, max_chunk_size=60)
    bound = leaves(text, max_chunk_size=60, code_threshold=0)
    assert [c.strategy for c in (default[0], bound[0])] == ["fallback", "code_aware"]
    assert (default[0].text, bound[0].text) == (formula, f"{formula}\n\n{explanation}")


def test_47_thresholds() -> None:
    """Checklist 47: the thresholds of code and of structure are the user's."""
    text = "# A\n\n## B\n\n## C\n\nText.\n"
    assert chunked(text, structure_threshold=4).strategy_used == "fallback"
    assert chunked("# A\n\n## B\n\nx\n", structure_threshold=2).strategy_used == "structural"
    assert analyze_markdown(text).code_ratio == 0.0
    assert chunked(text, code_threshold=0.0).strategy_used == "code_aware"


@pytest.mark.parametrize("strategy", ["code_aware", "structural", "fallback"])
def test_48_atoms_are_whole(strategy: str) -> None:
    """Checklist 48: code, tables and math are whole, and verbatim, in exactly one leaf."""
    for name in ("every_block.md", "long_code.md", "long_tables.md", "math_notes.md"):
        text = corpora.own_document(name)
        chunks = leaves(text, max_chunk_size=300, strategy=strategy)
        atoms = [
            b for b in stock_blocks(text) if b.kind in laws.ATOM_REASONS["list_item_integrity"]
        ]
        assert atoms
        for atom in atoms:
            start = atom.start + len(text[atom.start :]) - len(text[atom.start :].lstrip())
            end = atom.start + len(text[atom.start : atom.end].rstrip())
            assert sum(c.span.start <= start and end <= c.span.end for c in chunks) == 1


def test_48_code_is_bound_to_what_explains_it() -> None:
    """Checklist 48: `code_aware` rather parts two paragraphs than code from its explanation."""
    before, explains = "Something else. " * 25, "This explains the code. " * 12
    code = "```py\n" + "x = 1\n" * 40 + "```"
    after = "Something after it. " * 20
    text = f"{before}\n\n{explains}\n\n{code}\n\n{after}"
    aware = leaves(text, strategy="code_aware")
    together = next(c for c in aware if "```py" in c.text)
    assert together.text.startswith("This explains") or "Something after it" in together.text
    assert len(aware) == len(leaves(text, strategy="fallback"))


def test_48_code_is_bound_to_the_output_that_follows() -> None:
    """Checklist 48: a cut between code and its output costs more than one between paragraphs."""
    code = "```py\n" + "x = 1\n" * 30 + "```"
    output = "```\n" + "1\n" * 80 + "```"
    text = f"{'Words before. ' * 40}\n\n{'Words that follow. ' * 10}\n\n{code}\n\n{output}\n"
    chunk = next(c for c in leaves(text, strategy="code_aware") if "```py" in c.text)
    assert chunk.text.endswith("1\n```")


def test_49_paragraphs_then_sentences_then_words() -> None:
    """Checklist 49: cuts fall between paragraphs, else between sentences, else between words."""
    sentences = "A sentence of some length is this. "
    paragraphs = "\n\n".join((sentences * 8).strip() for _ in range(6))
    assert all(c.text.startswith("A sent") for c in leaves(paragraphs, max_chunk_size=600))
    assert all(
        (sentences * 8).strip() in c.text
        for c in leaves(paragraphs, max_chunk_size=600, strategy="fallback")
    )
    assert all(c.text.endswith("this.") for c in leaves(sentences * 100, max_chunk_size=200))
    words = leaves("verylong words " * 200, max_chunk_size=200)
    assert all(re.fullmatch(r"(verylong|words)( verylong| words)*", c.text) for c in words)
    assert {len(c.text) for c in leaves("x" * 2000, max_chunk_size=200)} == {200}


@pytest.mark.parametrize("cjk", ["这是一个句子。", "本当ですか？", "はい！", "それは……"])
def test_49_sentences_of_chinese_and_japanese(cjk: str) -> None:
    """Checklist 49: sentences end at `。！？` and `…` too, without a space."""
    parts = leaves(cjk * 100, max_chunk_size=200)
    assert all(len(part.text) % len(cjk) == 0 for part in parts)


@pytest.mark.parametrize("atoms", ["keep", "split"])
@pytest.mark.parametrize("sample", corpora.some_documents(), ids=lambda sample: sample.name)
def test_50_fences_are_balanced(sample: corpora.Sample, atoms: str) -> None:
    """Checklist 50: no leaf opens a fence that it does not close; there is no fence error."""
    ends_open = bool(open_fences(sample.text))
    for chunk in leaves(sample.text, max_chunk_size=500, atomic_blocks=atoms):
        assert "fence_balance_error" not in chunk.metadata
        if not ends_open and ("```" in chunk.content or "~~~" in chunk.content):
            assert not open_fences(chunk.content)


def test_every_line_of_the_checklist_has_a_test() -> None:
    """Each of the 50 lines is named by a test of this file."""
    numbers = {int(match[1]) for name in globals() if (match := re.match(r"test_(\d\d)_", name))}
    assert numbers == set(range(1, 51))
