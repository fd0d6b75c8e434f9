"""Where in the outline a run of text belongs, judged by the blocks that it holds."""

from __future__ import annotations

from dataclasses import dataclass

from chunkana_core.document import Document
from chunkana_core.fast_init import fast_init, maker
from chunkana_core.outline import ROOT, Section, SectionPath, common_ancestor, new_path
from chunkana_core.source import Span


@fast_init
@dataclass(frozen=True, slots=True)
class Place:
    """Where a run of text belongs; sections are named by their index in the outline.

    Attributes:
        positions: of the blocks that it touches.
        level: the lowest level of the sections that it touches.
        home: the deepest of the sections with a body in it where they lie on one chain, else
            what they have in common.
        common: the innermost section that holds all those sections.
        node: the section under whose node it hangs.
        moved: the innermost section whose heading is in it without a body, but followed by that
            of another section; None where there is none.
        is_several: whether more than one section has a body in it.
    """

    positions: range
    level: int
    home: int
    common: int
    node: int
    moved: int | None = None
    is_several: bool = False

    def section(self, document: Document) -> SectionPath:
        """Return its level and path."""
        return new_path(self.level, document.sections[self.home].path)


_new = maker(Place)


def place(document: Document, span: Span) -> Place:
    """Find where a span belongs."""
    positions = document.positions(span)
    first = document.section_at(positions.start)
    if first.own_end >= positions.stop:
        node = _node(document, first.index, span, positions)
        return _new(positions, first.level, first.index, first.index, node)
    last = document.section_at(positions.stop - 1)
    touched = document.sections[first.index : last.index + 1]
    bodies = [s for s in touched if _has_body_in(document, s, positions)] or list(touched)
    with_body = {section.index for section in bodies}
    common = home = bodies[0].index
    on_chain = True
    for section in bodies[1:]:
        common = common_ancestor(document.sections, common, section.index)
        on_chain = on_chain and home == common_ancestor(document.sections, home, section.index)
        home = section.index if on_chain else common
    titled = [s.level for s in touched if s.index not in (ROOT, document.folded)]
    moved = [s.index for s in touched if s.index < bodies[-1].index and s.index not in with_body]
    return _new(
        positions=positions,
        level=min(titled or [first.level]),
        home=home,
        common=common,
        node=_node(document, common, span, positions),
        moved=moved[-1] if moved else None,
        is_several=len(bodies) > 1,
    )


def _has_body_in(document: Document, section: Section, positions: range) -> bool:
    start, end = max(section.first, positions.start), min(section.own_end, positions.stop)
    if (start, end) == (section.first, section.own_end):
        return section.has_body
    return document.has_content(start, end)


def _node(document: Document, index: int, span: Span, positions: range) -> int:
    """Return the innermost section around what is common that has leaves besides this one."""
    section = document.sections[index]
    if not section.has_subsections and index != ROOT:
        section = document.sections[section.parent]
    while section.index != ROOT and _is_all_in(document, section, span, positions):
        section = document.sections[section.parent]
    return ROOT if section.index == document.folded else section.index


def _is_all_in(document: Document, section: Section, span: Span, positions: range) -> bool:
    if positions.start > section.first or positions.stop < section.end:
        return False
    if document.top[section.first].start < span.start:
        return False
    return not document.text[span.end : document.start_of(section.end)].strip()


def section_of(document: Document, span: Span) -> SectionPath:
    """Return level and path of what a span holds."""
    return place(document, span).section(document)
