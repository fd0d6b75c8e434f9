"""The text to split, a whole document or a chunk to split further, and its place in the source."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from operator import eq
from typing import Any, NamedTuple

from langchain_core.documents import Document

from chunkana_core import Source, Span
from chunkana_core.extending import split_header_path
from chunkana_langchain import keys
from chunkana_langchain.identity import source_id

# The errors of `ChunkContext.of` for metadata that are not a chunk's.
NO_CHUNK = (AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Heading(NamedTuple):
    """The heading of a section: its level (in Markdown 1 to 6) and its title."""

    level: int
    title: str


class ChunkContext(NamedTuple):
    """The metadata of a chunk that assembling passages and splitting the chunk further need.

    Attributes:
        content_start: the offset in the page content where the content starts, after context and
            overlap.
        path: the header path of the chunk, outermost title first.
        title: the title of the document, "" for none.
        above: the headings above the first heading of the content, or above the content if it has
            no heading; outermost first.
        caller_keys: the metadata keys of Chunkana whose values are the caller's.
        format: the name of the document's format.
        is_continued: whether the chunk starts after the start of its section.
    """

    content_start: int
    path: tuple[str, ...]
    title: str
    above: tuple[Heading, ...]
    caller_keys: tuple[str, ...]
    format: str
    is_continued: bool = False

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> ChunkContext:
        """Parse the metadata of a chunk.

        Raises:
            KeyError, TypeError, ValueError: if the metadata are not those of a chunk.
        """
        content_start, above, *further = json.loads(metadata[keys.CONTEXT])
        others: dict[str, Any] = further[0] if further else {}
        path = others["path"] if "path" in others else split_header_path(metadata[keys.HEADER_PATH])
        return cls(
            int(content_start),
            tuple(map(str, path)),
            str(others.get("title", path[0] if path else "")),
            tuple([_heading(one, path[n : n + 1]) for n, one in enumerate(above)]),
            tuple(map(str, others.get("kept", ()))),
            str(others["format"] if "format" in others else metadata[keys.FORMAT]),
            bool(others.get("is_continued")),
        )

    def to_json(self) -> str:
        """Return `[content_start, above, others]` as JSON, without values of other metadata keys.

        If the path starts with the headings above, only their levels are written. `others` contains
        the remaining fields that differ from their defaults, or whose metadata keys are the
        caller's.
        """
        is_above = all(map(eq, self.path, (heading.title for heading in self.above)))
        is_in_path = is_above and len(self.above) <= len(self.path)
        above = [heading.level for heading in self.above] if is_in_path else self.above
        others: dict[str, object] = {}
        if self.title != (self.path[0] if self.path else ""):
            others["title"] = self.title
        if self.is_continued:
            others["is_continued"] = True
        if self.caller_keys:
            others["kept"] = self.caller_keys
        if keys.FORMAT in self.caller_keys:
            others["format"] = self.format
        if keys.HEADER_PATH in self.caller_keys or self.path == ("",):
            others["path"] = self.path
        written = [self.content_start, above, others] if others else [self.content_start, above]
        return json.dumps(written, ensure_ascii=False)


def _heading(written: Any, titles: Sequence[str]) -> Heading:
    """Return the heading from `[level, title]`, or from a level and the first of `titles`."""
    level, title = written if isinstance(written, list) else (written, titles[0])
    return Heading(int(level), str(title))


def is_chunk(document: Document) -> bool:
    """Return whether a document's metadata are those of a chunk or parent from Chunkana."""
    try:
        ChunkContext.of(document.metadata)
    except NO_CHUNK:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Origin:
    """A text to split, and its place in its source.

    Attributes:
        text: the text of the document; for a chunk its content, including repeated headings and
            rows.
        key: the key from which the ids of the chunks are computed.
        document_id: the id of the source, the same for all its chunks and their chunks.
        metadata: the metadata of the document.
        source_part: the range of the text that is a slice of the source, not repeated.
        source_offset: the number to add to an offset in the text for the offset in the source.
        page_offset: the number to add to an offset in the text for the offset in the page content.
        lines_above: the number to add to a line number in the text for the line in the source.
        title: the title of the source if the text is a chunk, else "".
        above: the headings above the text, outermost first.
        caller_keys: the metadata keys whose values are the caller's.
        is_continued: whether the text is a chunk that starts after the start of its section.
        format: the name of the source's format if the text is a chunk, else "".
    """

    text: str
    key: str
    document_id: str
    metadata: dict[str, Any]
    source_part: Span
    source_offset: int = 0
    page_offset: int = 0
    lines_above: int = 0
    title: str = ""
    above: tuple[Heading, ...] = ()
    caller_keys: AbstractSet[str] = frozenset()
    is_continued: bool = False
    format: str = ""

    @classmethod
    def of(cls, document: Document, key: str) -> Origin:
        """Return the text of a document, and its place if the document is a chunk."""
        metadata = document.metadata
        try:
            return cls._of_chunk(document, key, ChunkContext.of(metadata))
        except NO_CHUNK:  # a whole document, or a chunk with changed metadata
            text, names = document.page_content, metadata.keys() - {keys.START_INDEX}
            whole = Span(0, len(text))
            return cls(text, key, source_id(key), metadata, whole, caller_keys=names)

    @classmethod
    def _of_chunk(cls, document: Document, key: str, context: ChunkContext) -> Origin:
        metadata = document.metadata
        prefix, start = int(metadata[keys.PREFIX_CHARS]), int(metadata[keys.START_CHAR])
        # A blank line before the text prevents a line of dashes from starting front matter.
        lead = "\n" if start else ""
        repeated = lead + document.page_content[context.content_start : prefix]
        first_line = Source.of(repeated).line_at(len(repeated))
        return cls(
            text=repeated + document.page_content[prefix:],
            key=key,
            document_id=str(metadata.get(keys.DOCUMENT_ID) or source_id(key)),
            metadata=metadata,
            source_part=Span(len(repeated), len(repeated) + int(metadata[keys.END_CHAR]) - start),
            source_offset=start - len(repeated),
            page_offset=prefix - len(repeated),
            lines_above=int(metadata[keys.START_LINE]) - first_line,
            title=context.title,
            above=context.above,
            caller_keys=frozenset(context.caller_keys),
            is_continued=context.is_continued,
            format=context.format,
        )

    def clip(self, span: Span) -> Span | None:
        """Return the part of a span that is a slice of the source, None if that part is blank."""
        part = self.source_part
        start, end = max(span.start, part.start), min(span.end, part.end)
        text = self.text[start:end].rstrip()
        return Span(start, start + len(text)) if text else None
