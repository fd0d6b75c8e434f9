"""Where in the outline a run of a document's text belongs: section, level, path and node."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from msgspec import Struct

from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.outline import ROOT, Section, common_ancestor
from chunkana_core.document.paths import PathSummary, SectionPath, merge_sections
from chunkana_core.text.source import Span

_NAMED = (BlockKind.CONTAINER, BlockKind.BLOCK_QUOTE)


class Location(Struct, frozen=True, gc=False):
    """Where in the outline a run of text belongs; sections are named by their index.

    Attributes:
        first: the position of the first block that it touches.
        stop: the position after the last one.
        section_path: level and path, those of its sections merged.
        common_section: the innermost section that holds all sections with a body in the run.
        parent_section: the section under whose node it hangs in the tree.
        moved_section: the innermost section whose heading is in the run without a body, before
            the body of another section; None where there is none.
        holds_several: whether several sections have a body in the run.
    """

    first: int
    stop: int
    section_path: SectionPath
    common_section: int
    parent_section: int
    moved_section: int | None = None
    holds_several: bool = False


def locate(document: Document, span: Span, first: int, stop: int) -> Location:
    """Return the location of a span that touches a run of blocks."""
    touched, bodies = _touched(document, first, stop)
    if len(touched) == 1:
        section = touched[0]
        parent = _parent(document, section, span, first, stop)
        return Location(first, stop, section.section_path, section.index, parent)
    indices = {section.index for section in bodies}
    common = bodies[0].index
    for section in bodies[1:]:
        common = common_ancestor(document.sections, common, section.index)
    bare = [s.index for s in touched if s.index < bodies[-1].index and s.index not in indices]
    return Location(
        first,
        stop,
        section_path=_merged(document, touched, bodies),
        common_section=common,
        parent_section=_parent(document, document.sections[common], span, first, stop),
        moved_section=bare[-1] if bare else None,
        holds_several=len(bodies) > 1,
    )


def container_names(
    document: Document, spans: Sequence[Span], locations: Sequence[Location]
) -> list[str]:
    """Return for each span, in order, the name of the innermost container that holds its text.

    Headings at its start are not asked; "" is returned where there is no such container.
    """
    named = [b for b in document.blocks if b.info and not b.level and b.kind in _NAMED]
    if not named:
        return [""] * len(spans)
    names: list[str] = []
    around: list[Block] = []  # the containers that hold the last one that was reached
    reached = 0
    for span, location in zip(spans, locations, strict=True):
        body = document.top[location.first : location.stop]
        starts = (max(block.start, span.start) for block in body if not block.level)
        start = next(starts, span.start - 1)
        while reached < len(named) and named[reached].start <= start:
            while around and around[-1].end <= named[reached].start:
                around.pop()
            around.append(named[reached])
            reached += 1
        held = (b.info for b in reversed(around) if start >= b.start and b.end >= span.end)
        names.append(next(held, ""))
    return names


def section_path(document: Document, first: int, stop: int) -> SectionPath:
    """Return level and path of a run of blocks: those of its sections, merged."""
    touched, bodies = _touched(document, first, stop)
    return touched[0].section_path if len(touched) == 1 else _merged(document, touched, bodies)


def summarize_paths(document: Document, first: int, stop: int) -> PathSummary:
    """Return the summary of the sections that have a body in a run of blocks."""
    _, bodies = _touched(document, first, stop)
    return reduce(PathSummary.joined, [PathSummary.of(body.section_path) for body in bodies])


def _touched(
    document: Document, first: int, stop: int
) -> tuple[Sequence[Section], Sequence[Section]]:
    """Return the sections that blocks of a run belong to, and those of them with a body in it.

    Both are in the order of the outline. Sections of which there are brackets alone are left out;
    where none has a body, all are returned as having one.
    """
    run = document.run_at(first)
    if run.stop >= stop:
        return (run.section,), (run.section,)
    touched: dict[int, Section] = {}
    bodies: dict[int, Section] = {}
    for run in document.runs(first, stop):
        start, end = max(run.first, first, document.front_matter_stop), min(run.stop, stop)
        if document.has_content(start, end):
            bodies[run.section.index] = run.section
        blocks = document.top[max(run.first, first) : end]
        if any(block.kind is not BlockKind.BRACKET for block in blocks):
            touched[run.section.index] = run.section
    found = [touched[index] for index in sorted(touched)] or [run.section]
    return found, [bodies[index] for index in sorted(bodies)] or found


def _merged(
    document: Document, touched: Sequence[Section], bodies: Sequence[Section]
) -> SectionPath:
    """Return level and path of sections, merged.

    Where sections are under headings, the level is the lowest of all touched sections, also of
    headings without a body.
    """
    merged = bodies[0].section_path
    if len(bodies) > 1:
        merged = merge_sections([section.section_path for section in bodies])
    if not document.traits.has_headings:
        return merged
    untitled = (ROOT, document.folded)
    levels = [section.level for section in touched if section.index not in untitled]
    return SectionPath(min(levels or [touched[0].level]), merged.path)


def _parent(document: Document, section: Section, span: Span, first: int, stop: int) -> int:
    """Return the innermost section around a span that has leaves besides the span's."""
    if not section.has_subsections and section.index != ROOT:
        section = document.sections[section.parent]
    while section.index != ROOT and _holds_all_of(document, section, span, first, stop):
        section = document.sections[section.parent]
    return ROOT if section.index == document.folded else section.index


def _holds_all_of(document: Document, section: Section, span: Span, first: int, stop: int) -> bool:
    """Tell whether a span holds the whole text of a section."""
    if first > section.first or stop < section.stop:
        return False
    if document.top[section.first].start < span.start:
        return False
    return not document.text[span.end : document.start_of(section.stop)].strip()
