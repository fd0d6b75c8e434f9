"""Print the hierarchy of a document as a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.cells import cell_len
from rich.text import Text
from rich.tree import Tree

from chunkana_cli.output.output import ANY_WIDTH
from chunkana_cli.output.screen import format_location, name_of
from chunkana_cli.streams import format_count, on_one_line
from chunkana_core import Chunk, HierarchicalChunkingResult

_INDENTATION = 4  # columns of a level
_SHORTEST = 20  # columns; titles are not cut below it


def full_tree(name: str, result: HierarchicalChunkingResult, width: int = ANY_WIDTH) -> Tree:
    """Return the tree of all chunks, with titles, levels, sizes, lines, kinds and ids.

    Titles are cut so that lines fit into `width` columns.
    """
    if not result.chunks:
        return Tree(Text(f"{on_one_line(name)}  (no text)"))
    parts = Counter(chunk.section_id for chunk in result.chunks if chunk.split_index is not None)
    top = Tree(_root_label(name, result, width))
    trees = {result.root_id: (top, width)}
    for chunk in result.chunks[1:]:
        facts = list(_facts(chunk, parts[chunk.section_id]))
        parent, room = trees[chunk.links.parent_id or result.root_id]
        room -= _INDENTATION
        label = _label(name_of(chunk), facts, room, is_node=not chunk.is_leaf)
        trees[chunk.chunk_id] = parent.add(label), room
    return top


def short_tree(
    name: str, result: HierarchicalChunkingResult, most_rows: int, width: int = ANY_WIDTH
) -> Tree:
    """Return the upper levels of the tree: as many as fit into `most_rows`, at least one.

    Titles are cut so that lines fit into `width` columns.
    """
    leaves = _leaf_counts(result)
    top = Tree(_root_label(name, result, width))
    level = [(top, result.root_id)]
    room = most_rows
    while level:
        width -= _INDENTATION
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


def _root_label(name: str, result: HierarchicalChunkingResult, width: int) -> Text:
    title = on_one_line(result.chunks[0].title)
    size = format_count(len(result.text), "character")
    count = format_count(len(result.get_leaves()), "chunk")
    facts = [f"“{title}”"] if _has_title(result) else []
    return _label(on_one_line(name), [*facts, f"{size} in {count}"], width, is_node=True)


def _has_title(result: HierarchicalChunkingResult) -> bool:
    """Return whether a document has a title, not only a name derived from its text."""
    title = result.chunks[0].title
    return bool(result.title) or any(c.section.path[:1] == (title,) for c in result.chunks)


def _short_label(row: Sequence[Chunk], leaves: dict[str, int], width: int) -> Text:
    first, count = row[0], sum(leaves[chunk.chunk_id] for chunk in row)
    size = f"{sum(len(chunk.span) for chunk in row):,}"
    facts = [size if count == 1 else f"{size} in {count} chunks", format_location(first, row[-1])]
    return _label(name_of(first), facts, width, is_node=not first.is_leaf)


def _facts(chunk: Chunk, parts: int) -> Iterator[str]:
    """Yield the facts shown after the title of a chunk."""
    if chunk.section.level:
        yield f"H{chunk.section.level}"
    # The content of a parent is a summary; its span is the text of its leaves.
    yield f"{len(chunk.content) if chunk.is_leaf else len(chunk.span):,}"
    yield format_location(chunk, chunk)
    yield chunk.content_type + (f" in {on_one_line(chunk.container)}" if chunk.container else "")
    if chunk.split_index is not None:
        yield f"part {chunk.split_index + 1} of {parts}"
    if chunk.oversize_reason is not None:
        yield f"oversize: {chunk.oversize_reason}"
    yield chunk.chunk_id


def _label(name: str, facts: Sequence[str], width: int, *, is_node: bool) -> Text:
    # A Text, not a str: rich would interpret markup in the titles of a document.
    title, after = Text(name, style="bold" if is_node else ""), "  " + " · ".join(facts)
    title.truncate(max(_SHORTEST, width - cell_len(after)), overflow="ellipsis")
    return title.append(after, style="not bold dim")
