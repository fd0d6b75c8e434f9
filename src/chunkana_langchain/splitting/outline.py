"""The outline of a text: its headings by path and by line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chunkana_core import Chunk, HierarchicalChunkingResult, MergeNode, Source, TocEntry
from chunkana_langchain.splitting.origin import Heading
from chunkana_retrieval import opened_titles, repeated_signature

MARKDOWN = "markdown"
TITLED = frozenset({MARKDOWN, "notebook"})  # formats whose documents may have a title
PROSE = TITLED | {"text"}
_JSON = "json"
_Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextOutline:
    """The headings of a text's sections, which in code are definitions and in JSON members.

    Attributes:
        format: the name of the format of the source.
    """

    format: str
    _by_path: Mapping[_Path, tuple[Heading, ...]]
    _by_line: Mapping[int, TocEntry]  # also by the line of a preceding anchor or decorator

    @classmethod
    def of(cls, result: HierarchicalChunkingResult, chunk_format: str) -> TextOutline:
        """Return the outline of a text.

        Args:
            result: the chunks of the text.
            chunk_format: the name of the source's format if the text is a chunk that is split
                further, else "". The outline of a part of a JSON text is empty, since that part is
                not valid JSON itself.
        """
        toc = [] if chunk_format == _JSON else result.toc()
        by_path: dict[_Path, tuple[Heading, ...]] = {(): ()}
        by_line: dict[int, TocEntry] = {}
        for entry in toc:
            above = by_path[entry.path[:-1]]
            by_path.setdefault(entry.path, (*above, Heading(entry.level, entry.title)))
            for line in (entry.start_line, entry.line):
                by_line.setdefault(line, entry)
        return cls(chunk_format or result.format, by_path, by_line)

    def headings(self, path: _Path) -> tuple[Heading, ...]:
        """Return the headings of a path, outermost first."""
        return self._by_path.get(path, ())

    def above_chunk(self, chunk: Chunk) -> tuple[Heading, ...]:
        """Return the headings above the first heading that a chunk's content starts with."""
        path = chunk.section.path
        if self.format == _JSON:
            return self.headings(path)
        if chunk.kind:
            signature = repeated_signature(chunk.content[: chunk.text_offset], chunk.kind)
            is_continued = bool(chunk.split_index)
            opened = opened_titles(path, chunk.title, signature, is_continued=is_continued)
            return self.headings(path[: len(path) - opened])
        starts_a_line = chunk.text_offset > 0 or _starts_a_line(chunk.source, chunk.span.start)
        heading = self._by_line.get(chunk.start_line) if starts_a_line else None
        return self.headings(heading.path[:-1] if heading else path)

    def above_parent(self, node: MergeNode) -> tuple[Heading, ...]:
        """Return the headings above the first heading that a parent's text starts with."""
        heading = None if self.format == _JSON else self.heading_of(node)
        return self.headings(heading.path[:-1] if heading else node.chunk.section.path)

    def heading_of(self, node: MergeNode) -> TocEntry | None:
        """Return the heading that a parent's text starts with, None if it has none."""
        if not _starts_a_line(node.chunk.source, node.span.start):
            return None
        return self._by_line.get(node.chunk.source.line_at(node.span.start))


def _starts_a_line(source: Source, offset: int) -> bool:
    """Return whether an offset is at the start of a line."""
    return offset == 0 or source.text[offset - 1] in "\r\n"
