"""The upper levels of the hierarchy of a document as a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.text import Text
from rich.tree import Tree

from chunkana_cli.output.output import ANY_WIDTH
from chunkana_cli.output.screen import (
    INDENTATION,
    format_location,
    name_of,
    root_label,
    tree_label,
)
from chunkana_core import Chunk, HierarchicalChunkingResult


def short_tree(
    name: str, result: HierarchicalChunkingResult, most_rows: int, width: int = ANY_WIDTH
) -> Tree:
    """Return the upper levels of the tree: as many as fit into `most_rows`, at least one.

    Titles are cut so that lines fit into `width` columns.
    """
    leaves = _leaf_counts(result)
    top = Tree(root_label(name, result, width))
    level = [(top, result.root_id)]
    room = most_rows
    while level:
        width -= INDENTATION
        rows = [(t, row) for t, i in level for row in _rows(result.get_children(i))]
        is_first = level[0][0] is top
        if len(rows) > room and not is_first:
            break
        level = [
            (t.add(_short_label(row, leaves, width)), row[0].chunk_id) for t, row in rows[:room]
        ]
        if len(rows) > room:
            top.add(Text(f"… and {len(rows) - room:,} more", style="dim"))
            break
        room -= len(rows)
    return top


def _rows(siblings: Sequence[Chunk]) -> Iterator[list[Chunk]]:
    """Yield lists of siblings: the parts of a split section together, others alone."""

    def key(chunk: Chunk) -> str:
        return chunk.chunk_id if chunk.split_index is None else chunk.section_id

    for _, row in groupby(siblings, key):
        yield list(row)


def _leaf_counts(result: HierarchicalChunkingResult) -> dict[str, int]:
    """Return the number of leaves of each chunk by its id; a leaf counts itself."""
    counts: dict[str, int] = {}
    for chunk in reversed(result.chunks):  # children come after their parents
        below = sum(counts[child] for child in chunk.links.children_ids)
        counts[chunk.chunk_id] = 1 if chunk.is_leaf else below
    return counts


def _short_label(row: Sequence[Chunk], leaves: dict[str, int], width: int) -> Text:
    first, count = row[0], sum(leaves[chunk.chunk_id] for chunk in row)
    size = f"{sum(len(chunk.span) for chunk in row):,}"
    facts = [size if count == 1 else f"{size} in {count} chunks", format_location(first, row[-1])]
    return tree_label(name_of(first), facts, width, is_node=not first.is_leaf)
