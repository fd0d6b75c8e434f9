"""The heading outline, and level and path of sections: what belongs under what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from chunkana_core.blocks import Block, BlockKind
from chunkana_core.fast_init import fast_init, maker

Path = tuple[str, ...]
_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")
ROOT = 0  # the index of the section that is the document itself


@fast_init
@dataclass(frozen=True, slots=True)
class SectionPath:
    """Where in the outline a chunk belongs: level 0 and path () are the document.

    The path holds the titles from the outermost heading to its own. It need not be unique, nor as
    long as the level says: H1 then H3 is level 3, path of two.
    """

    level: int = 0
    path: Path = ()


def find_common_prefix(first: SectionPath | Path, second: SectionPath | Path) -> Path:
    """Return the titles that two sections' paths start with alike.

    >>> find_common_prefix(("Guide", "Install", "Linux"), ("Guide", "Install", "macOS"))
    ('Guide', 'Install')
    """
    pairs = zip(_titles(first), _titles(second), strict=False)
    return tuple(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def is_parent_child(parent: SectionPath | Path, child: SectionPath | Path) -> bool:
    """Tell whether the first section's path is that of the second one's parent.

    >>> is_parent_child(("Guide",), ("Guide", "Install"))
    True
    """
    titles = _titles(child)
    return bool(titles) and titles[:-1] == _titles(parent)


def is_sibling(first: SectionPath | Path, second: SectionPath | Path) -> bool:
    """Tell whether two different paths have the same parent.

    >>> is_sibling(("Guide", "Install"), ("Guide", "Use"))
    True
    """
    a, b = _titles(first), _titles(second)
    return a != b and bool(a) and bool(b) and a[:-1] == b[:-1]


def merge_sections(sections: Iterable[SectionPath]) -> SectionPath:
    """Return level and path of a chunk that holds several sections, in whatever order.

    The level is the lowest. The path is the deepest one where all lie on one chain, else what all
    paths have in common.

    Raises:
        ValueError: if there are no sections.

    >>> merge_sections([SectionPath(2, ("A", "B")), SectionPath(3, ("A", "B", "C"))])
    SectionPath(level=2, path=('A', 'B', 'C'))
    >>> merge_sections([SectionPath(3, ("A", "B")), SectionPath(3, ("A", "C"))])
    SectionPath(level=3, path=('A',))
    """
    merged = list(sections)
    if not merged:
        raise ValueError("sections is empty; allowed: one section or more")
    path = deepest = max((s.path for s in merged), key=len)
    for section in merged:
        path = find_common_prefix(path, section.path)
    on_one_chain = all(deepest[: len(s.path)] == s.path for s in merged)
    return SectionPath(min(s.level for s in merged), deepest if on_one_chain else path)


def _titles(section: SectionPath | Path) -> Path:
    return section.path if isinstance(section, SectionPath) else tuple(section)


@fast_init
@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what is under it; section 0 is the document itself.

    Attributes:
        parent: the index of the section that holds it; -1 for the document.
        path: titles from the outermost heading to its own.
        anchor: GitHub-style slug of the title, unique in the document.
        first: position of its heading among the document's own blocks, 0 for the document.
        own_end: position after its own text: of the next heading, of whatever level.
        end: position after all that is under it, subsections included.
        has_body: whether its own text has content.
    """

    index: int
    parent: int
    level: int
    title: str
    path: Path
    anchor: str
    first: int
    own_end: int
    end: int
    has_body: bool

    @property
    def section_path(self) -> SectionPath:
        """Its level and path."""
        return new_path(self.level, self.path)

    @property
    def has_subsections(self) -> bool:
        """Whether another heading is under it."""
        return self.end > self.own_end


new_path = maker(SectionPath)
_new = maker(Section)


def build_outline(top: Sequence[Block], contents: Sequence[int]) -> tuple[Section, ...]:
    """Build the outline of a document's own blocks, and their `content_counts`, in linear time."""
    headings = [i for i, block in enumerate(top) if block.level]
    firsts, own_ends = [0, *headings], [*headings, len(top)]
    parents, ends = _nesting(top, firsts)
    has_front_matter = bool(top) and top[0].kind is BlockKind.FRONT_MATTER
    body = contents[own_ends[0]] > has_front_matter
    sections = [Section(ROOT, -1, 0, "", (), "", 0, own_ends[0], len(top), body)]
    for index, anchor in enumerate(_anchors([top[i].info for i in headings]), 1):
        parent, first, own_end = parents[index], firsts[index], own_ends[index]
        level, title = top[first].level, top[first].info
        where = (index, parent, level, title, (*sections[parent].path, title), anchor)
        body = contents[own_end] > contents[first]
        sections.append(_new(*where, first, own_end, ends[index], body))
    return tuple(sections)


def _nesting(top: Sequence[Block], firsts: list[int]) -> tuple[list[int], list[int]]:
    """Return, for each section, its parent and the position after all that is under it."""
    parents, ends = [-1], [len(top)] * len(firsts)
    around = [ROOT]  # the sections that may hold the next one, outermost first
    for index, first in enumerate(firsts[1:], 1):
        while len(around) > 1 and top[firsts[around[-1]]].level >= top[first].level:
            ends[around.pop()] = first
        parents.append(around[-1])
        around.append(index)
    return parents, ends


def _anchors(titles: Iterable[str]) -> Iterator[str]:
    """Slug titles as GitHub does, numbering what repeats."""
    taken: dict[str, int] = {}
    for title in titles:
        slug = anchor = _NOT_IN_ANCHOR.sub("", title.lower()).replace(" ", "-")
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
