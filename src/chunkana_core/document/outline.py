"""The outline: which section is under which, and which blocks are whose own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct

from chunkana_core.document.paths import Path, SectionPath
from chunkana_core.errors import ExtensionError

_MOST_LEVELS = 64  # of sections, so that paths do not grow with the square of the depth
ROOT = 0  # the index of the section that is the document itself


class SectionRange(Struct, frozen=True, gc=False):
    """A section as a format finds it: a range of the document's own blocks.

    Ranges are told in pre-order, and nest. A section's own text is what is in none of its
    subsections: before, between and after them.

    Attributes:
        title: what paths call it.
        level: from 1, greater than that of the section around it.
        kind: what it is to its format, such as "class"; "" for nothing.
        first: the position of its first block.
        stop: the position after its last one.
        anchor: the id by which links name it, "" where there is none.
    """

    title: str
    level: int
    kind: str
    first: int
    stop: int
    anchor: str = ""


class Section(Struct, frozen=True, gc=False):
    """A heading or definition and what is under it; section 0 is the document itself.

    Attributes:
        parent: the index of the section that holds it; -1 for the document.
        path: titles from the outermost heading to its own.
        anchor: the id that the source gives the heading, else a GitHub-style slug of the title that
            no other heading has; "" where sections are not under headings.
        first: position of its first block among the document's own, 0 for the document.
        own_stop: position after its own text before its first subsection.
        stop: position after all that is under it, subsections included.
        has_body: whether its own text has content.
        kind: what it is to its format, such as "class"; "" for nothing.
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
        """Its level and path."""
        return SectionPath(self.level, self.path)

    @property
    def has_subsections(self) -> bool:
        """Whether another section is under it."""
        return self.stop > self.own_stop


class Run(Struct, frozen=True, gc=False):
    """A run of blocks, by position, that are a section's own."""

    first: int
    stop: int
    section: Section


class Outline(NamedTuple):
    """The sections of a document, and the runs of blocks that are their own, which tile it."""

    sections: tuple[Section, ...]
    runs: list[Run]


def _own_ranges(ranges: Sequence[SectionRange]) -> Iterator[tuple[int, int, int]]:
    """Yield the first position of each run of blocks, its stop, and the innermost range around it.

    That is linear, for ranges have few levels in all.
    """
    owners: list[int] = []
    for index, given in enumerate(ranges):
        owners[given.first : given.stop] = [index] * (given.stop - given.first)
    first = 0
    for index, group in groupby(owners):
        stop = first + len(list(group))
        yield first, stop, index
        first = stop


def outline_of(
    ranges: Sequence[SectionRange], contents: Sequence[int], front_matter_stop: int = 0
) -> Outline:
    """Return the outline of a document's sections, in linear time.

    Ranges deeper than 64 levels are left out: their blocks are those of the section around.

    Args:
        ranges: of the document's own blocks, each before those in it.
        contents: the `content_counts` of those blocks.
        front_matter_stop: the position after the front matter, which gives the document no body.

    Raises:
        ExtensionError: unless the ranges nest, in pre-order, each with a block in it.
    """
    whole = SectionRange("", 0, "", 0, len(contents) - 1)
    kept, parents, around = [whole], [-1], [ROOT]
    for given in ranges:
        while len(around) > 1 and kept[around[-1]].stop <= given.first:
            around.pop()
        outer = kept[around[-1]]
        if not outer.first <= given.first < given.stop <= outer.stop:
            raise ExtensionError(f"{given} is empty, out of order, or not inside {outer}")
        if len(around) <= _MOST_LEVELS:
            parents.append(around[-1])
            around.append(len(kept))
            kept.append(given)
    own_stops = [given.stop for given in kept]
    for parent, given in zip(parents[:0:-1], kept[:0:-1], strict=True):  # the last one first
        own_stops[parent] = given.first
    owned = [*_own_ranges(kept)]
    with_body = {
        index
        for first, stop, index in owned
        if contents[stop] > contents[max(first, front_matter_stop)]
    }
    sections: list[Section] = []
    for index, (given, parent, own_stop) in enumerate(zip(kept, parents, own_stops, strict=True)):
        path = (*sections[parent].path, given.title) if index else ()
        own = (path, given.anchor, given.first, own_stop, given.stop, index in with_body)
        sections.append(Section(index, parent, given.level, given.title, *own, given.kind))
    return Outline(tuple(sections), [Run(a, b, sections[index]) for a, b, index in owned])


def common_ancestor(sections: Sequence[Section], first: int, second: int) -> int:
    """Return the index of the innermost section that holds both."""
    while first != second:
        first, second = min(first, second), sections[max(first, second)].parent
    return first
