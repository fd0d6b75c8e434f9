"""The merge tree: parents that may stand for their children in what is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import (
    ChunkConfig,
    ConfigurationError,
    HierarchicalChunkingResult,
    MarkdownChunker,
    MergeNode,
    MergeTree,
)
from tests import corpora
from tests.core.configurations import MEASURES, configs
from tests.core.merge_laws import sound
from tests.strategies import any_markdown

CAPS = (None, 1, 50, 300, 800, 2000, 10_000, 10**9)
MOST = (2, 3, 8, 64)


def chunked(text: str, config: ChunkConfig) -> HierarchicalChunkingResult:
    """Chunk a text."""
    return MarkdownChunker(config).chunk_hierarchical(text)


@pytest.mark.no_cover
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("sample", corpora.own_documents(), ids=lambda sample: sample.name)
def test_merge_trees_of_documents_are_sound(
    sample: corpora.Sample, measure: Callable[[str], int]
) -> None:
    """The laws hold at every cap, with few children and many."""
    config = ChunkConfig(max_chunk_size=200, length_function=measure)
    result = chunked(sample.text, config)
    for cap, most in zip(CAPS, MOST * 2, strict=True):
        sound(result, config, cap, most)


@given(any_markdown(), configs(), st.sampled_from(CAPS), st.sampled_from(MOST))
def test_merge_trees_of_made_markdown_are_sound(
    text: str, config: ChunkConfig, cap: int | None, most: int
) -> None:
    sound(chunked(text, config), config, cap, most)


# What the tree is


def texts(tree: MergeTree, node: MergeNode) -> list[str]:
    """Return the texts of a node's children."""
    return [child.text for i in node.children_ids if (child := tree.get(i))]


def sections(count: int, sentences: int) -> str:
    """Return a document of sections of equal size."""
    body = "A sentence of some words. " * sentences
    return "# Doc\n\n" + "".join(f"## S{n}\n\n{body}\n\n" for n in range(count))


def test_sections_are_parents_of_their_leaves() -> None:
    """A section within the cap is one parent, that has the section's id and whole text."""
    text = "# D\n\n## A\n\n" + "".join(f"### A{n}\n\n{'word ' * 60}\n\n" for n in range(3))
    text += "## B\n\n" + "word " * 60
    config = ChunkConfig(max_chunk_size=400)
    result = chunked(text, config)
    tree = sound(result, config, None, 64)
    root, section = (node for node in tree.nodes if not node.is_leaf)
    assert (root.node_id, root.text) == (result.chunks[0].chunk_id, text.rstrip())
    assert section.chunk.title == "A"
    assert tree.root_ids == (root.node_id,)


def test_groups_of_parts_are_grouped_with_their_neighbours() -> None:
    """In a section over the cap, the parent of a split section's parts is grouped like a leaf."""
    sentences = "A sentence of some words. "
    text = f"# D\n\nx\n\n## A\n\n{sentences * 9}\n\n" + "".join(
        f"## {name}\n\n{sentences * 5}\n\n" for name in "BCDEFG"
    )
    config = ChunkConfig(max_chunk_size=200)
    tree = sound(chunked(text, config), config, 500, 64)
    group = next(n for n in reversed(tree.nodes) if any("## A" in t for t in texts(tree, n)))
    assert (group.is_group, len(group.children_ids)) == (True, 2)
    parent = tree.get(group.parent_id or "")
    assert parent
    assert parent.is_group
    assert [t.split("\n")[0] for t in texts(tree, parent)] == ["# D", "## A", "## B"]


def test_leaves_that_are_not_indexable_do_not_separate_their_neighbours() -> None:
    """Leaves that are not in the tree do not keep those around them apart."""
    text = "# D\n\n" + "".join(
        f"## S{n}\n\n{'word ' * 30}\n\n<hr class='{'a' * 150}'>\n\n" for n in range(4)
    )
    config = ChunkConfig(max_chunk_size=200, min_chunk_size=0)
    result = chunked(text, config)
    assert len(result.get_flat_chunks()) < len(result.get_leaves())
    tree = sound(result, config, 800, 64)
    assert [len(n.children_ids) for n in tree.nodes if not n.is_leaf] == [2, 2]


def test_a_section_of_parts_alone_is_their_parent() -> None:
    """No group stands between a section and all that it has, nor for one that is over the cap."""
    parts = f"# A\n\n{'A sentence of some words. ' * 20}\n"
    config = ChunkConfig(max_chunk_size=300)
    (root,) = (n for n in chunked(parts, config).merge_tree().nodes if not n.is_leaf)
    assert root.chunk.is_root
    text = f"---\ntitle: {'long ' * 200}\n---\n\n{parts}"
    (group,) = (n for n in sound(chunked(text, config), config, 1000, 64).nodes if not n.is_leaf)
    assert group.is_group
    assert group.text == parts.rstrip()


def test_ids_of_groups_are_stable() -> None:
    """The same document gives the same groups; an edit changes no group elsewhere."""
    text = sections(12, 30)
    config = ChunkConfig(max_chunk_size=300)
    one, two = (chunked(text, config).merge_tree() for _ in range(2))
    assert one == two
    edited = text.replace("## S11\n\nA sentence", "## S11\n\nOne sentence", 1)
    changed = chunked(edited, config).merge_tree()
    before = {n.node_id for n in one.nodes if n.text in edited and "## S11" not in n.text}
    assert before <= {node.node_id for node in changed.nodes}


@pytest.mark.parametrize(
    ("options", "field", "allowed"),
    [
        ((0, 64), "max_parent_size", "a whole number of at least 1"),
        ((-5, 64), "max_parent_size", "a whole number of at least 1"),
        ((1000, 1), "max_children", "a whole number of at least 2"),
        ((1000, 0), "max_children", "a whole number of at least 2"),
        ((1000, True), "max_children", "a whole number of at least 2"),
        ((1000, 2.5), "max_children", "a whole number of at least 2"),
        (("64", 64), "max_parent_size", "a whole number of at least 1"),
        ((True, 64), "max_parent_size", "a whole number of at least 1"),
    ],
)
def test_options(options: tuple[int, int], field: str, allowed: str) -> None:
    """A cap is at least 1, and a parent may have two children at least."""
    for text in ("# A\n\nText.\n", ""):
        with pytest.raises(ConfigurationError) as caught:
            chunked(text, ChunkConfig()).merge_tree(*options)
        assert (caught.value.field, caught.value.allowed) == (field, allowed)


def test_default_cap_is_four_times_the_limit() -> None:
    config = ChunkConfig(max_chunk_size=400)
    result = chunked(sections(21, 8), config)
    assert result.merge_tree() == result.merge_tree(1600, 64) != result.merge_tree(3000)


def test_nothing_to_index_is_no_tree() -> None:
    """A document of link definitions has no leaves to merge."""
    tree = chunked("[a]: /a\n", ChunkConfig()).merge_tree()
    assert (tree.nodes, tree.root_ids, tree.leaves, tree.get("x")) == ((), (), [], None)


def shape(tree: MergeTree, node_ids: Sequence[str]) -> str:
    """Write the number of leaves of each node; of what has other parents below it, in brackets."""
    written = []
    for node in map(tree.get, node_ids):
        assert node
        is_lowest = all(n.is_leaf for n in tree.nodes if n.parent_id == node.node_id)
        below = shape(tree, node.children_ids)
        written.append(str(max(1, len(node.children_ids))) if is_lowest else f"({below})")
    return " ".join(written)


@pytest.mark.parametrize(
    ("sizes", "cap", "most", "expected"),
    [
        ((20,), 130, 64, "1"),
        ((20,) * 6, 130, 64, "6"),  # all fit to the last code point
        ((20,) * 6, 129, 64, "3 3"),
        ((20,) * 6, 64, 64, "2 2 2"),  # three of which would fit, but not all in two groups
        ((20,) * 6, 42, 64, "2 2 2"),
        ((20,) * 6, 41, 64, "1 1 1 1 1 1"),
        ((20,) * 6, 130, 6, "6"),
        ((20,) * 6, 130, 5, "(3 3)"),
        ((20,) * 6, 130, 2, "((2 2) 2)"),
        ((20,) * 7, 1000, 3, "(3 3 1)"),
        ((20,) * 7, 1000, 2, "((2 2) (2 1))"),
        ((20,) * 7, 100, 3, "2 2 2 1"),  # over the cap, and so balanced by size
        ((20,) * 9, 150, 3, "3 3 3"),
        ((20,) * 5, 88, 64, "3 2"),
        ((50, 20, 20, 20, 20, 50), 120, 64, "3 3"),
        ((100, 10, 10, 10, 10), 130, 64, "1 4"),
        ((10, 10, 10, 10, 100), 130, 64, "4 1"),
        ((100, 100, 20, 20), 140, 64, "1 2 1"),
        ((30, 30, 30, 90, 30), 130, 64, "3 2"),
        ((40, 20, 60, 20, 40), 130, 64, "3 2"),
    ],
)
@pytest.mark.parametrize("measure", [len, str.__len__], ids=["len", "another"])
def test_groups(
    sizes: Sequence[int], cap: int, most: int, expected: str, measure: Callable[[str], int]
) -> None:
    """Sections of these sizes are grouped so that groups are of about one size."""
    text = "\n\n".join(f"## S{n}\n\n{'x' * (size - 7)}" for n, size in enumerate(sizes))
    config = ChunkConfig(max_chunk_size=200, min_chunk_size=0, length_function=measure)
    tree = sound(chunked(text, config), config, cap, most)
    assert shape(tree, tree.root_ids) == expected
