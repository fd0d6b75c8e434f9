"""The location of a span in the outline, and of a section in the lines of the document."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import reduce
from operator import attrgetter

from msgspec import Struct

from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.outline import ROOT, Section, common_ancestor
from chunkana_core.document.paths import Path, PathSummary, SectionPath, merge_sections
from chunkana_core.text.source import Source, Span

_FIRST = attrgetter("first")
_NAMED_KINDS = (BlockKind.CONTAINER, BlockKind.BLOCK_QUOTE)


class Location(Struct, frozen=True, gc=False):
    """The location of a span in the outline; sections are given by their index.

    Attributes:
        first: the position of the first block that the span touches.
        stop: the position after the last one.
        section_path: the merged level and path of its sections.
        common_section: the innermost section that contains all sections with a body in the span.
        parent_section: the section whose node is the parent of the span's leaf in the tree.
        moved_section: the innermost section whose heading is in the span without a body, before
            the body of another section; None if there is none.
        has_several_bodies: whether several sections have a body in the span.
    """

    first: int
    stop: int
    section_path: SectionPath
    common_section: int
    parent_section: int
    moved_section: int | None = None
    has_several_bodies: bool = False


def locate(document: Document, span: Span, first: int, stop: int) -> Location:
    """Return the location of a span that touches a run of blocks."""
    touched, bodies = _touched_sections(document, first, stop)
    if len(touched) == 1:
        section = touched[0]
        parent = _parent_section(document, section, span, first, stop)
        return Location(first, stop, section.section_path, section.index, parent)
    indices = {section.index for section in bodies}
    common = bodies[0].index
    for section in bodies[1:]:
        common = common_ancestor(document.sections, common, section.index)
    bare = [s.index for s in touched if s.index < bodies[-1].index and s.index not in indices]
    return Location(
        first,
        stop,
        section_path=_merged_path(document, touched, bodies),
        common_section=common,
        parent_section=_parent_section(document, document.sections[common], span, first, stop),
        moved_section=bare[-1] if bare else None,
        has_several_bodies=len(bodies) > 1,
    )


def container_names(
    document: Document, spans: Sequence[Span], locations: Sequence[Location]
) -> list[str]:
    """Return for each span the name of the innermost container that contains its text, or "".

    Headings at the start of a span may be outside the container. The spans are in order.
    """
    named = [b for b in document.blocks if b.info and not b.level and b.kind in _NAMED_KINDS]
    if not named:
        return [""] * len(spans)
    names: list[str] = []
    enclosing: list[Block] = []  # the containers open at the current offset
    following = 0  # the index of the next container
    for span, location in zip(spans, locations, strict=True):
        body = document.top[location.first : location.stop]
        starts = (max(block.start, span.start) for block in body if not block.level)
        start = next(starts, span.start - 1)
        while following < len(named) and named[following].start <= start:
            while enclosing and enclosing[-1].end <= named[following].start:
                enclosing.pop()
            enclosing.append(named[following])
            following += 1
        matches = (b.info for b in reversed(enclosing) if start >= b.start and b.end >= span.end)
        names.append(next(matches, ""))
    return names


def sections_starting_in(document: Document, span: Span, location: Location) -> Sequence[Section]:
    """Return the sections whose headings start in a span."""
    sections, first = document.sections, location.first
    first += document.top[first].start < span.start
    start = bisect_left(sections, first, ROOT + 1, key=_FIRST)
    return sections[start : bisect_left(sections, location.stop, start, key=_FIRST)]


def breadcrumb_path(document: Document, span: Span, location: Location) -> Path:
    """Return the path in the breadcrumb of a span: of the outermost section that it contains whole.

    If it contains no section on its merged path whole, this is the merged path.
    """
    path, first, stop = location.section_path.path, location.first, location.stop
    for section in sections_starting_in(document, span, location):
        is_on_path = section.path == path[: len(section.path)]
        is_named = is_on_path and not _is_bare_title(document, section)
        if is_named and _covers_section(document, section, span, first, stop):
            return section.path
    return path


def section_path(document: Document, first: int, stop: int) -> SectionPath:
    """Return the merged level and path of the sections of a run of blocks."""
    touched, bodies = _touched_sections(document, first, stop)
    return touched[0].section_path if len(touched) == 1 else _merged_path(document, touched, bodies)


def summarize_paths(document: Document, first: int, stop: int) -> PathSummary:
    """Return the summary of the sections that have a body in a run of blocks."""
    _, bodies = _touched_sections(document, first, stop)
    return reduce(PathSummary.joined, [PathSummary.of(body.section_path) for body in bodies])


def _touched_sections(
    document: Document, first: int, stop: int
) -> tuple[Sequence[Section], Sequence[Section]]:
    """Return the sections that a run of blocks touches, and those with a body in the run.

    Both are in the order of the outline. Sections with only brackets in the run are left out. If no
    section has a body in the run, the second result is equal to the first.
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


def _merged_path(
    document: Document, touched: Sequence[Section], bodies: Sequence[Section]
) -> SectionPath:
    """Return the merged level and path of sections.

    The level is the lowest of all touched sections, with or without a body: a heading or an opening
    line counts, except that of the document's title. The path is merged from the sections with a
    body.
    """
    path = merge_sections([section.section_path for section in bodies]).path
    levels = [section.level for section in touched if not _is_bare_title(document, section)]
    return SectionPath(min(levels or [touched[0].level]), path)


def _is_bare_title(document: Document, section: Section) -> bool:
    """Return whether a section is the document or its title, without a body."""
    return section.index in (ROOT, document.folded) and not section.has_body


def _parent_section(document: Document, section: Section, span: Span, first: int, stop: int) -> int:
    """Return the innermost section around a span that has other leaves than the span's."""
    if not section.has_subsections and section.index != ROOT:
        section = document.sections[section.parent]
    while section.index != ROOT and _covers_section(document, section, span, first, stop):
        section = document.sections[section.parent]
    return ROOT if section.index == document.folded else section.index


def _covers_section(
    document: Document, section: Section, span: Span, first: int, stop: int
) -> bool:
    """Return whether a span covers the whole text of a section."""
    if first > section.first or stop < section.stop:
        return False
    if document.top[section.first].start < span.start:
        return False
    return not document.text[span.end : document.start_of(section.stop)].strip()


class TocEntry(Struct, frozen=True, gc=False, array_like=True):
    """A section in a table of contents.

    Attributes:
        level: the level, from 1; of a Markdown heading to 6.
        title: the title as plain text.
        anchor: the id that the source gives the heading, else a GitHub-style slug of the title; ""
            in formats without headings.
        line: the line of the heading or definition, from 1.
        path: the titles from the outermost section to this one.
        start_line: the line of the anchors and comments before the heading, `line` without any.
        end_line: the last line of the section, its subsections included.
        section_id: the id of the section, as its chunks have it.
    """

    level: int
    title: str
    anchor: str
    line: int
    path: tuple[str, ...]
    start_line: int
    end_line: int
    section_id: str

    @classmethod
    def of(
        cls, section: Section, section_id: str, source: Source, offsets: tuple[int, int, int]
    ) -> TocEntry:
        """Return the entry of a section.

        Args:
            section: the section.
            section_id: its id.
            source: the source of the document.
            offsets: those of its heading, of the heading's block, and after its last block.
        """
        start, first, end = offsets
        text = source.trim(first, end) or Span(first, end)
        return cls(
            section.level,
            section.title,
            section.anchor,
            source.line_at(start),
            section.path,
            source.line_at(first),
            source.line_at(text.end - 1),
            section_id,
        )
