"""The outline and the merge tree as rows, each with a range of leaves."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunkana_core import Chunk, HierarchicalChunkingResult, MergeNode, TocEntry
from chunkana_view.display_text import title_of
from chunkana_view.labels import name_of


@dataclass(frozen=True, slots=True)
class Row:
    """An entry of a tree; the rows of a tree are in pre-order.

    Attributes:
        depth: the depth of the entry, 0 for the top.
        title: the title on one line.
        first: the index of the first leaf in the range.
        last: the index of the last leaf in the range.
        size: the size of the range's text.
    """

    depth: int
    title: str
    first: int
    last: int
    size: int


@dataclass(frozen=True, slots=True)
class Branch:
    """A row with the branches below it."""

    row: Row
    children: tuple[Branch, ...]


def outline(result: HierarchicalChunkingResult) -> tuple[Row, ...]:
    """Return a row for each heading, with the range of its section."""
    leaves, toc = result.get_leaves(), result.toc()
    starts = [leaf.text_start_line for leaf in leaves]
    ends = [leaf.text_end_line for leaf in leaves]
    rows: list[Row] = []
    sizes: dict[tuple[int, int], int] = {}  # one leaf may contain very many headings
    for entry, depth in zip(toc, _depths(toc), strict=True):
        # Chunks of another tool may not cover every heading.
        first = min(bisect_left(ends, entry.line), len(leaves) - 1)
        last = max(first, bisect_right(starts, entry.end_line) - 1)
        if (first, last) not in sizes:
            sizes[first, last] = _size(result, leaves[first], leaves[last])
        title = title_of(entry.title) or "(no title)"
        rows.append(Row(depth, title, first, last, sizes[first, last]))
    return tuple(rows)


def _depths(toc: Sequence[TocEntry]) -> Iterator[int]:
    """Yield the number of ancestors of each heading."""
    above: list[int] = []
    for entry in toc:
        while above and above[-1] >= entry.level:
            above.pop()
        yield len(above)
        above.append(entry.level)


def merge_rows(result: HierarchicalChunkingResult) -> tuple[Row, ...]:
    """Return a row for each node of the merge tree."""
    leaves = result.get_leaves()
    starts = [leaf.span.start for leaf in leaves]
    depths: dict[str | None, int] = {None: -1}
    rows: list[Row] = []
    for node in result.merge_tree().nodes:
        depths[node.node_id] = depth = depths[node.parent_id] + 1
        first = max(0, bisect_right(starts, node.span.start) - 1)
        last = max(first, bisect_left(starts, node.span.end) - 1)
        rows.append(Row(depth, _title(node), first, last, result.length_function(node.text)))
    return tuple(rows)


def _title(node: MergeNode) -> str:
    chunk = node.chunk
    if node.is_group:
        path = chunk.section.path
        common = title_of(path[-1]) if path else "Document"
        return f"{common} (group of {len(node.children_ids)})"
    part = "" if chunk.split_index is None else f" (part {chunk.split_index + 1})"
    return name_of(chunk) + part if node.is_leaf else title_of(chunk.title) or name_of(chunk)


def _size(result: HierarchicalChunkingResult, first: Chunk, last: Chunk) -> int:
    return result.length_function(result.text[first.span.start : last.span.end])


def nested(rows: Sequence[Row]) -> tuple[Branch, ...]:
    """Convert rows in pre-order to nested branches."""
    waiting: dict[int, list[Branch]] = {}
    for row in reversed(rows):
        under = waiting.pop(row.depth + 1, [])
        waiting.setdefault(row.depth, []).append(Branch(row, tuple(reversed(under))))
    return tuple(reversed(waiting.get(0, [])))
