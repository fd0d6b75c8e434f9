"""The demo's parts: search, excerpts, questions, auto-merging."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_cli.search import (
    MergedPassage,
    best_window,
    children_of,
    find_chunks,
    leaves_under,
    merge_leaves,
    nearly_merged,
    pick_question,
)
from chunkana_core import ChunkConfig, MarkdownChunker, chunk_hierarchical
from tests.strategies import any_markdown

KETTLE = """# Kettle

A kettle for your desk.

## Keys

### Boil

Key b boils the water, and then it stops. The kettle whistles.

### Warm

Key k keeps the water warm for an hour. The lamp is on.

## Repair

Unplug it before you open the lid. Then call us.

## Options

Use --keep-warm or --no-whistle on the command line.
"""


def test_search_finds_the_chunk_that_says_it() -> None:
    result = chunk_hierarchical(KETTLE, ChunkConfig(max_chunk_size=100))
    best = {
        "How do I keep the water warm?": "Warm",
        "Does it whistle when boiling?": "Keys",  # whose heading went with that of "Boil"
        "Where do I call?": "Repair",
        "keep-warm": "Options",
    }
    for question, title in best.items():
        assert find_chunks([result], question, 3)[0].chunk.title == title


def test_hits_are_the_best_first_and_none_is_weak() -> None:
    result = chunk_hierarchical(KETTLE, ChunkConfig(max_chunk_size=100))
    hits = find_chunks([result], "boil the water and stop", 9)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] >= scores[0] / 5
    assert len(find_chunks([result], "boil the water and stop", 1)) == 1


@pytest.mark.parametrize("text", ["", "# A\n", "***\n", KETTLE])
@pytest.mark.parametrize("question", ["", "???", "is it?", "absent"])
def test_search_for_nothing_or_in_nothing(text: str, question: str) -> None:
    assert find_chunks([chunk_hierarchical(text)], question, 8) == []


def test_search_in_several_documents_says_in_which() -> None:
    results = [chunk_hierarchical(text) for text in ("", "# A\n\nCats.\n", "# B\n\nDogs.\n")]
    hits = find_chunks(results, "dogs", 8)
    assert [(hit.document, hit.chunk.title) for hit in hits] == [(2, "B")]


@pytest.mark.parametrize(
    ("lines", "window"),
    [
        (["a"] * 3, range(3)),
        (["dog", *["-"] * 9], range(4)),
        ([*["-"] * 9, "dog"], range(6, 10)),
        ([*["-"] * 5, "dog", *["-"] * 9], range(3, 7)),
        (["dog", *["-"] * 6, "dog", "cat", *["-"] * 6], range(5, 9)),
        (["-"] * 9, range(5, 9)),
    ],
)
def test_the_window_has_most_words_and_some_context(lines: list[str], window: range) -> None:
    assert best_window(lines, "a dog and a cat", 4) == window


def test_a_parent_replaces_its_children_when_more_than_half_were_hit() -> None:
    result = chunk_hierarchical(KETTLE, ChunkConfig(max_chunk_size=100, min_chunk_size=0))
    tree = result.merge_tree()
    boil, warm = (c.chunk_id for c in result.get_flat_chunks() if c.title in {"Keys", "Warm"})
    assert [p.node.is_leaf for p in merge_leaves(tree, {boil: 1.0})] == [True]
    (merged,) = merge_leaves(tree, {boil: 1.0, warm: 2.0})
    assert (merged.score, merged.replaced) == (2.0, 2)
    assert merged.text.startswith("## Keys")
    assert merged.text.endswith("The lamp is on.")


def test_half_is_not_enough() -> None:
    result = chunk_hierarchical(KETTLE, ChunkConfig(max_chunk_size=100, min_chunk_size=0))
    tree = result.merge_tree()
    (top,) = (node for node in tree.nodes if len(node.children_ids) == 4)
    first, *_, last = (leaf.node_id for leaf in tree.leaves)
    passages = merge_leaves(tree, {first: 1.0, last: 1.0})
    assert [passage.replaced for passage in passages] == [0, 0]
    assert nearly_merged(tree, passages) == [(top, 2)]


def test_all_hit_merges_upwards_to_the_roots() -> None:
    result = chunk_hierarchical(KETTLE, ChunkConfig(max_chunk_size=100, min_chunk_size=0))
    tree = result.merge_tree()
    passages = merge_leaves(tree, {leaf.node_id: 1.0 for leaf in tree.leaves})
    assert [passage.node.node_id for passage in passages] == list(tree.root_ids)


def test_a_leaf_is_read_with_its_headings() -> None:
    result = chunk_hierarchical("# A\n\n" + "Some words. " * 30, ChunkConfig(max_chunk_size=100))
    leaf = result.merge_tree().leaves[1]
    assert MergedPassage(leaf, 1.0).text.startswith("# A\n\nSome words.")


@given(any_markdown(), st.data())
def test_every_hit_is_read_once_and_nothing_more_can_merge(text: str, data: st.DataObject) -> None:
    result = MarkdownChunker(ChunkConfig(max_chunk_size=60)).chunk_hierarchical(text)
    tree = result.merge_tree()
    ids = [leaf.node_id for leaf in tree.leaves]
    hit = data.draw(st.sets(st.sampled_from(ids)) if ids else st.just(set[str]()))
    passages = merge_leaves(tree, dict.fromkeys(hit, 1.0))
    read = [chunk.chunk_id for p in passages for chunk in leaves_under(tree, p.node)]
    assert len(read) == len(set(read))
    assert hit <= set(read)
    taken = {passage.node.node_id for passage in passages}
    for node in tree.nodes:
        children = children_of(tree, node)
        assert 2 * sum(child.node_id in taken for child in children) <= len(children)


def picked(text: str) -> str:
    result = chunk_hierarchical(text, ChunkConfig(max_chunk_size=100, min_chunk_size=0))
    return pick_question(result, result.merge_tree(), 8)


def test_the_question_is_about_a_part_whose_answer_merges() -> None:
    assert picked(KETTLE) == "What about Keys?"


def test_without_anything_to_merge_it_is_about_a_chunk() -> None:
    assert picked("# A\n\n## Cats\n\nMeow.\n") == "What about Cats?"


def test_without_headings_it_is_about_how_the_text_begins() -> None:
    text = "One two three four five six seven eight nine ten.\n"
    assert picked(text) == "What about One two three four five six seven eight?"


def test_without_anything_else_it_is_about_the_title() -> None:
    assert picked("# Cats\n\nMeow.\n") == "What about Cats?"
