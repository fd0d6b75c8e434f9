"""The text that is split, a whole document or a chunk of Chunkana's, and where its source is."""

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

NO_CHUNK = (AttributeError, LookupError, TypeError, ValueError)  # what other metadata raise


class Heading(NamedTuple):
    """What opens a section: its level, in Markdown 1 to 6, and its title."""

    level: int
    title: str


class ChunkContext(NamedTuple):
    """What a chunk's metadata tell those who read the chunk, or split it further.

    Attributes:
        content_start: where the content starts in the page content, after context and overlap.
        path: the titles that the chunk is under, outermost first.
        title: the document's, "" for none.
        above: the headings above the first heading of the content, or above the content where it
            has none; outermost first.
        kept: the metadata keys that are the caller's although they are called as ours.
        format: the name of the document's format.
        is_continued: whether the chunk does not begin as its section does.
    """

    content_start: int
    path: tuple[str, ...]
    title: str
    above: tuple[Heading, ...]
    kept: tuple[str, ...]
    format: str
    is_continued: bool = False

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> ChunkContext:
        """Return what the metadata of a chunk say.

        Raises:
            KeyError, TypeError, ValueError: if they are no chunk's.
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
        """Return `[content_start, above, others]`, less what other metadata of a chunk say.

        A heading above that is in the path is its level alone, and `others` has the rest where
        they are the caller's, or not what is expected.
        """
        is_above = all(map(eq, self.path, (heading.title for heading in self.above)))
        is_in_path = is_above and len(self.above) <= len(self.path)
        above = [heading.level for heading in self.above] if is_in_path else self.above
        others: dict[str, object] = {}
        if self.title != (self.path[0] if self.path else ""):
            others["title"] = self.title
        if self.is_continued:
            others["is_continued"] = True
        if self.kept:
            others["kept"] = self.kept
        if keys.FORMAT in self.kept:
            others["format"] = self.format
        if keys.HEADER_PATH in self.kept or self.path == ("",):
            others["path"] = self.path
        written = [self.content_start, above, others] if others else [self.content_start, above]
        return json.dumps(written, ensure_ascii=False)


def _heading(written: Any, titles: Sequence[str]) -> Heading:
    """Return a heading of its level and title, or of its level, with the title in a path."""
    level, title = written if isinstance(written, list) else (written, titles[0])
    return Heading(int(level), str(title))


def is_chunk(document: Document) -> bool:
    """Tell whether a document says that it is a chunk or parent of Chunkana's."""
    try:
        ChunkContext.of(document.metadata)
    except NO_CHUNK:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Origin:
    """A text to split, and where it stands in its source.

    Attributes:
        text: of any format; of a chunk its content, repeated headings and rows included.
        key: what ids of its chunks are made of.
        document_id: the same for all chunks of a source, and for chunks of chunks.
        metadata: of the document that is split.
        own: the range of the text that is a slice of the source, and not repeated.
        in_source: what an offset in the source is more than in the text.
        in_page: what an offset in the page content is more than in the text.
        lines_above: what a line's number in the source is more than in the text.
        title: of the source where the text is a chunk of it, else "".
        above: the headings above the text, outermost first.
        kept: the metadata keys whose values stay as they are.
        is_continued: whether it is a chunk that does not begin as its section does.
        format: the name of the format of the document that it is a chunk of, "" if it is none.
    """

    text: str
    key: str
    document_id: str
    metadata: dict[str, Any]
    own: Span
    in_source: int = 0
    in_page: int = 0
    lines_above: int = 0
    title: str = ""
    above: tuple[Heading, ...] = ()
    kept: AbstractSet[str] = frozenset()
    is_continued: bool = False
    format: str = ""

    @classmethod
    def of(cls, document: Document, key: str) -> Origin:
        """Return the origin of a document's chunks."""
        metadata = document.metadata
        try:
            return cls._of_chunk(document, key, ChunkContext.of(metadata))
        except NO_CHUNK:  # it is no chunk, or its metadata were changed
            text, kept = document.page_content, metadata.keys() - {keys.START_INDEX}
            return cls(text, key, source_id(key), metadata, Span(0, len(text)), kept=kept)

    @classmethod
    def _of_chunk(cls, document: Document, key: str, context: ChunkContext) -> Origin:
        metadata = document.metadata
        prefix, start = int(metadata[keys.PREFIX_CHARS]), int(metadata[keys.START_CHAR])
        # A line in front, lest a line of dashes pass for the start of front matter.
        lead = "\n" if start else ""
        repeated = lead + document.page_content[context.content_start : prefix]
        own_line = Source.of(repeated).line_at(len(repeated))
        return cls(
            text=repeated + document.page_content[prefix:],
            key=key,
            document_id=str(metadata.get(keys.DOCUMENT_ID) or source_id(key)),
            metadata=metadata,
            own=Span(len(repeated), len(repeated) + int(metadata[keys.END_CHAR]) - start),
            in_source=start - len(repeated),
            in_page=prefix - len(repeated),
            lines_above=int(metadata[keys.START_LINE]) - own_line,
            title=context.title,
            above=context.above,
            kept=frozenset(context.kept),
            is_continued=context.is_continued,
            format=context.format,
        )

    def own_part(self, span: Span) -> Span | None:
        """Return the part of a span that is a slice of the source, None where it is blank."""
        start, end = max(span.start, self.own.start), min(span.end, self.own.end)
        piece = self.text[start:end].rstrip()
        return Span(start, start + len(piece)) if piece else None
