"""The text of a document to split, and its place in its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from langchain_core.documents import Document
from msgspec import structs

from chunkana_core import Chunk, SectionPath, Span
from chunkana_core.extending import HEADED_FORMATS
from chunkana_langchain import keys
from chunkana_langchain.identity import source_id
from chunkana_langchain.keys import ChunkContext
from chunkana_retrieval import repeated_lines
from chunkana_retrieval.adapting import count_contained_titles, join_paths, titles_above

MARKDOWN: Final = "markdown"
Path = tuple[str, ...]
_FORMATS_OF_PARTS = {"notebook": MARKDOWN, "json": "text"}  # a part of such a file is none itself
_LOCATION_KEYS = frozenset({keys.START_CHAR, keys.END_CHAR, keys.PREFIX_CHARS, keys.START_LINE})


@dataclass(frozen=True, slots=True)
class Origin:
    """A text to split: a whole document, or the exact slice of the source in a chunk.

    Attributes:
        text: the text.
        key: the key from which the ids of the chunks are computed.
        document_id: the id of the source, the same for all its chunks and their chunks.
        metadata: the metadata of the document without those that Chunkana added.
        callers_keys: the metadata keys of Chunkana whose values are the caller's.
        chunk_format: the name of the format to split a chunk in, "" for a whole document.
        start: the offset of the text in the source.
        lines_above: the number of lines of the source above the text.
        page_start: the offset of the text in the page content.
        title: the title of the source of a chunk.
        above: the titles above a chunk that its text does not start with, outermost first.
        level: the level of the section of a chunk.
        is_continued: whether a chunk starts after the start of its section.
    """

    text: str
    key: str
    document_id: str
    metadata: dict[str, Any]
    callers_keys: frozenset[str]
    chunk_format: str = ""
    start: int = 0
    lines_above: int = 0
    page_start: int = 0
    title: str = ""
    above: Path = ()
    level: int = 0
    is_continued: bool = False

    @classmethod
    def of(cls, document: Document, key: str) -> Self:
        """Return the text of a whole document or chunk, and its place in the source."""
        metadata, page = document.metadata, document.page_content
        try:
            context = ChunkContext.of(metadata)
            start, end = int(metadata[keys.START_CHAR]), int(metadata[keys.END_CHAR])
            prefix, line = int(metadata[keys.PREFIX_CHARS]), int(metadata[keys.START_LINE])
        except keys.NO_CHUNK:  # a whole document, or a chunk with changed metadata
            names = frozenset(metadata) - {keys.START_INDEX}
            return cls(page, key, source_id(key), metadata, names)
        kept, text = context.callers_keys, page[prefix : prefix + end - start]
        if not _LOCATION_KEYS.isdisjoint(kept):
            return cls(page, key, source_id(key), metadata, frozenset(metadata))
        # A blank line before the text prevents a line of dashes from starting front matter.
        lead = "\n" if start else ""
        form = _FORMATS_OF_PARTS.get(context.format, context.format)
        # Without its fence or the rows above it, code or a table would be read as Markdown.
        is_inside = bool(repeated_lines(page[context.content_start : prefix]))
        return cls(
            lead + text,
            key,
            str(metadata.get(keys.DOCUMENT_ID) or source_id(key)),
            {name: value for name, value in metadata.items() if name not in keys.OWN - kept},
            kept,
            chunk_format="text" if is_inside else form,
            start=start - len(lead),
            lines_above=line - 1 - len(lead),
            page_start=prefix - len(lead),
            title=context.title,
            above=_titles_above(context, metadata, text),
            level=context.level,
            is_continued=context.is_continued,
        )

    def chunk_in_source(self, chunk: Chunk, prefix: int) -> Chunk:
        """Return a chunk of the text with its place in the source.

        Args:
            chunk: the chunk.
            prefix: the number of characters before its text in the page content.
        """
        span, path = chunk.span, join_paths(self.above, chunk.section.path)
        return structs.replace(
            chunk,
            section=SectionPath(chunk.section.level or self.level, path),
            span=Span(self.start + span.start, self.start + span.end),
            text_start_line=self.lines_above + chunk.text_start_line,
            text_end_line=self.lines_above + chunk.text_end_line,
            text_offset=prefix,
        )


def _titles_above(context: ChunkContext, metadata: Mapping[str, Any], text: str) -> Path:
    """Return the path of a chunk without the titles at its end that the text contains."""
    path: Path = context.path
    if context.format in HEADED_FORMATS:
        return titles_above(path, text)
    name = str(metadata.get("name") or "")
    contained = count_contained_titles(path, name, "", is_continued=context.is_continued)
    return path[: len(path) - contained]
