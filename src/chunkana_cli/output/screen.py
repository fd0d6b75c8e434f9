"""Names, paths and locations of chunks for the screen, labels of trees, tables of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from chunkana_cli.streams import format_cells, format_count, on_one_line
from chunkana_core import Chunk, HierarchicalChunkingResult, find_common_prefix

INDENTATION = 4  # columns of a level of a tree
_SHORTEST = 20  # columns of a tree; titles are not cut below it
_WITHOUT_HEADING = {"preamble": "(before the first heading)", "front_matter": "(front matter)"}


def name_of(chunk: Chunk) -> str:
    """Return the titles in a chunk, or a description if it has none."""
    titles = (on_one_line(title) for title in (chunk.title, *chunk.section_tags))
    name = " + ".join(title for title in titles if title)
    return name or _WITHOUT_HEADING.get(chunk.content_type, "(no heading)")


def path_of(chunk: Chunk, below: int = 0) -> str:
    """Return the header path of a chunk, outermost first, with its own title.

    Args:
        chunk: the chunk.
        below: the number of outermost titles to leave out; the last title is always kept.
    """
    path = chunk.section.path
    titles = path if chunk.title in path else (*path, name_of(chunk))
    return _join_titles(titles[min(below, len(titles) - 1) :])


def path_of_all(chunks: Sequence[Chunk], below: int = 0) -> str:
    """Return the common header path of chunks, or the first and last path if there is none."""
    common = common_path(chunks)
    if common:
        return _join_titles(common[min(below, len(common) - 1) :])
    first, last = (path_of(chunk) for chunk in (chunks[0], chunks[-1]))
    return first if first == last else f"{first} … {last}"


def common_path(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """Return the common header path of chunks."""
    sections = (chunk.section for chunk in chunks)
    return reduce(find_common_prefix, sections, chunks[0].section.path)


def format_location(first: Chunk, last: Chunk) -> str:
    """Return the lines from one leaf to another, or the notebook cells, for a citation."""
    if first.cell is not None and last.cell_end is not None:
        return format_cells(first.cell, last.cell_end)
    return f"lines {first.text_start_line}-{last.text_end_line}"


def _join_titles(titles: Sequence[str]) -> str:
    return " > ".join(on_one_line(title) for title in titles)


def root_label(name: str, result: HierarchicalChunkingResult, width: int) -> Text:
    """Return the label of a document: its name, title, size and number of chunks."""
    title = on_one_line(result.chunks[0].title)
    size = format_count(len(result.text), "character")
    count = format_count(len(result.get_leaves()), "chunk")
    facts = [f"“{title}”"] if _has_title(result) else []
    return tree_label(on_one_line(name), [*facts, f"{size} in {count}"], width, is_node=True)


def _has_title(result: HierarchicalChunkingResult) -> bool:
    """Return whether a document has a title, not only a name derived from its text."""
    title = result.chunks[0].title
    return bool(result.title) or any(c.section.path[:1] == (title,) for c in result.chunks)


def tree_label(name: str, facts: Sequence[str], width: int, *, is_node: bool) -> Text:
    """Return a title and facts, with the title cut so that they fit into `width` columns."""
    # A Text, not a str: rich would interpret markup in the titles of a document.
    title, after = Text(name, style="bold" if is_node else ""), "  " + " · ".join(facts)
    title.truncate(max(_SHORTEST, width - cell_len(after)), overflow="ellipsis")
    return title.append(after, style="not bold dim")


def new_table(first: str, columns: Iterable[str], max_width: int | None = None) -> Table:
    """Return a table for rows of a name and a number in each of some columns."""
    table = Table(box=None, pad_edge=False, header_style="dim" if max_width is None else "bold")
    table.add_column(first, overflow="fold")
    for name in columns:
        table.add_column(name, justify="right", max_width=max_width)
    return table


def list_rows(rows: Iterable[tuple[str, Mapping[str, str]]], console: Console) -> None:
    """Print each row of a table with its numbers below its name, for a narrow screen."""
    for name, numbers in rows:
        console.print(Text(name, style="bold"))
        console.print(Text(", ".join(f"{column} {number}" for column, number in numbers.items())))
        console.print()
