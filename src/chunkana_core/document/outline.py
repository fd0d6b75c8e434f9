"""The outline: the hierarchy of sections, and the runs of blocks that are their own text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct

from chunkana_core.document.paths import Path, SectionPath
from chunkana_core.errors import ExtensionError

_MOST_LEVELS = 64  # of nested sections, so that the length of all paths is linear
ROOT = 0  # the index of the section that is the document itself


class SectionRange(Struct, frozen=True, gc=False):
    """A section as found by a format: a range of top-level blocks.

    Ranges are in pre-order, and nest. The own text of a section is the text that is in none of its
    subsections: before, between and after them.

    Attributes:
        title: the title in paths.
        level: the level, from 1, greater than that of the enclosing section.
        kind: the format's term for the section, such as "class"; "" for none.
        first: the position of its first block.
        stop: the position after its last block.
        anchor: the id that links to it use, "" for none.
    """

    title: str
    level: int
    kind: str
    first: int
    stop: int
    anchor: str = ""


class Section(Struct, frozen=True, gc=False):
    """A heading or definition and the text under it; section 0 is the document itself.

    Attributes:
        parent: the index of the enclosing section, -1 for the document.
        path: the titles from the outermost heading to its own.
        anchor: the id that the source gives to the heading, else a unique GitHub-style slug of the
            title; "" in formats without headings.
        first: the position of its first block, 0 for the document.
        own_stop: the position after its own text before its first subsection.
        stop: the position after its last block, including subsections.
        has_body: whether its own text has content.
        kind: the format's term for the section, such as "class"; "" for none.
    """

    index: int
    parent: int
    level: int
    title: str
    path: Path
    anchor: str
    first: int
    own_stop: int
    stop: int
    has_body: bool
    kind: str = ""

    @property
    def section_path(self) -> SectionPath:
        """The level and path of the section."""
        return SectionPath(self.level, self.path)

    @property
    def has_subsections(self) -> bool:
        """Whether the section has subsections."""
        return self.stop > self.own_stop


class Run(Struct, frozen=True, gc=False):
    """A run of consecutive blocks, by position, that are own text of one section."""

    first: int
    stop: int
    section: Section


class Outline(NamedTuple):
    """The sections of a document, and by position the run of own blocks that contains the block.

    The runs tile the document; the last one is also that of the position after the last block.
    """

    sections: tuple[Section, ...]
    runs: list[Run]


def _own_ranges(ranges: Sequence[SectionRange]) -> Iterator[tuple[int, int, int]]:
    """Yield the first position, the stop and the innermost range of each run of blocks.

    This takes linear time, since the nesting depth of ranges is limited.
    """
    owners: list[int] = []
    for index, section in enumerate(ranges):
        owners[section.first : section.stop] = [index] * (section.stop - section.first)
    first = 0
    for index, group in groupby(owners):
        stop = first + len(list(group))
        yield first, stop, index
        first = stop


def outline_of(
    ranges: Sequence[SectionRange], contents: Sequence[int], front_matter_stop: int = 0
) -> Outline:
    """Return the outline of a document's sections, in linear time.

    Ranges nested more than 64 levels deep are left out; their blocks belong to the enclosing one.

    Args:
        ranges: ranges of top-level blocks, in pre-order.
        contents: the `content_counts` of the top-level blocks.
        front_matter_stop: the position after the front matter, which is no body of the document.

    Raises:
        ExtensionError: unless the ranges are in pre-order, nest, and contain a block each.
    """
    root = SectionRange("", 0, "", 0, len(contents) - 1)
    nested, parents, open_ranges = [root], [-1], [ROOT]
    for section in ranges:
        while len(open_ranges) > 1 and nested[open_ranges[-1]].stop <= section.first:
            open_ranges.pop()
        enclosing = nested[open_ranges[-1]]
        if not enclosing.first <= section.first < section.stop <= enclosing.stop:
            raise ExtensionError(f"{section} is empty, out of order, or not inside {enclosing}")
        if len(open_ranges) <= _MOST_LEVELS:
            parents.append(open_ranges[-1])
            open_ranges.append(len(nested))
            nested.append(section)
    own_stops = [section.stop for section in nested]
    for parent, section in zip(parents[:0:-1], nested[:0:-1], strict=True):  # the last one first
        own_stops[parent] = section.first
    own_ranges = [*_own_ranges(nested)]
    with_body = {
        index
        for first, stop, index in own_ranges
        if contents[stop] > contents[max(first, front_matter_stop)]
    }
    sections: list[Section] = []
    for index, (section, parent, own_stop) in enumerate(
        zip(nested, parents, own_stops, strict=True)
    ):
        path = (*sections[parent].path, section.title) if index else ()
        rest = (path, section.anchor, section.first, own_stop, section.stop, index in with_body)
        sections.append(Section(index, parent, section.level, section.title, *rest, section.kind))
    runs = [run for a, b, index in own_ranges for run in [Run(a, b, sections[index])] * (b - a)]
    return Outline(tuple(sections), [*runs, runs[-1] if runs else Run(0, 0, sections[ROOT])])


def common_ancestor(sections: Sequence[Section], first: int, second: int) -> int:
    """Return the index of the innermost section that contains both sections."""
    while first != second:
        first, second = min(first, second), sections[max(first, second)].parent
    return first
