"""The outline of a chunked document: what its result tells of it, and its table of contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import Struct

from chunkana_core.document.document import Document
from chunkana_core.document.outline import Section
from chunkana_core.text.source import Source, Span


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


@dataclass(frozen=True, slots=True)
class ResultOutline:
    """The properties of the document that a result needs.

    Attributes:
        title: the document's title, or a replacement.
        is_titled: whether the title is from the document.
        front_matter: the block of front matter, "" if there is none.
        sections: the document's sections, the first of which is the document itself.
        format: the name of the format.
        line_count: how many lines it has.
        source: the document's.
        section_ids: the ids of the sections.
        spans: by heading, its own offset, the one where its block starts, and the end of its
            section.
    """

    title: str
    is_titled: bool
    front_matter: str
    sections: tuple[Section, ...]
    section_ids: Sequence[str]
    source: Source
    spans: tuple[tuple[int, int, int], ...]
    format: str
    line_count: int

    @classmethod
    def of(cls, document: Document, section_ids: Sequence[str]) -> ResultOutline:
        """Return the outline of a document, with the ids of its sections."""
        top, sections = document.top, document.sections
        ends = [(top[section.first], top[section.stop - 1].end) for section in sections[1:]]
        spans = tuple([(first.start + first.lead, first.start, end) for first, end in ends])
        front = document.text[: top[0].end] if document.front_matter_stop else ""
        about = (document.traits.name, document.analysis.total_lines)
        outline = (sections, section_ids, document.source, spans)
        return cls(document.title, document.is_titled, front, *outline, *about)

    def toc(self) -> list[TocEntry]:
        """Return the document's sections in order, independent of the chunks."""
        _, *sections = zip(self.sections, self.section_ids, strict=True)
        return [
            self._toc_entry(section, section_id, *spans)
            for (section, section_id), spans in zip(sections, self.spans, strict=True)
        ]

    def _toc_entry(
        self, section: Section, section_id: str, start: int, first: int, end: int
    ) -> TocEntry:
        """Return the entry of a section.

        Args:
            section: the section.
            section_id: its id.
            start: the offset of its heading.
            first: the offset of the heading's block.
            end: the offset after its last block.
        """
        source = self.source
        text = source.trim(first, end) or Span(first, end)
        return TocEntry(
            section.level,
            section.title,
            section.anchor,
            source.line_at(start),
            section.path,
            source.line_at(first),
            source.line_at(text.end - 1),
            section_id,
        )
