"""The merge tree: parents that may stand for their children in what is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

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
    """The laws hold at every cap and number of children."""
    config = ChunkConfig(max_chunk_size=200, length_function=measure)
    result = chunked(sample.text, config)
    for cap, most in product(CAPS, MOST):
        sound(result, config, cap, most)


@given(any_markdown(), configs(), st.sampled_from(CAPS), st.sampled_from(MOST))
def test_merge_trees_of_made_markdown_are_sound(
    text: str, config: ChunkConfig, cap: int | None, most: int
) -> None:
    sound(chunked(text, config), config, cap, most)


@pytest.mark.slow
@pytest.mark.skipif(not corpora.corpus_paths(), reason=f"no corpus in {corpora.SHARED}")
def test_merge_trees_of_the_corpus_are_sound() -> None:
    for sample in corpora.corpus():
        for size in (200, 1000):
            config = ChunkConfig(max_chunk_size=size)
            result = chunked(sample.text, config)
            for cap in CAPS:
                sound(result, config, cap, 64)
                sound(result, config, cap, 3)


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
    (root_id,) = tree.root_ids
    root = tree.get(root_id)
    assert root
    assert root.node_id == result.chunks[0].chunk_id
    assert root.text == text.rstrip()
    assert [node.chunk.title for node in tree.nodes if not node.is_leaf] == [
        "D",
        "A",
    ]


def test_chains_are_contracted() -> None:
    """A section with one child is no parent: the child stands in its place."""
    config = ChunkConfig(max_chunk_size=200, min_chunk_size=0)
    text = f"# D\n\nx\n\n## A\n\n### A1\n\n#### A11\n\n{'word ' * 60}\n\n## B\n\ny\n"
    result = chunked(text, config)
    tree = sound(result, config, None, 64)
    parents = [node for node in tree.nodes if not node.is_leaf]
    assert len(parents) == 2
    assert len([chunk for chunk in result.chunks if not chunk.is_leaf]) == 3


def test_leaf_that_is_the_only_one_is_a_root() -> None:
    config = ChunkConfig()
    tree = sound(chunked("# A\n\nText.\n", config), config, None, 64)
    assert len(tree.nodes) == len(tree.root_ids) == 1


def test_parts_of_a_split_section_get_a_parent() -> None:
    """The parts of a split section are grouped together, apart from what is beside them."""
    text = f"# D\n\nx\n\n## A\n\n{'A sentence of some words. ' * 30}\n\n## B\n\ny\n\n## C\n\nz\n"
    config = ChunkConfig(max_chunk_size=200)
    result = chunked(text, config)
    tree = sound(result, config, None, 64)
    parts = {c.chunk_id for c in result.get_leaves() if c.split_index is not None}
    groups = [node for node in tree.nodes if parts & set(node.children_ids)]
    assert all(set(node.children_ids) <= parts for node in groups)
    assert all(node.is_group for node in groups)
    assert len(parts) > 3


def test_groups_of_parts_are_grouped_with_their_neighbours() -> None:
    """In a section over the cap, the parent of a split section's parts is grouped like a leaf."""
    sentences = "A sentence of some words. "
    text = f"# D\n\nx\n\n## A\n\n{sentences * 9}\n\n" + "".join(
        f"## {name}\n\n{sentences * 5}\n\n" for name in "BCDEFG"
    )
    config = ChunkConfig(max_chunk_size=200)
    tree = sound(chunked(text, config), config, 500, 64)
    *_, group = [n for n in tree.nodes if any(c.startswith("## A") for c in texts(tree, n))]
    assert (group.is_group, len(group.children_ids)) == (True, 2)
    assert group.parent_id is not None
    parent = tree.get(group.parent_id)
    assert parent
    assert parent.is_group
    assert [t.split("\n")[0] for t in texts(tree, parent)] == ["# D", "## A", "## B"]


def test_what_is_not_indexed_parts_no_neighbours() -> None:
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


def test_children_of_a_section_that_is_too_large_get_groups_of_balanced_size() -> None:
    """A section over the cap is no parent; runs of its children are, of about one size."""
    text = sections(count=21, sentences=8)
    config = ChunkConfig(max_chunk_size=400)
    tree = sound(chunked(text, config), config, 1600, 64)
    groups = [node for node in tree.nodes if not node.is_leaf]
    assert all(node.is_group for node in groups)
    assert len(groups) == 3
    assert [len(node.children_ids) for node in groups] == [7, 7, 7]
    assert all(node.parent_id is None for node in groups)


def test_too_many_children_are_grouped() -> None:
    """A section of more children than are allowed has groups of them between."""
    text = sections(count=30, sentences=1)
    config = ChunkConfig(max_chunk_size=200, min_chunk_size=0)
    tree = sound(chunked(text, config), config, 10**6, 4)
    assert len(tree.root_ids) == 1
    assert all(len(node.children_ids) <= 4 for node in tree.nodes)
    sizes = [len(node.children_ids) for node in tree.nodes if not node.is_leaf]
    assert min(sizes) >= 2


def test_what_no_parent_can_hold_is_a_root() -> None:
    """Where the cap holds no two leaves, every leaf is a root."""
    config = ChunkConfig(max_chunk_size=400)
    result = chunked(sections(5, 10), config)
    tree = sound(result, config, 300, 64)
    assert list(tree.root_ids) == [chunk.chunk_id for chunk in result.get_flat_chunks()]


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
    ],
)
def test_options(options: tuple[int, int], field: str, allowed: str) -> None:
    """A cap is at least 1, and a parent may have two children at least."""
    result = chunked("# A\n\nText.\n", ChunkConfig())
    with pytest.raises(ConfigurationError) as caught:
        result.merge_tree(*options)
    assert (caught.value.field, caught.value.allowed) == (field, allowed)


@pytest.mark.parametrize("wrong", [True, 2.5, "64"])
def test_options_of_the_wrong_type(wrong: int) -> None:
    result = chunked("# A\n\nText.\n", ChunkConfig())
    with pytest.raises(ConfigurationError):
        result.merge_tree(1000, wrong)
    with pytest.raises(ConfigurationError):
        result.merge_tree(wrong)


def test_unknown_ids_give_none() -> None:
    assert chunked("# A\n\nText.\n", ChunkConfig()).merge_tree().get("no such id") is None


def test_default_cap_is_four_times_the_limit() -> None:
    config = ChunkConfig(max_chunk_size=400)
    result = chunked(sections(21, 8), config)
    assert result.merge_tree() == result.merge_tree(1600, 64) != result.merge_tree(3000)


def test_nothing_to_index_is_no_tree() -> None:
    """A document of link definitions has no leaves to merge."""
    tree = chunked("[a]: /a\n", ChunkConfig()).merge_tree()
    assert (tree.nodes, tree.root_ids, tree.leaves) == ((), (), [])


def shape(tree: MergeTree, node_ids: Sequence[str]) -> str:
    """Write the number of leaves of each node; of what has other parents below it, in brackets."""
    written = []
    for node_id in node_ids:
        node = tree.get(node_id)
        assert node
        children = [child for i in node.children_ids if (child := tree.get(i))]
        if all(child.is_leaf for child in children):
            written.append(str(max(1, len(children))))
        else:
            written.append(f"({shape(tree, node.children_ids)})")
    return " ".join(written)


@pytest.mark.parametrize(
    ("sizes", "cap", "most", "expected"),
    [
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
