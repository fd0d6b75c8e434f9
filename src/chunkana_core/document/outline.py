"""The heading outline: which section is under which."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.paths import Path, SectionPath

_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")
ROOT = 0  # the index of the section that is the document itself


class Section(Struct, frozen=True, gc=False):
    """A heading and what is under it; section 0 is the document itself.

    Attributes:
        parent: the index of the section that holds it; -1 for the document.
        path: titles from the outermost heading to its own.
        anchor: the id that the source gives the heading, else a GitHub-style slug of the title that
            no other heading has.
        first: position of its heading among the document's own blocks, 0 for the document.
        own_stop: position after its own text: that of the next heading, of whatever level.
        stop: position after all that is under it, subsections included.
        has_body: whether its own text has content.
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

    @property
    def section_path(self) -> SectionPath:
        """Its level and path."""
        return SectionPath(self.level, self.path)

    @property
    def has_subsections(self) -> bool:
        """Whether another heading is under it."""
        return self.stop > self.own_stop


def build_outline(top: Sequence[Block], contents: Sequence[int]) -> tuple[Section, ...]:
    """Build the outline of a document's own blocks, and their `content_counts`, in linear time."""
    headings = [i for i, block in enumerate(top) if block.level]
    firsts, own_stops = [0, *headings], [*headings, len(top)]
    parents, stops = _nesting(top, firsts)
    has_front_matter = bool(top) and top[0].kind is BlockKind.FRONT_MATTER
    body = contents[own_stops[0]] > has_front_matter
    sections = [Section(ROOT, -1, 0, "", (), "", 0, own_stops[0], len(top), body)]
    for index, anchor in enumerate(_anchors([top[i] for i in headings]), 1):
        parent, first, own_stop = parents[index], firsts[index], own_stops[index]
        level, title = top[first].level, top[first].info
        where = (index, parent, level, title, (*sections[parent].path, title), anchor)
        body = contents[own_stop] > contents[first]
        sections.append(Section(*where, first, own_stop, stops[index], body))
    return tuple(sections)


def _nesting(top: Sequence[Block], firsts: list[int]) -> tuple[list[int], list[int]]:
    """Return the parent of each section, and the position after all that is under it."""
    parents, stops = [-1], [len(top)] * len(firsts)
    ancestors = [ROOT]  # the sections that may hold the next one, outermost first
    for index, first in enumerate(firsts[1:], 1):
        while len(ancestors) > 1 and top[firsts[ancestors[-1]]].level >= top[first].level:
            stops[ancestors.pop()] = first
        parents.append(ancestors[-1])
        ancestors.append(index)
    return parents, stops


def _anchors(headings: Sequence[Block]) -> Iterator[str]:
    """Yield the anchors of headings; titles are slugged as GitHub does, numbering what repeats."""
    taken = {heading.anchor: 0 for heading in headings if heading.anchor}
    for heading in headings:
        if heading.anchor:
            yield heading.anchor
            continue
        slug = anchor = _NOT_IN_ANCHOR.sub("", heading.info.lower()).replace(" ", "-")
        while anchor in taken:
            taken[slug] += 1
            anchor = f"{slug}-{taken[slug]}"
        taken[anchor] = 0
        yield anchor


def common_ancestor(sections: Sequence[Section], first: int, second: int) -> int:
    """Return the index of the innermost section that holds both."""
    while first != second:
        first, second = min(first, second), sections[max(first, second)].parent
    return first
