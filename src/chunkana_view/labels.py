"""Labels of a chunk in pages: its name, level, type, lines and flags."""

from __future__ import annotations

from chunkana_core import Chunk
from chunkana_view.display_text import title_of

_WITHOUT_HEADING = {"preamble": "(before the first heading)", "front_matter": "(front matter)"}


def name_of(chunk: Chunk) -> str:
    """Return the titles in a chunk, or a description if it has none."""
    titles = (title_of(title) for title in (chunk.title, *chunk.section_tags))
    name = " + ".join(title for title in titles if title)
    return name or _WITHOUT_HEADING.get(chunk.content_type, "(no heading)")


def titles_of(chunk: Chunk, title: str) -> tuple[str, ...]:
    """Return the header path of a chunk below the document's title, unless that is ""."""
    path = chunk.section.path
    return path if not title or path[:1] == (title,) else (title, *path)


def level_of(chunk: Chunk) -> str:
    """Return the heading level and the hierarchy level of a chunk in words."""
    heading = f"H{chunk.section.level}" if chunk.section.level else "no heading"
    return f"{heading}, {chunk.links.hierarchy_level.name.lower()}"


def type_of(chunk: Chunk) -> str:
    """Return the content type of a chunk, with the languages of its code and its container."""
    languages = ", ".join(map(title_of, chunk.code_languages))
    kind = f"{chunk.content_type} ({languages})" if languages else chunk.content_type
    return f"{kind} in {title_of(chunk.container)}" if chunk.container else kind


def lines_of(chunk: Chunk) -> str:
    """Return the lines of a chunk's text, for a citation."""
    first, last = chunk.text_start_line, chunk.text_end_line
    return f"{first}" if first == last else f"{first}–{last}"


def flags_of(chunk: Chunk) -> dict[str, str]:
    """Return the flags of a leaf, each with its reason."""
    flags: dict[str, str] = {}
    if chunk.split_index:
        flags["continued"] = f"part {chunk.split_index + 1} of its section's text"
    if chunk.header_moved_from_id is not None:
        flags["moved heading"] = (
            f"of section {chunk.header_moved_from_id}, which has no text of its own"
        )
    if chunk.oversize_reason is not None:
        flags["oversize"] = chunk.oversize_reason
    if not chunk.indexable:
        flags["not indexable"] = chunk.content_type
    if chunk.merge_reason == "small_chunk":
        flags["merged"] = "small neighbours under one parent"
    return flags


def counted(number: int, noun: str) -> str:
    """Return a number and a noun, in the plural unless the number is 1.

    >>> counted(1, "chunk"), counted(1200, "chunk")
    ('1 chunk', '1,200 chunks')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
