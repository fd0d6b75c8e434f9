"""The result: ways through it, what chunks say of themselves, and copies of it all."""

from __future__ import annotations

import copy
import pickle
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from msgspec import Struct

import chunkana_core
from chunkana_core import (
    Chunk,
    ChunkConfig,
    Chunker,
    ChunkLevel,
    HierarchicalChunkingResult,
    MarkdownChunker,
    MergeNode,
    SectionPath,
    Source,
    Span,
    chunk_file,
    chunk_hierarchical,
    chunk_markdown,
)
from chunkana_core.document.paths import format_header_path

TEXT = (
    "---\ntitle: In YAML\n---\n\nBefore.\n\n# Guide\n\nAbout it.\n\n## Install\n\n"
    + "Run the installer and wait.\n" * 30
    + "\n### Linux\n\n```sh\napt install it\n```\n\n"
    + "Use the package. " * 10
    + "\n\n## Use\n\nStart it, and see [a].\n\n[a]: /a\n"
)
CONFIG = ChunkConfig(max_chunk_size=400)


@pytest.fixture(name="result")
def result_fixture() -> HierarchicalChunkingResult:
    """Chunk the text above."""
    return MarkdownChunker(CONFIG).chunk_hierarchical(TEXT)


def titled(result: HierarchicalChunkingResult, title: str) -> Chunk:
    """Return the first chunk with a title."""
    return next(chunk for chunk in result.chunks if chunk.title == title)


def test_chunks_are_in_document_order(result: HierarchicalChunkingResult) -> None:
    """Each node comes before what is under it; of what it has no heading of its own is level 3."""
    found = [(c.links.hierarchy_level, c.content_type, c.header_path) for c in result.walk()]
    assert found == [
        (ChunkLevel.DOCUMENT, "document", "/Guide"),
        (ChunkLevel.PARAGRAPH, "front_matter", "/__preamble__"),
        (ChunkLevel.PARAGRAPH, "preamble", "/__preamble__"),
        (ChunkLevel.PARAGRAPH, "text", "/Guide"),
        (ChunkLevel.SUBSECTION, "section", "/Guide/Install"),
        (ChunkLevel.PARAGRAPH, "text", "/Guide/Install"),
        (ChunkLevel.PARAGRAPH, "text", "/Guide/Install"),
        (ChunkLevel.PARAGRAPH, "text", "/Guide/Install"),
        (ChunkLevel.PARAGRAPH, "mixed", "/Guide/Install/Linux"),
        (ChunkLevel.SUBSECTION, "text", "/Guide/Use"),
    ]
    assert [*result.walk()] == [*result.chunks]
    for level in (*ChunkLevel, 9):
        expected = [c for c in result.chunks if c.links.hierarchy_level == level]
        assert result.get_by_level(level) == expected
    assert [int(level) for level in ChunkLevel] == [0, 1, 2, 3]


def test_sections_are_found_whole(result: HierarchicalChunkingResult) -> None:
    """The node and all parts of a section share a `section_id`."""
    install = titled(result, "Install")
    found = result.get_section(install.section_id)
    assert found[0] == install
    assert [chunk.split_index for chunk in found[1:]] == [0, 1, 2]
    assert all(chunk.section.path == ("Guide", "Install") for chunk in found)
    found.clear()
    assert result.get_section(install.section_id)


@pytest.mark.parametrize(
    ("text", "content_type"),
    [
        ("text\n\n> quote\n\n---\n", "text"),
        ("# A\n\ntext", "text"),
        ("- a\n", "list"),
        ("```\na\n```", "code"),
        ("    a", "code"),
        ("|a|\n|-|\n", "table"),
        ("$$\na\n$$", "math"),
        ("<div>", "html"),
        ("text\n\n- a", "mixed"),
        ("text\n\n[a]: /b", "text"),
        ("[a]: /b", "definitions"),
        ("# A", "heading"),
        ("---\na: 1\n---", "front_matter"),
        ("[^1]: note", "text"),
    ],
)
def test_content_type_of_a_leaf(text: str, content_type: str) -> None:
    assert chunk_markdown(text)[0].metadata["content_type"] == content_type


def test_tags_and_titles() -> None:
    """A leaf's title is its first heading; the further ones are its tags."""
    (leaf,) = chunk_markdown("### A\n\na\n\n#### B\n\nb\n\n#### C *c*\n\nc\n")
    assert (leaf.title, leaf.section_tags, leaf.anchor) == ("A", ("B", "C c"), "a")
    assert leaf.metadata["section_tags"] == ["B", "C c"]


@pytest.mark.parametrize(
    ("text", "has_code", "languages"),
    [
        (
            "```Python x\na\n```\n\n- ~~~c++\n  b\n  ~~~\n\n```python\n```\n",
            True,
            ("python", "c++"),
        ),
        ("    code\n", True, ()),
        ("```\ncode\n```\n", True, ()),
        ("`code` in text\n", False, ()),
    ],
)
def test_code_languages(text: str, languages: tuple[str, ...], *, has_code: bool) -> None:
    """The first words of the info strings, each once, in small letters, of the leaf alone."""
    (leaf,) = chunk_markdown(text)
    assert (leaf.has_code, leaf.code_languages) == (has_code, languages)
    items = "- ```py\n  a\n  ```\n" + "- words of an item\n" * 20 + "- ```sh\n  b\n  ```\n"
    leaves = chunk_markdown(items, ChunkConfig(max_chunk_size=100))
    assert [leaf.code_languages for leaf in leaves] == [("py",), *[()] * (len(leaves) - 2), ("sh",)]


@pytest.mark.parametrize(
    ("titles", "shown"),
    [
        ((), "/"),
        (("A",), "/A"),
        (("A", "B"), "/A/B"),
        (("A/B", "C"), r"/A\/B/C"),
        ((r"C:\A/B",), r"/C:\\A\/B"),
        (("",), "/"),
    ],
)
def test_header_paths(titles: tuple[str, ...], shown: str) -> None:
    assert format_header_path(titles) == shown


@pytest.mark.parametrize(("count", "preview"), [(80, "x" * 80), (81, "x" * 79 + "…")])
def test_tree_dict(count: int, preview: str) -> None:
    """The tree as dicts, with the start of each content, and a mark where that is cut."""
    result = chunk_hierarchical(f"---\na: 1\n---\n\n{'x' * count}")

    def tree_of(chunk: Chunk) -> dict[str, object]:
        return {
            "id": chunk.chunk_id,
            "level": int(chunk.links.hierarchy_level),
            "header_path": chunk.header_path,
            "content_preview": preview if "x" in chunk.content else chunk.content,
            "children": [tree_of(child) for child in result.get_children(chunk.chunk_id)],
        }

    assert result.to_tree_dict() == tree_of(result.chunks[0])


def test_lists_that_are_given_are_copies(result: HierarchicalChunkingResult) -> None:
    """Changing what was given changes nothing in the result."""
    calls = (result.get_flat_chunks, result.get_leaves, result.toc)
    for call in (*calls, lambda: result.get_children(result.root_id)):
        expected = [*call()]
        call().clear()
        assert call() == expected != []


def test_results_chunks_and_trees_are_copied_and_pickled(
    result: HierarchicalChunkingResult,
) -> None:
    """Whatever is passed between processes comes out as it went in."""
    tree, alone = result.merge_tree(), chunk_markdown("# A\n\nText \ud800.\n")
    for thing in (result, tree, *alone, *result.chunks, *tree.nodes, *result.toc()):
        for again in (copy.deepcopy(thing), copy.copy(thing), pickle.loads(pickle.dumps(thing))):  # noqa: S301
            assert again == thing
            assert again is not thing
    again = pickle.loads(pickle.dumps(result))  # noqa: S301
    assert again.get_chunk(result.root_id) == result.chunks[0]
    assert again.chunks[1].text == result.chunks[1].text
    assert again.merge_tree() == tree
    assert again.toc() == result.toc()
    assert [chunk.metadata for chunk in again.chunks] == [c.metadata for c in result.chunks]


def test_all_data_types_are_frozen_and_slotted() -> None:
    """Every data type of the public API is immutable and has no `__dict__`."""
    public = [getattr(chunkana_core, name) for name in chunkana_core.__all__]
    structs = {kind for kind in public if isinstance(kind, type) and issubclass(kind, Struct)}
    assert {Chunk, Span, SectionPath, MergeNode} <= structs
    assert all(kind.__struct_config__.frozen for kind in structs)
    types = {kind for kind in public if isinstance(kind, type) and is_dataclass(kind)}
    assert {Source, ChunkConfig} <= types
    for kind in types:
        assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
        assert "__slots__" in vars(kind)
        assert all(not isinstance(field.default, list | dict | set) for field in fields(kind))


def test_chunks_hash_and_compare(result: HierarchicalChunkingResult) -> None:
    """Equal chunks are equal, and can be members of sets."""
    again = MarkdownChunker(CONFIG).chunk_hierarchical(TEXT)
    assert set(again.chunks) == set(result.chunks)
    assert len(set(result.chunks)) == len(result.chunks)


def test_repr_does_not_hold_the_document(result: HierarchicalChunkingResult) -> None:
    """What is printed of a chunk is the chunk, not its whole document."""
    assert "In YAML" not in repr(result.get_leaves()[-1])
    assert len(repr(result.get_leaves()[-1])) < 2000


def test_chunk_file(tmp_path: Path) -> None:
    """A file is read as UTF-8, its line endings and BOM kept."""
    path = tmp_path / "a.md"
    path.write_bytes("\ufeff# Ä\r\n\r\nText.\r\n".encode())
    for given in (path, str(path)):
        (chunk,) = chunk_file(given, ChunkConfig(max_chunk_size=100))
        assert chunk.source.text == "\ufeff# Ä\r\n\r\nText.\r\n"
        assert (chunk.text, chunk.title) == ("\ufeff# Ä\r\n\r\nText.", "Ä")
    with pytest.raises(FileNotFoundError):
        chunk_file(path.with_name("none.md"))


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    """The error says how to chunk the file, and that does."""
    path = tmp_path / "latin1.md"
    path.write_bytes(b"# Caf\xe9\n\nText.\n")
    with pytest.raises(UnicodeDecodeError) as caught:
        chunk_file(path)
    assert str(caught.value) == (
        "'utf-8' codec can't decode byte 0xe9 in position 5: invalid continuation byte; "
        f"{path} is not UTF-8: decode it by its encoding, and chunk the text, as in "
        'Chunker().chunk(Path(path).read_bytes().decode("cp1252"), path=path)'
    )
    (chunk,) = Chunker().chunk(Path(path).read_bytes().decode("cp1252"), path=path)
    assert chunk.text == "# Café\n\nText."


def test_shortcuts_take_a_configuration(tmp_path: Path) -> None:
    text = "# A\n\n" + "A sentence. " * 50
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    assert chunk_file(path, CONFIG) == chunk_markdown(text, CONFIG)
    assert chunk_file(path) == chunk_markdown(text)
    assert chunk_markdown(text, CONFIG) == MarkdownChunker(CONFIG).chunk(text)
    assert chunk_hierarchical(text, CONFIG) == MarkdownChunker(CONFIG).chunk_hierarchical(text)
    assert chunk_markdown(text) == MarkdownChunker().chunk(text)


def test_public_names_exist() -> None:
    assert sorted(chunkana_core.__all__) == chunkana_core.__all__
    assert all(hasattr(chunkana_core, name) for name in chunkana_core.__all__)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Before.\n# A\na\n## B\nb\n### C\nc\n#### D\nd\n# E\ne\n## F\nf\n# G\ng\n",
            "An0 -l3 An1 Al3 Bn2 Bl3 Cn3 Cl3 Dl3 En1 El3 Fl2 Gl1",
        ),
        (
            "# A\na\n## B\nb\n### C\nc\n### D\nd\n## E\ne\n",
            "An0 Al3 Bn2 Bl3 Cl3 Dl3 El2",
        ),
    ],
    ids=["several titles", "one title"],
)
def test_levels_of_nodes_and_leaves(text: str, expected: str) -> None:
    """A node and a leaf that is a whole section have its level; its own text is a paragraph."""
    result = MarkdownChunker(ChunkConfig(min_chunk_size=0)).chunk_hierarchical(text)
    found = [
        f"{chunk.title or '-'}{'l' if chunk.is_leaf else 'n'}{int(chunk.links.hierarchy_level)}"
        for chunk in result.chunks
    ]
    assert found == expected.split()


def test_attributes_of_nodes() -> None:
    """A node has the lines that its content shows, those of all its text, and is not indexed."""
    text = "# A\n\na\n\n## B\n\nfirst\nb\n\n### C\n\nc\n\n### D\n\nd\n"
    result = MarkdownChunker(ChunkConfig(min_chunk_size=0)).chunk_hierarchical(text)
    root, section = (chunk for chunk in result.chunks if not chunk.is_leaf)
    assert (root.content, section.content) == ("# A\n\na", "## B\n\nfirst\nb")
    assert (root.start_line, root.end_line) == (1, 3)
    assert (section.start_line, section.end_line) == (5, 8)
    assert (root.text_start_line, root.text_end_line) == (1, 16)
    assert (section.text_start_line, section.text_end_line) == (5, 16)
    assert (root.indexable, section.indexable) == (False, False)
    assert (section.content_type, section.anchor, section.size) == ("section", "b", 13)
    assert section.text.startswith("## B\n\nfirst\nb\n\n### C")


def test_where_the_text_is_in_the_content() -> None:
    """After repeated headings, and the fence that is repeated below them."""
    text = "# A\n\na\n\n## B\n\n```\n" + "x = 1\n" * 9 + "```\n"
    config = ChunkConfig(max_chunk_size=40, min_chunk_size=0, atomic_blocks="split")
    leaves = MarkdownChunker(config).chunk(text)
    assert [leaf.text_offset for leaf in leaves] == [0, 0, 10, 10]
    for leaf in leaves:
        assert leaf.content.startswith(leaf.text, leaf.text_offset)
