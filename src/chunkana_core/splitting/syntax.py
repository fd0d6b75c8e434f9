"""Cuts in fenced code by its syntax: between statements rather than inside a statement."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.document import Document
from chunkana_core.formats.registry import CODE, JSON
from chunkana_core.text.cutting import Boundary
from chunkana_core.text.file_names import names_in_fences

_LANGUAGES = {
    name: language
    for language in (*CODE, JSON)
    for name in names_in_fences(language.name, language.suffixes)
}
# By nesting depth; the last one also for deeper statements.
_BOUNDARIES = (Boundary.STATEMENT, Boundary.INNER_STATEMENT, Boundary.DEEP_STATEMENT)


def statement_boundaries(lines: Sequence[str], info: str) -> list[Boundary]:
    """Return the boundary before each line of code, [] for an unknown language.

    Args:
        lines: the lines without line endings and container prefixes.
        info: the info string of the fence, which starts with the language.
    """
    language = _LANGUAGES.get(info.lower().strip("{} \t").removeprefix(".").partition(" ")[0])
    if language is None:
        return []
    document = language.document("\n".join(lines))
    starts = {start: number for number, start in enumerate(_starts(lines))}
    boundaries = [Boundary.INSIDE_STATEMENT] * len(lines)
    for start, depth in _statements(document):
        number = starts[document.source.line_start(start)]
        boundaries[number] = _BOUNDARIES[min(depth, len(_BOUNDARIES) - 1)]
    return boundaries


def _starts(lines: Sequence[str]) -> list[int]:
    return [*accumulate((len(line) + 1 for line in lines[:-1]), initial=0)]


def _statements(document: Document) -> list[tuple[int, int]]:
    """Return the offset and nesting depth of each statement, the deepest first."""
    positions = {block.index: position for position, block in enumerate(document.top)}
    statements: list[tuple[int, int]] = []
    section_depth = 0
    for block in document.blocks:
        if block.index in positions:
            position = positions[block.index]
            section = document.section_at(position)
            section_depth = len(section.path) - (section.first == position and bool(section.path))
        if block.kind is not BlockKind.BRACKET:
            statements.append((block.start, section_depth + block.depth))
    return sorted(statements, key=lambda statement: -statement[1])
