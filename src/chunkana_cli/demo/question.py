"""Choose a question for a document if the user asked none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from chunkana_cli.demo.auto_merge import leaves_under, merge_leaves
from chunkana_cli.screen.naming import common_path
from chunkana_cli.screen.visible import on_one_line
from chunkana_cli.search import find_chunks
from chunkana_core import HierarchicalChunkingResult, MergeTree

_TRIALS = 20
_WORDS = 8


def pick_question(
    result: HierarchicalChunkingResult, tree: MergeTree, title: str, count: int
) -> str:
    """Return a question about a large section, if possible one whose hits merge into a parent.

    Args:
        result: the chunks of the document.
        tree: the merge tree of the document.
        title: the title of the document, which is not used as a topic if there are others.
        count: the number of hits to merge.
    """
    topics = (topic for topic in _topics(tree) if topic != on_one_line(title))
    questions = [f"What about {topic}?" for topic in islice(topics, _TRIALS)]
    for question in questions:
        scores = {hit.chunk.chunk_id: hit.score for hit in find_chunks([result], question, count)}
        passages = merge_leaves(tree, scores)
        if passages and not passages[0].node.is_leaf:
            return question
    return questions[0] if questions else f"What about {on_one_line(title)}?"


def _topics(tree: MergeTree) -> Iterator[str]:
    """Yield the titles of parents, the largest first, then titles or first words of leaves."""
    seen = {""}
    for node in sorted(tree.nodes, key=lambda node: (node.is_leaf, -len(node.span))):
        topic = on_one_line("".join(common_path(leaves_under(tree, node))[-1:]))
        if node.is_leaf and not topic:
            topic = " ".join(on_one_line(node.text).split()[:_WORDS])
        if topic not in seen:
            seen.add(topic)
            yield topic
