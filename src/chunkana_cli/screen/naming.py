"""Names, paths and locations of chunks for the screen."""

from __future__ import annotations

from collections.abc import Sequence

from chunkana_cli.screen.visible import on_one_line
from chunkana_core import Chunk, find_common_prefix

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
    path = chunks[0].section.path
    for chunk in chunks:
        path = find_common_prefix(path, chunk.section)
    return path


def format_location(first: Chunk, last: Chunk) -> str:
    """Return the lines from one leaf to another, or the notebook cells, for a citation."""
    if first.cell is not None and last.cell_end is not None:
        return format_cells(first.cell, last.cell_end)
    return f"lines {first.text_start_line}-{last.text_end_line}"


def format_cells(first: int, last: int) -> str:
    """Return a range of notebook cells.

    >>> cells_named(3, 3), cells_named(3, 5)
    ('cell 3', 'cells 3-5')
    """
    return f"cell {first}" if first == last else f"cells {first}-{last}"


def format_count(number: int, noun: str) -> str:
    """Return a number and a noun, in the plural unless the number is 1.

    >>> counted(1, "chunk"), counted(1200, "chunk")
    ('1 chunk', '1,200 chunks')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _join_titles(titles: Sequence[str]) -> str:
    return " > ".join(on_one_line(title) for title in titles)
