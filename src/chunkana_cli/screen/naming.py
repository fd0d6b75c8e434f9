"""What chunks and groups of chunks are called on the screen."""

from __future__ import annotations

from collections.abc import Sequence

from chunkana_cli.screen.visible import on_one_line
from chunkana_core import Chunk, find_common_prefix

_WITHOUT_HEADING = {"preamble": "(before the first heading)", "front_matter": "(front matter)"}


def name_of(chunk: Chunk) -> str:
    """Return the titles in a chunk, or what it is if it has none."""
    titles = (on_one_line(title) for title in (chunk.title, *chunk.section_tags))
    name = " + ".join(title for title in titles if title)
    return name or _WITHOUT_HEADING.get(chunk.content_type, "(no heading)")


def path_of(chunk: Chunk, below: int = 0) -> str:
    """Return the headings that a chunk stands under, outermost first, and its own.

    Args:
        chunk: any.
        below: how many of the outermost to leave out; the last one stays.
    """
    path = chunk.section.path
    titles = path if chunk.title in path else (*path, name_of(chunk))
    return _joined(titles[min(below, len(titles) - 1) :])


def path_of_all(chunks: Sequence[Chunk], below: int = 0) -> str:
    """Return the headings that chunks stand under in common, or the first and last of them."""
    common = common_path(chunks)
    if common:
        return _joined(common[min(below, len(common) - 1) :])
    first, last = (path_of(chunk) for chunk in (chunks[0], chunks[-1]))
    return first if first == last else f"{first} … {last}"


def common_path(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """Return the titles that all chunks stand under."""
    path = chunks[0].section.path
    for chunk in chunks:
        path = find_common_prefix(path, chunk.section)
    return path


def place_of(first: Chunk, last: Chunk) -> str:
    """Return the lines from one leaf to another, or the cells of a notebook, for a citation."""
    if first.cell is not None and last.cell_end is not None:
        return cells_named(first.cell, last.cell_end)
    return f"lines {first.text_start_line}-{last.text_end_line}"


def cells_named(first: int, last: int) -> str:
    """Return the cells from one number to another.

    >>> cells_named(3, 3), cells_named(3, 5)
    ('cell 3', 'cells 3-5')
    """
    return f"cell {first}" if first == last else f"cells {first}-{last}"


def counted(number: int, noun: str) -> str:
    """Return a number with what it counts.

    >>> counted(1, "chunk"), counted(1200, "chunk")
    ('1 chunk', '1,200 chunks')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _joined(titles: Sequence[str]) -> str:
    return " > ".join(on_one_line(title) for title in titles)
